use std::io::Write;

use serde_json::Value;
use tollgate::pages::{PageInfo, Turns};
use tollgate_codegen::bulk::Form;
use tollgate_codegen::diagnostic::Severity;
use tollgate_codegen::pages::{Paged, paging};

use super::Job;
use super::progress::Bar;
use crate::error::Error;

impl Job<'_> {
    /// Walks the connection, and writes its nodes.
    pub(super) async fn all_pages(&self, out: &mut dyn Write) -> Result<(), Error> {
        let project = self.project;
        let paging = paging(&project.schema, &project.document, self.operation);
        let Some(paged) = paging.paged else {
            let wrong = paging.problems.into_iter().map(|mut problem| {
                problem.severity = Severity::Error;
                problem
            });
            let wrong: Vec<_> = wrong.collect();
            if wrong.is_empty() {
                return Err(Error::Wrong(format!(
                    "`{}` has no one connection whose cursor is a variable: mark it with `@paginate`",
                    self.operation.name
                )));
            }
            return Err(self.refuse(wrong));
        };
        let mut variables = self.variables.clone();
        if let Some(size) = &paged.size {
            let size = variables.entry(size.clone());
            let largest = self.largest(&paged);
            size.or_insert_with(|| largest.into());
        }
        let first = variables.get(&paged.cursor).and_then(Value::as_str);
        let mut turns = Turns::from(first);
        let bar = Bar::new("nodes");
        loop {
            let answer = self.call(&variables).await?;
            let connection = at(&answer.data, &paged.path);
            let nodes = nodes(connection, &paged.form);
            for node in &nodes {
                writeln!(out, "{node}")?;
            }
            bar.add(nodes.len(), answer.cost.actual);
            let next = turns.turn(info(connection, &paged));
            match next.map_err(|error| Error::Run(error.into()))? {
                Some(cursor) => variables.insert(paged.cursor.clone(), cursor.into()),
                None => break,
            };
        }
        bar.done();
        Ok(())
    }

    /// The largest page that one query may cost.
    fn largest(&self, paged: &Paged) -> u64 {
        let fits = |size: u64| {
            let mut variables = self.variables.clone();
            if let Some(name) = &paged.size {
                variables.insert(name.clone(), size.into());
            }
            self.price(&variables)
                .is_ok_and(|price| price.get() <= 1000)
        };
        (1..=paged.largest)
            .rev()
            .find(|size| fits(*size))
            .unwrap_or(1)
    }
}

fn at<'v>(value: &'v Value, path: &[String]) -> &'v Value {
    path.iter().fold(value, |value, key| &value[key.as_str()])
}

fn info<'v>(connection: &'v Value, paged: &Paged) -> Option<PageInfo<'v>> {
    let info = &connection[paged.page_info.as_str()];
    Some(PageInfo {
        has_more: info[paged.has_more.as_str()].as_bool()?,
        end: info[paged.end.as_str()].as_str(),
    })
}

fn nodes<'v>(connection: &'v Value, form: &Form) -> Vec<&'v Value> {
    let (list, node) = match form {
        Form::Nodes { nodes } => (nodes, None),
        Form::Edges { edges, node } => (edges, Some(node)),
    };
    let list = connection[list.as_str()].as_array();
    let item = |item: &'v Value| node.map_or(item, |node| &item[node.as_str()]);
    list.into_iter().flatten().map(item).collect()
}
