//! Many readers or one writer: `cargo run -p doors --example door_rwlock`
use std::sync::RwLock;
use std::thread;

// ANCHOR: main
fn main() {
    let page = RwLock::new("an old page".to_owned());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| println!("{}", page.read().expect("no thread panics with it")));
        }
        scope.spawn(|| *page.write().expect("no thread panics with it") = "a new page".to_owned());
    });
}
// ANCHOR_END: main
