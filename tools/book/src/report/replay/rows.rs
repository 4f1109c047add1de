//! The rows of a recording's picture: its clients, its threads and the processors.

use std::collections::BTreeSet;

use records::{
    base::number,
    recording::{Recording, Request, Span, State, Task, Thread},
};

use crate::report::replay::{
    numbers::{duration, running, sleep, started},
    picture::{Bar, Group, Kind, Picture, Row},
};

/// With more processors than these, only those are shown that ran one of the threads.
const ALL_CPUS: u32 = 8;
/// With more threads than these, only those are shown that ran or served.
const ALL_THREADS: usize = 16;

impl Picture {
    pub fn of(recording: &Recording) -> Picture {
        let groups = vec![clients(recording), threads(recording), cpus(recording)];
        Picture::with(recording, groups, duration(recording))
    }

    /// The picture of an opening: a lane for each request and, where fewer threads serve, one for each of those. Ends with
    /// the last answer, or after `least` microseconds if that is later.
    pub fn opening(recording: &Recording, least: u64) -> Picture {
        let mut groups = vec![lanes(recording)];
        let serving = serving(recording);
        if serving.len() < recording.requests.len() {
            let is_alone = serving.len() == 1;
            let mut rows = Vec::new();
            for (index, thread) in serving.into_iter().enumerate() {
                let label =
                    if is_alone { "thread".to_owned() } else { format!("thread {}", index + 1) };
                rows.push(Row {
                    short: Some(label.clone()),
                    bars: thread_bars(recording, thread),
                    ..Row::named(label)
                });
            }
            groups.push(Group { id: "threads", note: String::new(), rows });
        }
        Picture::with(recording, groups, lasts(recording).max(least))
    }

    /// Makes a picture whose time begins when the first request is sent and lasts `duration` microseconds.
    fn with(recording: &Recording, mut groups: Vec<Group>, duration: u64) -> Picture {
        let zero = started(recording);
        let bars =
            groups.iter_mut().flat_map(|group| &mut group.rows).flat_map(|row| &mut row.bars);
        for bar in bars {
            bar.spans.retain(|&(from, to)| to >= zero && from <= zero + duration);
            for (from, to) in &mut bar.spans {
                *from = from.saturating_sub(zero).min(duration);
                *to = to.saturating_sub(zero).min(duration);
            }
        }
        Picture { duration, groups }
    }
}

/// How long it is from the first request to the last answer, in microseconds.
pub fn lasts(recording: &Recording) -> u64 {
    let last = recording.requests.iter().map(|request| request.answered).max().unwrap_or(0);
    last - started(recording)
}

/// A state of a row: its kind, its request, and the time from which and to which it lasts.
type Piece = (Kind, Option<usize>, u64, u64);

/// Gathers pieces, which are in the order of time, into the bars of a row.
fn bars(pieces: impl IntoIterator<Item = Piece>) -> Vec<Bar> {
    let mut bars: Vec<Bar> = Vec::new();
    for (kind, request, from, to) in pieces {
        if from >= to && !kind.is_moment() {
            continue;
        }
        match bars.iter_mut().find(|bar| (bar.kind, bar.request) == (kind, request)) {
            Some(bar) => match bar.spans.last_mut() {
                Some(last) if last.1 == from && !kind.is_moment() => last.1 = to,
                _ => bar.spans.push((from, to)),
            },
            None => bars.push(Bar { kind, request, spans: vec![(from, to)] }),
        }
    }
    bars.sort_by_key(|bar| (bar.kind, bar.request));
    bars
}

/// Cuts a span of time at the spans inside of it, which are in order; each part has the value of the span that it lies in.
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
    let mut in_hand_of = Vec::new();
    for thread in &recording.threads {
        in_hand_of.push(in_hand(recording, thread.id));
    }
    let mut rows: Vec<Row> =
        (0..recording.cpus).map(|cpu| cpu_row(recording, cpu, &in_hand_of)).collect();
    if recording.cpus > ALL_CPUS {
        rows.retain(|row| row.bars.iter().any(|bar| bar.kind == Kind::Works));
    }
    let available = duration(recording) * u64::from(recording.cpus);
    let share = 100.0 * running(recording) as f64 / available.max(1) as f64;
    let mut note = format!("busy {}% of the time", number(share, 1));
    let idle = recording.cpus as usize - rows.len();
    if idle > 0 {
        note += &format!("; {idle} more ran none of these threads");
    }
    Group { id: "cpus", note, rows }
}

/// The row of a processor: which thread it ran, and for which request, by the requests that each thread had in hand.
fn cpu_row(recording: &Recording, cpu: u32, in_hand_of: &[Vec<(u64, u64, usize)>]) -> Row {
    let mut runs: Vec<(u64, u64, usize)> = Vec::new();
    for thread in &recording.threads {
        let spans = thread.spans.iter().filter(|span| span.3 == Some(cpu));
        runs.extend(spans.map(|&Span(from, to, ..)| (from, to, thread.id)));
    }
    runs.sort_unstable();
    let mut pieces: Vec<Piece> = Vec::new();
    for (from, to, thread) in cut((0, recording.duration_us), &runs) {
        let Some(thread) = thread else {
            pieces.push((Kind::Idle, None, from, to));
            continue;
        };
        for (from, to, request) in cut((from, to), &in_hand_of[thread]) {
            pieces.push((Kind::Works, request, from, to));
        }
    }
    Row { bars: bars(pieces), ..Row::named(format!("CPU {cpu}")) }
}

/// Tells whether the thread of this request had another one at the same time, so that nobody observed which of them it
/// worked on.
fn shares_its_thread(recording: &Recording, request: &Request) -> bool {
    if request.task.is_some() {
        return false;
    }
    let mut of_same_thread = recording.requests.iter().filter(|other| {
        other.id != request.id && other.task.is_none() && other.thread == request.thread
    });
    of_same_thread.any(|other| overlap(request, other))
}

/// Tells whether the handlers of two requests ran at the same time.
fn overlap(one: &Request, other: &Request) -> bool {
    let of_one = one.handled.as_deref().unwrap_or_default();
    let of_other = other.handled.as_deref().unwrap_or_default();
    of_one.iter().any(|one| of_other.iter().any(|other| one.0 < other.1 && other.0 < one.1))
}

/// Lists the requests that a thread had in hand, with their times: its handler's, or those of their tasks' polls.
fn in_hand(recording: &Recording, thread: usize) -> Vec<(u64, u64, usize)> {
    let mut hands = Vec::new();
    let own = recording.requests.iter().filter(|it| it.task.is_none() && it.thread == thread);
    for request in own.filter(|it| !shares_its_thread(recording, it)) {
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

fn thread_bars(recording: &Recording, thread: &Thread) -> Vec<Bar> {
    let in_hand = in_hand(recording, thread.id);
    let mut pieces: Vec<Piece> = Vec::new();
    for &Span(from, to, state, _) in &thread.spans {
        for (from, to, request) in cut((from, to), &in_hand) {
            let kind = match (state, request) {
                (State::Running, _) => Kind::Works,
                (State::Ready, _) => Kind::Queues,
                (State::Waiting, Some(_)) => Kind::Holds,
                (State::Waiting, None) => Kind::Idle,
            };
            pieces.push((kind, request, from, to));
        }
    }
    bars(pieces)
}

fn threads(recording: &Recording) -> Group {
    let mut rows = Vec::new();
    for thread in &recording.threads {
        if recording.threads.len() <= ALL_THREADS || ran_or_served(recording, thread) {
            let bars = thread_bars(recording, thread);
            rows.push(Row { bars, ..Row::named(thread.name.clone()) });
        }
    }
    let start = started(recording);
    let begun = recording
        .threads
        .iter()
        .filter(|thread| thread.spans.first().is_some_and(|span| span.0 > start));
    let mut note = match begun.count() {
        0 => format!("{}, kept", recording.threads.len()),
        new => format!("{}, {new} of them made for a request", recording.threads.len()),
    };
    let asleep = recording.threads.len() - rows.len();
    if asleep > 0 {
        note += &format!("; {asleep} never ran");
    }
    Group { id: "threads", note, rows }
}

fn ran_or_served(recording: &Recording, thread: &Thread) -> bool {
    thread.spans.iter().any(|span| span.2 == State::Running)
        || recording.requests.iter().any(|request| request.thread == thread.id)
}

/// Cuts a time that a thread has for a request: the request is worked on only while the thread is on a CPU.
fn held(
    recording: &Recording,
    thread: usize,
    request: Option<usize>,
    time: (u64, u64),
) -> Vec<Piece> {
    let spans = recording.threads.get(thread).map_or(&[][..], |it| &it.spans);
    let awake = spans.iter().filter_map(|&Span(from, to, state, _)| match state {
        State::Running => Some((from, to, Kind::Works)),
        State::Ready => Some((from, to, Kind::Queues)),
        State::Waiting => None,
    });
    let parts = cut(time, &awake.collect::<Vec<_>>()).into_iter();
    parts.map(|(from, to, kind)| (kind.unwrap_or(Kind::Holds), request, from, to)).collect()
}

/// Lists the threads that serve, and those whose names are like theirs, such as a pool's idle workers.
pub fn serving(recording: &Recording) -> Vec<&Thread> {
    let handlers = recording.requests.iter().filter(|it| it.task.is_none()).map(|it| it.thread);
    let tasks = recording.requests.iter().filter_map(|it| recording.tasks.get(it.task?));
    let pollers = tasks.flat_map(|task| task.polls.iter().map(|poll| poll.2));
    let families: BTreeSet<&str> =
        handlers.chain(pollers).map(|thread| family(&recording.threads[thread])).collect();
    recording.threads.iter().filter(|thread| families.contains(family(thread))).collect()
}

/// The name of a thread without its number.
fn family(thread: &Thread) -> &str {
    let name = thread.name.trim_end_matches(|it: char| it.is_ascii_digit());
    name.trim_end_matches([' ', '-'])
}

/// The path of a request's target without its query: `/sleep`.
fn page(request: &Request) -> &str {
    request.route.split('?').next().unwrap_or_default()
}

/// A lane for each request, in the order in which they were sent: each is of a client of its own.
fn lanes(recording: &Recording) -> Group {
    let mut rows = Vec::new();
    for request in &recording.requests {
        let pieces = pieces_of(recording, request).into_iter();
        rows.push(Row {
            page: Some(page(request).to_owned()),
            bars: bars(pieces.filter(|piece| piece.0 != Kind::Woken)),
            ..Row::named(format!("client {}", request.id + 1))
        });
    }
    Group { id: "clients", note: String::new(), rows }
}

fn clients(recording: &Recording) -> Group {
    let mut rows = Vec::new();
    for client in 0..recording.clients {
        let own = recording.requests.iter().filter(|request| request.client == client);
        let pieces = own.flat_map(|request| pieces_of(recording, request));
        rows.push(Row { bars: bars(pieces), ..Row::named(format!("client {}", client + 1)) });
    }
    let note = match recording.requests.len() as u64 / recording.clients.max(1) {
        0 | 1 => String::new(),
        each => format!("each sends {each} requests, one after the other"),
    };
    Group { id: "clients", note, rows }
}

/// Lists the states of a request. Its client doesn't see what the server does after the answer, so only the work of that
/// time is there.
fn pieces_of(recording: &Recording, request: &Request) -> Vec<Piece> {
    let id = Some(request.id);
    let mut pieces = vec![(Kind::Sent, id, request.sent, request.sent)];
    let task = request.task.and_then(|task| recording.tasks.get(task));
    match (task, request.handled.as_deref()) {
        (Some(task), _) => {
            pieces.push((Kind::Queues, id, request.sent, task.spawned));
            pieces.extend(states(recording, task));
        }
        (None, Some([first, ..])) => {
            pieces.push((Kind::Queues, id, request.sent.min(first.0), first.0));
            let mut last = first.0;
            for &(from, to) in request.handled.iter().flatten() {
                let ready = ready(recording, request, (last, from));
                pieces.push((Kind::Free, id, last, ready));
                pieces.push((Kind::Queues, id, ready, from));
                match shares_its_thread(recording, request) {
                    true => pieces.push((Kind::Free, id, from, to)),
                    false => pieces.extend(held(recording, request.thread, id, (from, to))),
                }
                last = to;
            }
        }
        // Its handler was not observed.
        _ => pieces.push((Kind::Idle, id, request.sent, request.answered)),
    }
    pieces.retain_mut(|(kind, _, from, to)| {
        if *kind != Kind::Works {
            *to = (*to).min(request.answered);
        }
        *from <= *to
    });
    let answer = match request.status {
        None => Kind::Cut,
        Some(400..) => Kind::Refused,
        Some(_) => Kind::Done,
    };
    pieces.push((answer, id, request.answered, request.answered));
    pieces
}

/// From when on, between two steps in an event loop, a request is queued for the thread: since the thread is awake and
/// has others in hand, unless it sleeps then as long as its page does. That is the last such time before its answer.
fn ready(recording: &Recording, request: &Request, (from, to): (u64, u64)) -> u64 {
    let thread = recording.threads.get(request.thread);
    let mut spans = thread.iter().flat_map(|thread| &thread.spans);
    let slept = spans.rfind(|span| span.2 == State::Waiting && span.0 < to);
    let awake = slept.map_or(from, |span| span.1.clamp(from, to));
    let Some(ms) = sleep(&request.route) else { return awake };
    let over = from + ms * 1000;
    let turns = request.handled.as_deref().unwrap_or_default();
    let mut waits = turns.windows(2).map(|pair| (pair[0].1, pair[1].0));
    let asleep = waits.rfind(|wait| wait.1 <= request.answered && wait.1 - wait.0 >= ms * 1000);
    if asleep == Some((from, to)) { awake.max(over) } else { awake }
}

/// Lists the states of a task: between two polls it waits until it is woken, and then for a thread.
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
        pieces.push((Kind::Free, task.request, since, woken));
        pieces.push((Kind::Queues, task.request, woken, from));
        let polled = who.map(|who| held(recording, who, task.request, (from, to)));
        pieces.extend(polled.into_iter().flatten());
        // A wake in the middle of a poll is none for the next gap before the poll is over.
        while let Some(wake) = wakes.next_if(|&wake| wake <= to) {
            ready.get_or_insert(wake);
        }
        since = to;
    }
    pieces.extend(task.wakes.iter().map(|&at| (Kind::Woken, task.request, at, at)));
    pieces
}

#[cfg(test)]
mod tests {
    use records::testing::recording;

    use super::*;
    use crate::report::{replay::moments::state, testing::opened};

    #[test]
    fn who_could_go_on_and_has_no_turn_in_the_loop_is_in_line() {
        use Kind::*;
        let picture = Picture::opening(opened("event-loop-computes"), 0);
        // One that sleeps for 10 ms, three of the four that compute, and the last one.
        for (time, states) in [
            (8_000, [Some(Free), Some(Works), Some(Queues), Some(Queues), None]),
            (30_000, [Queues, Done, Works, Queues, Queues].map(Some)),
        ] {
            let found = [0, 3, 4, 6, 7].map(|client| state(&picture.states(client), time));
            assert_eq!(found, states);
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
        let [_, threads, cpus] = &picture.groups[..] else { panic!("{picture:?}") };
        assert_eq!((cpus.rows.len(), threads.rows.len()), (1, 2));
        assert_eq!(cpus.note, "busy 0.7% of the time; 31 more ran none of these threads");
        assert_eq!(threads.note, "20, 1 of them made for a request; 18 never ran");
    }
}
