// Let no member of a room wait for another.
//
// The room gives each line to all members, and each has a queue. One of them stops reading, and soon
// nobody hears anything any more.
//
// Your turn: find out who waits for whom. Then let a member whose queue is full miss lines, and learn how many.

use std::sync::Arc;

use tokio::sync::mpsc::{self, Receiver, Sender};

/// So many lines wait for a member.
pub const QUEUE: usize = 64;

/// The members of a room.
#[derive(Debug, Default)]
pub struct Room {
    members: Vec<Sender<Arc<str>>>,
}

impl Room {
    /// Takes a member in: what it receives is said to the room.
    pub fn join(&mut self) -> Receiver<Arc<str>> {
        let (member, lines) = mpsc::channel(QUEUE);
        self.members.push(member);
        lines
    }

    /// How many members the room has.
    pub fn len(&self) -> usize {
        self.members.len()
    }

    /// Whether the room has no members.
    pub fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Gives a line to all members, and returns how many have got it.
    pub async fn say(&mut self, line: &str) -> usize {
        let line: Arc<str> = line.into();
        let mut count = 0;
        for member in &self.members {
            if member.send(Arc::clone(&line)).await.is_ok() {
                count += 1;
            }
        }
        count
    }
}
