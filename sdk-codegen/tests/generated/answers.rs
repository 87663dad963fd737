use tollgate::Operation as _;

use crate::abstracts::{AnyMedia, AnyNode, FilmOnly};
use crate::abstracts::{References, Things, references, things};
use crate::decode;
use crate::inputs::ScalarZoo;
use crate::selections::{Always, Conditional, Keywords, Money, Root, ShopPage, Unconditional};

const SHOP: &str = r#"{"shop":{"id":"gid://shopify/Shop/1","name":"S","plan":null,
  "products":{"pageInfo":{"hasNextPage":true,"endCursor":"c"},"nodes":[NODES]},
  "featured":{"id":"f","title":"F","price":{"amount":"0.10","currency":"EUR"}}}}"#;

const PRODUCT: &str = r#"{"id":"p","title":"P","price":{"amount":"1.00","currency":"USD"},
  "cover":{"url":"u","width":3},"tags":["a"],"matrix":[[1,2],null],
  "compareAt":null,"status":"ACTIVE","__in__Priced":"Product"}"#;

fn first(product: &str) -> crate::selections::shop_page::ShopProductsNodes {
    let data = decode::<ShopPage>(&SHOP.replace("NODES", product));
    data.shop.products.nodes.into_iter().next().unwrap()
}

/// One function for the money of any operation.
fn shown(money: &Money) -> String {
    format!("{} {}", money.amount, money.currency)
}

#[test]
fn a_fragment_is_one_type_wherever_it_is_spread() {
    let product = first(PRODUCT);
    assert_eq!(shown(&product.card.price), "1.00 USD");
    assert_eq!(shown(&product.priced.unwrap().price), "1.00 USD");
    let data = decode::<ShopPage>(&SHOP.replace("NODES", PRODUCT));
    assert_eq!(shown(&data.shop.featured.unwrap().price), "0.10 EUR");
    assert!(data.shop.products.page.page_info.has_next_page);
}

#[test]
fn a_field_of_a_fragment_and_of_the_selection_itself_is_in_both() {
    let product = first(PRODUCT);
    assert_eq!(product.id, product.card.id);
}

#[test]
fn conditions_make_fields_optional_unless_they_are_there_anyway() {
    let all = first(PRODUCT);
    assert_eq!(all.cover.as_ref().unwrap().url.as_ref().unwrap(), "u");
    assert_eq!(all.cover.unwrap().width, Some(3));
    assert_eq!(all.tags.unwrap(), ["a"]);
    assert_eq!(all.matrix, [Some(vec![1, 2]), None]);

    let bare = first(
        r#"{"id":"p","title":"P","price":{"amount":"1.00","currency":"USD"},
            "cover":{"width":null},"matrix":[],"status":"DRAFT"}"#,
    );
    assert_eq!(bare.tags, None);
    assert_eq!(bare.cover.unwrap().url, None);
    assert_eq!(bare.priced, None);

    let data = decode::<Always>(r#"{"shop":{"id":"1","name":"n"}}"#);
    let (id, name): (tollgate::Id, String) = (data.shop.id, data.shop.name);
    assert_eq!((id.as_str(), name.as_str()), ("1", "n"));
    assert_eq!(data.shop.featured, None);
}

#[test]
fn a_fragment_that_was_skipped_is_not_taken_from_what_others_asked_for() {
    let skipped = r#"{"shop":{"featured":{"id":"1"},"__in_shop":"n"}}"#;
    let shop = decode::<Conditional>(skipped).shop;
    assert_eq!((shop.deeper, shop.optional), (None, None));
    let included = r#"{"shop":{"featured":{"id":"1","title":"t"},"__in__Deeper":"Shop",
        "__in__Optional":"Shop","name":"n","__in_shop":"n"}}"#;
    let shop = decode::<Conditional>(included).shop;
    assert_eq!(shop.deeper.unwrap().featured.unwrap().title, "t");
    assert_eq!(shop.optional.unwrap().name.as_deref(), Some("n"));
    assert!(
        Conditional::DOCUMENT.contains("fragment Deeper on Shop{__in__Deeper:__typename featured")
    );
    let text = r#"{"shop":{"featured":null}}"#;
    assert_eq!(decode::<Unconditional>(text).shop.featured, None);
}

#[test]
fn keys_come_in_any_order_and_unknown_ones_are_skipped() {
    let text = r#"{"status":"ACTIVE","x":{"y":[1,{"z":"}"}]},"matrix":[],"title":"P","tags":[],
        "price":{"currency":"USD","amount":"1.00"},"cover":null,"compareAt":null,"id":"p"}"#;
    let product = first(text);
    assert_eq!(
        (product.card.title.as_str(), product.id.as_str()),
        ("P", "p")
    );
    assert_eq!(shown(&product.card.price), "1.00 USD");
}

#[test]
fn a_selection_may_be_a_fragment_at_the_root_and_nest_as_deep_as_it_is_written() {
    let item = |inner: &str| format!(r#"{{"title":"t","items":[{inner}]}}"#);
    let text = format!(
        r#"{{"menu":{{"items":[{}]}}}}"#,
        item(&item(r#"{"title":"leaf"}"#))
    );
    let data = decode::<Root>(&text);
    assert_eq!(data.menu.items[0].items[0].items[0].title, "leaf");
}

#[test]
fn names_that_rust_keeps_for_itself() {
    let text = r#"{"words":{"type":"a","self":"b","Self":1,"fn":true,
        "option":{"type":"c","string":{"self":"d"}},"fooBar":2,"foo_bar":3,
        "__typename":"Words","typename":"own","vec":{"fn":null}},
        "data":{"id":"1"},"variables":{"id":"2"}}"#;
    let data = decode::<Keywords>(text);
    let words = data.words;
    assert_eq!(
        (words.type_.as_str(), words.self_.as_str(), words.self_2),
        ("a", "b", Some(1))
    );
    assert_eq!((words.foo_bar, words.foo_bar_2), (Some(2), Some(3)));
    assert_eq!(
        (words.typename.as_str(), words.typename_2.as_deref()),
        ("Words", Some("own"))
    );
    assert_eq!(words.option.unwrap().string.unwrap().self_, "d");
    assert_eq!(
        (data.data.id.as_str(), data.variables.id.as_str()),
        ("1", "2")
    );
}

fn thing(node: &str) -> things::Node {
    let text = format!(r#"{{"node":{node},"nodes":[],"media":[],"plain":[]}}"#);
    decode::<Things>(&text).node.unwrap()
}

#[test]
fn an_interface_is_told_apart_by_the_type_wherever_it_stands() {
    let product = r#""id":"1","title":"T","price":{"amount":"1"},"heading":"T""#;
    for text in [
        format!(r#"{{"__typename":"Product",{product}}}"#),
        format!(r#"{{{product},"__typename":"Product"}}"#),
    ] {
        let things::Node::Product(product) = thing(&text) else {
            panic!("{text}")
        };
        assert_eq!(product.heading, "T");
    }
    let collection = thing(r#"{"__typename":"Collection","id":"1","heading":"C"}"#);
    assert_eq!(collection.typename(), "Collection");
    assert!(matches!(collection, things::Node::Collection(it) if it.heading == "C"));
}

#[test]
fn a_type_that_is_new_keeps_its_name_and_the_shared_fields() {
    for name in ["Shop", "FromTheFuture"] {
        let node = thing(&format!(r#"{{"__typename":"{name}","id":"7","more":[]}}"#));
        assert_eq!(node.typename(), name);
        assert!(matches!(node, things::Node::Other(other) if other.id == "7"));
    }
    let text = r#"{"reference":{"__typename":"New"},"only":{"__typename":"New"},"none":null}"#;
    let data = decode::<References>(text);
    assert_eq!(data.reference.unwrap().typename(), "New");
    assert_eq!(data.only.unwrap().typename(), "New");
}

#[test]
fn a_fragment_on_an_interface_reads_like_an_inline_one() {
    let media = |media: &str| {
        let text = format!(r#"{{"node":null,"nodes":[],"media":[{media}],"plain":[]}}"#);
        decode::<Things>(&text).media.remove(0)
    };
    let film = r#""__typename":"Film","id":"1","preview":{"url":"u","width":2},"duration":5"#;
    let skipped = media(&format!("{{{film}}}"));
    assert!(
        matches!(skipped.any_media, AnyMedia::Film(film) if film.preview.as_ref().unwrap().width == Some(2))
    );
    assert_eq!(skipped.film_only, None);
    let included = media(&format!(
        r#"{{{film},"__in_FilmOnly":"Film","alt":null,"length":5}}"#
    ));
    assert!(matches!(included.film_only, Some(FilmOnly::Film(film)) if film.length == Some(5)));
    let model = media(
        r#"{"__typename":"Model","id":"2","__in_FilmOnly":"Model","preview":null,"alt":"a"}"#,
    );
    assert!(matches!(model.film_only, Some(FilmOnly::Other(other)) if other.typename == "Model"));
}

#[test]
fn null_in_a_list_of_nullable_things() {
    let text = r#"{"node":null,"nodes":[null,{"__typename":"Shop","id":"1","name":"n"}],
        "media":[],"plain":[]}"#;
    let nodes = decode::<Things>(text).nodes;
    assert_eq!(nodes[0], None);
    let shop = nodes[1].as_ref().unwrap();
    assert_eq!(shop.typename, "Shop");
    assert!(matches!(&shop.any_node, AnyNode::Shop(shop) if shop.name == "n"));
}

#[test]
fn types_that_answer_alike_are_one_variant() {
    let text = r#"{"reference":{"__typename":"Collection","id":"1","rules":[],"title":"C"},
        "only":{"__typename":"Product","title":"P"},"none":{"__typename":"Note"},
        "bare":{"__typename":"Product"}}"#;
    let data = decode::<References>(text);
    assert_eq!(data, data.clone());
    assert!(matches!(data.bare, Some(references::Bare::Product(_))));
    let Some(references::Reference::Collection(collection)) = data.reference else {
        panic!()
    };
    assert_eq!(collection.titled.title, "C");
    let Some(references::Only::Product(product)) = data.only else {
        panic!()
    };
    assert_eq!(product.title, "P");
    assert_eq!(data.none.unwrap().typename, "Note");
}

const SCALARS: &str = r#"{"scalars":{"id":17,"int":-5,"float":1e3,"flag":false,
    "text":"\u00e9\ud83d\ude00\n","decimal":19.90,"money":"0.10","at":"2026-10-01T09:30:00+02:00",
    "day":"2026-10-01","url":"https://x.y/","html":"<b>","json":{"a":[1,null]},
    "unsigned":"18446744073709551615","big":-9007199254740993,"odd":true}}"#;

#[test]
fn scalars_keep_what_was_sent() {
    let scalars = decode::<ScalarZoo>(SCALARS).scalars;
    assert_eq!(scalars.id, "17");
    assert_eq!(scalars.text, "é😀\n");
    assert_eq!(
        (scalars.decimal.as_str(), scalars.money.as_str()),
        ("19.90", "0.10")
    );
    assert_eq!(scalars.at, "2026-10-01T09:30:00+02:00");
    assert_eq!(scalars.unsigned, u64::MAX);
    assert_eq!(scalars.big, -9_007_199_254_740_993);
    assert_eq!(scalars.json["a"][0], 1);
    assert_eq!(scalars.odd.as_str(), "true");
}

#[test]
fn errors_name_the_path_and_the_place() {
    for (from, to, path, expected) in [
        ("-5", "2147483648", "scalars.int", "Int"),
        ("-5", "1.0", "scalars.int", "Int"),
        ("1e3", "1e400", "scalars.float", "Float"),
        ("false", "null", "scalars.flag", "Boolean"),
        (r#""<b>""#, "{}", "scalars.html", "Html"),
        (r#","odd":true"#, "", "scalars.odd", "the field `odd`"),
        (
            r#""big":-9007199254740993"#,
            r#""big":"9223372036854775808""#,
            "scalars.big",
            "BigInt",
        ),
    ] {
        let error = ScalarZoo::decode(&SCALARS.replace(from, to)).unwrap_err();
        assert_eq!(
            (error.path().as_str(), error.expected()),
            (path, expected),
            "{error}"
        );
    }
    let text = SHOP.replace(
        "NODES",
        &format!("{PRODUCT},{}", PRODUCT.replace("[1,2]", r#"[1,"2"]"#)),
    );
    let error = ShopPage::decode(&text).unwrap_err();
    assert_eq!(error.path(), "shop.products.nodes[1].matrix[0][1]");
    let lines = text[..error.offset()].matches('\n').count();
    assert_eq!((error.line(), error.found()), (lines + 1, "\"2\""));
}
