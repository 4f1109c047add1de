//! The newest value for whoever looks: `cargo run -p doors --example door_watch`
use tokio::sync::watch;

// ANCHOR: main
#[tokio::main]
async fn main() {
    let (settings, mut seen) = watch::channel("log little");
    let reader = tokio::spawn(async move {
        while seen.changed().await.is_ok() {
            println!("now: {}", *seen.borrow_and_update());
        }
    });
    settings.send_replace("log more");
    settings.send_replace("log everything");
    drop(settings);
    reader.await.expect("it does not panic");
}
// ANCHOR_END: main
