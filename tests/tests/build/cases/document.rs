tollgate::operations! {
    schema: "schema/admin.graphql",
    document: r#"
        query Wrong($first: Int!) {
            products(fisrt: $first) { nodes { ttle } }
            node { id }
        }
        query Right { shop { name } }
    "#,
}

async fn used(shop: &tollgate::Client) -> Result<(), tollgate::Error> {
    let wrong = wrong(shop, wrong::Variables { first: 3, ..Default::default() }).await?;
    drop(wrong.data.products.nodes);
    drop(right(shop, right::Variables::default()).await?.data.shop.name);
    drop(shop.run::<Wrong>(wrong::Variables { first: 3 }).await?);
    Ok(())
}

fn main() {
    drop(used);
}
