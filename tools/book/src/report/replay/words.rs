//! A recording in sentences and tables: what its picture shows, how it was made, and what its caption says.

use std::{collections::BTreeSet, fmt::Write};

use records::{
    base::{number, significant},
    recording::{Observation, Recording, Request, State, Task, Thread},
};

use pictures::text::{ABSENT, code, escape, plain, plural, table};

use crate::report::{
    origin::of_recordings,
    replay::{
        about,
        marks::{LEAST, explained},
        numbers::{
            at_once, duration, most_at_once, moved, ms, pollers, polling, polls, running,
            that_have, took,
        },
        picture::{Kind, Picture},
        rows::{request_name, task_name, thread_bars},
    },
};

/// What was asked for: `12 requests of 6 clients`.
fn asked(recording: &Recording) -> String {
    let requests = plural(recording.requests.len() as u64, "request");
    format!("{requests} of {}", plural(recording.clients, "client"))
}

/// The times of the fastest and of the slowest response.
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

pub fn method(recording: &Recording) -> String {
    let Observation { method, events } = &recording.observation;
    let events = number(*events as f64, 0);
    format!("How the threads were observed: {method}. There were {events} of them.")
}

/// What is shorter than this part of a picture isn't seen in it as a line of requests.
const SEEN: u64 = 50;

/// What the picture found, in one number: how many requests are in line; where none is, how many wait.
pub fn finding(recording: &Recording, picture: &Picture) -> String {
    let seen = |span: &(u64, u64)| (span.1 - span.0) * SEEN > picture.duration;
    let line: Vec<_> =
        picture.spans("clients", Kind::Queues).into_iter().filter(|it| seen(it)).collect();
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
            1 => format!("One request is in line{behind}"),
            many => format!("{many} requests are in line{behind}"),
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

/// One line below it: what was asked for, how little the CPUs had to do, and how long a request took and was in line.
pub fn counts(recording: &Recording, picture: &Picture) -> String {
    let line = picture.spans("clients", Kind::Queues).into_iter();
    let line = match line.map(|span| span.1 - span.0).max() {
        None => "none was in line".to_owned(),
        Some(longest) => format!("at most {} ms in line", significant(ms(longest))),
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

/// What is no longer than this part of a picture is less than two pixels wide in it, and not explained.
const WIDE: u64 = 300;

/// What its marks say.
pub fn caption(picture: &Picture, yours: bool) -> String {
    let occurs = |kind: Kind| {
        let seen = |span: &(u64, u64)| (span.1 - span.0) * WIDE > picture.duration;
        let always = kind.is_moment() || kind == Kind::Works;
        let mut spans = picture.groups.iter().flat_map(|group| picture.spans(group.id, kind));
        spans.any(|span| always || seen(&span))
    };
    let whose = if yours { "<strong>Yours</strong>: a" } else { "A" };
    format!("{}.", explained(&format!("{whose} request"), occurs))
}

/// How the recording was made, as Markdown.
fn conditions(recording: &Recording, yours: bool) -> String {
    format!(
        "`{}` on {}. A bar of work is drawn at least {LEAST} px wide. To make {}: `{}`",
        recording.rung,
        plain(&of_recordings(&[recording])),
        if yours { "another" } else { "your own, on Linux" },
        recording.command,
    )
}

/// The folded part: the same in words and tables, as Markdown.
pub fn tables(recording: &Recording, yours: bool) -> String {
    let mut text = format!(
        "{}\n\n{}\n\nFor the threads, *works* means on a CPU, *in line* that only a CPU is missing, *holds* that they wait with a \
         request in hand, and *idle* that they wait for a request. All times are in milliseconds.\n\n{}\n{}",
        conditions(recording, yours),
        plain(&summary(recording)),
        threads(recording),
        requests(recording)
    );
    if !recording.tasks.is_empty() {
        text = text + "\n" + &tasks(recording);
    }
    let commit = recording.commit.as_deref();
    let commit = commit.map(|commit| code(commit.get(..12).unwrap_or(commit)));
    let commit = commit.unwrap_or_else(|| "not known".to_owned());
    text += &format!("\n{} The commit was {commit}.", plain(&method(recording)));
    let whose = if yours { "Your recording" } else { "This recording" };
    about(&format!("{whose} in words and tables"), &text)
}

fn threads(recording: &Recording) -> String {
    let row = |thread: &Thread| {
        let bars = thread_bars(recording, thread);
        let total = |kind| {
            let spans = bars.iter().filter(|bar| bar.kind == kind).flat_map(|bar| &bar.spans);
            time(spans.map(|(from, to)| to - from).sum())
        };
        let runs = thread.spans.iter().filter(|span| span.2 == State::Running);
        let cpus: BTreeSet<u32> = runs.clone().filter_map(|span| span.3).collect();
        let cpus: Vec<String> = cpus.iter().map(u32::to_string).collect();
        let served = recording.requests.iter().filter(|request| request.thread == thread.id);
        vec![
            plain(&thread.name),
            total(Kind::Works),
            total(Kind::Queues),
            total(Kind::Holds),
            total(Kind::Idle),
            runs.count().to_string(),
            if cpus.is_empty() { "none".to_owned() } else { cpus.join(", ") },
            served.count().to_string(),
        ]
    };
    let headings =
        ["Thread", "Works", "In line", "Holds", "Idle", "Times on a CPU", "CPUs", "Requests"];
    table(&headings, &["CPUs"], recording.threads.iter().map(row))
}

fn requests(recording: &Recording) -> String {
    let polled = recording.requests.iter().any(|request| request.task.is_some());
    let by = if polled { "First polled by" } else { "Handled by" };
    let row = |request: &Request| {
        let first = request.handled.as_ref().and_then(|spans| spans.first());
        vec![
            request_name(request.id),
            (request.client + 1).to_string(),
            recording.threads.get(request.thread).map_or(ABSENT.into(), |it| plain(&it.name)),
            time(request.sent),
            first.map_or(ABSENT.to_owned(), |span| time(span.0)),
            time(request.answered),
            time(request.answered - request.sent),
        ]
    };
    let headings = ["Request", "Client", by, "Sent at", "Handler has it at", "Answered at", "Took"];
    table(&headings, &[by], recording.requests.iter().map(row))
}

fn tasks(recording: &Recording) -> String {
    let row = |task: &Task| {
        let pollers = pollers(task);
        let names = pollers.iter().filter_map(|id| recording.threads.get(*id));
        let names: Vec<String> = names.map(|thread| plain(&thread.name)).collect();
        vec![
            plain(&task_name(task)),
            task.polls.len().to_string(),
            task.wakes.len().to_string(),
            names.join(", "),
            time(polling(task)),
        ]
    };
    let headings = ["Task", "Polls", "Wakes", "Polled by", "In its polls"];
    table(&headings, &["Polled by"], recording.tasks.iter().map(row))
}

fn time(us: u64) -> String {
    number(ms(us), 2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::recorded;

    #[test]
    fn the_finding_of_each_of_the_books_recordings_is_in_its_picture() {
        for (rung, found) in [
            ("ch01_single_threaded", "5 requests are in line while one thread sleeps with another"),
            ("ch02_thread_spawn", "6 threads sleep at the same time, each with a request"),
            (
                "ch03_threadpool",
                "2 requests are in line while every serving thread sleeps with another",
            ),
            ("ch06_tokio", "6 requests wait at the same time without a thread"),
        ] {
            let recording = recorded(rung);
            assert_eq!(finding(recording, &Picture::of(recording)), found);
        }
    }
}
