//! A list without a lock: one thread owns it, and the others send it messages.

use std::collections::BTreeMap;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

// ANCHOR: owner
type Hits = BTreeMap<&'static str, u32>;

/// What a thread can ask the owner.
enum Message {
    Visit(&'static str),
    List(Sender<Hits>),
}

/// The only thread that ever sees the list. It ends when the last sender has been dropped.
fn own(messages: Receiver<Message>) {
    let mut hits = Hits::new();
    for message in messages {
        match message {
            Message::Visit(page) => *hits.entry(page).or_default() += 1,
            // If the receiver is gone, the answer isn't wanted any more.
            Message::List(reply) => {
                let _ = reply.send(hits.clone());
            }
        }
    }
}
// ANCHOR_END: owner

/// Says what the owner has counted.
pub fn run() {
    let (to_owner, messages) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| own(messages));
        thread::scope(|visitors| {
            for _ in 0..8 {
                let to_owner = to_owner.clone();
                visitors.spawn(move || {
                    for _ in 0..1000 {
                        to_owner.send(Message::Visit("/")).expect("the owner still runs");
                    }
                });
            }
        });
        let (reply, list) = mpsc::channel();
        to_owner.send(Message::List(reply)).expect("the owner still runs");
        let hits = list.recv().expect("the owner replies");
        println!("owner: 8 threads with 1000 visits each, counted: {hits:?}");
        // The last sender: now the owner ends.
        drop(to_owner);
    });
}
