//! What the five pages of the shop do.

use std::cmp::Reverse;
use std::sync::Mutex;

use tokio::task::spawn_blocking;

use crate::{Order, orders};

/// How often somebody has asked for the total.
static ASKED: Mutex<u64> = Mutex::new(0);

// ANCHOR: handlers
/// What all orders come to, and how often that was asked.
pub async fn total() -> String {
    let orders = orders().await;
    let total: u64 = orders.iter().map(|order| order.cents).sum();
    let mut asked = ASKED.lock().expect("no page panics with it");
    *asked += 1;
    format!("{total} cents, asked {asked} times\n")
}

/// The ten orders with the highest price.
pub async fn dearest() -> String {
    let mut orders = orders().await.to_vec();
    orders.sort_by_key(|order| Reverse(order.cents));
    orders.iter().take(10).map(|order| format!("order {}\n", order.number)).collect()
}

/// A receipt for all orders, with a seal that takes long to compute.
pub async fn receipt() -> String {
    let orders = orders().await;
    let seal = spawn_blocking(move || seal(orders)).await.expect("it doesn't panic");
    format!("{} orders, sealed with {seal:x}\n", orders.len())
}

/// The addresses for the newsletter, each of them once.
pub async fn newsletter() -> String {
    let orders = orders().await;
    let mut addresses = Vec::new();
    for order in orders {
        if !addresses.contains(&order.email) {
            addresses.push(order.email.clone());
        }
    }
    addresses.join("\n")
}

/// The orders that are presents, and what has to be done with them.
pub async fn presents() -> String {
    let orders = orders().await;
    let mut presents = Vec::new();
    for order in orders {
        if order.note.contains("gift") {
            presents.push(format!("order {}: {}", order.number, order.note));
        }
    }
    presents.join("\n")
}
// ANCHOR_END: handlers

/// Reads all orders very often, so that a seal can't be guessed by trying.
fn seal(orders: &[Order]) -> u64 {
    let mut seal = 0;
    for _ in 0..9000 {
        for order in orders {
            seal = (seal ^ order.cents).wrapping_mul(0x100_0000_01b3);
        }
    }
    seal
}
