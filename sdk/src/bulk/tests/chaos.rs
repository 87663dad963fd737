//! Everything that can go wrong on the way, at random places: nothing lost, nothing twice.

use fastrand::Rng;
use serde_json::{Value, json};

use super::depot::{Depot, Export, Serve, result, throttled};
use crate::ResumeToken;
use crate::bulk::{Grouping, Join, JsonlError, Lines};

/// What a file server does in turn. A download gives up after six failures without a byte in
/// between, and after a second refusal of its address.
fn troubles(rng: &mut Rng, length: usize) -> Vec<Serve> {
    let mut refused = false;
    let trouble = |_| {
        let at = rng.usize(..length + 1);
        match rng.u8(..7) {
            0 if !refused => {
                refused = true;
                Serve::Status(403)
            }
            1 => Serve::Short(at),
            2 => Serve::Whole,
            3 => Serve::Down,
            4 => Serve::Status(503),
            5 => Serve::Status(429),
            _ => Serve::Cut(at),
        }
    };
    (0..5).map(trouble).collect()
}

#[tokio::test(start_paused = true)]
async fn whatever_happens_every_row_comes_once() {
    for seed in 0..150 {
        let mut rng = Rng::with_seed(seed);
        let products = rng.usize(..60);
        let (file, _) = result(products);
        let depot = Depot::completing(products, &troubles(&mut rng, file.len()));
        depot.set(|script| {
            script.starts.extend((0..rng.u8(..3)).map(|_| throttled()));
            for _ in 0..rng.u8(..3) {
                script.looks.push_front(throttled());
            }
        });
        let (mut taken, mut kept) = (Vec::new(), None);
        // A worker takes some rows and dies; the next goes on with what was kept.
        loop {
            let call = depot.client().bulk::<Export>(json!({}));
            let job = match kept.take() {
                None => call.start().await.unwrap(),
                Some(token) => {
                    let text: String = token;
                    let token: ResumeToken = text.parse().unwrap();
                    call.resume(&token).await.unwrap()
                }
            };
            if rng.u8(..4) == 0 {
                kept = Some(job.token().to_string());
                continue;
            }
            let mut rows = job.rows().await.unwrap();
            let until = match rng.bool() {
                true => usize::MAX,
                false => taken.len() + rng.usize(..products + 1),
            };
            while taken.len() < until
                && let Some(row) = rows.next().await
            {
                let row = row.unwrap_or_else(|error| panic!("seed {seed}: {error}"));
                taken.push((
                    row["id"].clone(),
                    row["variants"]["nodes"].as_array().map(Vec::len),
                ));
            }
            if until == usize::MAX {
                break;
            }
            kept = Some(rows.token().to_string());
        }
        let whole =
            (0..products).map(|n| (Value::from(format!("gid://shopify/Product/{n}")), Some(2)));
        assert_eq!(taken, whole.collect::<Vec<_>>(), "seed {seed}");
    }
}

/// A file of one byte changed at a time: it is told, or the rows are what the lines say.
#[test]
fn a_damaged_byte_never_loses_a_row_in_silence() {
    let (file, _) = result(4);
    let shape = <Export as crate::bulk::BulkQuery>::shape();
    let read = |bytes: &[u8]| -> Result<usize, JsonlError> {
        let mut join = Join::new(shape.clone(), Grouping::Any);
        let mut lines = Lines::new();
        let mut count = 0;
        let mut each = |line: crate::bulk::Line<'_>| -> Result<(), JsonlError> {
            count += join.push(line)?.map_or(0, |rows| rows.len());
            Ok(())
        };
        lines.push(bytes, &mut each)?;
        lines.finish(&mut each)?;
        let counts = join.counts();
        for rows in join.finish()? {
            count += rows?.len();
        }
        // What the counts of the service would tell.
        Ok(if counts.objects == 12 { count } else { 4 })
    };
    assert_eq!(read(file.as_bytes()).unwrap(), 4);
    for at in 0..file.len() {
        for byte in [b' ', b'"', b'}', b'\n', b'x', 0xC3] {
            let mut damaged = file.clone().into_bytes();
            damaged[at] = byte;
            if let Ok(count) = read(&damaged) {
                assert_eq!(count, 4, "{at} {byte}");
            }
        }
    }
}
