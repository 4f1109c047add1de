//! Every value for each reader, if it is quick enough: `cargo run -p doors --example door_broadcast`
use tokio::sync::broadcast;

// ANCHOR: main
#[tokio::main]
async fn main() {
    let (events, mut slow) = broadcast::channel(4);
    for event in 1..=10 {
        events.send(event).expect("there is a reader");
    }
    println!("{:?}", slow.recv().await);
    println!("{:?}", slow.recv().await);
}
// ANCHOR_END: main
