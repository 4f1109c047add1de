// Wrong: removes a member whose queue is full, but that member should stay.
// The check says: one whose queue is full is gone

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
        // Fails for a full queue, and for a member that has left: both senders are dropped here.
        self.members.retain(|member| member.try_send(Arc::clone(&line)).is_ok());
        self.members.len()
    }
}
