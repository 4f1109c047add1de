//! Writes sentences about a recording: the finding of its picture, its caption, and how it was made.

use std::fmt::Write;

use records::{
    base::{number, significant},
    recording::{Observation, Recording},
};

use pictures::text::{code, escape, plain, plural};

use crate::report::{
    origin::of_recordings,
    replay::{
        about,
        marks::{LEAST, explained},
        numbers::{at_once, duration, most_at_once, moved, ms, polls, running, that_have, took},
        picture::{Kind, Picture},
    },
};

/// Counts the requests in words: `12 requests of 6 clients`.
fn asked(recording: &Recording) -> String {
    let requests = plural(recording.requests.len() as u64, "request");
    format!("{requests} of {}", plural(recording.clients, "client"))
}

/// Writes the times of the fastest and of the slowest response.
fn extremes(recording: &Recording) -> String {
    let [least, most] =
        [took(recording).min(), took(recording).max()].map(|time| number(ms(time.unwrap_or(0)), 0));
    format!("fastest response took {least} ms, the slowest {most} ms.")
}

pub fn summary(recording: &Recording) -> String {
    let mut text = format!(
        "{} to {} in {} ms. The server has {}; in total they were on a CPU for {} ms. At most {} at a time \
         {} with a handler. The {}",
        asked(recording),
        recording.route,
        number(ms(duration(recording)), 0),
        plural(recording.threads.len() as u64, "thread"),
        significant(ms(running(recording))),
        plural(at_once(recording) as u64, "request"),
        if at_once(recording) == 1 { "was" } else { "were" },
        extremes(recording)
    );
    if !recording.tasks.is_empty() {
        let _ = write!(
            text,
            " {} were polled {}; {} of them by more than one thread.",
            plural(recording.tasks.len() as u64, "task"),
            plural(polls(recording) as u64, "time"),
            moved(recording)
        );
    }
    text
}

fn method(recording: &Recording) -> String {
    let Observation { method, events } = &recording.observation;
    let events = number(*events as f64, 0);
    format!("How the threads were observed: {method}. There were {events} of them.")
}

/// The part of a picture below which a request's time in a queue isn't seen.
const SEEN: u64 = 50;

/// Tells whether a span is longer than one part of a picture that is cut into so many.
pub fn is_longer_than_a_part(&(from, to): &(u64, u64), picture: &Picture, parts: u64) -> bool {
    (to - from) * parts > picture.duration
}

/// Writes the finding of a picture, in one number: the requests that are queued; where none is, those that wait.
pub fn finding(recording: &Recording, picture: &Picture) -> String {
    let mut line = picture.spans("clients", Kind::Queues);
    line.retain(|span| is_longer_than_a_part(span, picture, SEEN));
    let holds = picture.spans("threads", Kind::Holds);
    let moments = line.iter().map(|span| (that_have(&line, span.0), that_have(&holds, span.0)));
    if let Some((requests, asleep)) = moments.max() {
        let behind = match asleep {
            0 => "",
            1 => " while one thread sleeps with another",
            all if all == recording.serving_threads() => {
                " while every serving thread sleeps with another"
            }
            _ => " while threads sleep with others",
        };
        return match requests {
            1 => format!("One request is queued{behind}"),
            many => format!("{many} requests are queued{behind}"),
        };
    }
    let free = picture.spans("clients", Kind::Free);
    match (most_at_once(&holds), most_at_once(&free)) {
        (0, 0) => "No request waits".to_owned(),
        (0, 1) => "One request at a time waits without a thread".to_owned(),
        (0, many) => format!("{many} requests wait at the same time without a thread"),
        (1, _) => "One thread sleeps with a request".to_owned(),
        (many, _) => format!("{many} threads sleep at the same time, each with a request"),
    }
}

/// Writes the line below the finding: the requests, the work of the CPUs, and how long a request took and was queued.
pub fn counts(recording: &Recording, picture: &Picture) -> String {
    let line = picture.spans("clients", Kind::Queues).into_iter();
    let line = match line.map(|span| span.1 - span.0).max() {
        None => "none was queued".to_owned(),
        Some(longest) => format!("at most {} ms queued", significant(ms(longest))),
    };
    format!(
        "{} to {} in {} ms; {} ms of work, {}. Responses took {} to {} ms; {line}.",
        asked(recording),
        escape(&recording.route),
        number(ms(duration(recording)), 0),
        significant(ms(running(recording))),
        plural(u64::from(recording.cpus), "CPU"),
        number(ms(took(recording).min().unwrap_or(0)), 0),
        number(ms(took(recording).max().unwrap_or(0)), 0),
    )
}

/// The part of a picture up to which a state is less than two pixels wide in it, and not explained.
const WIDE: u64 = 300;

/// Explains the marks that a picture has.
pub fn caption(picture: &Picture, yours: bool) -> String {
    let whose = if yours { "<strong>Yours</strong>: a" } else { "A" };
    format!("{}.", explained(&format!("{whose} request"), |kind| is_seen(picture, kind)))
}

/// Tells whether a picture has this mark, and long enough to be explained.
fn is_seen(picture: &Picture, kind: Kind) -> bool {
    let is_always_explained = kind.is_moment() || kind == Kind::Works;
    let mut spans = picture.groups.iter().flat_map(|group| picture.spans(group.id, kind));
    spans.any(|span| is_always_explained || is_longer_than_a_part(&span, picture, WIDE))
}

/// Writes how the recording was made, and its numbers, in one paragraph of Markdown.
pub fn conditions(recording: &Recording, yours: bool) -> String {
    let commit = recording.commit.as_deref();
    let commit = commit.map(|commit| code(commit.get(..12).unwrap_or(commit)));
    let text = format!(
        "`{}` on {}. A bar of work is drawn at least {LEAST} px wide. To make {}: `{}`\n\n{}\n\n{} The commit was {}.",
        recording.rung,
        plain(&of_recordings(&[recording])),
        if yours { "another" } else { "your own, on Linux" },
        recording.command,
        plain(&summary(recording)),
        plain(&method(recording)),
        commit.unwrap_or_else(|| "not known".to_owned())
    );
    about(if yours { "Your recording" } else { "This recording" }, &text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::recorded;

    #[test]
    fn the_finding_of_each_of_the_books_recordings_is_in_its_picture() {
        for (rung, found) in [
            ("ch01_single_threaded", "5 requests are queued while one thread sleeps with another"),
            ("ch02_thread_spawn", "6 threads sleep at the same time, each with a request"),
            (
                "ch03_threadpool",
                "2 requests are queued while every serving thread sleeps with another",
            ),
            ("ch06_tokio", "6 requests wait at the same time without a thread"),
        ] {
            let recording = recorded(rung);
            assert_eq!(finding(recording, &Picture::of(recording)), found);
        }
    }
}
