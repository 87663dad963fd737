//! The operation: started, followed, stopped.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::depot::{Depot, Export, ID, result, state, throttled};
use crate::bulk::{BulkError, ErrorCode, Job, Status, WhenBusy};
use crate::{Error, ErrorKind};

async fn started(depot: &Depot) -> Job<Export> {
    depot
        .client()
        .bulk::<Export>(json!({}))
        .start()
        .await
        .unwrap()
}

fn busy(code: Value, message: &str) -> Value {
    json!({"bulkOperation": null, "userErrors": [{"field": null, "message": message, "code": code}]})
}

fn in_progress() -> Value {
    let message =
        format!("A bulk query operation for this app and shop is already in progress: {ID}.");
    busy(json!("OPERATION_IN_PROGRESS"), &message)
}

#[tokio::test(start_paused = true)]
async fn a_slot_is_waited_for_and_nobody_is_canceled() {
    let depot = Depot::completing(1, &[]);
    let text_only = busy(
        json!(null),
        "A bulk operation for this app and shop is already in progress",
    );
    depot.set(|script| script.starts = [in_progress(), text_only, in_progress()].into());
    let begun = Instant::now();
    let rows = depot.client().bulk::<Export>(json!({})).await.unwrap();
    drop(rows);
    assert!(begun.elapsed() > Duration::from_secs(6));
    let names = depot.names();
    assert_eq!(names[..4], ["BulkQueryRun"; 4]);
    assert!(!names.contains(&"BulkCancel".to_owned()));
}

#[tokio::test(start_paused = true)]
async fn who_does_not_wait_is_told_who_blocks() {
    let depot = Depot::completing(1, &[]);
    depot.set(|script| script.starts = vec![in_progress(); 500].into());
    let client = depot.client();
    let call = || client.bulk::<Export>(json!({}));
    for failed in [
        call().when_busy(WhenBusy::Fail).start().await,
        call().deadline(Duration::from_secs(300)).start().await,
    ] {
        assert!(matches!(failed, Err(BulkError::Busy { id: Some(id), .. }) if id == ID));
    }
}

#[tokio::test(start_paused = true)]
async fn attached_is_only_to_the_same_document() {
    let depot = Depot::completing(2, &[]);
    depot.set(|script| {
        script.starts = vec![in_progress(); 2].into();
        script.running = json!("{orders{edges{node{id}}}}");
    });
    let client = depot.client();
    let call = || {
        client
            .bulk::<Export>(json!({}))
            .when_busy(WhenBusy::Attach)
            .start()
    };
    assert!(matches!(call().await, Err(BulkError::Busy { .. })));
    depot.set(|script| script.running = json!("{products{edges{node{_0:__typename id}}}}"));
    let mut rows = call().await.unwrap().rows().await.unwrap();
    assert!(rows.next().await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_start_whose_answer_is_lost_is_taken_up_or_made_again() {
    // It had started: the next attempt finds it running, and follows it whatever was chosen.
    for busy in [WhenBusy::Wait, WhenBusy::Fail] {
        let depot = Depot::completing(2, &[]);
        depot.set(|script| {
            script.starts = [json!("lost"), in_progress()].into();
            script.running = json!("{products{edges{node{_0:__typename id}}}}");
        });
        let call = depot.client().bulk::<Export>(json!({})).when_busy(busy);
        assert!(call.await.unwrap().next().await.unwrap().is_ok());
        let starts = depot
            .names()
            .iter()
            .filter(|name| *name == "BulkQueryRun")
            .count();
        assert_eq!(starts, 2);
    }
    // It had not, and another holds the slot now: that is not followed.
    let depot = Depot::completing(2, &[]);
    depot.set(|script| {
        script.starts = [json!("lost"), in_progress()].into();
        script.running = json!("{orders{edges{node{id}}}}");
    });
    let call = depot
        .client()
        .bulk::<Export>(json!({}))
        .when_busy(WhenBusy::Fail);
    assert!(matches!(call.start().await, Err(BulkError::Busy { .. })));
    // Again and again is told in the end.
    let depot = Depot::new(|script| script.starts = vec![json!("lost"); 20].into());
    let failed = depot.client().bulk::<Export>(json!({})).start().await;
    assert!(matches!(failed, Err(BulkError::Call(error)) if error.outcome_is_unknown()));
}

#[tokio::test(start_paused = true)]
async fn a_token_of_an_operation_that_failed_says_so() {
    let depot = Depot::new(|script| script.looks = [state("FAILED")].into());
    let token = started(&depot).await.token().clone();
    let call = depot.client().bulk::<Export>(json!({})).resume(&token);
    let failed = call.await.unwrap().rows().await;
    assert!(matches!(failed, Err(BulkError::Failed { .. })));
}

#[tokio::test(start_paused = true)]
async fn a_refused_document_is_refused_at_once() {
    let depot = Depot::default();
    depot.set(|script| {
        script.starts = [busy(json!(null), "Invalid bulk query: no connection")].into()
    });
    let failed = depot.client().bulk::<Export>(json!({})).start().await;
    let Err(BulkError::Refused(errors)) = failed else {
        panic!("{failed:?}");
    };
    assert_eq!(errors[0].message, "Invalid bulk query: no connection");
    assert_eq!(errors[0].code, None);
}

#[tokio::test(start_paused = true)]
async fn looks_that_fail_do_not_fail_the_operation() {
    let (_, end) = result(0);
    let internal = json!({"answer": {"data": null, "errors": [{
        "message": "Internal error", "extensions": {"code": "INTERNAL_SERVER_ERROR"},
    }]}});
    let mut looks = vec![internal; 12];
    looks.push(throttled());
    looks.extend([state("PAUSED"), state("RUNNING"), end]);
    let depot = Depot::new(|script| script.looks = looks.into());
    assert_eq!(
        started(&depot).await.wait().await.unwrap().status,
        Status::Completed
    );
}

#[tokio::test(start_paused = true)]
async fn an_operation_that_is_gone_and_a_token_that_is_not_accepted_end_the_wait() {
    let depot = Depot::new(|script| script.looks = [json!(null)].into());
    assert!(matches!(
        started(&depot).await.wait().await,
        Err(BulkError::NotFound { id }) if id == ID
    ));
    let denied = json!({"answer": {"errors": [{
        "message": "Access denied", "extensions": {"code": "ACCESS_DENIED"},
    }]}});
    let depot = Depot::new(|script| script.looks = [denied].into());
    let failed = started(&depot).await.wait().await;
    let Err(BulkError::Call(error)) = failed else {
        panic!("{failed:?}");
    };
    assert!(matches!(
        Error::kind(&error),
        ErrorKind::AccessDenied { .. }
    ));
}

#[tokio::test(start_paused = true)]
async fn the_first_look_is_soon_and_they_grow_apart() {
    let depot = Depot::new(|script| script.looks = [state("RUNNING")].into());
    let begun = Instant::now();
    let mut job = depot
        .client()
        .bulk::<Export>(json!({}))
        .deadline(Duration::from_secs(3600))
        .start()
        .await
        .unwrap();
    let watch = job.watch();
    let failed = job.wait().await;
    assert!(
        matches!(&failed, Err(BulkError::Deadline { id, .. }) if id == ID),
        "{failed:?}"
    );
    assert!(begun.elapsed() <= Duration::from_secs(3601));
    let looks = depot
        .names()
        .iter()
        .filter(|name| *name == "BulkProgress")
        .count();
    assert!((120..140).contains(&looks), "{looks}");
    let last = watch.borrow();
    assert!(
        last.still > Duration::from_secs(3500) && last.age >= last.still,
        "{last:?}"
    );
    assert!(
        !depot.names().contains(&"BulkCancel".to_owned()),
        "a deadline cancels nothing"
    );
}

#[tokio::test(start_paused = true)]
async fn a_failure_says_whether_it_is_worth_repeating() {
    for (code, expected, retryable) in [
        ("ACCESS_DENIED", ErrorCode::AccessDenied, false),
        (
            "INTERNAL_SERVER_ERROR",
            ErrorCode::InternalServerError,
            true,
        ),
        ("TIMEOUT", ErrorCode::Timeout, false),
        ("NEW", ErrorCode::Unknown("NEW".into()), false),
    ] {
        let mut end = state("FAILED");
        end["errorCode"] = json!(code);
        let depot = Depot::new(|script| script.looks = [end].into());
        let failed = started(&depot).await.rows().await;
        let Err(BulkError::Failed {
            code: Some(code),
            partial: false,
            ..
        }) = failed
        else {
            panic!("{failed:?}");
        };
        assert_eq!((code.is_retryable(), code), (retryable, expected));
    }
    let depot = Depot::new(|script| script.looks = [state("EXPIRED")].into());
    assert!(matches!(
        started(&depot).await.rows().await,
        Err(BulkError::Expired { .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn cancel_waits_for_the_end_which_may_be_completion() {
    for end in ["CANCELED", "COMPLETED"] {
        let canceling = vec![state("CANCELING"); 20];
        let depot = Depot::new(|script| {
            script.looks = canceling.into();
            script.looks.push_back(state(end));
        });
        let mut job = started(&depot).await;
        let snapshot = job.cancel().await.unwrap();
        assert_eq!(snapshot.status == Status::Completed, end == "COMPLETED");
        assert_eq!(
            depot
                .names()
                .iter()
                .filter(|name| *name == "BulkCancel")
                .count(),
            1
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_job_is_canceled_only_when_that_was_asked_for() {
    for cancel in [false, true] {
        let depot = Depot::new(|script| script.looks = [state("RUNNING")].into());
        let call = depot
            .client()
            .bulk::<Export>(json!({}))
            .cancel_on_drop(cancel);
        drop(call.start().await.unwrap());
        tokio::time::sleep(Duration::from_secs(60)).await;
        assert_eq!(depot.names().contains(&"BulkCancel".to_owned()), cancel);
    }
    let depot = Depot::completing(1, &[]);
    let call = depot
        .client()
        .bulk::<Export>(json!({}))
        .cancel_on_drop(true);
    drop(call.await.unwrap());
    tokio::time::sleep(Duration::from_secs(60)).await;
    assert!(
        !depot.names().contains(&"BulkCancel".to_owned()),
        "it was over"
    );
}

#[tokio::test(start_paused = true)]
async fn older_versions_are_asked_by_node() {
    let depot = Depot::default();
    let builder = crate::Client::builder("test.myshopify.com", "canary").transport(depot.clone());
    let client = builder.api_version("2025-10").build().unwrap();
    let mut job = client.bulk::<Export>(json!({})).start().await.unwrap();
    depot.set(|script| {
        script.looks = [json!({"answer": {"data": {"node": state("COMPLETED")}}})].into();
    });
    assert_eq!(job.wait().await.unwrap().status, Status::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_deadline_beyond_the_clock_is_none() {
    let depot = Depot::completing(2, &[]);
    let call = depot.client().bulk::<Export>(json!({}));
    let mut rows = call.deadline(Duration::MAX).await.unwrap();
    assert!(rows.next().await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn variables_that_cannot_be_read_back_are_not_left_out() {
    let depot = Depot::completing(2, &[]);
    let deep = (0..200).fold(json!("tag:new"), |inner, _| json!({ "not": inner }));
    let started = depot.client().bulk::<Export>(json!({ "q": deep })).start();
    let refused = started.await.unwrap_err();
    assert!(matches!(refused, BulkError::Variables(_)), "{refused:?}");
    assert_eq!(depot.names(), Vec::<String>::new());
}
