//! What the judge shows of a case that failed: what its client sent, and what came. A test needs none of this, because
//! its message has it.

use std::{
    fmt::{self, Display},
    mem,
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
};

/// Whether this program is the judge, and no test.
static JUDGES: AtomicBool = AtomicBool::new(false);

/// How often clients have spoken or listened, which says who did last.
static TURNS: AtomicU64 = AtomicU64::new(1);

/// Of the clients that are gone, what the one said and heard whose turn was last, and which turn that was.
static LAST: Mutex<Option<(u64, Conversation)>> = Mutex::new(None);

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

/// Of the clients that have gone since this was last asked, what the one said and heard that was talking last: where a
/// case has failed, it is the one that it failed with.
pub fn last_conversation() -> Option<Conversation> {
    let last = LAST.lock().unwrap_or_else(PoisonError::into_inner).take();
    last.map(|(_, conversation)| conversation)
}

/// What a client sent, and what came.
#[derive(Debug, Default)]
pub struct Conversation {
    /// What it sent.
    pub sent: Said,
    /// What came.
    pub came: Said,
}

/// The conversation of a client, which the judge keeps when that goes.
#[derive(Debug, Default)]
pub(crate) struct Talk {
    words: Conversation,
    turn: u64,
}

impl Talk {
    /// Takes a turn: the client is about to say something, or to listen.
    pub(crate) fn turn(&mut self) -> &mut Conversation {
        self.turn = TURNS.fetch_add(1, Ordering::Relaxed);
        &mut self.words
    }
}

impl Drop for Talk {
    fn drop(&mut self) {
        if !judges() {
            return;
        }
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if last.as_ref().is_none_or(|(turn, _)| *turn < self.turn) {
            *last = Some((self.turn, mem::take(&mut self.words)));
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
