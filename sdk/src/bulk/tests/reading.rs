//! The result: read, taken up where it broke off, never shorter than it is.

use serde_json::{Value, json};

use super::depot::{Depot, Export, FILE, ID, Serve, result, state};
use crate::bulk::{BulkError, JsonlError, Rows};
use crate::{ResumeError, ResumeToken};

async fn all(mut rows: Rows<Export>) -> Result<Vec<Value>, BulkError> {
    let mut taken = Vec::new();
    while let Some(row) = rows.next().await {
        taken.push(row?);
    }
    assert!(rows.next().await.is_none(), "an ended stream stays ended");
    Ok(taken)
}

async fn export(depot: &Depot) -> Result<Vec<Value>, BulkError> {
    all(depot.client().bulk::<Export>(json!({})).await?).await
}

fn check(rows: &[Value], products: usize) {
    assert_eq!(rows.len(), products);
    for (n, row) in rows.iter().enumerate() {
        assert_eq!(row["id"], format!("gid://shopify/Product/{n}"));
        let skus: Vec<_> = row["variants"]["nodes"]
            .as_array()
            .unwrap()
            .iter()
            .map(|v| &v["sku"])
            .collect();
        assert_eq!(skus, [&json!(format!("{n}-1")), &json!(format!("{n}-2"))]);
    }
}

#[tokio::test(start_paused = true)]
async fn from_the_start_to_the_last_row() {
    let depot = Depot::completing(40, &[]);
    let client = depot.client();
    let mut rows = client.bulk::<Export>(json!({"q": "a\"b"})).await.unwrap();
    let mut taken = Vec::new();
    while let Some(row) = rows.next().await {
        taken.push(row.unwrap());
    }
    check(&taken, 40);
    let progress = rows.progress();
    assert_eq!((progress.done, progress.total), (40, Some(40)));
    assert_eq!(
        depot.names(),
        ["BulkQueryRun", "BulkProgress", "BulkProgress", "file"]
    );
    let log = depot.log();
    let query = "{products( query:\"a\\\"b\"){edges{node{_0:__typename id}}}}";
    assert_eq!(log[0].1, json!({"query": query, "group": false}));
    assert_eq!(log[1].1, json!({"id": ID}), "looked at by id");
}

#[tokio::test(start_paused = true)]
async fn a_download_cut_at_any_byte_goes_on_there() {
    let (file, _) = result(3);
    for at in (0..file.len()).step_by(5) {
        for next in [Serve::Well, Serve::Whole, Serve::Down, Serve::Status(503)] {
            let depot = Depot::completing(3, &[Serve::Cut(at), next]);
            check(&export(&depot).await.unwrap(), 3);
        }
    }
    // Broken off after every few bytes, it still comes to its end.
    let depot = Depot::completing(3, &vec![Serve::Cut(9); file.len() / 9]);
    check(&export(&depot).await.unwrap(), 3);
    let ranges: Vec<_> = depot
        .log()
        .into_iter()
        .filter(|(name, _)| name == "file")
        .collect();
    assert_eq!(ranges[1].1, json!("bytes=9-"));
}

#[tokio::test(start_paused = true)]
async fn an_end_that_comes_too_soon_is_no_end() {
    let (file, _) = result(3);
    let line = file.find('\n').unwrap() + 1;
    for at in [0, 1, line, file.len() - 1] {
        let depot = Depot::completing(3, &[Serve::Short(at)]);
        check(&export(&depot).await.unwrap(), 3);
    }
    // A service that names no size is found out by its counts, or by the line that is cut.
    for (at, truncated) in [(line, false), (line + 5, true)] {
        let (file, mut end) = result(3);
        end["fileSize"] = json!(null);
        let depot = Depot::new(|script| {
            script.looks = [end].into();
            script.file = file[..at].to_owned().into();
        });
        match export(&depot).await.unwrap_err() {
            BulkError::Lines(JsonlError::Truncated { place }) => {
                assert!(truncated);
                assert_eq!((place.line, place.offset), (2, line as u64));
            }
            BulkError::Lines(JsonlError::CountMismatch {
                expected: 9,
                found: 1,
                ..
            }) => {
                assert!(!truncated);
            }
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(start_paused = true)]
async fn counts_that_do_not_match_are_an_error() {
    for (member, what) in [
        ("objectCount", "objects"),
        ("rootObjectCount", "root objects"),
    ] {
        let (file, mut end) = result(3);
        end[member] = json!("10");
        let depot = Depot::new(|script| {
            script.looks = [end].into();
            script.file = file.into();
        });
        let error = export(&depot).await.unwrap_err();
        assert!(
            matches!(&error, BulkError::Lines(JsonlError::CountMismatch { what: w, expected: 10, .. }) if *w == what),
            "{error:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_file_of_another_length_is_another_file() {
    let (file, mut end) = result(3);
    end["fileSize"] = json!(file.len() - 1);
    let depot = Depot::new(|script| {
        script.looks = [end].into();
        script.file = file.into();
    });
    assert!(matches!(
        export(&depot).await,
        Err(BulkError::FileChanged { .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn an_expired_link_is_renewed_once() {
    let depot = Depot::completing(3, &[Serve::Cut(20), Serve::Status(403)]);
    check(&export(&depot).await.unwrap(), 3);
    let names = depot.names();
    assert_eq!(
        names[names.len() - 4..],
        ["file", "file", "BulkProgress", "file"]
    );
    let depot = Depot::completing(3, &[Serve::Status(403), Serve::Status(403)]);
    let error = export(&depot).await.unwrap_err();
    assert!(matches!(&error, BulkError::FileServer { status: 403, body } if body.contains("no")));
    assert!(!format!("{error:?} {error}").contains("signature"));
}

#[tokio::test(start_paused = true)]
async fn a_file_server_that_is_away_is_given_up_in_the_end() {
    let depot = Depot::completing(3, &[Serve::Down; 20]);
    assert!(matches!(
        export(&depot).await,
        Err(BulkError::Download { offset: 0, .. })
    ));
    assert_eq!(
        depot.names().iter().filter(|name| *name == "file").count(),
        6
    );
}

#[tokio::test(start_paused = true)]
async fn unsafe_addresses_are_not_asked() {
    for url in ["http://files.example/result", "ftp://files.example/x"] {
        let (_, mut end) = result(3);
        end["url"] = json!(url);
        let depot = Depot::new(|script| script.looks = [end].into());
        assert!(matches!(
            export(&depot).await,
            Err(BulkError::Address { .. })
        ));
        assert!(!depot.names().contains(&"file".to_owned()));
    }
}

#[tokio::test(start_paused = true)]
async fn nothing_found_is_no_rows_and_no_file_is_an_error() {
    let mut empty = state("COMPLETED");
    let depot = Depot::new(|script| script.looks = [empty.clone()].into());
    assert_eq!(export(&depot).await.unwrap(), Vec::<Value>::new());
    empty["objectCount"] = json!("5");
    let depot = Depot::new(|script| script.looks = [empty].into());
    assert!(matches!(
        export(&depot).await,
        Err(BulkError::NoFile { objects: 5, .. })
    ));
}

#[tokio::test(start_paused = true)]
async fn another_process_goes_on_after_the_rows_that_were_taken() {
    for stop in [0, 1, 17, 40] {
        let depot = Depot::completing(40, &[]);
        let client = depot.client();
        let mut rows = client.bulk::<Export>(json!({})).await.unwrap();
        let mut taken = Vec::new();
        for _ in 0..stop {
            taken.push(rows.next().await.unwrap().unwrap());
        }
        let token: ResumeToken = rows.token().to_string().parse().unwrap();
        drop(rows);
        let job = client
            .bulk::<Export>(json!({}))
            .resume(&token)
            .await
            .unwrap();
        let mut rows = job.rows().await.unwrap();
        while let Some(row) = rows.next().await {
            taken.push(row.unwrap());
        }
        check(&taken, 40);
        let progress = rows.progress();
        assert_eq!(progress.total, Some(progress.done));
        let other = client
            .bulk::<Export>(json!({"q": "other"}))
            .resume(&token)
            .await;
        assert!(matches!(other, Err(BulkError::Resume(_))));
    }
}

#[tokio::test(start_paused = true)]
async fn a_place_beyond_the_end_is_not_an_end() {
    for rows in [40, 0] {
        let depot = Depot::completing(rows, &[]);
        let client = depot.client();
        let read = client.bulk::<Export>(json!({})).await.unwrap();
        let token = read
            .token()
            .to_string()
            .replace(r#""taken":0"#, r#""taken":42"#);
        let call = client.bulk::<Export>(json!({}));
        let job = call.resume(&token.parse().unwrap()).await.unwrap();
        let error = all(job.rows().await.unwrap()).await.unwrap_err();
        let beyond = u64::try_from(42 - rows).unwrap();
        assert!(
            matches!(error, BulkError::Resume(ResumeError::Beyond(by)) if by == beyond),
            "{error:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_directory_that_cannot_be_written_is_an_error_where_one_is_needed() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    std::fs::write(&file, "").unwrap();
    let depot = Depot::completing(40, &[]);
    let client = depot.client();
    let call = || client.bulk::<Export>(json!({}));
    // Under the last, on Linux, not even the superuser makes a file.
    for directory in [folder.path().join("missing"), file, "/proc".into()] {
        let rows = call().memory(1000).spill_in(&directory).await.unwrap();
        let error = all(rows).await.unwrap_err();
        let BulkError::Lines(JsonlError::Disk {
            directory: named, ..
        }) = &error
        else {
            panic!("{error}");
        };
        assert_eq!(*named, directory);
        // In memory there is no need for one.
        let rows = call().spill_in(&directory).await.unwrap();
        check(&all(rows).await.unwrap(), 40);
    }
    let rows = call().memory(1000).spill_in(folder.path()).await.unwrap();
    check(&all(rows).await.unwrap(), 40);
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, 1, "nothing is left behind");
}

#[tokio::test(start_paused = true)]
async fn a_part_is_given_only_when_it_is_asked_for() {
    let (file, whole) = result(3);
    for (status, member) in [("CANCELED", "url"), ("FAILED", "partialDataUrl")] {
        let mut end = whole.clone();
        end["status"] = json!(status);
        end["url"] = json!(null);
        end[member] = json!(FILE);
        let depot = Depot::new(|script| {
            script.looks = [end].into();
            script.file = file.clone().into();
        });
        let client = depot.client();
        match client.bulk::<Export>(json!({})).await {
            Err(
                BulkError::Canceled { partial: true, .. } | BulkError::Failed { partial: true, .. },
            ) => {}
            other => panic!("{other:?}"),
        }
        let job = client.bulk::<Export>(json!({})).start().await.unwrap();
        check(&all(job.partial_rows().await.unwrap()).await.unwrap(), 3);
    }
}

#[tokio::test(start_paused = true)]
async fn a_part_that_ends_inside_a_line_gives_what_is_before_it() {
    let (file, mut end) = result(3);
    end["status"] = json!("FAILED");
    end["url"] = json!(null);
    end["partialDataUrl"] = json!(FILE);
    let depot = Depot::new(|script| {
        script.looks = [end].into();
        script.file = file[..file.len() - 9].to_owned().into();
    });
    let client = depot.client();
    let job = client.bulk::<Export>(json!({})).start().await.unwrap();
    let mut rows = job.partial_rows().await.unwrap();
    let mut variants = Vec::new();
    let error = loop {
        match rows.next().await.unwrap() {
            Ok(row) => variants.push(row["variants"]["nodes"].as_array().unwrap().len()),
            Err(error) => break error,
        }
    };
    assert_eq!(variants, [2, 2, 1]);
    assert!(matches!(
        error,
        BulkError::Lines(JsonlError::Truncated { place }) if place.line == 9
    ));
    assert!(rows.next().await.is_none());
}
