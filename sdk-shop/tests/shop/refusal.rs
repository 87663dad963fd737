use serde_json::{Value, json};

use tollgate_shop::Shop;

use super::ask;

#[tokio::test]
async fn an_invalid_document_gives_nothing_but_errors() {
    let shop = Shop::builder().build().unwrap();
    let body = ask(&shop, "query Q { shop { nam } }", json!({})).await;
    assert_eq!(body.as_object().unwrap().len(), 1);
    let error = &body["errors"][0];
    assert_eq!(error["path"], json!(["query Q", "shop", "nam"]));
    assert_eq!(error["extensions"]["code"], "undefinedField");
    assert_eq!(shop.level().available.get(), 2000);
}

#[tokio::test]
async fn wrong_variables_name_each_problem() {
    let shop = Shop::builder().build().unwrap();
    let query = "mutation M($p: ProductCreateInput!, $n: Int!) { \
                 productCreate(product: $p) { product { variants(first: $n) { nodes { id } } } } }";
    let wrong = json!({ "p": { "title": 7, "nope": 1, "status": "SOLD" } });
    let body = ask(&shop, query, wrong.clone()).await;
    assert_eq!(body.as_object().unwrap().len(), 1);
    let error = &body["errors"][0];
    assert_eq!(error["extensions"]["code"], "INVALID_VARIABLE");
    assert_eq!(error["extensions"]["value"], wrong["p"]);
    let problems = error["extensions"]["problems"].as_array().unwrap();
    let paths: Vec<_> = problems.iter().map(|problem| &problem["path"][0]).collect();
    assert_eq!(
        paths,
        ["nope", "status", "title"]
            .map(Value::from)
            .iter()
            .collect::<Vec<_>>()
    );
    let missing = &body["errors"][1];
    assert_eq!(
        missing["message"],
        "Variable $n of type Int! was provided invalid value"
    );
    assert_eq!(missing["extensions"]["value"], Value::Null);
}

#[tokio::test]
async fn long_input_lists_are_refused_and_charged() {
    let shop = Shop::builder().bucket(2000, 0).build().unwrap();
    let query = "mutation($tags: [String!]!) { tagsAdd(id: \"gid://shopify/Product/1\", tags: $tags) { node { id } } }";
    let body = ask(&shop, query, json!({ "tags": vec!["x"; 251] })).await;
    let error = &body["errors"][0];
    assert_eq!(error["extensions"]["code"], "MAX_INPUT_SIZE_EXCEEDED");
    assert_eq!(
        error["message"],
        "The input array size of 251 is greater than the maximum allowed of 250."
    );
    assert_eq!(error["path"], json!(["tagsAdd", "tags"]));
    assert_eq!(body["extensions"]["cost"]["actualQueryCost"], Value::Null);
    assert_eq!(shop.level().available.get(), 1990);
}

#[tokio::test]
async fn routes_and_tokens_are_checked() {
    let shop = Shop::builder().token("right").build().unwrap();
    let request = super::request("{ shop { name } }", &json!({}));
    let response = shop.handle(request).await.unwrap();
    assert_eq!(response.status(), 401);
    let body: Value = serde_json::from_slice(response.body()).unwrap();
    assert!(body["errors"].as_str().unwrap().contains("Invalid API key"));

    let elsewhere = http::Request::post("http://shop/graphql")
        .body(bytes::Bytes::new())
        .unwrap();
    assert_eq!(shop.handle(elsewhere).await.unwrap().status(), 404);
}

#[tokio::test]
async fn thousands_of_fields_and_mistakes_are_answered_in_time() {
    let shop = Shop::builder().build().unwrap();
    let begun = std::time::Instant::now();
    let fields =
        |field: &str| -> String { (0..20_000).map(|n| format!("a{n}: {field} ")).collect() };
    let wide = ask(
        &shop,
        &format!("{{ shop {{ {} }} }}", fields("name")),
        json!({}),
    )
    .await;
    assert_eq!(wide["data"]["shop"].as_object().unwrap().len(), 20_000);
    let wrong = ask(
        &shop,
        &format!("{{ shop {{ {} }} }}", fields("nam")),
        json!({}),
    )
    .await;
    let errors = wrong["errors"].as_array().unwrap();
    assert_eq!(errors.len(), 100);
    assert_eq!(errors[99]["path"], json!(["query", "shop", "nam"]));
    // Each looked for among all of the others it takes minutes.
    assert!(begun.elapsed().as_secs() < 30, "{:?}", begun.elapsed());
}
