//! The client of a price list, as a library that is async only.

use std::time::Duration;

use tokio::time::sleep;

// ANCHOR: price
/// Asks the price list, which takes a tenth of a second.
pub async fn price(item: u32) -> u32 {
    sleep(Duration::from_millis(100)).await;
    10 * item
}
// ANCHOR_END: price
