//! Any text as the domain of a shop: what is taken is a shop's and nothing else.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tollgate::{ApiVersion, ShopDomain};

fuzz_target!(|text: &str| {
    if let Ok(shop) = text.parse::<ShopDomain>() {
        let name = shop.as_str().strip_suffix(".myshopify.com").unwrap_or_default();
        let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit() || letter == '-';
        assert!(!name.is_empty() && name.chars().all(plain), "{text:?} became {shop:?}");
        assert_eq!(shop.as_str().parse(), Ok(shop.clone()));
    }
    let _ = text.parse::<ApiVersion>();
});
