// Wrong: counts for a member that has left, as if its queue were full.
// The check says: one that has left is still there

use std::sync::Arc;

use tokio::sync::mpsc::{self, Receiver, Sender, error::TrySendError};

/// So many lines wait for a member.
pub const QUEUE: usize = 64;

/// The members of a room.
#[derive(Debug, Default)]
pub struct Room {
    members: Vec<Member>,
}

/// A member, as the room sees it.
#[derive(Debug)]
struct Member {
    queue: Sender<Arc<str>>,
    /// How many lines it has missed since its last note.
    missed: usize,
}

impl Member {
    /// Gives it a line, after a note if it has missed some.
    fn give(&mut self, line: Arc<str>) -> Result<(), TrySendError<Arc<str>>> {
        if self.missed > 0 {
            let note = format!("you have missed {} lines", self.missed);
            self.queue.try_send(note.into())?;
            self.missed = 0;
        }
        self.queue.try_send(line)
    }
}

impl Room {
    /// Takes a member in: what it receives is said to the room.
    pub fn join(&mut self) -> Receiver<Arc<str>> {
        let (queue, lines) = mpsc::channel(QUEUE);
        self.members.push(Member { queue, missed: 0 });
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
        self.members.retain_mut(|member| match member.give(Arc::clone(&line)) {
            Ok(()) => {
                count += 1;
                true
            }
            Err(TrySendError::Full(_) | TrySendError::Closed(_)) => {
                member.missed += 1;
                true
            }
        });
        count
    }
}
