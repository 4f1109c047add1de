// Wrong: waits a little for a full queue, and everybody else waits with it, for each line.
// The check says: pending

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{self, Receiver, Sender};
use tokio::time::timeout;

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
        let mut members = Vec::new();
        for member in self.members.drain(..) {
            let sent = timeout(Duration::from_millis(50), member.send(Arc::clone(&line))).await;
            if matches!(sent, Ok(Ok(()))) {
                members.push(member);
            }
        }
        self.members = members;
        self.members.len()
    }
}
