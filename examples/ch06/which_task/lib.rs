//! The pages of a shop, its database, and the clients that ask for the pages.

use std::{
    env,
    sync::LazyLock,
    time::{Duration, Instant},
};

use tokio::time::sleep;

mod handlers;

pub use handlers::{dearest, newsletter, presents, receipt, total};

/// How long the database takes.
pub const PAUSE: Duration = Duration::from_millis(20);

/// How many requests a client sends, if the command line doesn't say.
const REQUESTS: u32 = 3;

// ANCHOR: orders
/// An order of today.
#[derive(Clone, Debug)]
pub struct Order {
    /// It begins with 1.
    pub number: u32,
    /// Its price.
    pub cents: u64,
    /// The customer's address.
    pub email: String,
    /// What the customer wants to be done.
    pub note: &'static str,
}

/// Asks the database for the orders of today: 6,000.
pub async fn orders() -> &'static [Order] {
    sleep(PAUSE).await;
    &ORDERS
}
// ANCHOR_END: orders

static ORDERS: LazyLock<Vec<Order>> = LazyLock::new(|| (1..=6000).map(order).collect());

fn order(number: u32) -> Order {
    // Every tenth comes from a customer who has ordered before.
    let customer = if number.is_multiple_of(10) { number - 1 } else { number };
    let note = if number.is_multiple_of(40) { "a gift, no bill inside" } else { "ring twice" };
    Order {
        number,
        cents: u64::from(number) * 7919 % 10_000,
        email: format!("customer-{customer:04}@example.org"),
        note,
    }
}

// ANCHOR: client
/// A client that sends a few requests, one after the other, and says how long the slowest took.
pub async fn client<F>(page: &'static str, handler: impl Fn() -> F)
where
    F: Future<Output = String>,
{
    let mut slowest = Duration::ZERO;
    for _ in 0..requests() {
        let sent = Instant::now();
        handler().await;
        slowest = slowest.max(sent.elapsed());
    }
    println!("{page:10}  {} ms", slowest.as_millis());
}
// ANCHOR_END: client

/// How many requests each client sends: what stands behind `--` in the command line.
fn requests() -> u32 {
    let given = env::args().nth(1);
    given.map_or(REQUESTS, |count| count.parse().expect("a number of requests"))
}
