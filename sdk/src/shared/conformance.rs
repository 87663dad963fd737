//! Tests of the promises of [`Store`], for whoever writes one.
//!
//! ```
//! # #[tokio::main(flavor = "current_thread", start_paused = true)]
//! # async fn main() {
//! use std::sync::Arc;
//! use tollgate::shared::{InProcess, conformance};
//!
//! let store = InProcess::new();
//! conformance::check(&[Arc::new(store.clone()), Arc::new(store)]).await;
//! # }
//! ```
//!
//! Each promise is tried in a bucket of its own, with figures by which a few milliseconds do not
//! matter; all of them take some ten seconds, or no time at all on tokio's paused clock.

mod clerk;
mod order;
mod points;

use std::sync::Arc;

use self::clerk::Clerk;
use super::Store;

/// Tries all promises on a store. Give several handles (connections, say) of the same store to try
/// it with writers that are truly apart.
///
/// # Panics
/// When a promise is not kept, with what was seen.
pub async fn check(handles: &[Arc<dyn Store>]) {
    assert!(!handles.is_empty(), "there is no store to try");
    let clerk = || Clerk::new(handles);
    points::an_unknown_bucket_is_not_full(clerk()).await;
    points::no_more_is_granted_than_is_there(clerk()).await;
    points::points_are_conserved(clerk()).await;
    points::what_was_not_charged_comes_back_once(clerk()).await;
    points::answers_replace_the_account(clerk()).await;
    points::a_late_answer_does_not_raise_the_level(clerk()).await;
    points::a_throttle_tells_the_deficit(clerk()).await;
    points::limits_follow_the_answers(clerk()).await;
    points::a_bucket_fills_up_to_its_maximum(clerk()).await;
    points::a_call_under_way_for_long_leaves_room(clerk()).await;
    points::a_lease_runs_out_at_its_end_and_not_before(clerk()).await;
    order::a_wait_has_its_exact_length(clerk()).await;
    order::a_dear_call_is_not_overtaken(clerk()).await;
    order::the_older_call_goes_first(clerk()).await;
    order::a_priority_gives_way_for_a_time(clerk()).await;
    order::who_does_not_come_is_passed_by(clerk()).await;
    order::who_gives_up_holds_up_nobody(clerk()).await;
    order::who_waits_goes_earlier_when_points_come_back(clerk()).await;
    order::a_worker_has_one_place(clerk()).await;
    order::bids_are_granted_in_order(clerk()).await;
    order::some_calls_wait_for_more_than_points(clerk()).await;
}
