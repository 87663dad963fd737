use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use tollgate_codegen::pricing::Rules;

use super::recording::Recording;
use super::verdict::{Judge, Verdict};

/// How many coordinates with residuals are shown.
const COORDINATES: usize = 20;

/// How the rules did on a corpus.
pub(crate) struct Report<'a> {
    pairs: Vec<(&'a Recording, &'a Verdict)>,
    /// For each pair, the places of the prices set by hand that it needs.
    needs: Vec<Vec<String>>,
}

impl<'a> Report<'a> {
    pub(crate) fn new(judge: &Judge, recordings: &'a [Recording], verdicts: &'a [Verdict]) -> Self {
        Self {
            pairs: recordings.iter().zip(verdicts).collect(),
            needs: recordings
                .iter()
                .map(|recording| judge.depends_on(recording))
                .collect(),
        }
    }

    /// How many prices are exact.
    pub(crate) fn exact(&self) -> usize {
        self.pairs
            .iter()
            .filter(|(recording, verdict)| verdict.is_exact(recording))
            .count()
    }

    /// Of the recorded answers: how many, how many charged exactly, and how many within a point.
    pub(crate) fn actual(&self) -> (usize, usize, usize) {
        let charged = |(recording, verdict): &(&Recording, &Verdict)| {
            Some(verdict.actual?.0.abs_diff(recording.actual?))
        };
        let off: Vec<_> = self.pairs.iter().filter_map(charged).collect();
        let within = |most| off.iter().filter(|off| **off <= most).count();
        (off.len(), within(0), within(1))
    }

    fn misses(&self) -> impl Iterator<Item = &(&'a Recording, &'a Verdict)> {
        self.pairs
            .iter()
            .filter(|(recording, verdict)| !verdict.is_exact(recording))
    }

    fn sources(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut sources: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
        for (recording, verdict) in &self.pairs {
            let (exact, all) = sources.entry(&recording.source).or_default();
            *exact += usize::from(verdict.is_exact(recording));
            *all += 1;
        }
        writeln!(f, "exact by source")?;
        for (source, (exact, all)) in sources {
            writeln!(f, "  {exact:>5} of {all:<5} {source}")?;
        }
        Ok(())
    }

    fn residuals(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nmisses")?;
        for (recording, verdict) in self.misses() {
            let theirs = recording.requested;
            let day = recording.day().unwrap_or("no date");
            match &verdict.requested {
                Ok(ours) => {
                    let residual = residual(recording, verdict).unwrap_or(0);
                    writeln!(
                        f,
                        "  {:+5} {} ({day}): {ours}, not {theirs}",
                        residual, recording.id
                    )?;
                }
                Err(why) => writeln!(
                    f,
                    "      {} ({day}): no price, not {theirs}: {why}",
                    recording.id
                )?,
            }
            let operation: String = recording.operation.chars().take(200).collect();
            writeln!(f, "        {operation}")?;
        }
        Ok(())
    }

    /// Where to look for a price that the rules lack: what every miss has and no hit, by the size
    /// of the residual. One with the same residual everywhere is a price waiting to be written
    /// down.
    fn coordinates(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hits = self
            .pairs
            .iter()
            .filter(|(recording, verdict)| verdict.is_exact(recording));
        let known: BTreeSet<&String> = hits.flat_map(|(_, verdict)| &verdict.coordinates).collect();
        let mut suspects: BTreeMap<&String, Vec<i64>> = BTreeMap::new();
        for (recording, verdict) in self.misses() {
            let Some(residual) = residual(recording, verdict) else {
                continue;
            };
            for coordinate in verdict
                .coordinates
                .iter()
                .filter(|name| !known.contains(name))
            {
                suspects.entry(coordinate).or_default().push(residual);
            }
        }
        let mut suspects: Vec<_> = suspects.into_iter().collect();
        suspects.sort_by_key(|(_, residuals)| {
            let largest = residuals
                .iter()
                .map(|residual| residual.unsigned_abs())
                .max();
            std::cmp::Reverse((residuals.len(), largest))
        });
        writeln!(f, "\nin misses and in no hit")?;
        for (coordinate, residuals) in suspects.iter().take(COORDINATES) {
            let constant = residuals.windows(2).all(|pair| pair[0] == pair[1]);
            let note = if constant && residuals.len() > 1 {
                ", constant"
            } else {
                ""
            };
            writeln!(f, "  {coordinate}: {residuals:+?}{note}")?;
        }
        Ok(())
    }

    /// Each price set by hand: how many exact prices need it, and how many it spoils.
    fn hand_prices(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "\nprices set by hand: needed by, spoils")?;
        for price in Rules::hand_prices() {
            let pairs = self.pairs.iter().zip(&self.needs);
            let uses = pairs.filter(|(_, needs)| needs.contains(&price.place));
            let uses: Vec<_> = uses.map(|(pair, _)| pair).collect();
            let exact = uses
                .iter()
                .filter(|(recording, verdict)| verdict.is_exact(recording));
            let exact = exact.count();
            let since = price
                .since
                .map(|since| format!(" since {since}"))
                .unwrap_or_default();
            writeln!(
                f,
                "  {:>5} {:>3}  {} {}{since}; seen {}: {}",
                exact,
                uses.len() - exact,
                price.points,
                price.place,
                price.seen,
                price.evidence
            )?;
        }
        Ok(())
    }
}

/// Theirs less ours.
fn residual(recording: &Recording, verdict: &Verdict) -> Option<i64> {
    let ours = i64::try_from(verdict.requested.as_ref().ok()?.0).ok()?;
    Some(i64::try_from(recording.requested).ok()? - ours)
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sources(f)?;
        self.residuals(f)?;
        self.coordinates(f)?;
        self.hand_prices(f)?;
        let (answers, exact, near) = self.actual();
        writeln!(
            f,
            "\ncharged in the end: {exact} of {answers} exact, {near} within one point"
        )?;
        writeln!(f, "exact {} of {}", self.exact(), self.pairs.len())
    }
}
