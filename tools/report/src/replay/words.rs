//! A recording in sentences: what its picture shows, how it was made, and what its caption says.

use std::fmt::Write;

use base::{number, significant};
use records::recording::Recording;

use crate::{
    replay::{
        marks::LEAST,
        numbers::{at_once, duration, most_at_once, moved, ms, polls, running, took},
        picture::{Kind, Picture},
    },
    text::{day, escape, plural},
};

/// What was asked for: `12 requests of 6 clients`.
fn asked(recording: &Recording) -> String {
    let requests = plural(recording.requests.len() as u64, "request");
    format!("{requests} of {}", plural(recording.clients, "client"))
}

/// The times of the fastest and of the slowest response.
fn extremes(recording: &Recording) -> String {
    let [least, most] = [took(recording).min(), took(recording).max()]
        .map(|time| number(ms(time.unwrap_or(0)), 0));
    format!("fastest response took {least} ms, the slowest {most} ms.")
}

/// The picture in a few sentences.
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

/// How the threads were observed, and how finely.
pub fn method(recording: &Recording) -> String {
    let sampling = &recording.sampling;
    let mut text = format!("How the threads were observed: {}.", sampling.method);
    if sampling.interval_us > 0 {
        let _ = write!(
            text,
            " There were {} samples, about {} ms apart and never more than {} ms.",
            number(sampling.samples as f64, 0),
            significant(ms(sampling.interval_us)),
            significant(ms(sampling.longest_gap_us))
        );
    } else {
        let _ = write!(text, " There were {} of them.", number(sampling.samples as f64, 0));
    }
    text
}

/// What is shorter than this part of a picture isn't seen in it as a line of requests.
const SEEN: u64 = 50;

/// What the picture found: how little the CPUs had to do, and where the requests were instead.
pub fn finding(recording: &Recording, picture: &Picture) -> String {
    let most = |group, kind| most_at_once(&picture.spans(group, kind));
    let line = picture.spans("clients", Kind::Queues).into_iter();
    let longest = line.clone().map(|span| span.1 - span.0).max().unwrap_or(0);
    let line: Vec<_> = line.filter(|span| (span.1 - span.0) * SEEN > picture.duration).collect();
    let line = match most_at_once(&line) {
        0 if longest == 0 => "and no request is in line".to_owned(),
        0 => format!("and no request is in line for longer than {} ms", longest.div_ceil(1000)),
        1 => "while one request is in line".to_owned(),
        many => format!("while up to {many} requests are in line"),
    };
    let found = match (most("threads", Kind::Holds), most("clients", Kind::Free)) {
        (0, free) => {
            format!("up to {} wait without a thread, {line}", plural(free as u64, "request"))
        }
        (1, _) => format!("one thread sleeps with a request, {line}"),
        (many, _) => format!("up to {many} threads sleep with a request each, {line}"),
    };
    format!(
        "{}, {} ms of work in {} ms: {found}",
        plural(u64::from(recording.cpus), "CPU"),
        significant(ms(running(recording))),
        number(ms(duration(recording)), 0),
    )
}

/// One line below it: what was asked for, and when the responses came.
pub fn counts(recording: &Recording) -> String {
    let route = escape(&recording.route);
    format!("{} to {route}; the {}", asked(recording), extremes(recording))
}

/// What the picture has below it.
pub fn caption(recording: &Recording, yours: bool) -> String {
    format!(
        "{}<code>{}</code> on {}, {}. A bar of work is drawn at least {LEAST} px wide. To make {}: <code>{}</code>",
        if yours { "<strong>Yours</strong>: " } else { "" },
        escape(&recording.rung),
        escape(recording.machine.name()),
        escape(day(&recording.recorded)),
        if yours { "another" } else { "your own, on Linux" },
        escape(&recording.command),
    )
}

#[cfg(test)]
mod tests {
    use records::testing::recording;

    use super::*;
    use crate::testing::{has, recorded};

    #[test]
    fn the_caption_names_the_machine_and_the_command() {
        let ours = caption(&recording(), false);
        let parts = [
            "<code>ch06_tokio</code> on Some &lt;CPU&gt; | R, 2026-11-21.",
            "at least 2 px wide",
            "<code>cargo xtask observe ch06_tokio --clients 2</code>",
        ];
        has(&ours, &parts);
        assert!(caption(&recording(), true).contains("Yours"));
    }

    #[test]
    fn the_finding_of_each_of_the_books_recordings_is_in_its_picture() {
        for (rung, who, line) in [
            ("ch01_single_threaded", "one thread sleeps", "up to 5 requests are in line"),
            ("ch02_thread_spawn", "up to 6 threads sleep", "no request is in line for longer than 1 ms"),
            ("ch03_threadpool", "up to 4 threads sleep", "up to 2 requests are in line"),
            ("ch06_tokio", "up to 6 requests wait without a thread", "thread, and no request"),
        ] {
            let recording = recorded(rung);
            let found = finding(recording, &Picture::of(recording));
            has(&found, &["2 CPUs, ", who, line]);
        }
    }
}
