//! Whole connections, page by page.
//!
//! [`Client::pages`](crate::Client::pages) and [`Client::items`](crate::Client::items) walk the
//! connection of a [`Paginated`] operation as streams. A connection that does not end as it should
//! (a cursor that does not move, none where there is more) is a typed [`PageError`], never an
//! endless loop and never a set cut short.

mod book;
mod error;
mod items;
mod size;
mod stream;
#[cfg(test)]
mod tests;
mod turn;

pub use error::PageError;
pub use items::Items;
pub use size::{PageSize, Sizer};
pub use stream::{Page, Pages};
pub use turn::{PageInfo, Turns};

use crate::Operation;

/// An operation that walks a connection; the generator implements it for operations with a cursor
/// variable and `pageInfo`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be walked page by page",
    note = "it takes a connection with `pageInfo {{ hasNextPage endCursor }}` and a variable for its \
            cursor, as `$after: String`"
)]
pub trait Paginated: Operation {
    /// A node of the connection.
    type Item;

    /// The largest page that the document and the service allow.
    const LARGEST: u32;

    /// The page size the caller asked for; `None` when it was left out, or is no variable.
    fn size(variables: &Self::Variables) -> Option<i64>;

    /// Sets the page size; `false` when the document fixes it.
    fn set_size(variables: &mut Self::Variables, size: i64) -> bool;

    /// Sets the cursor to go on from; `None` for the first page.
    fn set_cursor(variables: &mut Self::Variables, cursor: Option<String>);

    /// What the page says about the next; `None` when the connection is not in the answer.
    fn page_info(data: &Self::Data) -> Option<PageInfo<'_>>;

    /// How many nodes the page has.
    fn count(data: &Self::Data) -> usize;

    /// The nodes of the page.
    fn into_items(data: Self::Data) -> Vec<Self::Item>;
}
