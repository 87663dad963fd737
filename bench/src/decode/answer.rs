use std::fmt::Write as _;

/// Whether products have media, which are told apart by their type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Media {
    None,
    Some,
}

/// An answer of about `size` bytes: products as a server gives them.
pub(super) fn text(size: usize, media: Media) -> String {
    let mut out = String::with_capacity(size + 4096);
    out.push_str(r#"{"products":{"pageInfo":{"hasNextPage":true,"endCursor":"eyJsYXN0X2lkIjo3fQ=="},"nodes":["#);
    let mut number = 0_usize;
    while out.len() < size {
        if number > 0 {
            out.push(',');
        }
        product(&mut out, number, media);
        number += 1;
    }
    out.push_str("]}}");
    out
}

fn product(out: &mut String, number: usize, media: Media) {
    let currency = ["EUR", "USD", "CAD", "JPY"][number % 4];
    let _ = write!(
        out,
        r#"{{"id":"gid://shopify/Product/{number}","handle":"walking-boot-{number}","title":"Walking boot \"N\u00ba {number}\" für alle","status":"ACTIVE","vendor":"Meridian & Sons","tags":["boot","leather","season-{number}"],"updatedAt":"2026-10-01T09:30:00Z","priceRangeV2":{{"minVariantPrice":{{"amount":"{number}.90","currencyCode":"{currency}"}}}}"#
    );
    if media == Media::Some {
        let _ = write!(
            out,
            r#","media":{{"nodes":[{{"__typename":"MediaImage","id":"gid://shopify/MediaImage/{number}","alt":null,"mimeType":"image/webp","image":{{"url":"https://cdn.shop.example/s/files/1/{number}/boot.webp?v=1700000000","width":1600,"height":1200}}}},{{"__typename":"Video","id":"gid://shopify/Video/{number}","alt":"A walk","duration":{number},"sources":[{{"url":"https://cdn.shop.example/videos/{number}.mp4","format":"mp4"}}]}},{{"__typename":"Model3d","id":"gid://shopify/Model3d/{number}","alt":"Turn it"}}]}}"#
        );
    }
    out.push_str(r#","variants":{"nodes":["#);
    for variant in 0..5 {
        let comma = if variant > 0 { "," } else { "" };
        let _ = write!(
            out,
            r#"{comma}{{"id":"gid://shopify/ProductVariant/{number}{variant}","sku":"BOOT-{number}-{variant}","title":"Size {variant}","position":{variant},"price":"{number}.90","compareAtPrice":null,"inventoryQuantity":{number},"selectedOptions":[{{"name":"Size","value":"4{variant}"}},{{"name":"Colour","value":"chestnut brown"}}]}}"#
        );
    }
    out.push_str("]}}");
}
