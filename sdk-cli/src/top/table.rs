use std::cmp::Ordering;

use serde_json::{Value, json};
use tollgate::shared::{Bucket, Standing};

use crate::look;

/// How wide the picture of a level is, in characters.
const BAR: usize = 10;

/// How many eighths of a character that is.
const EIGHTHS: f64 = 80.0;

/// How wide the columns of figures are.
const FIGURES: usize = 61;

/// A shop and how its bucket stands.
pub(super) struct Row {
    pub(super) bucket: Bucket,
    pub(super) standing: Standing,
}

impl Row {
    fn share(&self) -> f64 {
        let level = self.standing.level;
        (level.available / level.maximum).clamp(0.0, 1.0)
    }

    fn name(&self) -> String {
        let (app, shop) = (self.bucket.app(), self.bucket.shop());
        if app.is_empty() {
            shop.to_owned()
        } else {
            format!("{app} · {shop}")
        }
    }
}

/// Those first that wait or are throttled, then the emptiest.
pub(super) fn sort(rows: &mut [Row]) {
    rows.sort_by(|a, b| {
        let trouble = |row: &Row| (row.standing.waiting, row.standing.throttles);
        trouble(b)
            .partial_cmp(&trouble(a))
            .unwrap_or(Ordering::Equal)
            .then(a.share().total_cmp(&b.share()))
            .then_with(|| a.name().cmp(&b.name()))
    });
}

/// The shops of the store in sum, and the first `limit` of them, in lines of `columns` characters.
/// Where the names do not fit, the pictures give way, then the ends of the names.
pub(super) fn text(rows: &[Row], limit: usize, columns: usize) -> String {
    if rows.is_empty() {
        return "no shop has called lately\n".to_owned();
    }
    let mut out = sum(rows);
    let shown = &rows[..rows.len().min(limit)];
    let longest = shown.iter().map(|row| row.name().chars().count()).max();
    let longest = longest.unwrap_or(0).max("shop".len());
    let pictured = longest + BAR + 2 + FIGURES <= columns;
    let width = longest.min(columns.saturating_sub(FIGURES).max("shop".len()));
    let level = |text: &str| match pictured {
        true => format!("  {text:<BAR$}"),
        false => String::new(),
    };
    out.push_str(&format!(
        "{:<width$}{}  {:>7}  {:>7}  {:>6}  {:>13}  {:>7}  {:>9}\n",
        "shop",
        level("level"),
        "points",
        "maximum",
        "per s",
        "in flight",
        "waiting",
        "throttled"
    ));
    for row in shown {
        let Standing {
            level: figures,
            waiting,
            throttles,
            ..
        } = row.standing;
        let in_flight = format!("{:.0} in {}", figures.in_flight, figures.calls);
        // A guess is not a measurement.
        let points = if figures.known {
            format!("{:.0}", figures.available)
        } else {
            "unknown".to_owned()
        };
        out.push_str(&format!(
            "{:<width$}{}  {points:>7}  {:>7.0}  {:>6.0}  {in_flight:>13}  {waiting:>7}  {throttles:>5.0}/min\n",
            cut(&row.name(), width),
            level(&bar(row.share())),
            figures.maximum,
            figures.restore_rate,
        ));
    }
    if rows.len() > shown.len() {
        out.push_str(&format!("and {} more\n", rows.len() - shown.len()));
    }
    out
}

fn sum(rows: &[Row]) -> String {
    let calls: usize = rows.iter().map(|row| row.standing.level.calls).sum();
    let waiting: usize = rows.iter().map(|row| row.standing.waiting).sum();
    let throttles: f64 = rows.iter().map(|row| row.standing.throttles).sum();
    format!(
        "{}, {} in flight, {waiting} waiting, {throttles:.0} throttled a minute\n",
        look::count(rows.len(), "shop"),
        look::count(calls, "call"),
    )
}

/// A name that is too long: without what all shops end with, then its beginning.
fn cut(name: &str, width: usize) -> String {
    let fits = |name: &str| name.chars().count() <= width;
    if fits(name) {
        return name.to_owned();
    }
    let short = name.strip_suffix(".myshopify.com").unwrap_or(name);
    if fits(short) {
        return short.to_owned();
    }
    let kept = short.chars().take(width.saturating_sub(1));
    kept.chain(['…']).collect()
}

/// A picture of a share between 0 and 1, in eighths of a character.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a share of some tens"
)]
fn bar(share: f64) -> String {
    look::blocks((share * EIGHTHS) as usize)
}

pub(super) fn json(rows: &[Row]) -> Value {
    rows.iter()
        .map(|row| {
            let level = row.standing.level;
            json!({
                "app": row.bucket.app(),
                "shop": row.bucket.shop(),
                "known": level.known,
                "available": level.available,
                "maximum": level.maximum,
                "restoreRate": level.restore_rate,
                "inFlight": level.in_flight,
                "calls": level.calls,
                "waiting": row.standing.waiting,
                "throttlesPerMinute": row.standing.throttles,
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use tollgate::{
        Limits,
        ledger::Ledger,
        shared::{Bucket, Standing},
    };

    use super::{Row, bar, json, sort, text};

    fn row(app: &str, shop: &str, available: f64, waiting: usize, throttles: f64) -> Row {
        let now = std::time::Instant::now();
        let ledger = Ledger::known(Limits::new(2000.0, 100.0).unwrap(), available, now);
        Row {
            bucket: Bucket::new(app, shop),
            standing: Standing::new(ledger.read(now), waiting, throttles),
        }
    }

    fn rows() -> Vec<Row> {
        let mut rows = vec![
            row("", "full.myshopify.com", 2000.0, 0, 0.0),
            row("", "empty.myshopify.com", -20.0, 0, 0.0),
            row("sync", "busy.myshopify.com", 500.0, 3, 2.4),
        ];
        sort(&mut rows);
        rows
    }

    #[test]
    fn trouble_comes_first() {
        let shops: Vec<_> = rows()
            .iter()
            .map(|row| row.bucket.shop().to_owned())
            .collect();
        assert_eq!(
            shops,
            [
                "busy.myshopify.com",
                "empty.myshopify.com",
                "full.myshopify.com"
            ]
        );
    }

    #[test]
    fn the_table_is_aligned_and_says_what_it_leaves_out() {
        let shown = text(&rows(), 2, usize::MAX);
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!(lines.len(), 5);
        assert_eq!(
            lines[0],
            "3 shops, 0 calls in flight, 3 waiting, 2 throttled a minute"
        );
        let ends: Vec<_> = lines[1..4]
            .iter()
            .map(|line| line.chars().count())
            .collect();
        assert!(ends.iter().all(|end| *end == ends[0]), "{shown}");
        assert!(
            lines[2].contains("sync · busy.myshopify.com  ██▌"),
            "{shown}"
        );
        assert!(lines[2].ends_with("0 in 0        3      2/min"), "{shown}");
        assert_eq!(lines[4], "and 1 more");
        assert_eq!(text(&[], 5, 80), "no shop has called lately\n");
    }

    #[test]
    fn a_narrow_terminal_loses_the_pictures_and_then_the_ends_of_names() {
        for (columns, name, picture) in [
            (98, "sync · busy.myshopify.com", true),
            (97, "sync · busy.myshopify.com", false),
            (80, "sync · busy", false),
            (20, "syn…", false),
        ] {
            let shown = text(&rows(), 3, columns);
            let line = shown.lines().nth(2).unwrap();
            assert!(line.starts_with(&format!("{name}  ")), "{line}");
            assert_eq!(line.contains('█'), picture, "{line}");
            let fits = shown
                .lines()
                .skip(1)
                .all(|line| line.chars().count() <= columns.max(65));
            assert!(fits, "{shown}");
        }
    }

    #[test]
    fn programs_read_json() {
        let shown = json(&rows());
        assert_eq!(shown[0]["shop"], "busy.myshopify.com");
        assert_eq!(shown[0]["waiting"], 3);
        assert_eq!(shown[1]["available"], -20.0);
    }

    #[test]
    fn bars() {
        assert_eq!(bar(0.0), "");
        assert_eq!(bar(1.0), "██████████");
        assert_eq!(bar(0.5), "█████");
        assert_eq!(bar(0.0125), "▏");
    }
}
