//! The timeline of a thread, in nanoseconds of the monotonic clock.

use records::recording::{Span, State};

/// One thread of the server.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Track {
    /// The system's number for it.
    pub tid: u64,
    /// The system's name for it: at most 15 bytes.
    pub comm: String,
    /// Its states in order; each begins where the one before ends.
    pub stretches: Vec<Stretch>,
}

/// A thread was in one state for a while, in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    pub from: u64,
    pub to: u64,
    pub state: State,
    /// Where, if it ran.
    pub cpu: Option<u32>,
}

/// The observations of the tracer.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    pub tracks: Vec<Track>,
    /// The number of context switches and wake-ups of the server's threads.
    pub events: u64,
}

impl Track {
    /// Adds a stretch; one without length is dropped, and one in the same state extends the last.
    pub fn push(&mut self, from: u64, to: u64, state: State, cpu: Option<u32>) {
        let cpu = cpu.filter(|_| state == State::Running);
        if to <= from {
            return;
        }
        match self.stretches.last_mut() {
            Some(last) if last.to == from && last.state == state && last.cpu == cpu => last.to = to,
            _ => self.stretches.push(Stretch { from, to, state, cpu }),
        }
    }

    /// Returns the timeline in microseconds since `begin`, up to `end`. A stretch of less than one joins its neighbour.
    pub fn spans(&self, begin: u64, end: u64) -> Vec<Span> {
        let mut rounded = Track::default();
        for &Stretch { from, to, state, cpu } in &self.stretches {
            rounded.push(since(begin, from, end), since(begin, to, end), state, cpu);
        }
        let mut spans = Vec::new();
        for Stretch { from, to, state, cpu } in rounded.stretches {
            spans.push(Span(from, to, state, cpu));
        }
        spans
    }
}

/// Returns the microseconds from `begin` to a moment in nanoseconds, which counts as `end` if it is later.
fn since(begin: u64, moment: u64, end: u64) -> u64 {
    moment.clamp(begin, end).saturating_sub(begin) / 1000
}
