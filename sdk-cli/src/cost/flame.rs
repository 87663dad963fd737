use inferno::flamegraph::{self, Direction, Options};
use tollgate_codegen::pricing::Row;

use super::Costing;
use crate::error::Error;

/// Points by path, as SVG: as wide as dear.
pub(super) fn graph(costings: &[Costing<'_>]) -> Result<Vec<u8>, Error> {
    let mut stacks = Vec::new();
    for costing in costings {
        let name = match &*costing.operation.name {
            "" => "(unnamed)",
            name => name,
        };
        collect(&costing.rows, name, &mut stacks);
    }
    let mut options = Options::default();
    options.title = "Points by path".to_owned();
    options.count_name = "points".to_owned();
    // Stacks are counted in thousandths.
    options.factor = 0.001;
    options.direction = Direction::Inverted;
    options.deterministic = true;
    let mut svg = Vec::new();
    let drawn = flamegraph::from_lines(&mut options, stacks.iter().map(String::as_str), &mut svg);
    drawn.map_err(|error| Error::Output(std::io::Error::other(error)))?;
    Ok(svg)
}

fn collect(rows: &[Row], stack: &str, stacks: &mut Vec<String>) {
    for row in rows {
        let stack = format!("{stack};{}", row.label.replace(';', ","));
        let own = row.own().0;
        if own > 0 {
            stacks.push(format!("{stack} {own}"));
        }
        collect(&row.below, &stack, stacks);
    }
}
