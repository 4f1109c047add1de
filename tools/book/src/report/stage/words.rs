//! The stage in words: what was found, what a reader sees at its key moments, and a table.

use std::{collections::BTreeMap, slice};

use anyhow::{Result, ensure};
use records::{
    base::{number, significant},
    recording::{Recording, Request},
};

use crate::report::{
    replay::{
        numbers::{duration, ms, queued, running, started},
        picture::Kind,
    },
    sign::sign,
    stage::journey::{Journey, Pace, Stage, Step},
    text::{capital, escape, listed, plural, table},
};

/// A moment when nothing on the stage moves, and what a reader sees then.
pub struct Frame {
    pub at: u64,
    pub words: String,
}

pub fn time(at: u64) -> String {
    match at {
        0..10_000_000 => format!("{} ms", number(ms(at), 0)),
        _ => format!("{} s", number(ms(at) / 1000.0, 0)),
    }
}

/// The names of servers: `one thread, a pool and Tokio`.
fn called<'a>(stages: impl Iterator<Item = &'a Stage>) -> String {
    listed(&stages.map(|stage| stage.server.called.clone()).collect::<Vec<_>>())
}

/// The stages that ended within a tenth of the first end: one recording of each can't tell their order.
fn near(stages: &[Stage], first: u64) -> Vec<&Stage> {
    stages.iter().filter(|stage| stage.end() * 10 <= first * 11).collect()
}

/// What the race found: who was first, and who was last.
pub fn finding(stages: &[Stage]) -> String {
    let first = stages.iter().min_by_key(|stage| stage.end());
    let last = stages.iter().max_by_key(|stage| stage.end());
    let (Some(first), Some(last)) = (first, last) else { return String::new() };
    let near = near(stages, first.end());
    let names = called(near.iter().copied());
    let slowest = near.iter().map(|stage| stage.end()).max().unwrap_or(0);
    let upto = if near.len() > 1 { "up to " } else { "" };
    let requests = plural(first.journeys.len() as u64, "request");
    let text = format!("The same {requests} take {upto}{} with {names}", time(slowest));
    match near.len() == stages.len() {
        true => text,
        false => format!("{text}, but {} with {}", time(last.end()), last.server.called),
    }
}

/// The moment in which a lone server shows its defect: requests were cut off, who came last stands in line, or most
/// requests hold a thread.
pub fn telling(stage: &Stage, recording: &Recording) -> u64 {
    if stage.count(stage.end(), Kind::Refused) > 0 {
        return stage.end();
    }
    match newcomer(recording) {
        Some((_, from, to)) => (from + to) / 2,
        None => {
            let moments = stage.journeys.iter().flat_map(|journey| &journey.steps);
            let held = |step: &&Step| stage.count(step.at, Kind::Holds);
            moments.rev().max_by_key(held).map_or(0, |step| step.at)
        }
    }
}

/// The request that was sent last, and from when to when it stood in line, if that is what most of its time was.
fn newcomer(recording: &Recording) -> Option<(&Request, u64, u64)> {
    let last = recording.requests.iter().max_by_key(|it| it.sent)?;
    let begun = last.handled.as_ref()?.first()?.0.max(last.sent);
    let zero = started(recording);
    let is_most = (begun - last.sent) * 2 > last.answered - last.sent;
    is_most.then_some((last, last.sent - zero, begun - zero))
}

/// The number of the request that a title speaks of, and its route.
pub fn told(recording: &Recording) -> Option<(usize, String)> {
    newcomer(recording).map(|(request, ..)| (request.id + 1, request.route.clone()))
}

/// What a lone server shows: which requests its stop cuts off; how long who came last stands in line, and what the
/// threads do meanwhile; or how many threads wait, where each request has its own.
/// Fails when no request waits for a thread, and none has its own: that is no defect.
pub fn finding_of_one(stage: &Stage, recording: &Recording) -> Result<String> {
    let at = telling(stage, recording);
    let with = format!("With {}, ", stage.server.called);
    let cut = stage.count(stage.end(), Kind::Refused);
    if cut > 0 {
        return Ok(format!("{with}a stop cuts off {}", plural(cut as u64, "request")));
    }
    let count = |kind| stage.count(at, kind);
    let Some((request, from, to)) = newcomer(recording) else {
        let threads = count(Kind::Holds);
        ensure!(threads > stage.kept.max(1), "nobody waits in `{}`", recording.command);
        return Ok(format!("{with}{threads} requests that only wait hold {threads} threads"));
    };
    let (threads, one, many) = match (count(Kind::Holds), count(Kind::Works)) {
        (holds, works) if holds > works => (holds, "waits for another client", "wait for others"),
        (_, works) => (works, "computes", "compute"),
    };
    let why = match (threads, stage.kept) {
        (0, _) => String::new(),
        (1, 1) => format!(": the only thread {one}"),
        (2, 2) => format!(": both threads {many}"),
        (1, kept) => format!(": one of {kept} threads {one}"),
        (some, kept) => format!(": {some} of {kept} threads {many}"),
    };
    let route = escape(&request.route);
    let number = request.id + 1;
    let long = time(to - from);
    Ok(format!("{with}request {number}, for <code>{route}</code>, is in line for {long}{why}"))
}

/// Servers by how many of something they have: `1 with one thread; 6 with Tokio`.
fn grouped(stages: &[Stage], count: impl Fn(&Stage) -> usize) -> String {
    let mut groups: BTreeMap<usize, Vec<&Stage>> = BTreeMap::new();
    for stage in stages {
        groups.entry(count(stage)).or_default().push(stage);
    }
    let words =
        groups.into_iter().map(|(many, own)| format!("{many} with {}", called(own.into_iter())));
    words.collect::<Vec<_>>().join("; ")
}

/// The first moment from then on when nothing moves, if there is one soon.
fn still(stages: &[Stage], pace: &Pace, from: u64) -> u64 {
    let journeys = stages.iter().flat_map(|stage| &stage.journeys);
    let begin: Vec<u64> = journeys.flat_map(|it| it.steps.iter().map(|step| step.at)).collect();
    let moves = |at: u64| begin.iter().any(|begin| (*begin..begin + pace.moves).contains(&at));
    let soon = from + 1..from + 5 * pace.moves;
    let arrive = begin.iter().map(|begin| begin + pace.moves).filter(|at| soon.contains(at));
    arrive.chain([from]).filter(|at| !moves(*at)).min().unwrap_or(from + pace.moves)
}

/// The key moments of a race: all clients have asked; the first answers; most are done; all are.
/// `last` is the end of the clock.
pub fn frames(stages: &[Stage], pace: &Pace, (clients, last): (u64, u64)) -> Vec<Frame> {
    let sent = |stage: &Stage| {
        let asked = stage.journeys.get(clients as usize - 1);
        asked.map_or(0, |journey| journey.steps[0].at)
    };
    let first = |stage: &Stage| stage.journeys.iter().map(|it| it.end()).min().unwrap_or(0);
    let mut ends: Vec<u64> = stages.iter().map(Stage::end).collect();
    ends.sort_unstable();
    let latest = |of: &dyn Fn(&Stage) -> u64| stages.iter().map(of).max().unwrap_or(0);
    let asked = still(stages, pace, latest(&sent) + pace.held);
    let answers = still(stages, pace, latest(&first));
    let most = still(stages, pace, ends[stages.len() / 2]);
    let first_end = ends[0];
    let last_end = ends[ends.len() - 1];
    let has_begun = |it: &&Journey| it.now(asked).is_some_and(|step| step > 0);
    let begun = grouped(stages, |stage| stage.journeys.iter().filter(has_begun).count());
    let line = grouped(stages, |stage| stage.count(answers, Kind::Queues));
    let answered = grouped(stages, |stage| stage.answered(most));
    let last_of_all = called(stages.iter().filter(|stage| stage.end() == last_end));
    let first_of_all = called(near(stages, first_end).into_iter());
    let times = number(last_end as f64 / first_end as f64, 1);
    let moments = [
        (
            asked,
            format!("all {clients} clients have sent a request. Requests with a handler: {begun}"),
        ),
        (answers, format!("every server has sent a response. Requests in line: {line}")),
        (
            most,
            format!(
                "more than half of the servers have answered everything. Requests answered: {answered}"
            ),
        ),
        (
            still(stages, pace, last_end),
            format!(
                "all servers have answered everything. The last, {last_of_all}, took about {times} times as long as \
                 {first_of_all}"
            ),
        ),
    ];
    let clock = |at: u64| time(at.min(last));
    moments.map(|(at, words)| Frame { at, words: format!("{}: {words}.", clock(at)) }).into()
}

/// Requests by their numbers, with the route of each, or with the route of all.
fn requests(own: &[(String, String)]) -> String {
    let word = if own.len() == 1 { "request" } else { "requests" };
    let alike = own.iter().all(|(_, route)| *route == own[0].1);
    let names = own.iter().map(|(name, route)| match alike {
        true => name.clone(),
        false => format!("{name} for <code>{route}</code>"),
    });
    let names = listed(&names.collect::<Vec<_>>());
    let route = if alike { format!(" for <code>{}</code>", own[0].1) } else { String::new() };
    format!("{word} {names}{route}")
}

/// The key moments of a lone server: all have asked; the one that tells most; the first answer; the last.
pub fn frames_of_one(stage: &Stage, pace: &Pace, recording: &Recording) -> Vec<Frame> {
    let routes: Vec<&str> = recording.requests.iter().map(|it| it.route.as_str()).collect();
    let asked = stage.journeys.iter().map(|it| it.steps[0].at).max().unwrap_or(0) + pace.moves;
    let first = stage.journeys.iter().map(|it| it.end()).min().unwrap_or(0);
    let moments = [asked + pace.held, telling(stage, recording), first, stage.end()];
    let mut times = moments.map(|at| still(slice::from_ref(stage), pace, at)).to_vec();
    times.sort_unstable();
    times.dedup();
    let frame = |at: u64| {
        let parts = [
            (Kind::Queues, "is in line", "are in line"),
            (Kind::Holds, "waits and holds a thread", "wait and hold a thread each"),
            (Kind::Free, "waits and holds nothing", "wait and hold nothing"),
            (Kind::Works, "works on a CPU", "work on a CPU"),
            (Kind::Done, "has been answered", "have been answered"),
            (Kind::Refused, "has been cut off", "have been cut off"),
        ];
        let parts = parts.into_iter().filter_map(|(kind, one, many)| {
            let own = stage.journeys.iter().zip(&routes);
            let own = own.filter(|(journey, _)| journey.kind(at) == Some(kind));
            let own: Vec<_> =
                own.map(|(it, route)| (it.request.to_string(), escape(route))).collect();
            match own.len() {
                0 => None,
                1 => Some(format!("{} {one}", requests(&own))),
                2 if routes.len() == 2 => Some(format!("both requests {many}")),
                all if all == routes.len() => Some(format!("all {all} requests {many}")),
                _ => Some(format!("{} {many}", requests(&own))),
            }
        });
        let parts: Vec<String> = parts.collect();
        let clock = time(at.min(duration(recording)));
        Frame { at, words: format!("{clock}: {}.", parts.join("; ")) }
    };
    times.into_iter().map(frame).collect()
}

pub fn servers(stages: &[Stage], recordings: &[&Recording]) -> String {
    let headings = [
        "Server",
        "Last response, ms",
        "Longest wait in line, ms",
        "Threads that served",
        "CPU time, ms",
    ];
    let rows = stages.iter().zip(recordings).map(|(stage, recording)| {
        vec![
            format!("{}{}", sign(stage.server), capital(&stage.server.called)),
            number(ms(stage.end()), 0),
            significant(ms(queued(recording).max().unwrap_or(0))),
            recording.serving_threads().to_string(),
            significant(ms(running(recording))),
        ]
    });
    table(&headings, &[], rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{
        stage::journey::SLOW,
        testing::{has, recorded},
    };

    #[test]
    fn each_moment_of_the_race_says_what_is_to_be_seen() {
        let rungs = ["ch01_single_threaded", "ch03_threadpool", "ch06_tokio"];
        let stages = rungs.map(Stage::recorded);
        let frames = frames(&stages, &SLOW, (6, 1_222_000));
        assert!(frames.is_sorted_by_key(|frame| frame.at));
        let journeys = stages.iter().flat_map(|stage| &stage.journeys);
        let begin: Vec<u64> = journeys.flat_map(|it| it.steps.iter().map(|it| it.at)).collect();
        for at in frames.iter().map(|frame| frame.at) {
            let moves = begin.iter().find(|begin| (**begin..**begin + SLOW.moves).contains(&at));
            assert_eq!(moves, None, "something moves at {at}");
        }
        let words: Vec<&str> = frames.iter().map(|frame| frame.words.as_str()).collect();
        has(words[0], &["all 6 clients"]);
        has(words[0], &["handler: 1 with one thread; 4 with a pool; 6 with Tokio."]);
        has(words[1], &["0 with Tokio"]);
        has(words[3], &["The last, one thread, took about 5.2 times as long as Tokio."]);
        let level = ["ch01_single_threaded", "ch04_async_std", "ch06_tokio"].map(Stage::recorded);
        let last = super::frames(&level, &SLOW, (6, 1_222_000)).pop().unwrap();
        has(&last.words, &[" times as long as async-std and Tokio."]);
        has(&finding(&stages), &["The same 12 requests take ", "with Tokio", "with one thread"]);
        let table = servers(&stages[1..2], &[recorded(rungs[1])]);
        has(&table, &["| Server | Last response, ms |", "A pool | ", " | 4 | "]);
    }

    #[test]
    fn a_lone_server_says_where_each_request_is() {
        let last = |stage: &Stage, it: &Recording| frames_of_one(stage, &SLOW, it).pop().unwrap();
        let rung = "ch01_single_threaded";
        let stage = Stage::recorded(rung);
        let recording = recorded(rung);
        has(&last(&stage, recording).words, &["all 12 requests have been answered."]);
        let own = [("1", "/"), ("2", "/file")].map(|(it, route)| (it.to_owned(), route.to_owned()));
        assert_eq!(requests(&own[..1]), "request 1 for <code>/</code>");
        assert_eq!(requests(&own), "requests 1 for <code>/</code> and 2 for <code>/file</code>");
        let one = finding_of_one(&stage, recording).unwrap();
        has(&one, &["With one thread, request 12, for <code>/sleep</code>, is in line for "]);
        has(&one, &[": the only thread waits"]);
        // Where nobody waits for a thread there is no defect to open with, unless each holds one.
        let rung = "ch06_tokio";
        let error = finding_of_one(&Stage::recorded(rung), recorded(rung)).unwrap_err();
        has(&error.to_string(), &["nobody waits in `cargo xtask observe ch06_tokio"]);
        let rung = "ch02_thread_spawn";
        let stage = Stage::recorded(rung);
        let recording = recorded(rung);
        let each = finding_of_one(&stage, recording).unwrap();
        assert_eq!(each, "With a thread each, 6 requests that only wait hold 6 threads");
        let mut stopped = recording.clone();
        stopped.requests.iter_mut().take(2).for_each(|request| request.status = None);
        let stage = Stage::of(&stopped, stage.server, &SLOW);
        let cut = finding_of_one(&stage, &stopped).unwrap();
        assert_eq!(cut, "With a thread each, a stop cuts off 2 requests");
        let cut = "requests 1 and 2 for <code>/sleep</code> have been cut off.";
        has(&last(&stage, &stopped).words, &[cut]);
    }
}
