// Wrong: lets a task wait for each line that a queue has no room for, so they pile up outside of the queue.
// The check says: more than its queue holds

use std::sync::Arc;

use tokio::sync::mpsc::{self, Receiver, Sender, error::TrySendError};

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
        self.members.retain(|member| !member.is_closed());
        for member in &self.members {
            if let Err(TrySendError::Full(line)) = member.try_send(Arc::clone(&line)) {
                let member = member.clone();
                tokio::spawn(async move { member.send(line).await });
            }
        }
        self.members.len()
    }
}
