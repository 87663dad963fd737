use tollgate_codegen::pricing::{self, Bounds, Overrides, Rules};
use tollgate_codegen::source::Source;
use tollgate_cost::Points;

use super::{document, golden, schema};

fn parse(text: &str) -> Result<Overrides, String> {
    let source = Source::new("schema/costs.toml", text);
    Overrides::parse(&schema(), &source).map_err(|problems| problems.to_string())
}

#[test]
fn a_project_sets_prices_of_types_fields_and_mutations() {
    let overrides = parse(
        r#"
        [types]
        MailingAddress = 0
        [fields]
        "Shop.name" = 0.5
        "Order.customer" = 7
        [mutations]
        tagsAdd = 50
        "#,
    )
    .unwrap();
    let schema = schema();
    let rules = Rules::newest().with(&overrides);
    let price = |text| {
        let document = document(&schema, text);
        let operation = &document.operations[0];
        let priced = pricing::price(&schema, &document, operation, &rules, Bounds::default());
        priced.plan.bound()
    };
    assert_eq!(price("{ shop { billingAddress { city } } }"), Points(1));
    assert_eq!(price("{ order(id: 1) { customer { id } } }"), Points(8));
    assert_eq!(price("{ shop { name } a: shop { name } }"), Points(3));
    assert_eq!(
        price("mutation { tagsAdd(id: 1, tags: []) { node { id } } }"),
        Points(50)
    );
    assert_eq!(parse(&overrides.to_toml()), Ok(overrides));
}

#[test]
fn what_the_schema_does_not_have_is_named_with_its_place() {
    let text = "[types]\nMoneyV3 = 0\nDecimal = 1\n[fields]\n\"Order.custmer\" = 1\nOrder = 1\n\
                \"Shap.name\" = 2\n[mutations]\ntagsAd = 3\n";
    golden("overrides.txt", &parse(text).unwrap_err());
}

#[test]
fn prices_that_are_none_are_refused() {
    for (text, column) in [
        ("[types]\nShop = -1\n", "costs.toml:2:8"),
        ("[types]\nShop = \"1\"\n", "costs.toml:2:8"),
        ("[types]\nShop = 0.0001\n", "costs.toml:2:8"),
        ("[kinds]\nShop = 1\n", "costs.toml:1:2"),
        ("[types\n", "costs.toml:1:7"),
    ] {
        let error = parse(text).unwrap_err();
        assert!(error.contains(column), "{text}: {error}");
    }
}
