//! The pages as they are, whose clients report what they do, and when the database will have answered.

use std::future::Future;

pub use which_task::Order;

#[path = "../../../../examples/ch06/which_task/handlers.rs"]
mod handlers;

pub use handlers::{dearest, newsletter, presents, receipt, total};

/// Asks the database, and reports when it will have answered.
pub async fn orders() -> &'static [Order] {
    observed_trace::due_after(which_task::PAUSE);
    which_task::orders().await
}

/// Sends the requests of a client, and reports.
pub async fn client<F>(page: &'static str, handler: impl Fn() -> F)
where
    F: Future<Output = String>,
{
    observed_trace::job(page, which_task::client(page, handler)).await;
}
