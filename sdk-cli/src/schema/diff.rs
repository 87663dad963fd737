//! `tollgate schema diff`.

use std::io::Write;
use std::path::PathBuf;

use serde_json::json;
use tollgate_codegen::diff::{self, Change, Impact, PriceChange};
use tollgate_codegen::document::{self, Document, Valid};
use tollgate_codegen::pricing::{Bounds, Rules};
use tollgate_codegen::schema::Schema;
use tollgate_codegen::source::Files;
use tollgate_codegen::usage::Usage;

use crate::error::Error;
use crate::look::{self, styled};

#[derive(clap::Args, Debug)]
pub(crate) struct Args {
    /// The schema so far
    old: PathBuf,
    /// The schema to come
    new: PathBuf,
    /// Only what the documents reach, and what it does to their prices
    #[arg(long)]
    used: bool,
    /// The documents for `--used`: files, folders or patterns; valid against the old schema
    #[arg(long, value_name = "PATH", default_value = "queries")]
    documents: Vec<PathBuf>,
    /// Also what breaks nothing: new enum values, other defaults, lower prices
    #[arg(long)]
    all: bool,
    /// Exit with 1 when there is a change of this kind
    #[arg(long, value_name = "KIND", value_delimiter = ',')]
    deny: Vec<Denied>,
    /// As JSON, everything
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Denied {
    Breaking,
    Dearer,
    Deprecated,
}

impl Denied {
    fn impact(self) -> Impact {
        match self {
            Self::Breaking => Impact::Breaking,
            Self::Dearer => Impact::Dearer,
            Self::Deprecated => Impact::Deprecated,
        }
    }
}

/// What a change of schema does to a set of operations.
struct Concern {
    document: Valid<Document>,
    usages: Vec<Usage>,
    prices: Vec<PriceChange>,
}

/// A change with the operations that it concerns, each with the place.
struct Concerned<'a> {
    change: &'a Change,
    uses: Vec<(String, String)>,
}

pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<(), Error> {
    let mut files = Files::new(std::env::current_dir()?);
    let old = Schema::from_sdl(files.schema(&args.old)?)?;
    let new = Schema::from_sdl(files.schema(&args.new)?)?;
    let concern = if args.used {
        let sources = files.documents(&args.documents)?;
        Some(Concern::of(&old, &new, sources)?)
    } else {
        None
    };
    let changes = diff::changes(&old, &new);
    let concerned: Vec<_> = changes
        .iter()
        .filter_map(|change| concerned(change, concern.as_ref()))
        .collect();
    let prices = concern.as_ref().map_or(&[][..], |concern| &concern.prices);
    if args.json {
        writeln!(out, "{:#}", as_json(args, &concerned, prices))?;
    } else {
        print(args, &concerned, prices, out)?;
    }
    deny(args, &concerned, prices)
}

impl Concern {
    fn of(
        old: &Schema,
        new: &Schema,
        sources: Vec<tollgate_codegen::source::Source>,
    ) -> Result<Self, Error> {
        let document = document::validate(old, sources.clone())?;
        // What broke is among the changes; the prices are of what would be left.
        let after = document::trust(new, sources)?;
        let usage = |operation| Usage::of(old, &document, operation);
        let usages = document.operations.iter().map(usage).collect();
        let prices = diff::prices(
            (old, &document),
            (new, &after),
            Rules::newest(),
            Bounds::default(),
        );
        Ok(Self {
            document,
            usages,
            prices,
        })
    }

    fn uses(&self, change: &Change) -> Vec<(String, String)> {
        let concerned = self.usages.iter().filter(|usage| change.concerns(usage));
        let place = |usage: &Usage| {
            let span = usage.place(&change.coordinate)?;
            span.place(&self.document.sources)
        };
        concerned
            .map(|usage| (usage.operation.clone(), place(usage).unwrap_or_default()))
            .collect()
    }
}

/// The change, unless there are documents and it concerns none.
fn concerned<'a>(change: &'a Change, concern: Option<&Concern>) -> Option<Concerned<'a>> {
    let uses = concern.map_or_else(Vec::new, |concern| concern.uses(change));
    (concern.is_none() || !uses.is_empty()).then_some(Concerned { change, uses })
}

const KINDS: [(Impact, &str, &str); 4] = [
    (Impact::Breaking, "Breaks", "breaking"),
    (Impact::Dearer, "Dearer", "dearer"),
    (Impact::Deprecated, "Deprecated", "deprecated"),
    (Impact::Notable, "Worth knowing", "worth knowing"),
];

fn print(
    args: &Args,
    changes: &[Concerned<'_>],
    prices: &[PriceChange],
    out: &mut dyn Write,
) -> Result<(), Error> {
    let of = |impact| changes.iter().filter(move |c| c.change.impact == impact);
    let all = args.all || args.used;
    for (impact, title, _) in KINDS {
        if (impact == Impact::Notable && !all) || of(impact).next().is_none() {
            continue;
        }
        let style = match impact {
            Impact::Breaking => look::BAD,
            Impact::Dearer | Impact::Deprecated => look::WARN.bold(),
            Impact::Notable => look::STRONG,
        };
        writeln!(out, "{}", styled(style, title))?;
        for concerned in of(impact) {
            one(concerned, out)?;
        }
        writeln!(out)?;
    }
    if !prices.is_empty() {
        writeln!(
            out,
            "{}",
            styled(look::STRONG, "Prices, at the declared bounds")
        )?;
        for change in prices {
            let PriceChange {
                operation, before, ..
            } = change;
            let before = look::whole(before.get());
            match change.after.map(|after| look::whole(after.get())) {
                Some(after) => {
                    let style = if change.is_dearer() {
                        look::WARN
                    } else {
                        look::GOOD
                    };
                    let after = styled(style, after);
                    writeln!(out, "  {operation}  {before} → {after} points")?;
                }
                None => {
                    let breaks = styled(look::BAD, "breaks");
                    writeln!(out, "  {operation}  {before} → {breaks}")?;
                }
            }
        }
        writeln!(out)?;
    }
    let total = |(impact, _, word)| format!("{} {word}", of(impact).count());
    let totals = KINDS.map(total).join(", ");
    let hidden = !all && of(Impact::Notable).next().is_some();
    let note = if hidden { " (shown with --all)" } else { "" };
    writeln!(out, "{totals}{note}")?;
    Ok(())
}

fn one(concerned: &Concerned<'_>, out: &mut dyn Write) -> Result<(), Error> {
    let Concerned { change, uses } = concerned;
    let name = styled(look::STRONG, &change.coordinate);
    writeln!(out, "  {name} {}", change.message)?;
    if let Some(advice) = &change.advice {
        writeln!(out, "    {}", styled(look::FAINT, advice))?;
    }
    if !uses.is_empty() {
        let each = uses.iter().map(|(operation, place)| match place.as_str() {
            "" => operation.clone(),
            place => format!("{operation} ({place})"),
        });
        let list = each.collect::<Vec<_>>().join(", ");
        writeln!(out, "    used by {list}")?;
    }
    Ok(())
}

fn as_json(args: &Args, changes: &[Concerned<'_>], prices: &[PriceChange]) -> serde_json::Value {
    let change = |concerned: &Concerned<'_>| {
        let Concerned { change, uses } = concerned;
        let uses = uses
            .iter()
            .map(|(operation, place)| json!({ "operation": operation, "place": place }));
        json!({
            "impact": match change.impact {
                Impact::Breaking => "breaking",
                Impact::Dearer => "dearer",
                Impact::Deprecated => "deprecated",
                Impact::Notable => "notable",
            },
            "coordinate": change.coordinate.as_str(),
            "message": change.message,
            "advice": change.advice,
            "uses": uses.collect::<Vec<_>>(),
        })
    };
    let price = |price: &PriceChange| {
        json!({
            "operation": price.operation,
            "before": price.before.get(),
            "after": price.after.map(tollgate_cost::Points::get),
            "breaks": price.after.is_none(),
        })
    };
    json!({
        "old": args.old,
        "new": args.new,
        "changes": changes.iter().map(change).collect::<Vec<_>>(),
        "prices": prices.iter().map(price).collect::<Vec<_>>(),
    })
}

fn deny(args: &Args, changes: &[Concerned<'_>], prices: &[PriceChange]) -> Result<(), Error> {
    let denied = |impact| args.deny.iter().any(|denied| denied.impact() == impact);
    let found = changes.iter().filter(|c| denied(c.change.impact)).count();
    let dearer = prices.iter().filter(|price| price.is_dearer());
    let found = found
        + if denied(Impact::Dearer) {
            dearer.count()
        } else {
            0
        };
    if found == 0 {
        return Ok(());
    }
    let changes = look::count(found, "change");
    Err(Error::Wrong(format!(
        "{changes} of a kind that `--deny` names"
    )))
}
