//! Any bytes as the file of a bulk operation, in any chunks: cut differently, it gives the same
//! lines; joined, every line is in a row, left over or named in an error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tollgate::bulk::{BulkQuery as _, Grouping, Join, JsonlError, Lines};

mod queries {
    tollgate::operations! { schema: "../schema/admin.graphql", documents: "../queries/bulk.graphql" }
}

/// The lines, cut by `chunks`, and whether the file is text to its end.
fn lines(file: &[u8], chunks: &[u8]) -> (Vec<String>, bool) {
    let mut found = Vec::new();
    let mut lines = Lines::new();
    let mut rest = file;
    let mut sizes = chunks.iter().map(|size| usize::from(*size)).cycle();
    let mut whole = true;
    while !rest.is_empty() && whole {
        let size = sizes.next().unwrap_or(rest.len()).clamp(1, rest.len());
        let (chunk, more) = rest.split_at(size);
        rest = more;
        whole = lines
            .push(chunk, |line| {
                found.push(line.text.to_owned());
                Ok::<_, JsonlError>(())
            })
            .is_ok();
    }
    whole = whole
        && lines
            .finish(|line| {
                found.push(line.text.to_owned());
                Ok::<_, JsonlError>(())
            })
            .is_ok();
    (found, whole)
}

fuzz_target!(|input: (bool, Vec<u8>, &[u8])| {
    let (grouped, chunks, file) = input;
    let (cut, whole) = lines(file, &chunks);
    assert_eq!((cut.clone(), whole), lines(file, &[]));
    let grouping = if grouped { Grouping::Grouped } else { Grouping::Any };
    let mut join = Join::with_budget(queries::CatalogueExport::shape().clone(), grouping, 256);
    let joined = Lines::new().push(file, |line| join.push(line).map(|_| ()));
    if joined.is_ok() {
        let _ = join.finish();
    }
});
