//! Where each request is at each moment: in line, with a thread, as a task, or answered.

use std::collections::BTreeSet;

use records::{
    recording::{Recording, Request},
    servers::Server,
};
use serde::{Serialize, Serializer};

use crate::report::replay::{
    numbers::started,
    picture::{Kind, Picture},
};

/// How the time of a recording passes on the stage, in microseconds of the recording.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Pace {
    /// How many times slower than life it plays.
    pub slower: u64,
    /// How long a request moves from one place to the next.
    pub moves: u64,
    /// How long work is shown at least.
    pub held: u64,
    /// When the ring of a request that stands in line is full.
    pub patience: u64,
}

/// For answers within a second or so.
pub const SLOW: Pace = Pace { slower: 10, moves: 20_000, held: 12_000, patience: 500_000 };
/// For waits of seconds.
const REAL: Pace = Pace { slower: 1, moves: 200_000, held: 120_000, patience: 4_000_000 };
/// For work of milliseconds.
const FINE: Pace = Pace { slower: 100, moves: 2000, held: 1200, patience: 50_000 };

impl Pace {
    /// The pace in which a recording of this length plays for some seconds.
    pub fn of(duration: u64) -> Pace {
        match duration {
            0..200_000 => FINE,
            200_000..2_000_000 => SLOW,
            _ => REAL,
        }
    }
}

/// More threads than these are not drawn.
const MOST_BOXES: usize = 8;

/// What a request does from a moment on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// The moment, since the first request was sent.
    pub at: u64,
    pub kind: Kind,
    /// Its box or, as a task, its place; none in line and once it is answered.
    pub slot: Option<usize>,
    /// The box of the thread that polls it, if it is a task.
    pub thread: Option<usize>,
}

impl Serialize for Step {
    /// `[20410, "works", 1, 0]`: short, because a page holds hundreds of them.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.at, self.kind, self.slot, self.thread).serialize(serializer)
    }
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Journey {
    pub request: usize,
    /// The client that sends it, counted from zero.
    pub client: usize,
    /// What is drawn: the first is in line, the last is the answer. Work is long enough to be seen.
    pub steps: Vec<Step>,
    /// What is said: from when on it does what, as it was recorded. Drawn work is longer, and would be that of more
    /// requests at once than there are CPUs.
    pub states: Vec<(u64, Kind)>,
}

impl Journey {
    pub fn end(&self) -> u64 {
        self.steps.last().map_or(0, |step| step.at)
    }

    /// Which step it is in, if it has been sent.
    pub fn now(&self, time: u64) -> Option<usize> {
        self.steps.iter().rposition(|step| step.at <= time)
    }

    /// What it does in truth, if it has been sent.
    pub fn kind(&self, time: u64) -> Option<Kind> {
        self.states.iter().rfind(|state| state.0 <= time).map(|state| state.1)
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct Stage {
    #[serde(skip)]
    pub server: &'static Server,
    /// How many threads are there before a request comes; they have a box each.
    pub kept: usize,
    /// Whether a request that waits has a thread, and so a box.
    pub square: bool,
    /// In the order in which they were sent.
    pub journeys: Vec<Journey>,
    /// The request of which the title speaks, with its route, which stands above it while it is in line.
    pub told: Option<(usize, String)>,
    /// The places that are needed: boxes, and tasks beside them.
    #[serde(skip)]
    pub boxes: usize,
    #[serde(skip)]
    pub tasks: usize,
}

impl Stage {
    pub fn of(recording: &Recording, server: &'static Server, pace: &Pace) -> Stage {
        let square = !server.is_round();
        let threads = serving(recording);
        let begun = |thread: &usize| recording.threads[*thread].spans.first();
        let zero = started(recording);
        let is_kept = |thread: &usize| begun(thread).is_some_and(|span| span.0 <= zero);
        let kept: Vec<usize> = threads.iter().copied().filter(is_kept).take(MOST_BOXES).collect();
        let journeys = Vec::new();
        let told = None;
        let mut stage =
            Stage { server, kept: kept.len(), square, journeys, told, boxes: 0, tasks: 0 };
        let picture = Picture::of(recording);
        // Until when each place is taken; threads that are kept are no such places.
        let mut places: Vec<u64> = Vec::new();
        for request in &recording.requests {
            let pieces = pieces(&picture, request);
            let states = states(&pieces);
            let mut steps = steps(&pieces, pace);
            let own = kept.iter().position(|thread| square && *thread == request.thread);
            let (from, to) = (steps.get(1).map_or(0, |step| step.at), request.answered - zero);
            let slot = own.unwrap_or_else(|| place(&mut places, (from, to)));
            let task = request.task.map(|task| &recording.tasks[task]);
            let is_inside = |step: &&mut Step| step.kind != Kind::Queues && !step.kind.is_answer();
            for step in steps.iter_mut().filter(is_inside) {
                step.slot = Some(slot);
                if square || step.kind != Kind::Works {
                    continue;
                }
                let at = step.at + zero;
                // Who polls it then, or next.
                let thread = task.map_or(Some(request.thread), |task| {
                    task.polls.iter().find(|(_, to, _)| at < *to).map(|poll| poll.2)
                });
                step.thread = thread.and_then(|it| kept.iter().position(|known| *known == it));
            }
            // Woken, it stands in line in its own place.
            for step in steps.iter_mut().skip(1).filter(|step| step.kind == Kind::Queues) {
                step.slot = Some(slot);
            }
            let client = request.client as usize;
            stage.journeys.push(Journey { request: request.id + 1, client, steps, states });
        }
        stage.boxes = if square { kept.len().max(places.len()) } else { kept.len() };
        stage.tasks = if square { 0 } else { places.len() };
        stage
    }

    pub fn end(&self) -> u64 {
        self.journeys.iter().map(Journey::end).max().unwrap_or(0)
    }

    pub fn clients(&self) -> usize {
        self.journeys.iter().map(|journey| journey.client + 1).max().unwrap_or(0)
    }

    pub fn count(&self, time: u64, kind: Kind) -> usize {
        self.journeys.iter().filter(|journey| journey.kind(time) == Some(kind)).count()
    }

    pub fn answered(&self, time: u64) -> usize {
        self.count(time, Kind::Done)
    }
}

/// The first place that is free from the first time on; it is taken until the second.
fn place(places: &mut Vec<u64>, (from, to): (u64, u64)) -> usize {
    let free = places.iter().position(|taken| *taken <= from).unwrap_or(places.len());
    if free == places.len() {
        places.push(to);
    } else {
        places[free] = to;
    }
    free
}

/// The threads that serve, and those that are like them: a pool's idle workers are there, too.
fn serving(recording: &Recording) -> Vec<usize> {
    let handlers = recording.requests.iter().filter(|it| it.task.is_none()).map(|it| it.thread);
    let tasks = recording.requests.iter().filter_map(|it| recording.tasks.get(it.task?));
    let pollers = tasks.flat_map(|task| task.polls.iter().map(|poll| poll.2));
    let family = |thread: usize| {
        let name = recording.threads[thread].name.trim_end_matches(|it: char| it.is_ascii_digit());
        name.trim_end_matches([' ', '-'])
    };
    let families: BTreeSet<&str> = handlers.chain(pollers).map(family).collect();
    (0..recording.threads.len()).filter(|thread| families.contains(family(*thread))).collect()
}

/// From when to when a request does what.
type Piece = (u64, u64, Kind);

/// What a request does, from its picture, in the order of time.
fn pieces(picture: &Picture, request: &Request) -> Vec<Piece> {
    let rows = picture.groups.iter().filter(|group| group.id == "clients").flat_map(|it| &it.rows);
    let bars = rows.flat_map(|row| &row.bars).filter(|bar| bar.request == Some(request.id));
    let mut pieces = Vec::new();
    for bar in bars.filter(|bar| !matches!(bar.kind, Kind::Idle | Kind::Woken)) {
        pieces.extend(bar.spans.iter().map(|&(from, to)| (from, to, bar.kind)));
    }
    pieces.sort_unstable();
    pieces
}

/// When a request was sent, when it was answered, and how.
fn ends(pieces: &[Piece]) -> (u64, u64, Kind) {
    let sent = pieces.iter().find(|piece| piece.2 == Kind::Sent).map_or(0, |piece| piece.0);
    let answer = pieces.iter().find(|piece| piece.2.is_answer()).copied();
    let (answered, _, how) = answer.unwrap_or((u64::MAX, 0, Kind::Done));
    (sent, answered, how)
}

/// What a request does, moment by moment, as it was recorded.
fn states(pieces: &[Piece]) -> Vec<(u64, Kind)> {
    let (sent, answered, how) = ends(pieces);
    let mut states = vec![(sent, Kind::Queues)];
    let mut add = |at: u64, kind: Kind| match states.last_mut() {
        Some(last) if last.1 == kind => {}
        Some(last) if last.0 >= at => last.1 = kind,
        _ => states.push((at, kind)),
    };
    let mut until = sent;
    for &(from, to, kind) in pieces.iter().filter(|piece| !piece.2.is_moment()) {
        if from >= answered {
            break;
        }
        if until < from && until > sent {
            // The server has done with it, and the answer is on its way.
            add(until, Kind::Free);
        }
        add(from, kind);
        until = until.max(to);
    }
    if until < answered && until > sent {
        add(until, Kind::Free);
    }
    add(answered, how);
    states
}

/// What is drawn of it, without places: with work long enough to be seen, and without moments that are too short for
/// that.
fn steps(pieces: &[Piece], pace: &Pace) -> Vec<Step> {
    let step = |at, kind| Step { at, kind, slot: None, thread: None };
    let (sent, answered, how) = ends(pieces);
    let mut steps = vec![step(sent, Kind::Queues)];
    for &(from, to, kind) in pieces {
        let last = steps[steps.len() - 1];
        // What comes from elsewhere has to arrive before its work is seen.
        let arrives = if steps.len() == 2 { pace.moves } else { 0 };
        let earliest = last.at + if last.kind == Kind::Works { arrives + pace.held } else { 0 };
        let is_short = matches!(kind, Kind::Queues | Kind::Holds) && to - from < pace.held;
        let at = from.max(earliest);
        if kind.is_answer() || kind == Kind::Sent || is_short || to <= earliest || at >= answered {
            continue;
        }
        if kind != last.kind {
            steps.push(step(at, kind));
        }
    }
    steps.push(step(answered, how));
    steps
}

#[cfg(test)]
impl Stage {
    /// A server as the book recorded it.
    pub fn recorded(rung: &str) -> Stage {
        Stage::of(crate::report::testing::recorded(rung), Server::named(rung).unwrap(), &SLOW)
    }
}

#[cfg(test)]
mod tests {
    use records::testing::recording;

    use super::*;
    use crate::report::replay::numbers::duration;

    #[test]
    fn a_request_goes_from_the_line_to_a_thread_and_is_answered() {
        for (rung, kept, boxes, tasks) in [
            ("ch01_single_threaded", 1, 1, 0),
            ("ch02_thread_spawn", 0, 6, 0),
            ("ch03_threadpool", 4, 4, 0),
            ("ch06_tokio", 2, 2, 6),
        ] {
            let stage = Stage::recorded(rung);
            assert_eq!((stage.kept, stage.boxes, stage.tasks), (kept, boxes, tasks), "{rung}");
            assert_eq!((stage.journeys.len(), stage.clients()), (12, 6), "{rung}");
            for journey in &stage.journeys {
                let [first, .., last] = &journey.steps[..] else { panic!("{journey:?}") };
                assert_eq!((first.kind, last.kind), (Kind::Queues, Kind::Done), "{rung}");
                assert!(journey.steps.is_sorted_by_key(|step| step.at), "{journey:?}");
                let middle = &journey.steps[1..journey.steps.len() - 1];
                assert!(middle.iter().all(|step| step.slot.is_some()), "{rung}: {journey:?}");
                let waits = if stage.square { Kind::Holds } else { Kind::Free };
                assert!(middle.iter().any(|step| step.kind == waits), "{rung}: {journey:?}");
            }
            // No two requests have one place.
            for time in (0..stage.end()).step_by(3000) {
                let mut taken = BTreeSet::new();
                for journey in &stage.journeys {
                    let step = journey.now(time).map(|now| journey.steps[now]);
                    let Some(slot) = step.and_then(|step| step.slot) else { continue };
                    assert!(taken.insert(slot), "{rung} at {time}: two requests at {slot}");
                }
            }
        }
    }

    #[test]
    fn the_counts_are_those_of_the_recording() {
        let one = Stage::recorded("ch01_single_threaded");
        // Six are sent in 25 ms, and each is served for 100.
        assert_eq!(one.count(60_000, Kind::Queues), 5);
        assert_eq!(one.count(60_000, Kind::Holds), 1);
        assert_eq!((one.answered(0), one.answered(one.end())), (0, 12));
        let pool = Stage::recorded("ch03_threadpool");
        assert_eq!((pool.count(60_000, Kind::Queues), pool.count(60_000, Kind::Holds)), (2, 4));
    }

    /// Drawn work is stretched to be seen; what is said of it is not.
    #[test]
    fn never_more_requests_work_than_there_are_cpus() {
        let folder = records::base::find_root().unwrap().join("measurements/results");
        let mut seen = 0;
        for kind in ["observed", "openings"] {
            for entry in std::fs::read_dir(folder.join(kind)).unwrap() {
                let path = entry.unwrap().path();
                let text = std::fs::read_to_string(&path).unwrap();
                let recording: Recording = serde_json::from_str(&text).unwrap();
                let last = duration(&recording);
                let server = Server::named(&recording.rung).unwrap();
                let stage = Stage::of(&recording, server, &Pace::of(last));
                let moments = stage.journeys.iter().flat_map(|it| &it.steps).map(|step| step.at);
                for time in moments.chain((0..10).map(|tenth| last * tenth / 10)) {
                    let working = stage.count(time, Kind::Works);
                    let cpus = recording.cpus as usize;
                    assert!(working <= cpus, "{}: {working} at {time}", path.display());
                    let all = stage.journeys.iter().filter(|it| it.kind(time).is_some()).count();
                    let sent = recording
                        .requests
                        .iter()
                        .filter(|it| it.sent <= time + started(&recording));
                    assert_eq!(all, sent.count(), "{} at {time}", path.display());
                }
                seen += 1;
            }
        }
        assert!(seen > 10, "{seen} recordings");
    }

    #[test]
    fn the_script_gets_short_lists() {
        let server = Server::named("ch06_tokio").unwrap();
        let stage = Stage::of(&recording(), server, &SLOW);
        let value = serde_json::to_value(&stage).unwrap();
        assert_eq!(value["square"], false);
        assert_eq!(value["journeys"][0]["request"], 1);
        assert_eq!(value["journeys"][1]["client"], 1);
        assert_eq!(value["journeys"][0]["steps"][0], serde_json::json!([0, "queues", null, null]));
        let states = serde_json::json!([
            [0, "queues"],
            [12, "works"],
            [20, "free"],
            [410, "queues"],
            [440, "works"],
            [490, "done"]
        ]);
        assert_eq!(value["journeys"][0]["states"], states);
    }
}
