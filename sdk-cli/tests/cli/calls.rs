//! `tollgate run --bulk --input`: a mutation for every line of a file.

use serde_json::{Value, json};

use crate::tollgate::folder;
use crate::work::{PRICES, Work, prices};

fn outcomes(lines: &str) -> Vec<(u64, String)> {
    let rows = lines.lines().map(|line| {
        let row: Value = serde_json::from_str(line).unwrap();
        let outcome = row["outcome"].as_str().unwrap();
        (row["line"].as_u64().unwrap(), outcome.to_owned())
    });
    rows.collect()
}

#[test]
fn every_line_has_its_result() {
    let work = Work::new(3);
    let good = prices(3);
    let bad = json!({ "product": "gid://shopify/Product/1", "variants": [{ "nonsense": 1 }] });
    let [first, second, third] = [0, 1, 2].map(|line| good.lines().nth(line).unwrap());
    let input = format!("{first}\n\n{bad}\n{second}\n{third}");
    let here = folder(&[("query.graphql", PRICES), ("in.jsonl", &input)]);
    let options = ["--bulk", "--input", "in.jsonl", "--out", "out.jsonl"];
    let (code, said, errors) = work.run(here.path(), &options);
    assert_eq!((code, said.as_str()), (1, ""), "{errors}");
    assert!(
        errors.contains("1 of 4 lines were not done: 0 refused with user errors, 1 failed"),
        "{errors}"
    );
    let out = std::fs::read_to_string(here.path().join("out.jsonl")).unwrap();
    let expected = [(1, "done"), (3, "failed"), (4, "done"), (5, "done")];
    assert_eq!(
        outcomes(&out),
        expected.map(|(line, end)| (line, end.to_owned()))
    );
    let rows: Vec<Value> = out
        .lines()
        .map(|l| serde_json::from_str(l).unwrap())
        .collect();
    assert_eq!(
        rows[0]["input"],
        serde_json::from_str::<Value>(first).unwrap()
    );
    assert!(rows[0]["data"]["changed"]["productVariants"][0]["id"].is_string());
    assert!(
        rows[1]["errors"][0]["message"]
            .as_str()
            .unwrap()
            .contains("nonsense")
    );
    // Nothing but the output is left behind.
    assert_eq!(std::fs::read_dir(here.path()).unwrap().count(), 3);
}

#[test]
fn lines_of_other_programs_are_read() {
    let work = Work::new(2);
    let input = format!("\u{feff}\r\n{}", prices(2).replace('\n', "\r\n"));
    let here = folder(&[("query.graphql", PRICES), ("in.jsonl", &input)]);
    let (code, said, errors) = work.run(here.path(), &["--bulk", "--input", "in.jsonl"]);
    assert_eq!((code, errors.as_str()), (0, ""));
    assert_eq!(
        outcomes(&said),
        [2, 3].map(|line| (line, "done".to_owned()))
    );
}

#[test]
fn what_the_shop_refuses_is_told_under_whatever_alias() {
    let work = Work::new(2);
    let objection = json!({ "field": ["variants", "0", "price"], "message": "Too dear" });
    work.shop()
        .set_user_errors("productVariantsBulkUpdate", vec![objection]);
    let here = folder(&[("query.graphql", PRICES), ("in.jsonl", &prices(2))]);
    let (code, out, errors) = work.run(here.path(), &["--bulk", "--input", "in.jsonl"]);
    assert_eq!(code, 1, "{errors}");
    assert!(
        errors.contains("2 of 2 lines were not done: 2 refused"),
        "{errors}"
    );
    let refused = |line| (line, "refused".to_owned());
    assert_eq!(outcomes(&out), [1, 2].map(refused));
    let row: Value = serde_json::from_str(out.lines().next().unwrap()).unwrap();
    assert_eq!(row["userErrors"][0]["message"], "Too dear");
    assert_eq!(
        row["userErrors"][0]["field"],
        json!(["variants", "0", "price"])
    );
}

#[test]
fn input_that_cannot_be_sent_is_refused_before_anything_is() {
    let work = Work::new(1);
    let query = "query Q { products { nodes { id } } }";
    let line = prices(1);
    let two = format!("{}\n\n{{\"prodct\": \"1\"}}", line.trim());
    for (document, input, code, part) in [
        (
            PRICES,
            two.as_str(),
            1,
            "in.jsonl:3: `Prices` has no variable `$prodct`",
        ),
        (
            PRICES,
            "{}",
            1,
            "in.jsonl:1: `$product` of `Prices` is not given",
        ),
        (PRICES, "{", 3, "in.jsonl:1"),
        (PRICES, "[]", 3, "in.jsonl:1"),
        (PRICES, "\n", 3, "is empty"),
        (query, line.as_str(), 1, "`--input` is for mutations"),
    ] {
        let here = folder(&[("query.graphql", document), ("in.jsonl", input)]);
        let options = ["--bulk", "--input", "in.jsonl"];
        let (got, said, errors) = work.run(here.path(), &options);
        assert_eq!((got, said.as_str()), (code, ""), "{errors}");
        assert!(errors.contains(part), "{errors}");
    }
    let here = folder(&[("query.graphql", PRICES)]);
    let (code, _, errors) = work.run(here.path(), &["--bulk"]);
    assert_eq!(code, 1);
    assert!(errors.contains("by `--input`"), "{errors}");
    let (code, _, errors) = work.run(here.path(), &["--bulk", "--input", "none.jsonl"]);
    assert_eq!(code, 3);
    assert!(errors.contains("`none.jsonl` cannot be read"), "{errors}");
    assert_eq!(work.shop().summary().mutations.len(), 0);
}
