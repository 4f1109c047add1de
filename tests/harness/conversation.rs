//! What the judge shows of a case that failed: what its client sent, and what came. A test needs none of this, because
//! its message has it.

use std::{
    fmt::{self, Display},
    mem,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    thread,
};

/// Whether this program is the judge, and no test.
static JUDGES: AtomicBool = AtomicBool::new(false);

/// Of the clients that a failed case took along, the first: it is the one that was talking.
static LAST: Mutex<Option<Conversation>> = Mutex::new(None);

/// From now on this program is the judge: cases print nothing, are tried once, and leave their last conversation.
pub fn judge() {
    JUDGES.store(true, Ordering::Relaxed);
}

/// Whether this program is the judge.
pub(crate) fn judges() -> bool {
    JUDGES.load(Ordering::Relaxed)
}

/// Says in the output of a test which part of a case is under way.
pub(crate) fn part(name: impl Display) {
    if !judges() {
        println!("{name}");
    }
}

/// The conversation of the case that has failed since this was last asked.
pub fn last_conversation() -> Option<Conversation> {
    LAST.lock().unwrap_or_else(PoisonError::into_inner).take()
}

/// What a client sent, and what came.
#[derive(Debug, Default)]
pub struct Conversation {
    /// What it sent.
    pub sent: Said,
    /// What came.
    pub came: Said,
}

impl Drop for Conversation {
    fn drop(&mut self) {
        if judges() && thread::panicking() {
            let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
            if last.is_none() {
                *last = Some(mem::take(self));
            }
        }
    }
}

/// The first bytes of a direction, and how many came after them.
#[derive(Debug, Default)]
pub struct Said {
    start: Vec<u8>,
    more: usize,
}

impl Said {
    /// Adds bytes at the end.
    pub fn add(&mut self, bytes: &[u8]) {
        let most = 160;
        let kept = bytes.len().min(most - self.start.len());
        self.start.extend_from_slice(&bytes[..kept]);
        self.more += bytes.len() - kept;
    }
}

impl Display for Said {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "\"{}\"", self.start.escape_ascii())?;
        if self.more > 0 {
            write!(formatter, " and {} bytes more", self.more)?;
        }
        Ok(())
    }
}
