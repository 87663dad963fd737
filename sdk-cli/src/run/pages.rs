use std::io::Write;

use serde_json::{Map, Value};
use tollgate::Forecast;
use tollgate::pages::{PageInfo, Sizer, Turns};
use tollgate_codegen::bulk::Form;
use tollgate_codegen::diagnostic::Severity;
use tollgate_codegen::document::OperationKind;
use tollgate_codegen::pages::{Paged, paging};
use tollgate_cost::MAX_QUERY;

use super::output::Output;
use super::progress::Bar;
use super::{Job, Spent};
use crate::error::Error;
use crate::look;

impl Job<'_> {
    /// Walks the connection, and writes its nodes. `reached` is set to the variables with which
    /// to go on after the pages that are written.
    pub(super) async fn all_pages(
        &self,
        out: &mut Output<'_>,
        reached: &mut Option<Map<String, Value>>,
    ) -> Result<(), Error> {
        let project = self.project;
        let paging = paging(&project.schema, &project.document, self.operation);
        let Some(paged) = paging.paged else {
            let wrong = paging.problems.into_iter().map(|mut problem| {
                problem.severity = Severity::Error;
                problem
            });
            let wrong: Vec<_> = wrong.collect();
            let name = &self.operation.name;
            if self.operation.kind == OperationKind::Mutation {
                return Err(Error::Wrong(format!(
                    "`{name}` is a mutation: it has no pages to walk, run it without `--all-pages`"
                )));
            }
            if wrong.is_empty() {
                return Err(Error::Wrong(format!(
                    "`{name}` has no one connection whose cursor is a variable: mark it with \
                     `@paginate`"
                )));
            }
            return Err(self.refuse(wrong));
        };
        let mut variables = self.variables.clone();
        let mut sizer = paged.size.as_ref().map(|name| self.sizer(&paged, name));
        let first = variables.get(&paged.cursor).and_then(Value::as_str);
        let mut turns = Turns::from(first);
        let bar = Bar::new("nodes", self.expect);
        if let Some(nodes) = self.expect {
            let size = sizer.map_or(paged.largest, |sizer| sizer.get().into());
            bar.forecast(&self.forecast(&paged, &variables, size, nodes)?);
        }
        let mut spent = Spent::default();
        let mut seen = 0;
        loop {
            if let (Some(name), Some(sizer)) = (&paged.size, &sizer) {
                variables.insert(name.clone(), sizer.get().into());
            }
            let answer = match self.send(&variables)?.await {
                Ok(answer) => answer,
                Err(error) if sizer.as_mut().is_some_and(|s| s.shrink(&error)) => continue,
                Err(error) => return Err(Error::Run(error.into())),
            };
            if let Some(sizer) = &mut sizer {
                sizer.good();
            }
            let connection = at(&answer.data, &paged.path);
            let nodes = nodes(connection, &paged.form);
            for node in &nodes {
                writeln!(out, "{node}")?;
            }
            out.flush()?;
            *reached = None;
            bar.add(nodes.len(), answer.cost.actual);
            spent.add(&answer.cost);
            seen += nodes.len();
            let next = turns.turn(info(connection, &paged));
            match next.map_err(|error| Error::Run(error.into()))? {
                Some(cursor) => {
                    let cursor = Value::from(cursor);
                    let next = reached.insert(self.variables.clone());
                    next.insert(paged.cursor.clone(), cursor.clone());
                    out.mark(Value::Object(next.clone()))?;
                    variables.insert(paged.cursor.clone(), cursor);
                }
                None => break,
            }
        }
        bar.done();
        if !self.quiet {
            let nodes = look::count(seen, "node");
            let pages = look::count(spent.calls(), "page");
            spent.tell(&format!("{nodes} in {pages}: "));
        }
        Ok(())
    }

    /// Pages as large as the caller's size, the bound and the price allow.
    fn sizer(&self, paged: &Paged, name: &str) -> Sizer {
        let asked = self.variables.get(name).and_then(Value::as_u64);
        let cost = |size: u32| {
            let mut variables = self.variables.clone();
            variables.insert(name.to_owned(), size.into());
            self.price(&variables).ok()
        };
        let largest = asked.unwrap_or(paged.largest).min(paged.largest);
        let largest = u32::try_from(largest).unwrap_or(u32::MAX);
        Sizer::adaptive(largest, MAX_QUERY, cost)
    }

    /// What a walk over so many nodes is going to take.
    fn forecast(
        &self,
        paged: &Paged,
        variables: &Map<String, Value>,
        size: u64,
        nodes: u64,
    ) -> Result<Forecast, Error> {
        let mut variables = variables.clone();
        if let Some(name) = &paged.size {
            variables.insert(name.clone(), size.into());
        }
        let calls = nodes.div_ceil(size.max(1)).max(1);
        Ok(self.send(&variables)?.forecast(calls))
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
