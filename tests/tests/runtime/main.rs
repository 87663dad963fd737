//! The client against a shop that fails in every known way, and against servers that mean harm.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod hostile;
mod storm;
mod traps;
mod wire;

/// Operations on the schema of this repository.
mod operations {
    tollgate::operations! {
        schema: "../schema/admin.graphql",
        document: r#"
            query Titles($first: Int! @max(value: 50)) {
                products(first: $first) { nodes { id title } }
            }
            mutation Tag($id: ID!, $tag: String!) {
                tagsAdd(id: $id, tags: [$tag]) { node { id } userErrors { message } }
            }
            mutation Adjust($reason: String!, $key: String!) {
                inventoryAdjustQuantities(input: {
                    name: "available"
                    reason: $reason
                    changes: [{
                        delta: 1
                        inventoryItemId: "gid://shopify/InventoryItem/1"
                        locationId: "gid://shopify/Location/1"
                    }]
                }) @idempotent(key: $key) { userErrors { message } }
            }
        "#,
    }
}
