//! Bulk mutations: a result for every input.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_core::Stream;
use serde_json::{Value, json};

use super::depot::{Depot, FILE, ID, Serve, Update, state};
use crate::bulk::{BulkError, JsonlError, LineResult, Outcome};

fn completing(file: &str, serve: &[Serve]) -> Depot {
    let mut end = state("COMPLETED");
    end["url"] = json!(FILE);
    end["fileSize"] = json!(file.len());
    Depot::new(|script| {
        script.looks = [end].into();
        script.file = file.to_owned().into();
        script.serve = serve.iter().copied().collect();
    })
}

async fn run(depot: &Depot, inputs: u64) -> Result<Vec<LineResult<Value>>, BulkError> {
    let mut input = depot.client().bulk_mutation::<Update>();
    for n in 0..inputs {
        input.push(&json!({ "id": n }))?;
    }
    let mut results = input.start().await?.results().await?;
    let mut taken = Vec::new();
    while let Some(result) = results.next().await {
        taken.push(result?);
    }
    Ok(taken)
}

fn line(number: u64, id: u64) -> String {
    format!(
        "{{\"data\":{{\"update\":{{\"id\":{id},\"userErrors\":[]}}}},\"__lineNumber\":{number}}}\n"
    )
}

#[tokio::test(start_paused = true)]
async fn results_are_matched_to_inputs_whatever_the_order_and_the_base() {
    for base in [0, 1] {
        let lines = (0..1200_u64)
            .map(|n| (n * 7) % 1200)
            .map(|n| line(n + base, n));
        let depot = completing(&lines.collect::<String>(), &[]);
        let results = run(&depot, 1200).await.unwrap();
        assert_eq!(results.len(), 1200);
        for (n, result) in results.into_iter().enumerate() {
            assert_eq!(result.index, n as u64);
            assert_eq!(result.input, format!("{{\"id\":{n}}}"));
            assert_eq!(result.outcome.done().unwrap()["update"]["id"], n);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn every_way_a_line_can_end_is_told() {
    let file = [
        line(0, 0),
        r#"{"data":{"update":{"userErrors":[{"message":"Price is negative"}]}},"__lineNumber":1}"#.to_owned(),
        "\n".to_owned(),
        r#"{"data":null,"errors":[{"message":"Internal","extensions":{"code":"X"}}],"__lineNumber":3}"#.to_owned(),
    ];
    let results = run(&completing(&file.concat(), &[]), 5).await.unwrap();
    let outcomes: Vec<_> = results.iter().map(|result| &result.outcome).collect();
    let [done, refused, missing, failed, cut] = outcomes[..] else {
        panic!("{outcomes:?}");
    };
    assert!(matches!(done, Outcome::Done(_)));
    assert!(
        matches!(refused, Outcome::UserErrors(errors, _) if errors[0].message == "Price is negative")
    );
    assert!(matches!(
        (missing, cut),
        (Outcome::Missing, Outcome::Missing)
    ));
    assert!(matches!(failed, Outcome::Failed(errors) if errors[0].code.as_deref() == Some("X")));
}

#[tokio::test(start_paused = true)]
async fn lines_that_match_no_input_are_errors() {
    let unmatched = [
        line(0, 0) + &line(0, 0),
        line(0, 0) + &line(7, 7),
        "{\"data\":{}}\n".to_owned(),
    ];
    for file in unmatched {
        let error = run(&completing(&file, &[]), 3).await.unwrap_err();
        assert!(
            matches!(error, BulkError::Lines(JsonlError::UnknownLine { .. })),
            "{error:?}"
        );
    }
    let error = run(&completing(&line(0, 0)[..20], &[]), 3)
        .await
        .unwrap_err();
    assert!(
        matches!(error, BulkError::Lines(JsonlError::Truncated { .. })),
        "{error:?}"
    );
}

#[tokio::test(start_paused = true)]
async fn the_upload_is_a_form_with_the_file_last() {
    let depot = completing(
        &(line(0, 0) + &line(1, 1)),
        &[Serve::Status(503), Serve::Down, Serve::Well],
    );
    run(&depot, 2).await.unwrap();
    let uploads = depot.uploads();
    assert_eq!(uploads.len(), 3, "the same file again after a failure");
    let form = String::from_utf8(uploads[2].to_vec()).unwrap();
    let file = form.find("{\"id\":0}\n{\"id\":1}\n").unwrap();
    assert!(
        form.find("name=\"key\"\r\n\r\ntmp/input.jsonl\r\n")
            .unwrap()
            < file
    );
    assert!(form.find("name=\"policy\"").unwrap() < file);
    assert!(form[file..].trim_end().ends_with("--"));
    let start = depot
        .log()
        .into_iter()
        .find(|(name, _)| name == "BulkMutationRun")
        .unwrap()
        .1;
    assert_eq!(start["path"], "tmp/input.jsonl");
    assert_eq!(
        start["mutation"],
        "mutation Update($id:ID!){update(id:$id)}"
    );
}

#[tokio::test(start_paused = true)]
async fn a_document_of_the_run_time_is_submitted_in_place_of_the_operations() {
    let depot = completing(&line(1, 0), &[]);
    let input = depot.client().bulk_mutation::<Update>();
    let mut input = input.document("mutation{other}".to_owned());
    input.push(&json!({ "id": 0 })).unwrap();
    input.start().await.unwrap();
    let log = depot.log();
    let (_, start) = log
        .iter()
        .find(|(name, _)| name == "BulkMutationRun")
        .unwrap();
    assert_eq!(start["mutation"], "mutation{other}");
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_uploaded_is_refused_before() {
    let depot = Depot::default();
    assert!(matches!(
        run(&depot, 0).await,
        Err(BulkError::Input("empty"))
    ));
    let mut input = depot
        .client()
        .bulk_mutation::<Update>()
        .client_identifier("short");
    input.push(&json!({})).unwrap();
    assert!(matches!(
        input.start().await,
        Err(BulkError::ClientIdentifier(5))
    ));
    let mut input = depot.client().bulk_mutation::<Update>();
    input.limit = 100;
    let large = json!({"text": "x".repeat(60)});
    input.push(&large).unwrap();
    let whole = input.lines.clone();
    assert!(matches!(input.push(&large), Err(BulkError::Input(_))));
    // What was refused goes into another job: in this one it would run a second time.
    assert_eq!((input.count(), &input.lines), (1, &whole));
    assert_eq!(depot.names(), Vec::<String>::new());
    let depot = completing("", &[Serve::Status(403)]);
    assert!(matches!(
        run(&depot, 1).await,
        Err(BulkError::FileServer { status: 403, .. })
    ));
    for never in [Serve::Down, Serve::Silent] {
        let depot = completing("", &[never; 5]);
        assert!(matches!(run(&depot, 1).await, Err(BulkError::Upload(_))));
    }
}

#[tokio::test(start_paused = true)]
async fn a_failed_mutation_gives_the_results_it_came_to() {
    let mut end = state("FAILED");
    end["partialDataUrl"] = json!(FILE);
    let depot = completing(&line(0, 0), &[]);
    depot.set(|script| script.looks = [end].into());
    let results = run(&depot, 2).await.unwrap();
    assert!(matches!(results[0].outcome, Outcome::Done(_)));
    assert!(matches!(results[1].outcome, Outcome::Missing));
    depot.set(|script| script.looks = [state("FAILED")].into());
    assert!(matches!(run(&depot, 2).await, Err(BulkError::Failed { id, .. }) if id == ID));
}

#[tokio::test]
async fn inputs_come_from_a_stream_too() {
    struct Numbers(u64);
    impl Stream for Numbers {
        type Item = Value;
        fn poll_next(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Option<Value>> {
            self.0 += 1;
            Poll::Ready((self.0 <= 5).then(|| json!({ "id": self.0 })))
        }
    }
    let input = Depot::default().client().bulk_mutation::<Update>();
    assert_eq!(input.extend(Numbers(0)).await.unwrap().count(), 5);
}
