//! The calls that start, follow and stop bulk operations.

use serde_json::{Value, json};

use super::{BulkError, Snapshot};
use crate::{Client, UserError};

const STATE: &str = "id status errorCode objectCount rootObjectCount fileSize url partialDataUrl";

/// Starts a query.
pub(super) async fn run_query(
    client: &Client,
    query: &str,
    grouped: bool,
) -> Result<Snapshot, BulkError> {
    let document = format!(
        "mutation BulkQueryRun($query:String!$group:Boolean!){{bulkOperationRunQuery(query:$query \
         groupObjects:$group){{bulkOperation{{{STATE}}}userErrors{{field message code}}}}}}"
    );
    let variables = json!({ "query": query, "group": grouped });
    started(
        client,
        "BulkQueryRun",
        "bulkOperationRunQuery",
        &document,
        &variables,
    )
    .await
}

/// Starts a mutation over uploaded lines.
pub(super) async fn run_mutation(
    client: &Client,
    mutation: &str,
    path: &str,
    identifier: Option<&str>,
) -> Result<Snapshot, BulkError> {
    let document = format!(
        "mutation BulkMutationRun($mutation:String!$path:String!$client:String){{\
         bulkOperationRunMutation(mutation:$mutation stagedUploadPath:$path clientIdentifier:$client)\
         {{bulkOperation{{{STATE}}}userErrors{{field message code}}}}}}"
    );
    let variables = json!({ "mutation": mutation, "path": path, "client": identifier });
    started(
        client,
        "BulkMutationRun",
        "bulkOperationRunMutation",
        &document,
        &variables,
    )
    .await
}

async fn started(
    client: &Client,
    name: &str,
    field: &str,
    document: &str,
    variables: &Value,
) -> Result<Snapshot, BulkError> {
    let answer = client.raw(document, variables).operation_name(name).await?;
    let payload = &answer.data[field];
    let errors = user_errors(&payload["userErrors"]);
    if let Some(busy) = errors.iter().find(|error| is_busy(error)) {
        return Err(BulkError::Busy {
            id: operation_in(&busy.message),
            message: busy.message.clone(),
        });
    }
    if !errors.is_empty() {
        return Err(BulkError::Refused(errors));
    }
    Snapshot::read(&payload["bulkOperation"]).ok_or(BulkError::Answer("bulkOperation"))
}

/// What the service says of an operation, by its id: never of "the current one", which may be
/// somebody else's.
pub(super) async fn look(client: &Client, id: &str) -> Result<Snapshot, BulkError> {
    // `bulkOperation` came with 2026-01; `node` gives the same in every version.
    let field = if client.api_version() < "2026-01" {
        "node"
    } else {
        "bulkOperation"
    };
    let document =
        format!("query BulkProgress($id:ID!){{{field}(id:$id){{...on BulkOperation{{{STATE}}}}}}}");
    let call = client.raw(&document, &json!({ "id": id }));
    let answer = call.operation_name("BulkProgress").await?;
    let snapshot = Snapshot::read(&answer.data[field]);
    snapshot.ok_or_else(|| BulkError::NotFound { id: id.to_owned() })
}

/// The text of the query that an operation runs.
pub(super) async fn query_of(client: &Client, id: &str) -> Result<Option<String>, BulkError> {
    let document = "query BulkQuery($id:ID!){node(id:$id){...on BulkOperation{query}}}";
    let call = client.raw(document, &json!({ "id": id }));
    let answer = call.operation_name("BulkQuery").await?;
    Ok(answer.data["node"]["query"].as_str().map(str::to_owned))
}

/// Asks an operation to stop.
pub(super) async fn cancel(client: &Client, id: &str) -> Result<(), BulkError> {
    let document = "mutation BulkCancel($id:ID!){bulkOperationCancel(id:$id){bulkOperation{id status}\
                    userErrors{field message}}}";
    // Stopping twice is stopping once.
    let call = client.raw(document, &json!({ "id": id })).idempotent(true);
    let answer = call.operation_name("BulkCancel").await?;
    let payload = &answer.data["bulkOperationCancel"];
    let errors = user_errors(&payload["userErrors"]);
    // One that is over cannot be stopped: what matters is where it stands, which is asked next.
    if errors.is_empty() || payload["bulkOperation"]["status"].is_string() {
        return Ok(());
    }
    Err(BulkError::Refused(errors))
}

/// A place to upload lines to.
pub(super) struct Target {
    pub(super) url: String,
    pub(super) parameters: Vec<(String, String)>,
}

pub(super) async fn upload_target(client: &Client, size: usize) -> Result<Target, BulkError> {
    let document = "mutation UploadTarget($input:[StagedUploadInput!]!){stagedUploadsCreate(input:$input)\
                    {stagedTargets{url parameters{name value}}userErrors{field message}}}";
    let input = json!({
        "resource": "BULK_MUTATION_VARIABLES",
        "filename": "input.jsonl",
        "mimeType": "text/jsonl",
        "httpMethod": "POST",
        "fileSize": size.to_string(),
    });
    // A place that nothing is uploaded to harms nobody.
    let call = client
        .raw(document, &json!({ "input": [input] }))
        .idempotent(true);
    let answer = call.operation_name("UploadTarget").await?;
    let payload = &answer.data["stagedUploadsCreate"];
    let errors = user_errors(&payload["userErrors"]);
    if !errors.is_empty() {
        return Err(BulkError::Refused(errors));
    }
    let target = &payload["stagedTargets"][0];
    let parameters = target["parameters"].as_array().into_iter().flatten();
    let parameter = |parameter: &Value| {
        let text = |name: &str| parameter[name].as_str().map(str::to_owned);
        Some((text("name")?, text("value")?))
    };
    Ok(Target {
        url: target["url"]
            .as_str()
            .ok_or(BulkError::Answer("stagedTargets.url"))?
            .to_owned(),
        parameters: parameters.filter_map(parameter).collect(),
    })
}

fn user_errors(value: &Value) -> Vec<UserError> {
    let error = |error: &Value| UserError {
        field: error["field"]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
            .collect(),
        code: error["code"].as_str().map(str::to_owned),
        message: error["message"].as_str().unwrap_or_default().to_owned(),
    };
    value.as_array().into_iter().flatten().map(error).collect()
}

/// By the code; where the service gives none, by the words that all its wordings share.
fn is_busy(error: &UserError) -> bool {
    match error.code.as_deref() {
        Some(code) => matches!(code, "OPERATION_IN_PROGRESS" | "LIMIT_REACHED"),
        None => {
            let message = error.message.to_lowercase();
            message.contains("bulk") && message.contains("already in progress")
        }
    }
}

/// The id of an operation in a message.
fn operation_in(message: &str) -> Option<String> {
    let start = message.find("gid://shopify/BulkOperation/")?;
    let ends = |letter: char| {
        letter.is_whitespace() || matches!(letter, '.' | ',' | '"' | '\'' | ')' | '`')
    };
    let id = message[start..].split(ends).next()?;
    Some(id.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: Option<&str>, message: &str) -> UserError {
        UserError {
            code: code.map(str::to_owned),
            message: message.to_owned(),
            ..UserError::default()
        }
    }

    #[test]
    fn busy_is_told_by_code_then_by_text() {
        assert!(is_busy(&error(Some("OPERATION_IN_PROGRESS"), "x")));
        assert!(is_busy(&error(Some("LIMIT_REACHED"), "x")));
        for wording in [
            "A bulk operation for this app and shop is already in progress: gid://shopify/BulkOperation/7.",
            "A bulk query operation for this app and shop is already in progress",
        ] {
            assert!(is_busy(&error(None, wording)));
        }
        assert!(!is_busy(&error(
            Some("INVALID"),
            "A bulk operation is already in progress"
        )));
        assert!(!is_busy(&error(None, "Invalid bulk query")));
    }

    #[test]
    fn the_operation_in_a_message_is_found() {
        let id = |message| operation_in(message);
        let expected = Some("gid://shopify/BulkOperation/7".to_owned());
        assert_eq!(id("in progress: gid://shopify/BulkOperation/7."), expected);
        assert_eq!(id("(gid://shopify/BulkOperation/7) runs"), expected);
        assert_eq!(id("somewhere"), None);
    }
}
