//! Numbers of a recording, for sentences and for its picture.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use records::{
    base::{number, significant},
    recording::{Recording, State, Task},
};

/// The numbers that `{{#recorded RUNG WHAT}}` knows: the name of each, and how it is counted.
type Number = (&'static str, fn(&Recording) -> String);

const NUMBERS: [Number; 11] = [
    ("clients", |it| whole(it.clients as usize)),
    ("requests", |it| whole(it.requests.len())),
    ("threads", |it| whole(it.threads.len())),
    ("serving_threads", |it| whole(it.serving_threads())),
    ("tasks", |it| whole(it.tasks.len())),
    ("polls", |it| whole(polls(it))),
    ("moved_tasks", |it| whole(moved(it))),
    ("duration_ms", |it| number(ms(duration(it)), 0)),
    ("running_ms", |it| significant(ms(running(it)))),
    ("polling_ms", |it| significant(ms(it.tasks.iter().map(polling).sum()))),
    ("at_once", |it| whole(at_once(it))),
];

fn whole(count: usize) -> String {
    number(count as f64, 0)
}

/// A number of a recording by its name, such as `polls`. Fails when there is no number of this name.
pub fn recorded(recording: &Recording, what: &str) -> Result<String> {
    let found = NUMBERS.iter().find(|(name, _)| *name == what);
    let (_, find) = found.with_context(|| {
        let names: Vec<&str> = NUMBERS.iter().map(|(name, _)| *name).collect();
        format!("a recording has no number `{what}`; it has {}", names.join(", "))
    })?;
    Ok(find(recording))
}

pub fn ms(us: u64) -> f64 {
    us as f64 / 1000.0
}

/// The time at which the first request was sent, in microseconds since the recording began.
pub fn started(recording: &Recording) -> u64 {
    recording.requests.iter().map(|request| request.sent).min().unwrap_or(0)
}

/// How long a page sleeps, in milliseconds, if it does: what its address says, or what all servers do without that.
pub fn sleep(route: &str) -> Option<u64> {
    let (page, query) = route.split_once('?').unwrap_or((route, ""));
    let ms = query.strip_prefix("ms=").unwrap_or("100");
    if page == "/sleep" { ms.parse().ok() } else { None }
}

/// From the first request to the end, in microseconds.
pub fn duration(recording: &Recording) -> u64 {
    recording.duration_us - started(recording)
}

/// How many of these times have this moment.
pub fn that_have(spans: &[(u64, u64)], moment: u64) -> usize {
    spans.iter().filter(|span| span.0 <= moment && moment < span.1).count()
}

/// The most of these times that share a moment.
pub fn most_at_once(spans: &[(u64, u64)]) -> usize {
    spans.iter().map(|span| that_have(spans, span.0)).max().unwrap_or(0)
}

pub fn polls(recording: &Recording) -> usize {
    recording.tasks.iter().map(|task| task.polls.len()).sum()
}

pub fn polling(task: &Task) -> u64 {
    task.polls.iter().map(|(from, to, _)| to - from).sum()
}

/// How many tasks were polled by more than one thread.
pub fn moved(recording: &Recording) -> usize {
    recording.tasks.iter().filter(|task| pollers(task).len() > 1).count()
}

fn pollers(task: &Task) -> BTreeSet<usize> {
    task.polls.iter().map(|(_, _, thread)| *thread).collect()
}

/// How long the threads were on processors, all together.
pub fn running(recording: &Recording) -> u64 {
    let spans = recording.threads.iter().flat_map(|thread| &thread.spans);
    spans.filter(|span| span.2 == State::Running).map(|span| span.1 - span.0).sum()
}

/// Counts the most requests that a handler had at the same time. An event loop has a request from its first turn to its
/// last, also while it turns to others.
pub fn at_once(recording: &Recording) -> usize {
    let turns = recording.requests.iter().filter_map(|request| request.handled.as_deref());
    let hands = turns.filter_map(|turns| Some((turns.first()?.0, turns.last()?.1)));
    most_at_once(&hands.collect::<Vec<_>>())
}

pub fn took(recording: &Recording) -> impl Iterator<Item = u64> {
    recording.requests.iter().map(|request| request.answered - request.sent)
}

/// How long requests waited for a handler, as far as that was observed.
pub fn queued(recording: &Recording) -> impl Iterator<Item = u64> {
    recording.requests.iter().filter_map(|request| {
        let first = request.handled.as_ref()?.first()?;
        Some(first.0.saturating_sub(request.sent))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::has;

    #[test]
    fn numbers_of_a_recording() {
        let recording = records::testing::recording();
        for (what, number) in [
            ("tasks", "3"),
            ("polls", "5"),
            ("moved_tasks", "1"),
            ("running_ms", "0.22"),
            ("polling_ms", "0.20"),
            ("at_once", "2"),
        ] {
            assert_eq!(recorded(&recording, what).unwrap(), number, "{what}");
        }
        // One thread looks after all six, in turns.
        let looped = crate::report::testing::recorded("event_loop");
        assert_eq!(recorded(looped, "at_once").unwrap(), "6");
        let error = recorded(&recording, "speed").unwrap_err().to_string();
        has(&error, &["no number `speed`; it has clients, requests"]);
    }
}
