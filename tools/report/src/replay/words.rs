//! What the picture shows, in words and tables, and numbers of a recording for sentences.

use std::{collections::BTreeSet, fmt::Write};

use anyhow::{Context, Result};
use base::{number, significant};
use records::recording::{Recording, State, Task};

use super::picture::{Kind, request_name, task_name, thread_bars};
use crate::{
    charts::escape,
    tables::{ABSENT, code, day, plural},
};

/// How a number of a recording is found, and written.
type Say = fn(&Recording) -> String;

/// What `{{#recorded RUNG WHAT}}` can say.
const NUMBERS: [(&str, Say); 14] = [
    ("clients", |it| it.clients.to_string()),
    ("requests", |it| it.requests.len().to_string()),
    ("threads", |it| it.threads.len().to_string()),
    ("serving_threads", |it| it.serving_threads().to_string()),
    ("tasks", |it| it.tasks.len().to_string()),
    ("polls", |it| polls(it).to_string()),
    ("moved_tasks", |it| moved(it).to_string()),
    ("duration_ms", |it| number(ms(it.duration_us), 0)),
    ("running_ms", |it| significant(ms(running(it)))),
    ("polling_ms", |it| significant(ms(it.tasks.iter().map(polling).sum()))),
    ("at_once", |it| at_once(it).to_string()),
    ("fastest_ms", |it| number(ms(took(it).min().unwrap_or(0)), 0)),
    ("slowest_ms", |it| number(ms(took(it).max().unwrap_or(0)), 0)),
    ("longest_queue_ms", |it| number(ms(queued(it).max().unwrap_or(0)), 0)),
];

/// A number of a recording, by its name in [`NUMBERS`].
///
/// # Errors
/// When there is no number of this name.
pub fn recorded(recording: &Recording, what: &str) -> Result<String> {
    let found = NUMBERS.iter().find(|(name, _)| *name == what);
    let (_, say) = found.with_context(|| {
        let names: Vec<&str> = NUMBERS.iter().map(|(name, _)| *name).collect();
        format!("a recording has no number `{what}`; it has {}", names.join(", "))
    })?;
    Ok(say(recording))
}

pub fn ms(us: u64) -> f64 {
    us as f64 / 1000.0
}

fn polls(recording: &Recording) -> usize {
    recording.tasks.iter().map(|task| task.polls.len()).sum()
}

fn polling(task: &Task) -> u64 {
    task.polls.iter().map(|(from, to, _)| to - from).sum()
}

/// How many tasks were polled by more than one thread.
fn moved(recording: &Recording) -> usize {
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

/// The most requests that were in the hands of a handler at the same time.
fn at_once(recording: &Recording) -> usize {
    let handled = || recording.requests.iter().filter_map(|request| request.handled.as_ref());
    let spans = || handled().flatten();
    spans().map(|at| spans().filter(|it| it.0 <= at.0 && at.0 < it.1).count()).max().unwrap_or(0)
}

fn took(recording: &Recording) -> impl Iterator<Item = u64> {
    recording.requests.iter().map(|request| request.answered - request.sent)
}

/// How long requests waited for a handler, as far as somebody saw it.
fn queued(recording: &Recording) -> impl Iterator<Item = u64> {
    recording.requests.iter().filter_map(|request| {
        let first = request.handled.as_ref()?.first()?;
        Some(first.0.saturating_sub(request.sent))
    })
}

/// The processor that it was recorded on.
pub fn machine_name(recording: &Recording) -> String {
    recording.machine.cpu_model.clone().unwrap_or_else(|| "an unnamed processor".to_owned())
}

/// The picture in a few sentences.
pub fn summary(recording: &Recording) -> String {
    let mut text = format!(
        "{} of {} to {} in {} ms. The server has {}; together they were on a CPU for {} ms. At most {} at a time \
         {} with a handler. The fastest answer took {} ms, the slowest {} ms.",
        plural(recording.requests.len() as u64, "request"),
        plural(recording.clients, "client"),
        recording.route,
        number(ms(recording.duration_us), 0),
        plural(recording.threads.len() as u64, "thread"),
        significant(ms(running(recording))),
        plural(at_once(recording) as u64, "request"),
        if at_once(recording) == 1 { "was" } else { "were" },
        number(ms(took(recording).min().unwrap_or(0)), 0),
        number(ms(took(recording).max().unwrap_or(0)), 0),
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
fn method(recording: &Recording) -> String {
    let sampling = &recording.sampling;
    let mut text = format!("How the threads were observed: {}.", sampling.method);
    if sampling.interval_us > 0 {
        let _ = write!(
            text,
            " There were {} samples; between two of them were about {} ms, and at most {} ms.",
            number(sampling.samples as f64, 0),
            significant(ms(sampling.interval_us)),
            significant(ms(sampling.longest_gap_us))
        );
    } else {
        let _ = write!(text, " There were {} of them.", number(sampling.samples as f64, 0));
    }
    text
}

/// What stands below the picture.
pub fn caption(recording: &Recording, yours: bool) -> String {
    format!(
        "<strong>{}<code>{}</code>, {} of {}.</strong> Each thread has its colour, in its row, on the CPUs and in the \
         requests that it serves. Only what is solid was on a CPU; it is drawn at least 2 pixels wide, however \
         short it was. {}{}, {}. To make {}: <code>{}</code>",
        if yours { "Yours: " } else { "" },
        escape(&recording.rung),
        plural(recording.requests.len() as u64, "request"),
        plural(recording.clients, "client"),
        if yours { "Your machine: " } else { "Recorded on " },
        escape(&machine_name(recording)),
        escape(day(&recording.recorded)),
        if yours { "another" } else { "your own, on Linux" },
        escape(&recording.command),
    )
}

/// The folded part: the same in words and tables, as Markdown.
pub fn tables(recording: &Recording, yours: bool) -> String {
    let mut text = format!(
        "<details>\n<summary>{} of <code>{}</code> in words and tables</summary>\n\n{}\n",
        if yours { "Your recording" } else { "The recording" },
        escape(&recording.rung),
        plain(&summary(recording))
    );
    let _ = write!(
        text,
        "\nFor the threads, *works* means on a CPU, *in line* that only a CPU is missing, *holds* that they wait with a \
         request in hand, and *idle* that they wait for one. All times are in milliseconds.\n"
    );
    text += &threads(recording);
    text += &requests(recording);
    if !recording.tasks.is_empty() {
        text += &tasks(recording);
    }
    let _ = write!(
        text,
        "\n{} The commit was {}.\n\n</details>",
        plain(&method(recording)),
        recording.commit.as_deref().map_or_else(|| "not known".to_owned(), |it| code(short(it)))
    );
    text
}

fn short(commit: &str) -> &str {
    commit.get(..12).unwrap_or(commit)
}

fn threads(recording: &Recording) -> String {
    let mut text =
        "\n| Thread | Works | In line | Holds | Idle | Times on a CPU | CPUs | Requests |\n\
                    |---|---:|---:|---:|---:|---:|---|---:|\n"
            .to_owned();
    for thread in &recording.threads {
        let bars = thread_bars(recording, thread);
        let total = |kind| -> u64 {
            let spans = bars.iter().filter(|bar| bar.kind == kind).flat_map(|bar| &bar.spans);
            spans.map(|(from, to)| to - from).sum()
        };
        let runs = thread.spans.iter().filter(|span| span.2 == State::Running);
        let cpus: BTreeSet<u32> = runs.clone().filter_map(|span| span.3).collect();
        let served = recording.requests.iter().filter(|request| request.thread == thread.id);
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            plain(&thread.name),
            time(total(Kind::Runs)),
            time(total(Kind::Ready)),
            time(total(Kind::Holds)),
            time(total(Kind::Idle)),
            runs.count(),
            listed(&cpus),
            served.count()
        );
    }
    text
}

fn requests(recording: &Recording) -> String {
    let polled = recording.requests.iter().any(|request| request.task.is_some());
    let mut text = format!(
        "\n| Request | Client | {} | Sent at | Handler has it at | Answered at | Took |\n\
         |---|---:|---|---:|---:|---:|---:|\n",
        if polled { "First polled by" } else { "Handled by" }
    );
    for request in &recording.requests {
        let first = request.handled.as_ref().and_then(|spans| spans.first());
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} |",
            request_name(request.id),
            request.client + 1,
            recording.threads.get(request.thread).map_or(ABSENT.into(), |it| plain(&it.name)),
            time(request.sent),
            first.map_or(ABSENT.to_owned(), |span| time(span.0)),
            time(request.answered),
            time(request.answered - request.sent)
        );
    }
    text
}

fn tasks(recording: &Recording) -> String {
    let mut text =
        "\n| Task | Polls | Wakes | Polled by | In its polls |\n|---|---:|---:|---|---:|\n"
            .to_owned();
    for task in &recording.tasks {
        let pollers = pollers(task);
        let names = pollers.iter().filter_map(|id| recording.threads.get(*id));
        let names: Vec<String> = names.map(|thread| plain(&thread.name)).collect();
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} |",
            plain(&task_name(task)),
            task.polls.len(),
            task.wakes.len(),
            names.join(", "),
            time(polling(task))
        );
    }
    text
}

fn time(us: u64) -> String {
    number(ms(us), 2)
}

fn listed(numbers: &BTreeSet<u32>) -> String {
    if numbers.is_empty() {
        return "none".to_owned();
    }
    numbers.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// A text of the recording in Markdown, where nothing in it means something.
fn plain(text: &str) -> String {
    let mut safe = String::new();
    for letter in text.chars() {
        match letter {
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '&' => safe.push_str("&amp;"),
            letter if letter.is_ascii_punctuation() && !".,;:()/-'%".contains(letter) => {
                safe.push('\\');
                safe.push(letter);
            }
            letter => safe.push(letter),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use records::testing::recording;

    use super::*;

    #[test]
    fn numbers_of_a_recording() {
        let say = |what: &str| recorded(&recording(), what).unwrap();
        for (what, number) in [
            ("clients", "2"),
            ("requests", "2"),
            ("threads", "2"),
            ("serving_threads", "1"),
            ("tasks", "3"),
            ("polls", "5"),
            ("moved_tasks", "1"),
            ("duration_ms", "1"),
            ("running_ms", "0.22"),
            ("polling_ms", "0.20"),
            ("at_once", "2"),
            ("fastest_ms", "0"),
            ("slowest_ms", "1"),
            ("longest_queue_ms", "0"),
        ] {
            assert_eq!(say(what), number, "{what}");
        }
        let error = recorded(&recording(), "speed").unwrap_err().to_string();
        assert!(error.contains("no number `speed`; it has clients, requests"), "{error}");
    }

    #[test]
    fn the_tables_say_what_the_picture_shows() {
        let text = tables(&recording(), false);
        for line in [
            "| worker &lt;1&gt; | 0.02 | 0.01 | 0.00 | 0.97 | 1 | 1 | 2 |",
            "| request 2 | 2 | worker &lt;1&gt; | 0.01 | 0.41 | 0.59 | 0.58 |",
            "| task of request 1 | 2 | 1 | worker &lt;1&gt;, worker 2 | 0.08 |",
            "| accept &lt;loop&gt; &amp; more | 1 | 1 | worker &lt;1&gt; | 0.01 |",
            "2 requests of 2 clients to /sleep in 1 ms.",
            "At most 2 requests at a time were with a handler.",
            "3 tasks were polled 5 times; 1 of them by more than one thread.",
            "every switch was seen. There were 3 of them.",
        ] {
            assert!(text.contains(line), "no {line} in {text}");
        }
        let mut coarse = recording();
        coarse.tasks.clear();
        coarse.sampling.interval_us = 1000;
        coarse.sampling.longest_gap_us = 2500;
        coarse.requests[0].handled = None;
        let text = tables(&coarse, true);
        assert!(
            text.contains("between two of them were about 1.00 ms, and at most 2.50 ms"),
            "{text}"
        );
        assert!(
            text.contains("| request 1 | 1 | worker &lt;1&gt; | 0.01 | – | 0.50 | 0.49 |"),
            "{text}"
        );
        assert!(!text.contains("| Task |") && text.contains("Your recording"), "{text}");
    }

    #[test]
    fn the_caption_names_the_machine_and_the_command() {
        let ours = caption(&recording(), false);
        for part in [
            "<code>ch06_tokio</code>, 2 requests of 2 clients.",
            "Recorded on Some &lt;CPU&gt; | R, 2026-11-21.",
            "Only what is solid was on a CPU",
            "<code>cargo xtask observe ch06_tokio --clients 2</code>",
        ] {
            assert!(ours.contains(part), "no {part} in {ours}");
        }
        assert!(caption(&recording(), true).contains("Yours: "));
    }
}
