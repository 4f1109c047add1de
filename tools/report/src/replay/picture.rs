//! The model of the picture of a recording: rows of bars, which the still picture and the script both draw.

use std::collections::BTreeSet;

use base::{number, significant};
use records::recording::{Recording, Request, Span, State, Task, Thread};
use serde::{Serialize, Serializer, ser::SerializeSeq};

use crate::replay::numbers::{ms, running};

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
    /// The rows by what they show.
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
    /// The thread that it is about.
    pub who: Option<usize>,
    /// The request whose number is written in the bar.
    pub request: Option<usize>,
    /// From, to; in order. A mark has no length.
    pub spans: Vec<(u64, u64)>,
}

impl Serialize for Bar {
    /// `["runs", 2, null, from, to, from, to, …]`: short, because a page holds hundreds of them.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut list = serializer.serialize_seq(Some(3 + 2 * self.spans.len()))?;
        list.serialize_element(&self.kind)?;
        list.serialize_element(&self.who)?;
        list.serialize_element(&self.request.map(|id| id + 1))?;
        for (from, to) in &self.spans {
            list.serialize_element(from)?;
            list.serialize_element(to)?;
        }
        list.end()
    }
}

/// What a row does. Its form in the picture says it, not only its colour. What comes later here is drawn above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A CPU without a thread, a thread without a request, and what was not observed.
    Idle,
    /// A task between two polls: it waits, and holds nothing.
    Free,
    /// It could continue, but waits in line: for a CPU, for a handler, for a thread that polls it.
    Ready,
    /// It waits and holds a thread: the thread is asleep, with the request in hand.
    Holds,
    /// On a CPU, and only then.
    Runs,
    /// A moment: a task is woken.
    Woken,
    /// A moment: a request is answered.
    Answered,
}

impl Kind {
    /// Whether it is a moment, and not a time.
    pub fn is_mark(self) -> bool {
        matches!(self, Kind::Woken | Kind::Answered)
    }
}

impl Picture {
    /// The picture of a recording.
    pub fn of(recording: &Recording) -> Picture {
        let threads = recording.threads.iter().map(|thread| thread.name.clone()).collect();
        let mut groups = vec![cpus(recording), self::threads(recording), requests(recording)];
        if recording.tasks.iter().any(|task| task.request.is_none()) {
            groups.push(tasks(recording));
        }
        Picture { duration: recording.duration_us, threads, groups }
    }
}

/// Something that a row does: what, with which thread, the request whose number it has, from, to.
type Piece = (Kind, Option<usize>, Option<usize>, u64, u64);

/// The bars of a row, from pieces in the order of time.
fn bars(pieces: impl IntoIterator<Item = Piece>) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    for (kind, who, request, from, to) in pieces {
        if from >= to && !kind.is_mark() {
            continue;
        }
        let same = |bar: &&mut Bar| (bar.kind, bar.who, bar.request) == (kind, who, request);
        match bars.iter_mut().find(same) {
            Some(bar) => match bar.spans.last_mut() {
                Some(last) if last.1 == from && !kind.is_mark() => last.1 = to,
                _ => bar.spans.push((from, to)),
            },
            None => bars.push(Bar { kind, who, request, spans: vec![(from, to)] }),
        }
    }
    bars.sort_by_key(|bar| (bar.kind, bar.who, bar.request));
    bars
}

/// Cuts a time at what lies inside of it, which is in order: each part with what it lies in, if anything.
fn cut<T: Copy>((from, to): (u64, u64), inside: &[(u64, u64, T)]) -> Vec<(u64, u64, Option<T>)> {
    let mut parts = Vec::new();
    let mut at = from;
    for &(begin, end, what) in inside {
        let (begin, end) = (begin.max(at), end.min(to));
        if begin < end {
            parts.extend((at < begin).then_some((at, begin, None)));
            parts.push((begin, end, Some(what)));
            at = end;
        }
    }
    parts.extend((at < to).then_some((at, to, None)));
    parts
}

fn cpus(recording: &Recording) -> Group {
    let row = |cpu: u32| {
        let mut runs: Vec<(u64, u64, usize)> = Vec::new();
        for thread in &recording.threads {
            let spans = thread.spans.iter().filter(|span| span.3 == Some(cpu));
            runs.extend(spans.map(|&Span(from, to, ..)| (from, to, thread.id)));
        }
        runs.sort_unstable();
        let parts = cut((0, recording.duration_us), &runs).into_iter();
        let pieces = parts.map(|(from, to, thread)| match thread {
            Some(thread) => (Kind::Runs, Some(thread), None, from, to),
            None => (Kind::Idle, None, None, from, to),
        });
        Row { label: format!("CPU {cpu}"), bars: bars(pieces) }
    };
    let all = recording.cpus <= ALL_CPUS;
    let busy = |row: &Row| row.bars.iter().any(|bar| bar.kind == Kind::Runs);
    let rows: Vec<Row> = (0..recording.cpus).map(row).filter(|row| all || busy(row)).collect();
    let mut name = format!(
        "CPUs: {} ms of work in {} ms",
        significant(ms(running(recording))),
        number(ms(recording.duration_us), 0)
    );
    let idle = recording.cpus as usize - rows.len();
    if idle > 0 {
        name += &format!(" ({idle} more ran none of these threads)");
    }
    Group { id: "cpus", name, rows }
}

/// Which requests a thread had in hand, and when: its handler's time, or the polls of their tasks.
fn in_hand(recording: &Recording, thread: usize) -> Vec<(u64, u64, usize)> {
    let mut hands = Vec::new();
    for request in recording.requests.iter().filter(|it| it.task.is_none() && it.thread == thread) {
        hands.extend(request.handled.iter().flatten().map(|&(from, to)| (from, to, request.id)));
    }
    for task in &recording.tasks {
        let Some(request) = task.request else { continue };
        let polls = task.polls.iter().filter(|poll| poll.2 == thread);
        hands.extend(polls.map(|&(from, to, _)| (from, to, request)));
    }
    hands.sort_unstable();
    hands
}

/// The row of a thread.
pub fn thread_bars(recording: &Recording, thread: &Thread) -> Vec<Bar> {
    let who = Some(thread.id);
    let hands = in_hand(recording, thread.id);
    let asleep = |(from, to, request): (u64, u64, Option<usize>)| match request {
        Some(_) => (Kind::Holds, who, request, from, to),
        None => (Kind::Idle, None, None, from, to),
    };
    bars(thread.spans.iter().flat_map(|&Span(from, to, state, _)| match state {
        State::Running => vec![(Kind::Runs, who, None, from, to)],
        State::Ready => vec![(Kind::Ready, None, None, from, to)],
        State::Waiting => cut((from, to), &hands).into_iter().map(asleep).collect(),
    }))
}

fn threads(recording: &Recording) -> Group {
    let serving: BTreeSet<usize> =
        recording.requests.iter().map(|request| request.thread).collect();
    let all = recording.threads.len() <= ALL_THREADS;
    let shown = recording.threads.iter().filter(|thread| {
        let ran = thread.spans.iter().any(|span| span.2 == State::Running);
        all || ran || serving.contains(&thread.id)
    });
    let row =
        |thread: &Thread| Row { label: thread.name.clone(), bars: thread_bars(recording, thread) };
    let rows: Vec<Row> = shown.map(row).collect();
    let name = match recording.threads.len() - rows.len() {
        0 => "Threads".to_owned(),
        asleep => format!("Threads ({asleep} more never ran)"),
    };
    Group { id: "threads", name, rows }
}

/// A time that a thread has for a request or a task: it works only while the thread is on a CPU.
fn held(
    recording: &Recording,
    thread: usize,
    request: Option<usize>,
    time: (u64, u64),
) -> Vec<Piece> {
    let spans = recording.threads.get(thread).map_or(&[][..], |it| &it.spans);
    let awake: Vec<(u64, u64, State)> = spans
        .iter()
        .filter(|span| span.2 != State::Waiting)
        .map(|&Span(from, to, state, _)| (from, to, state))
        .collect();
    let piece = |(from, to, state)| match state {
        Some(State::Running) => (Kind::Runs, Some(thread), None, from, to),
        Some(_) => (Kind::Ready, None, None, from, to),
        None => (Kind::Holds, Some(thread), request, from, to),
    };
    cut(time, &awake).into_iter().map(piece).collect()
}

fn requests(recording: &Recording) -> Group {
    let row = |request: &Request| {
        let mut pieces = Vec::new();
        let task = request.task.and_then(|task| recording.tasks.get(task));
        match (task, request.handled.as_deref()) {
            (Some(task), _) => {
                pieces.push((Kind::Ready, None, None, request.sent, task.spawned));
                pieces.extend(states(recording, task));
            }
            (None, Some([first, ..])) => {
                let mut last = request.sent.min(first.0);
                for &(from, to) in request.handled.iter().flatten() {
                    pieces.push((Kind::Ready, None, None, last, from));
                    pieces.extend(held(recording, request.thread, Some(request.id), (from, to)));
                    last = to;
                }
            }
            // Its handler was not observed.
            _ => pieces.push((Kind::Idle, None, None, request.sent, request.answered)),
        }
        pieces.push((Kind::Answered, None, None, request.answered, request.answered));
        Row { label: request_name(request.id), bars: bars(pieces) }
    };
    let rows = recording.requests.iter().map(row).collect();
    Group { id: "requests", name: "Requests".to_owned(), rows }
}

/// The tasks that serve no request; those that do are in the rows of their requests.
fn tasks(recording: &Recording) -> Group {
    let others = recording.tasks.iter().filter(|task| task.request.is_none());
    let rows = others
        .map(|task| Row { label: task.name.clone(), bars: bars(states(recording, task)) })
        .collect();
    Group { id: "tasks", name: "Tasks without a request".to_owned(), rows }
}

/// What a task does: between two polls it waits until it is woken, and then for a thread.
fn states(recording: &Recording, task: &Task) -> Vec<Piece> {
    let end = task.ended.unwrap_or(recording.duration_us);
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
        pieces.push((Kind::Free, None, None, since, woken));
        pieces.push((Kind::Ready, None, None, woken, from));
        pieces
            .extend(who.into_iter().flat_map(|who| held(recording, who, task.request, (from, to))));
        // A wake in the middle of a poll is none for the next gap before the poll is over.
        while let Some(wake) = wakes.next_if(|&wake| wake <= to) {
            ready.get_or_insert(wake);
        }
        since = to;
    }
    pieces.extend(task.wakes.iter().map(|&at| (Kind::Woken, None, None, at, at)));
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
mod tests {
    use records::testing::recording;

    use super::*;
    use crate::testing::books;

    fn row<'a>(picture: &'a Picture, label: &str) -> &'a [Bar] {
        let mut rows = picture.groups.iter().flat_map(|group| &group.rows);
        &rows.find(|row| row.label == label).unwrap_or_else(|| panic!("no {label}")).bars
    }

    fn bar(kind: Kind, who: Option<usize>, spans: &[(u64, u64)]) -> Bar {
        Bar { kind, who, request: None, spans: spans.to_vec() }
    }

    fn holds(who: usize, request: usize, spans: &[(u64, u64)]) -> Bar {
        Bar { request: Some(request), ..bar(Kind::Holds, Some(who), spans) }
    }

    #[test]
    fn every_span_is_in_its_row() {
        use Kind::{Answered, Free, Idle, Ready, Runs, Woken};
        let picture = Picture::of(&recording());
        assert_eq!(picture.duration, 1000);
        assert_eq!(row(&picture, "CPU 0"), [bar(Idle, None, &[(0, 1000)])]);
        assert_eq!(
            row(&picture, "CPU 1"),
            [
                bar(Idle, None, &[(0, 20), (40, 400), (600, 1000)]),
                bar(Runs, Some(0), &[(20, 40)]),
                bar(Runs, Some(1), &[(400, 600)])
            ]
        );
        assert_eq!(
            row(&picture, "worker <1>"),
            [
                bar(Idle, None, &[(0, 15), (40, 1000)]),
                bar(Ready, None, &[(15, 20)]),
                bar(Runs, Some(0), &[(20, 40)]),
            ]
        );
        // It is in line from the moment when it is sent, waits after its first poll, and is woken at 420.
        assert_eq!(
            row(&picture, "request 1"),
            [
                bar(Free, None, &[(30, 420)]),
                bar(Ready, None, &[(10, 22), (420, 450)]),
                bar(Runs, Some(0), &[(22, 30)]),
                bar(Runs, Some(1), &[(450, 520)]),
                bar(Woken, None, &[(420, 420)]),
                bar(Answered, None, &[(500, 500)]),
            ]
        );
        // Woken in the middle of a poll, it is ready when that is over.
        assert_eq!(
            row(&picture, "request 2"),
            [
                bar(Ready, None, &[(12, 405), (440, 520)]),
                bar(Runs, Some(1), &[(405, 440), (520, 600)]),
                bar(Woken, None, &[(430, 430)]),
                bar(Answered, None, &[(590, 590)]),
            ]
        );
        // What was there before the recording waits for its first wake, and after its last poll.
        assert_eq!(
            row(&picture, "accept <loop> & more")[..2],
            [bar(Free, None, &[(0, 690), (710, 1000)]), bar(Ready, None, &[(690, 700)])]
        );
    }

    #[test]
    fn a_poll_that_sleeps_holds_its_thread_and_is_no_work() {
        let mut recording = recording();
        recording.threads[0].spans.splice(
            2..,
            [Span(20, 24, State::Running, Some(1)), Span(24, 1000, State::Waiting, None)],
        );
        let picture = Picture::of(&recording);
        assert_eq!(row(&picture, "request 1")[2], holds(0, 0, &[(24, 30)]));
        assert_eq!(row(&picture, "request 1")[3], bar(Kind::Runs, Some(0), &[(22, 24)]));
        assert!(row(&picture, "worker <1>").contains(&holds(0, 0, &[(24, 30)])));
    }

    #[test]
    fn a_request_of_a_thread_holds_it_while_it_sleeps() {
        let mut recording = recording();
        recording.tasks.clear();
        recording.requests.iter_mut().for_each(|request| request.task = None);
        recording.requests[1].handled = None;
        let picture = Picture::of(&recording);
        assert_eq!(picture.groups.len(), 3);
        assert_eq!(
            row(&picture, "request 1"),
            [
                bar(Kind::Ready, None, &[(10, 25)]),
                holds(0, 0, &[(40, 520)]),
                bar(Kind::Runs, Some(0), &[(25, 40)]),
                bar(Kind::Answered, None, &[(500, 500)]),
            ]
        );
        assert_eq!(row(&picture, "worker <1>")[0], bar(Kind::Idle, None, &[(0, 15), (520, 1000)]));
        assert!(row(&picture, "worker <1>").contains(&holds(0, 0, &[(40, 520)])));
        // Its handler was not observed.
        assert_eq!(row(&picture, "request 2")[0], bar(Kind::Idle, None, &[(12, 590)]));
    }

    /// Solid means a CPU, and nothing else, in every row of the book's recordings.
    #[test]
    fn what_is_solid_was_on_a_cpu() {
        let results = books();
        for rung in servers::MEASURED.iter() {
            let recording = results.recording(rung).unwrap();
            let picture = Picture::of(recording);
            let solid = |group: &Group| -> u64 {
                let bars = group.rows.iter().flat_map(|row| &row.bars);
                let spans = bars.filter(|bar| bar.kind == Kind::Runs).flat_map(|bar| &bar.spans);
                spans.map(|(from, to)| to - from).sum()
            };
            let running = running(recording);
            let [cpus, threads, serving @ ..] = &picture.groups[..] else { panic!("{rung}") };
            assert_eq!((solid(cpus), solid(threads)), (running, running), "{rung}");
            let served: u64 = serving.iter().map(solid).sum();
            assert!(served > 0 && served <= running, "{rung}: {served} of {running}");
        }
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
        assert_eq!(cpus.name, "CPUs: 0.22 ms of work in 1 ms (31 more ran none of these threads)");
        assert_eq!(threads.name, "Threads (18 more never ran)");
    }

    #[test]
    fn the_script_gets_short_lists() {
        let value = serde_json::to_value(Picture::of(&recording())).unwrap();
        let cpu = &value["groups"][0]["rows"][1];
        assert_eq!(cpu["label"], "CPU 1");
        assert_eq!(cpu["bars"][1], serde_json::json!(["runs", 0, null, 20, 40]));
        assert_eq!(value["groups"][2]["rows"][0]["bars"][0][0], "free");
        assert!(value["groups"][2]["rows"][0]["bars"][0][1].is_null());
        let mut recording = recording();
        recording.tasks.clear();
        recording.requests[0].task = None;
        let value = serde_json::to_value(Picture::of(&recording)).unwrap();
        let held = serde_json::json!(["holds", 0, 1, 40, 520]);
        assert_eq!(value["groups"][2]["rows"][0]["bars"][1], held);
    }
}
