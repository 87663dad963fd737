use tokio::time::Instant;

use super::size::Sizer;
use super::turn::Turns;
use super::{Page, PageError, PageSize, Paginated};
use crate::progress::Progress;
use crate::{Client, Forecast, Response};

/// A connection being read: one page after the other.
pub(super) struct Book<O: Paginated> {
    client: Client,
    variables: O::Variables,
    cursor: Option<String>,
    turns: Turns,
    sizer: Option<Sizer>,
    ended: bool,
    progress: Progress,
    begun: Instant,
}

impl<O: Paginated> Book<O>
where
    O::Variables: Clone,
{
    pub(super) fn open(
        client: Client,
        variables: O::Variables,
        cursor: Option<String>,
        size: PageSize,
        total: Option<u64>,
    ) -> Result<Self, PageError> {
        Ok(Self {
            turns: Turns::from(cursor.as_deref()),
            sizer: sizer::<O>(&client, &variables, size)?,
            client,
            variables,
            cursor,
            ended: false,
            progress: Progress {
                total,
                ..Progress::default()
            },
            begun: Instant::now(),
        })
    }

    /// The next page; `None` at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Page<O>>, PageError> {
        if self.ended {
            return Ok(None);
        }
        O::set_cursor(&mut self.variables, self.cursor.clone());
        let response = self.fetch().await?;
        let size = self.sizer.map(|sizer| sizer.get());
        if let Some(sizer) = &mut self.sizer {
            sizer.good();
        }
        let next = self.turns.turn(O::page_info(&response.data))?;
        self.ended = next.is_none();
        let count = u64::try_from(O::count(&response.data)).unwrap_or(u64::MAX);
        let progress = &mut self.progress;
        progress.calls += 1;
        progress.done += count;
        progress.points += response.cost.actual.0;
        progress.elapsed = self.begun.elapsed();
        Ok(Some(Page {
            data: response.data,
            cost: response.cost,
            number: self.turns.pages(),
            size,
            before: std::mem::replace(&mut self.cursor, next.clone()),
            after: next,
            progress: *progress,
        }))
    }

    /// One page, smaller if it must be.
    async fn fetch(&mut self) -> Result<Response<O::Data>, PageError> {
        loop {
            if let Some(sizer) = &self.sizer {
                O::set_size(&mut self.variables, i64::from(sizer.get()));
            }
            let error = match self.client.call::<O>(&self.variables).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            let shrunk = self
                .sizer
                .as_mut()
                .is_some_and(|sizer| sizer.shrink(&error));
            if !shrunk {
                return Err(PageError::Call {
                    page: self.turns.pages() + 1,
                    cursor: self.cursor.clone(),
                    source: error,
                });
            }
        }
    }
}

/// What a walk over so many nodes is going to take.
pub(super) fn forecast<O: Paginated>(
    client: &Client,
    variables: &O::Variables,
    size: PageSize,
    nodes: u64,
) -> Result<Forecast, PageError>
where
    O::Variables: Clone,
{
    let sizer = sizer::<O>(client, variables, size)?;
    let size = sizer.map_or(O::LARGEST, |sizer| sizer.get());
    let mut variables = variables.clone();
    O::set_size(&mut variables, i64::from(size));
    let calls = nodes.div_ceil(u64::from(size.max(1))).max(1);
    let forecast = client.forecast::<O>(&variables, calls);
    forecast.map_err(|source| PageError::Call {
        page: 1,
        cursor: None,
        source,
    })
}

/// The size of pages; `None` when the document fixes it.
fn sizer<O: Paginated>(
    client: &Client,
    variables: &O::Variables,
    size: PageSize,
) -> Result<Option<Sizer>, PageError>
where
    O::Variables: Clone,
{
    let mut probe = variables.clone();
    if !O::set_size(&mut probe, 1) {
        return Ok(None);
    }
    let asked = match size {
        PageSize::Fixed(size) => Some(i64::from(size)),
        PageSize::Adaptive => O::size(variables),
    };
    let largest = match asked.map(u32::try_from) {
        None => O::LARGEST,
        Some(Ok(size)) if (1..=O::LARGEST).contains(&size) => size,
        Some(_) => {
            return Err(PageError::Size {
                asked: asked.unwrap_or_default(),
                largest: O::LARGEST,
            });
        }
    };
    if let PageSize::Fixed(_) = size {
        return Ok(Some(Sizer::fixed(largest)));
    }
    let cost = |size: u32| {
        let mut probe = probe.clone();
        O::set_size(&mut probe, i64::from(size));
        O::cost(&probe).ok()
    };
    Ok(Some(Sizer::adaptive(largest, client.dearest(), cost)))
}
