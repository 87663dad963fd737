use std::{cmp::Ordering, fmt::Write};

use serde_json::{Value, json};
use tollgate::shared::{Bucket, Standing};

/// How wide the picture of a level is, in characters.
const BAR: usize = 10;

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

pub(super) fn text(rows: &[Row], limit: usize) -> String {
    let shown = &rows[..rows.len().min(limit)];
    let width = shown.iter().map(|row| row.name().chars().count()).max();
    let width = width.unwrap_or(0).max("shop".len());
    let mut out = format!(
        "{:<width$}  {:<BAR$}  {:>7}  {:>7}  {:>6}  {:>13}  {:>7}  {:>9}\n",
        "shop", "level", "points", "maximum", "per s", "in flight", "waiting", "throttled"
    );
    for row in shown {
        let Standing {
            level,
            waiting,
            throttles,
            ..
        } = row.standing;
        let in_flight = format!("{:.0} in {}", level.in_flight, level.calls);
        // A guess is not a measurement.
        let points = if level.known {
            format!("{:.0}", level.available)
        } else {
            "unknown".to_owned()
        };
        let line = writeln!(
            out,
            "{:<width$}  {:<BAR$}  {points:>7}  {:>7.0}  {:>6.0}  {in_flight:>13}  {waiting:>7}  {:>5.0}/min",
            row.name(),
            bar(row.share()),
            level.maximum,
            level.restore_rate,
            throttles,
        );
        debug_assert!(line.is_ok(), "a string takes everything");
    }
    if rows.len() > shown.len() {
        out.push_str(&format!("and {} more\n", rows.len() - shown.len()));
    }
    if rows.is_empty() {
        out.push_str("no shop has called lately\n");
    }
    out
}

/// A picture of a share between 0 and 1, in eighths of a character.
fn bar(share: f64) -> String {
    const PARTS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
    let mut left = share * 8.0 * f64::from(u8::try_from(BAR).unwrap_or(u8::MAX));
    let mut out = String::new();
    while left >= 8.0 {
        out.push('█');
        left -= 8.0;
    }
    let part = (1_u8..8).rev().find(|part| f64::from(*part) <= left);
    out.push_str(PARTS[usize::from(part.unwrap_or(0))]);
    out
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
        let shown = text(&rows(), 2);
        let lines: Vec<_> = shown.lines().collect();
        assert_eq!(lines.len(), 4);
        let ends: Vec<_> = lines[..3].iter().map(|line| line.chars().count()).collect();
        assert!(ends.iter().all(|end| *end == ends[0]), "{shown}");
        assert!(
            lines[1].contains("sync · busy.myshopify.com  ██▌"),
            "{shown}"
        );
        assert!(lines[1].ends_with("0 in 0        3      2/min"), "{shown}");
        assert_eq!(lines[3], "and 1 more");
        assert!(text(&[], 5).ends_with("no shop has called lately\n"));
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
