//! All operations of `queries/` on the real schema, as SDL and as JSON in one crate, and calls of
//! both against a shop that has that schema.

use crate::scratch::{Scratch, workspace};

const MAIN: &str = r#"
mod json { tollgate::operations! { schema: "JSON", documents: "QUERIES" } }
mod sdl { tollgate::operations! { schema: "SDL", documents: "QUERIES" } }

macro_rules! calls {
    ($form:ident, $shop:expr) => {{
        use $form::*;
        collections($shop, Default::default()).await?;
        customer_page($shop, Default::default()).await?;
        discount_page($shop, Default::default()).await?;
        fulfilment_queue($shop, Default::default()).await?;
        inventory_page($shop, Default::default()).await?;
        locations($shop, Default::default()).await?;
        metafield_definitions($shop, Default::default()).await?;
        newest($shop, Default::default()).await?;
        order_page($shop, Default::default()).await?;
        product_page($shop, Default::default()).await?;
        shop_info($shop, Default::default()).await?;
        let page = product_page($shop, product_page::Variables::default()).await?;
        assert!(!page.data.products.nodes.is_empty());
        assert_eq!(page.cost.requested, page.cost.estimated);
        order_by_id($shop, order_by_id::Variables::new("gid://shopify/Order/1".into())).await?;
        menu_tree($shop, menu_tree::Variables::new("gid://shopify/Menu/1".into())).await?;
        let tags = tags_add::Variables::new("gid://shopify/Product/1".into(), vec!["a".into()]);
        tags_add($shop, tags).await?.into_result()?;
    }};
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    tokio::time::pause();
    let schema = tollgate_codegen::source::Files::new(".").schema("SDL")?;
    let shop = tollgate_shop::Shop::builder().schema(schema.text).build()?;
    let client = tollgate::Client::builder("test.myshopify.com", "shpat_test")
        .transport(shop.clone())
        .build()?;
    calls!(json, &client);
    calls!(sdl, &client);
    shop.assert_no_throttles();
    Ok(())
}
"#;

#[test]
fn every_operation_compiles_on_the_real_schema_and_calls_are_answered() {
    let shared = std::env::var_os("TOLLGATE_SHARED").map_or_else(
        || workspace().parent().unwrap().join("shared"),
        std::path::PathBuf::from,
    );
    let schema = |form: &str| shared.join(format!("schema/admin_2026-10.{form}.gz"));
    if !schema("json").is_file() {
        println!("skipped: the real schema is not here");
        return;
    }
    let scratch = Scratch::new("real");
    let path = |folder| format!("{:?}", workspace().join(folder).display().to_string());
    scratch.depend(&format!(
        "tollgate-shop = {{ path = {} }}\ntollgate-codegen = {{ path = {} }}\n\
         tokio = {{ version = \"1\", features = [\"macros\", \"rt\", \"test-util\"] }}",
        path("sdk-shop"),
        path("sdk-codegen"),
    ));
    let main = MAIN
        .replace("JSON", &schema("json").display().to_string())
        .replace("SDL", &schema("graphql").display().to_string())
        .replace(
            "QUERIES",
            &workspace().join("queries").display().to_string(),
        );
    scratch.write("src/main.rs", main);
    let output = scratch.cargo(&["run"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}
