//! The model of the picture of a recording: rows of bars, which the still picture and the script both draw.

use std::collections::BTreeSet;

use serde::{Serialize, Serializer, ser::SerializeSeq};

use crate::observe::recording::{Recording, Request, Span, State, Task};

/// With more processors than these, only those are shown that ran one of the threads.
const ALL_CPUS: u32 = 8;

/// With more threads than these, only those are shown that ran or served.
const ALL_THREADS: usize = 16;

/// All rows. Times are whole microseconds since the recording began.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// How long it lasts.
    pub duration: u64,
    /// The names of the threads; [`Bar::who`] is a place in this list.
    pub threads: Vec<String>,
    /// The rows by what they stand for.
    pub groups: Vec<Group>,
}

/// Rows of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// What the script calls it.
    pub id: &'static str,
    /// What the reader sees above it.
    pub name: String,
    /// From top to bottom.
    pub rows: Vec<Row>,
}

/// A processor, a thread, a request or a task.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// Its name.
    pub label: String,
    /// What it does, and when; what is drawn later lies above.
    pub bars: Vec<Bar>,
}

/// All that a row does in the same way with the same thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    /// What it does.
    pub kind: Kind,
    /// The thread whose colour it has.
    pub who: Option<usize>,
    /// From, to; in order. A mark has no length.
    pub spans: Vec<(u64, u64)>,
}

impl Serialize for Bar {
    /// `["runs", 2, from, to, from, to, …]`: short, because a page holds hundreds of them.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(2 + 2 * self.spans.len()))?;
        list.serialize_element(&self.kind)?;
        list.serialize_element(&self.who)?;
        for (from, to) in &self.spans {
            list.serialize_element(from)?;
            list.serialize_element(to)?;
        }
        list.end()
    }
}

/// What a row does. Its form in the picture says it, not only its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// It waits for something else than its turn.
    Waits,
    /// It could go on, and waits for its turn.
    Ready,
    /// A thread on a processor, a request with its handler, a task in a poll.
    Runs,
    /// A moment: a request is answered, a task is woken.
    Mark,
}

impl Picture {
    /// The picture of a recording.
    pub fn of(recording: &Recording) -> Picture {
        let threads = recording.threads.iter().map(|thread| thread.name.clone()).collect();
        let mut groups = vec![cpus(recording), self::threads(recording), requests(recording)];
        if !recording.tasks.is_empty() {
            groups.push(tasks(recording));
        }
        Picture { duration: recording.duration_us, threads, groups }
    }
}

/// The bars of a row, from pieces in the order of time.
fn bars(pieces: impl IntoIterator<Item = (Kind, Option<usize>, u64, u64)>) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    for (kind, who, from, to) in pieces {
        if from >= to && kind != Kind::Mark {
            continue;
        }
        match bars.iter_mut().find(|bar| (bar.kind, bar.who) == (kind, who)) {
            Some(bar) => match bar.spans.last_mut() {
                Some(last) if last.1 == from && kind != Kind::Mark => last.1 = to,
                _ => bar.spans.push((from, to)),
            },
            None => bars.push(Bar { kind, who, spans: vec![(from, to)] }),
        }
    }
    bars.sort_by_key(|bar| (bar.kind, bar.who));
    bars
}

fn cpus(recording: &Recording) -> Group {
    let row = |cpu: u32| {
        let runs = recording.threads.iter().flat_map(|thread| {
            let spans = thread.spans.iter().filter(move |span| span.3 == Some(cpu));
            spans.map(|&Span(from, to, ..)| (Kind::Runs, Some(thread.id), from, to))
        });
        Row { label: format!("CPU {cpu}"), bars: bars(runs) }
    };
    let all = recording.cpus <= ALL_CPUS;
    let rows: Vec<Row> =
        (0..recording.cpus).map(row).filter(|row| all || !row.bars.is_empty()).collect();
    let name = match recording.cpus as usize - rows.len() {
        0 => "CPUs".to_owned(),
        idle => format!("CPUs ({idle} more ran none of these threads)"),
    };
    Group { id: "cpus", name, rows }
}

fn threads(recording: &Recording) -> Group {
    let serving: BTreeSet<usize> =
        recording.requests.iter().map(|request| request.thread).collect();
    let all = recording.threads.len() <= ALL_THREADS;
    let shown = recording.threads.iter().filter(|thread| {
        let ran = thread.spans.iter().any(|span| span.2 == State::Running);
        all || ran || serving.contains(&thread.id)
    });
    let row = |thread: &crate::observe::recording::Thread| {
        let pieces = thread.spans.iter().map(|&Span(from, to, state, _)| {
            let kind = match state {
                State::Running => Kind::Runs,
                State::Ready => Kind::Ready,
                State::Waiting => Kind::Waits,
            };
            (kind, Some(thread.id), from, to)
        });
        Row { label: thread.name.clone(), bars: bars(pieces) }
    };
    let rows: Vec<Row> = shown.map(row).collect();
    let name = match recording.threads.len() - rows.len() {
        0 => "Threads".to_owned(),
        asleep => format!("Threads ({asleep} more never ran)"),
    };
    Group { id: "threads", name, rows }
}

fn requests(recording: &Recording) -> Group {
    let row = |request: &Request| {
        // A task moves from thread to thread, so its request has the colour of none.
        let who = request.task.is_none().then_some(request.thread);
        let mut pieces = Vec::new();
        match request.handled.as_deref() {
            Some([first, ..]) => {
                pieces.push((Kind::Ready, None, request.sent, first.0));
                let mut last = first.0;
                for &(from, to) in request.handled.iter().flatten() {
                    pieces.push((Kind::Waits, None, last, from));
                    pieces.push((Kind::Runs, who, from, to));
                    last = to;
                }
            }
            // Nobody saw its handler.
            _ => pieces.push((Kind::Waits, None, request.sent, request.answered)),
        }
        pieces.push((Kind::Mark, None, request.answered, request.answered));
        Row { label: request_name(request.id), bars: bars(pieces) }
    };
    let rows = recording.requests.iter().map(row).collect();
    Group { id: "requests", name: "Requests".to_owned(), rows }
}

fn tasks(recording: &Recording) -> Group {
    let row = |task: &Task| {
        let mut pieces = states(task, recording.duration_us);
        pieces.extend(task.wakes.iter().map(|&at| (Kind::Mark, None, at, at)));
        let label = match task.request {
            // The heading above says that it is a task.
            Some(request) => format!("of {}", request_name(request)),
            None => task.name.clone(),
        };
        Row { label, bars: bars(pieces) }
    };
    let rows = recording.tasks.iter().map(row).collect();
    Group { id: "tasks", name: "Tasks".to_owned(), rows }
}

/// What a task does: between two polls it waits until it is woken, and then for a thread.
fn states(task: &Task, duration: u64) -> Vec<(Kind, Option<usize>, u64, u64)> {
    let end = task.ended.unwrap_or(duration);
    let mut pieces = Vec::new();
    // A new task is in the queue at once. One that is older than the recording is where a wake finds it.
    let mut since = task.spawned;
    let mut ready = (since > 0).then_some(since);
    let mut wakes = task.wakes.iter().copied().peekable();
    let polls = task.polls.iter().map(|&(from, to, who)| (from, to, Some(who)));
    for (from, to, who) in polls.chain([(end, end, None)]) {
        while let Some(wake) = wakes.next_if(|&wake| wake <= from) {
            ready.get_or_insert(wake);
        }
        let woken = ready.take().map_or(from, |wake| wake.clamp(since, from));
        pieces.push((Kind::Waits, None, since, woken));
        pieces.push((Kind::Ready, None, woken, from));
        pieces.push((Kind::Runs, who, from, to));
        // A wake in the middle of a poll is none for the next gap before the poll is over.
        while let Some(wake) = wakes.next_if(|&wake| wake <= to) {
            ready.get_or_insert(wake);
        }
        since = to;
    }
    pieces
}

/// What a request is called: people count from one.
pub fn request_name(id: usize) -> String {
    format!("request {}", id + 1)
}

/// What a task is called.
pub fn task_name(task: &Task) -> String {
    match task.request {
        Some(request) => format!("task of {}", request_name(request)),
        None => task.name.clone(),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::{
        observe::recording::{FORMAT, Sampling, Thread},
        results::Machine,
    };

    /// A recording of two requests, which two tasks handle on two threads.
    pub(crate) fn recording() -> Recording {
        use State::{Ready, Running, Waiting};
        let thread = |id, name: &str, spans: &[Span]| Thread {
            id,
            tid: 10 + id as u64,
            name: name.to_owned(),
            spans: spans.to_vec(),
        };
        let request = |id: usize, sent, handled: (u64, u64), answered| Request {
            id,
            client: id as u64,
            route: "/sleep".into(),
            thread: 0,
            task: Some(id),
            sent,
            accepted: Some(sent + 5),
            handled: Some(vec![handled]),
            answered,
            status: 200,
        };
        let task = |id, request, polls: &[(u64, u64, usize)], wakes: &[u64], spawned, ended| Task {
            id,
            name: "accept <loop> & more".into(),
            request,
            polls: polls.to_vec(),
            wakes: wakes.to_vec(),
            spawned,
            ended,
        };
        let recording = Recording {
            format: FORMAT,
            rung: "ch06_tokio".into(),
            server_options: Vec::new(),
            command: "cargo xtask observe ch06_tokio --clients 2".into(),
            recorded: "2026-11-21T12:04:25Z".into(),
            commit: None,
            machine: Machine { cpu_model: Some("Some <CPU> | R".into()), ..Machine::default() },
            binary_sha256: String::new(),
            route: "/sleep".into(),
            clients: 2,
            duration_us: 1000,
            cpus: 2,
            sampling: Sampling {
                method: "every switch was seen".into(),
                interval_us: 0,
                samples: 3,
                longest_gap_us: 0,
            },
            threads: vec![
                thread(
                    0,
                    "worker <1>",
                    &[
                        Span(0, 15, Waiting, None),
                        Span(15, 20, Ready, None),
                        Span(20, 40, Running, Some(1)),
                        Span(40, 1000, Waiting, None),
                    ],
                ),
                thread(1, "worker 2", &[Span(400, 600, Running, Some(1))]),
            ],
            requests: vec![request(0, 10, (25, 520), 500), request(1, 12, (410, 600), 590)],
            tasks: vec![
                task(0, Some(0), &[(22, 30, 0), (450, 520, 1)], &[420], 15, Some(520)),
                task(1, Some(1), &[(405, 440, 1), (520, 600, 1)], &[430], 20, Some(600)),
                task(2, None, &[(700, 710, 0)], &[690], 0, None),
            ],
        };
        recording.check().unwrap();
        recording
    }

    fn row<'a>(picture: &'a Picture, label: &str) -> &'a [Bar] {
        let mut rows = picture.groups.iter().flat_map(|group| &group.rows);
        &rows.find(|row| row.label == label).unwrap_or_else(|| panic!("no {label}")).bars
    }

    fn bar(kind: Kind, who: Option<usize>, spans: &[(u64, u64)]) -> Bar {
        Bar { kind, who, spans: spans.to_vec() }
    }

    #[test]
    fn every_span_is_in_its_row() {
        use Kind::{Mark, Ready, Runs, Waits};
        let picture = Picture::of(&recording());
        assert_eq!(picture.duration, 1000);
        assert_eq!(row(&picture, "CPU 0"), []);
        assert_eq!(
            row(&picture, "CPU 1"),
            [bar(Runs, Some(0), &[(20, 40)]), bar(Runs, Some(1), &[(400, 600)])]
        );
        assert_eq!(
            row(&picture, "worker <1>"),
            [
                bar(Waits, Some(0), &[(0, 15), (40, 1000)]),
                bar(Ready, Some(0), &[(15, 20)]),
                bar(Runs, Some(0), &[(20, 40)]),
            ]
        );
        assert_eq!(
            row(&picture, "request 1"),
            [
                bar(Ready, None, &[(10, 25)]),
                bar(Runs, None, &[(25, 520)]),
                bar(Mark, None, &[(500, 500)]),
            ]
        );
        // It is in the queue at once, waits after its first poll, and is woken at 420.
        assert_eq!(
            row(&picture, "of request 1"),
            [
                bar(Waits, None, &[(30, 420)]),
                bar(Ready, None, &[(15, 22), (420, 450)]),
                bar(Runs, Some(0), &[(22, 30)]),
                bar(Runs, Some(1), &[(450, 520)]),
                bar(Mark, None, &[(420, 420)]),
            ]
        );
        // Woken in the middle of a poll, it is ready when that is over.
        assert_eq!(
            row(&picture, "of request 2"),
            [
                bar(Ready, None, &[(20, 405), (440, 520)]),
                bar(Runs, Some(1), &[(405, 440), (520, 600)]),
                bar(Mark, None, &[(430, 430)]),
            ]
        );
        // What was there before the recording waits for its first wake, and after its last poll.
        assert_eq!(
            row(&picture, "accept <loop> & more")[..2],
            [bar(Waits, None, &[(0, 690), (710, 1000)]), bar(Ready, None, &[(690, 700)])]
        );
    }

    #[test]
    fn a_request_of_a_thread_has_its_colour() {
        let mut recording = recording();
        recording.tasks.clear();
        recording.requests.iter_mut().for_each(|request| request.task = None);
        recording.requests[1].handled = None;
        let picture = Picture::of(&recording);
        assert_eq!(picture.groups.len(), 3);
        assert_eq!(row(&picture, "request 1")[1], bar(Kind::Runs, Some(0), &[(25, 520)]));
        // Nobody saw its handler.
        assert_eq!(row(&picture, "request 2")[0], bar(Kind::Waits, None, &[(12, 590)]));
    }

    #[test]
    fn of_many_threads_and_processors_those_are_shown_that_ran() {
        let mut recording = recording();
        recording.cpus = 32;
        for id in 2..20 {
            let thread = Thread { id, tid: 0, name: format!("idle {id}"), spans: Vec::new() };
            recording.threads.push(thread);
        }
        let picture = Picture::of(&recording);
        let [cpus, threads, ..] = &picture.groups[..] else { panic!("{picture:?}") };
        assert_eq!((cpus.rows.len(), threads.rows.len()), (1, 2));
        assert_eq!(cpus.name, "CPUs (31 more ran none of these threads)");
        assert_eq!(threads.name, "Threads (18 more never ran)");
    }

    #[test]
    fn the_script_gets_short_lists() {
        let value = serde_json::to_value(Picture::of(&recording())).unwrap();
        let cpu = &value["groups"][0]["rows"][1];
        assert_eq!(cpu["label"], "CPU 1");
        assert_eq!(cpu["bars"], serde_json::json!([["runs", 0, 20, 40], ["runs", 1, 400, 600]]));
        assert_eq!(value["groups"][2]["rows"][0]["bars"][0][0], "ready");
        assert!(value["groups"][2]["rows"][0]["bars"][0][1].is_null());
    }
}
