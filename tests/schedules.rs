//! "You are the scheduler": the levels in which a reader decides which of two threads takes the next step.
//!
//! Each level is a small model under [shuttle](https://docs.rs/shuttle), once wrong and once right, whose lines are those
//! that the page shows. All its schedules are tried, depth-first, and the states that they lead through are written to
//! `book/schedule`, where the page's script and the build read them. Shuttle takes each ordering of an atomic for `SeqCst`,
//! and wakes no thread without a reason, so what a processor reorders is no step here.
//!
//! To write the levels again: `WRITE_LEVELS=1 cargo test -p ladder_tests --test schedules`.

use std::{
    collections::BTreeMap,
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind},
    path::PathBuf,
};

use ladder_tests::root;
use serde::Serialize;

mod schedules {
    pub mod board;
    pub mod explore;
    pub mod lost_count;
    pub mod lost_permit;
    pub mod lost_stop;
    pub mod lost_wake_up;
    pub mod two_locks;

    /// What a thread of a model does.
    pub type Work = Box<dyn FnOnce() + Send>;

    /// Two threads, and what a reader makes of them.
    pub struct Level {
        /// The name of its file, and of its directive.
        pub name: &'static str,
        pub title: &'static str,
        /// What the reader decides, and when that is won.
        pub goal: &'static str,
        /// How it ends when it is won, and when it isn't.
        pub fails: &'static str,
        pub well: &'static str,
        pub threads: [&'static str; 2],
        /// A value that is to be there when both threads have ended.
        pub wanted: Option<(&'static str, &'static str)>,
        /// Where its lines are.
        pub file: &'static str,
        /// The wrong one and the right one.
        pub versions: [Version; 2],
    }

    /// What the threads do, and the anchors of their lines.
    pub struct Version {
        pub start: fn() -> [Work; 2],
        pub lines: [&'static [&'static str]; 2],
    }
}

use schedules::{
    Level,
    board::{Does, FREE, State},
    explore::{End, Graph, Node, explore, follow},
    lost_count, lost_permit, lost_stop, lost_wake_up, two_locks,
};

const WRONG: usize = 0;
const RIGHT: usize = 1;

static LEVELS: [&Level; 5] = [
    &lost_count::LEVEL,
    &two_locks::LEVEL,
    &lost_stop::LEVEL,
    &lost_wake_up::LEVEL,
    &lost_permit::LEVEL,
];

/// A level as its file has it.
#[derive(Serialize)]
struct Written {
    title: &'static str,
    goal: &'static str,
    fails: &'static str,
    well: &'static str,
    threads: [&'static str; 2],
    versions: [WrittenVersion; 2],
}

#[derive(Serialize)]
struct WrittenVersion {
    /// The lines of each thread.
    lines: [Vec<String>; 2],
    /// What the values of a state are called.
    names: Vec<&'static str>,
    schedules: usize,
    losing: usize,
    /// The first schedule that loses: whose each step is.
    found: Vec<usize>,
    /// It begins in the first.
    states: Vec<WrittenState>,
}

#[derive(Serialize)]
struct WrittenState {
    /// The line of each thread that runs next.
    at: [Option<usize>; 2],
    /// What there is to say of each thread besides.
    says: [String; 2],
    values: Vec<String>,
    /// The state after a step of each thread.
    next: [Option<usize>; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<&'static str>,
}

/// The lines of a thread, and for each line of its file the place among them.
struct Lines {
    shown: Vec<String>,
    places: BTreeMap<u32, usize>,
}

/// The lines between the anchors, with an empty one between two parts. What only reports to the board is not shown.
fn lines(level: &Level, anchors: &[&str]) -> Lines {
    let source = fs::read_to_string(root().join(level.file)).expect(level.file);
    let mut lines = Lines { shown: Vec::new(), places: BTreeMap::new() };
    for anchor in anchors {
        let all = source.lines().zip(1_u32..);
        let part =
            all.skip_while(|(line, _)| line.trim() != format!("// ANCHOR: {anchor}")).skip(1);
        let part = part.take_while(|(line, _)| line.trim() != format!("// ANCHOR_END: {anchor}"));
        let part: Vec<_> = part
            .filter(|(line, _)| !["keep(", "see("].iter().any(|it| line.trim().starts_with(it)))
            .collect();
        let indent = |line: &str| line.len() - line.trim_start().len();
        let least = part.iter().map(|(line, _)| indent(line)).min();
        let least = least.unwrap_or_else(|| panic!("{} has no anchor {anchor}", level.file));
        if !lines.shown.is_empty() {
            lines.shown.push(String::new());
        }
        for (line, number) in part {
            lines.places.insert(number, lines.shown.len());
            lines.shown.push(line[least..].to_owned());
        }
    }
    lines
}

/// What there is to say of a thread besides its line.
fn says(state: &State, thread: usize, can_run: bool) -> String {
    let place = &state.threads[thread];
    let holder = |lock| {
        let value = state.values.iter().find(|(name, _)| *name == lock);
        value.map(|(_, value)| value.as_str()).expect("each lock is shown")
    };
    match (place.does, can_run) {
        (Does::Wants(lock), true) if holder(lock) == FREE => format!("can have {lock} now"),
        (Does::Wants(lock), true) => format!("is woken and wants {lock}"),
        (Does::Wants(lock), false) => format!("waits for {lock}: {}", holder(lock)),
        (Does::Sleeps(_) | Does::Parked, _) => "sleeps".to_owned(),
        (Does::Woken, _) => "is woken".to_owned(),
        (Does::Ended, _) => "has ended".to_owned(),
        (Does::Begins | Does::Runs | Does::Selects(_), _) => match &place.keeps {
            Some((name, value)) => format!("{name} is {value}"),
            None => String::new(),
        },
    }
}

/// A version as the file of its level has it.
fn version(level: &'static Level, version: usize, graph: &Graph) -> WrittenVersion {
    let parts = level.versions[version].lines.map(|anchors| lines(level, anchors));
    let first = &graph.nodes[0].state.values;
    // What never changes is not shown, as a lock that each line gives back at once.
    let changes =
        |index: usize| graph.nodes.iter().any(|node| node.state.values[index].1 != first[index].1);
    let shown: Vec<usize> = (0..first.len()).filter(|index| changes(*index)).collect();
    let state = |node: &Node| WrittenState {
        at: [0, 1].map(|thread| {
            let line = node.state.threads[thread].line?;
            let place = parts[thread].places.get(&line);
            Some(*place.unwrap_or_else(|| panic!("{}:{line} is not shown", level.file)))
        }),
        says: [0, 1].map(|thread| says(&node.state, thread, node.can_run[thread])),
        values: shown.iter().map(|index| node.state.values[*index].1.clone()).collect(),
        next: node.next,
        end: node.end.map(|end| match end {
            End::Done => "done",
            End::Lost => "lost",
            End::Deadlock => "deadlock",
        }),
    };
    WrittenVersion {
        names: shown.iter().map(|index| first[*index].0).collect(),
        schedules: graph.schedules,
        losing: graph.losing,
        found: graph.found.clone(),
        states: graph.nodes.iter().map(state).collect(),
        lines: parts.map(|part| part.shown),
    }
}

/// The file of a level: each of its states in a line.
fn text(level: &'static Level) -> String {
    let Level { title, goal, fails, well, threads, .. } = *level;
    let versions = [WRONG, RIGHT].map(|number| version(level, number, &explore(level, number)));
    let written = Written { title, goal, fails, well, threads, versions };
    let text = serde_json::to_string(&written).expect("it has names and numbers only");
    text.replace("{\"at\"", "\n{\"at\"") + "\n"
}

fn path(level: &Level) -> PathBuf {
    root().join("book/schedule").join(level.name).with_extension("json")
}

#[test]
fn the_levels_of_the_book_are_what_the_models_do() {
    for level in LEVELS {
        let text = text(level);
        if env::var_os("WRITE_LEVELS").is_some() {
            fs::write(path(level), &text).expect("book/schedule is there");
        }
        let written = fs::read_to_string(path(level)).unwrap_or_default();
        assert!(
            written.replace('\r', "") == text,
            "{} is another: WRITE_LEVELS=1 cargo test -p ladder_tests --test schedules",
            path(level).display()
        );
    }
}

#[test]
fn a_wrong_version_can_be_lost_and_a_right_one_cannot() {
    for level in LEVELS {
        let [wrong, right] = [WRONG, RIGHT].map(|version| explore(level, version));
        println!("{}: {} of {}", level.name, wrong.losing, wrong.schedules);
        assert!(wrong.losing > 0 && wrong.losing < wrong.schedules, "{}", level.name);
        assert!(right.losing == 0 && right.schedules > 1, "{}", level.name);
    }
}

/// Equal states are one, and each schedule is still one way through them.
#[test]
fn as_many_ways_lead_through_the_states_as_there_are_schedules() {
    for level in LEVELS {
        for version in [WRONG, RIGHT] {
            let graph = explore(level, version);
            assert_eq!(graph.ways(0), (graph.schedules, graph.losing), "{}", level.name);
        }
    }
}

/// Each end in the graph once more, in a model that takes only the steps to it: in a deadlock, shuttle itself says that no
/// thread can go on.
#[test]
fn each_end_is_reached_in_the_model() {
    for level in LEVELS {
        for version in [WRONG, RIGHT] {
            for (steps, end) in ends(&explore(level, version)) {
                let found =
                    catch_unwind(AssertUnwindSafe(|| follow(level, version, steps.clone())));
                let found = found
                    .map_err(|panic| panic.downcast_ref::<String>().cloned().unwrap_or_default());
                let is_same = match (&found, end) {
                    (Err(words), End::Deadlock) => words.starts_with("deadlock!"),
                    (Ok(found), end) => *found == Some(end),
                    (Err(_), _) => false,
                };
                assert!(is_same, "{} by {steps:?}: {found:?}, not {end:?}", level.name);
            }
        }
    }
}

/// The ends in a graph, each with the steps of one way there.
fn ends(graph: &Graph) -> Vec<(Vec<usize>, End)> {
    let mut ways = BTreeMap::from([(0, Vec::new())]);
    let mut ends = Vec::new();
    let mut to_do = vec![0];
    while let Some(number) = to_do.pop() {
        let node = &graph.nodes[number];
        let steps = ways[&number].clone();
        for (thread, next) in node.next.iter().enumerate() {
            if let Some(next) = next
                && !ways.contains_key(next)
            {
                ways.insert(*next, [&steps[..], &[thread]].concat());
                to_do.push(*next);
            }
        }
        ends.extend(node.end.map(|end| (steps, end)));
    }
    ends
}
