//! What the picture shows, in words and tables, folded below it.

use std::collections::BTreeSet;

use base::number;
use records::recording::{Recording, Request, State, Task, Thread};

use crate::{
    replay::{
        numbers::{ms, pollers, polling},
        picture::Kind,
        rows::{request_name, task_name, thread_bars},
        words::{method, summary},
    },
    text::{ABSENT, code, escape, fold, plain, table},
};

/// The folded part: the same in words and tables, as Markdown.
pub fn tables(recording: &Recording, yours: bool) -> String {
    let mut text = format!(
        "{}\n\nFor the threads, *works* means on a CPU, *in line* that only a CPU is missing, *holds* that they wait with a \
         request in hand, and *idle* that they wait for a request. All times are in milliseconds.\n\n{}\n{}",
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
    let whose = if yours { "Your recording" } else { "The recording" };
    let rung = escape(&recording.rung);
    fold(&format!("{whose} of <code>{rung}</code> in words and tables"), &text)
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
    use records::testing::recording;

    use super::*;
    use crate::testing::{has, lacks};

    #[test]
    fn the_tables_say_what_the_picture_shows() {
        let text = tables(&recording(), false);
        let parts = [
            "| worker \\<1\\> | 0.02 | 0.01 | 0.00 | 0.97 | 1 | 1 | 2 |",
            "| request 2 | 2 | worker \\<1\\> | 0.01 | 0.41 | 0.59 | 0.58 |",
            "| task of request 1 | 2 | 1 | worker \\<1\\>, worker 2 | 0.08 |",
            "| accept \\<loop\\> \\& more | 1 | 1 | worker \\<1\\> | 0.01 |",
            "2 requests of 2 clients to /sleep in 1 ms.",
            "At most 2 requests at a time were with a handler.",
            "3 tasks were polled 5 times; 1 of them by more than one thread.",
            "every switch was seen. There were 3 of them.",
        ];
        has(&text, &parts);
        let mut coarse = recording();
        coarse.tasks.clear();
        coarse.sampling.interval_us = 1000;
        coarse.sampling.longest_gap_us = 2500;
        coarse.requests[0].handled = None;
        let text = tables(&coarse, true);
        let parts = [
            "about 1.00 ms apart and never more than 2.50 ms",
            "| request 1 | 1 | worker \\<1\\> | 0.01 | – | 0.50 | 0.49 |",
        ];
        has(&text, &parts);
        has(&text, &["Your recording"]);
        lacks(&text, &["| Task |"]);
    }
}
