use std::io::Write;

use super::{Checked, Verdict};
use crate::error::Error;

/// A table for a pull request, the operations that changed first.
pub(super) fn write(checked: &[Checked], compared: bool, out: &mut dyn Write) -> Result<(), Error> {
    let mut checked: Vec<_> = checked.iter().collect();
    checked.sort_by_key(|checked| (checked.verdict == Verdict::Fine, !changed(checked)));
    if compared {
        writeln!(out, "| operation | points | before | change | budget | |")?;
        writeln!(out, "| --- | ---: | ---: | ---: | ---: | --- |")?;
    } else {
        writeln!(out, "| operation | points | budget | |")?;
        writeln!(out, "| --- | ---: | ---: | --- |")?;
    }
    for checked in checked {
        let budget = checked
            .budget
            .map(|budget| budget.to_string())
            .unwrap_or_default();
        let verdict = match checked.verdict {
            Verdict::Fine => "",
            Verdict::Wrong => "**too dear or wrong**",
            Verdict::Risen => "**rose too much**",
        };
        write!(out, "| `{}` | {} |", checked.name, checked.bound)?;
        if compared {
            match checked.before {
                Some(before) => write!(out, " {before} | {} |", change(before.0, checked.bound.0))?,
                None => write!(out, " | new |")?,
            }
        }
        writeln!(out, " {budget} | {verdict} |")?;
    }
    Ok(())
}

fn changed(checked: &Checked) -> bool {
    checked.before != Some(checked.bound)
}

/// `+12 %`, rounded toward zero.
fn change(before: u64, now: u64) -> String {
    if before == now {
        return "0".to_owned();
    }
    let sign = if now > before { '+' } else { '−' };
    let percent = u128::from(now.abs_diff(before)) * 100 / u128::from(before.max(1));
    format!("{sign}{percent} %")
}
