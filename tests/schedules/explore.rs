//! Every schedule of a small model, by depth-first search, and the graph of the states that it leads through.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use shuttle::{
    Config, Runner,
    scheduler::{DfsScheduler, Schedule, Scheduler, Task, TaskId},
    thread,
};

use super::{
    Level,
    board::{self, Does, State},
};

/// How a schedule ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Both threads have ended, and all is as it should be.
    Done,
    /// Both threads have ended, and something is lost.
    Lost,
    /// A thread has not ended, and none can go on.
    Deadlock,
}

/// A state, and what follows from it.
#[derive(Clone, Debug)]
pub struct Node {
    pub state: State,
    pub can_run: [bool; 2],
    /// The number of the node after a step of each thread.
    pub next: [Option<usize>; 2],
    pub end: Option<End>,
}

/// The states of a version, those that are equal as one. It begins at the first.
#[derive(Debug, Default)]
pub struct Graph {
    pub nodes: Vec<Node>,
    known: HashMap<(State, [bool; 2]), usize>,
    /// How many schedules there are, and how many of them don't end well.
    pub schedules: usize,
    pub losing: usize,
    /// The first of these: whose step each step is.
    pub found: Vec<usize>,
}

impl Graph {
    /// The number of this state.
    fn come_to(&mut self, state: State, can_run: [bool; 2]) -> usize {
        *self.known.entry((state, can_run)).or_insert_with_key(|(state, can_run)| {
            let node = Node { state: state.clone(), can_run: *can_run, next: [None; 2], end: None };
            self.nodes.push(node);
            self.nodes.len() - 1
        })
    }

    /// A step of a thread leads from one state to another. The same state always leads to the same, or it doesn't hold all
    /// that matters.
    fn lead(&mut self, from: usize, thread: usize, to: usize) {
        let node = &mut self.nodes[from];
        let known = *node.next[thread].get_or_insert(to);
        assert_eq!(known, to, "a step of {thread} leads elsewhere than before, from {node:?}");
    }

    fn end(&mut self, node: usize, end: End, steps: &[usize]) {
        self.nodes[node].end = Some(end);
        self.schedules += 1;
        if end != End::Done {
            self.losing += 1;
            if self.losing == 1 {
                self.found = steps.to_vec();
            }
        }
    }

    /// How many ways lead from a node to an end, and how many of these don't end well.
    pub fn ways(&self, from: usize) -> (usize, usize) {
        let node = &self.nodes[from];
        if let Some(end) = node.end {
            return (1, usize::from(end != End::Done));
        }
        let ways = node.next.iter().flatten().map(|next| self.ways(*next));
        ways.fold((0, 0), |(all, losing), (more, lose)| (all + more, losing + lose))
    }
}

/// Lets a thread go on until its line is over, and asks another scheduler only then. It writes down what it sees.
struct Steps<S> {
    level: &'static Level,
    choices: S,
    graph: Rc<RefCell<Graph>>,
    /// Where the last step began, and whose it is.
    last: Option<(usize, usize)>,
    /// Whose the steps of this execution are.
    steps: Vec<usize>,
}

/// The thread that starts the two of the model, and which of them a task is.
const MAIN: usize = 0;

fn place(task: TaskId) -> usize {
    usize::from(task) - 1
}

impl<S: Scheduler> Scheduler for Steps<S> {
    fn new_execution(&mut self) -> Option<Schedule> {
        board::begin(self.level.threads);
        self.last = None;
        self.steps.clear();
        self.choices.new_execution()
    }

    fn next_task(
        &mut self,
        runnable: &[&Task],
        current: Option<TaskId>,
        is_yielding: bool,
    ) -> Option<TaskId> {
        // A parked task stands in the list too, because it may wake for no reason. Here it doesn't.
        let can_run = |id: TaskId| runnable.iter().any(|task| task.id() == id && task.runnable());
        let main = TaskId::from(MAIN);
        let Some(current) = current else { return Some(main) };
        if !is_yielding && can_run(current) {
            return Some(current);
        }
        let is_thread = |task: &&Task| task.id() != main && task.runnable();
        let threads: Vec<&Task> = runnable.iter().copied().filter(is_thread).collect();
        let state = board::look();
        // Each comes to its first line before anything is chosen.
        let begins = |task: &&&Task| state.threads[place(task.id())].does == Does::Begins;
        if let Some(thread) = threads.iter().find(begins) {
            return Some(thread.id());
        }
        let mut graph = self.graph.borrow_mut();
        let is_lost = self.level.wanted.is_some_and(|(name, wanted)| {
            state.values.iter().any(|(known, value)| *known == name && value != wanted)
        });
        let has_ended = state.threads.iter().all(|thread| thread.does == Does::Ended);
        let node = graph.come_to(state, [1, 2].map(|task| can_run(TaskId::from(task))));
        if let Some((from, thread)) = self.last {
            graph.lead(from, thread, node);
        }
        if threads.is_empty() {
            let end = match (has_ended, is_lost) {
                (true, false) => End::Done,
                (true, true) => End::Lost,
                (false, _) => End::Deadlock,
            };
            graph.end(node, end, &self.steps);
            // Nothing more happens in a deadlock; else the main thread comes to its end.
            return (end != End::Deadlock).then_some(main);
        }
        let next = self.choices.next_task(&threads, None, false)?;
        self.last = Some((node, place(next)));
        self.steps.push(place(next));
        Some(next)
    }

    fn next_u64(&mut self) -> u64 {
        self.choices.next_u64()
    }
}

/// What the main thread does when it has started the others.
#[derive(Clone, Copy, PartialEq)]
enum Main {
    /// It gives way until they have ended, so it can always run, and shuttle ends no run by itself.
    GivesWay,
    /// It joins them, so shuttle finds that none can run.
    Joins,
}

fn run(
    level: &'static Level,
    version: usize,
    choices: impl Scheduler + 'static,
    main: Main,
) -> Graph {
    let graph = Rc::<RefCell<Graph>>::default();
    let steps = Steps { level, choices, graph: Rc::clone(&graph), last: None, steps: Vec::new() };
    let start = level.versions[version].start;
    Runner::new(steps, Config::new()).run(move || {
        let threads = start().map(|work| {
            thread::spawn(move || {
                work();
                board::end();
            })
        });
        while main == Main::GivesWay
            && board::look().threads.iter().any(|thread| thread.does != Does::Ended)
        {
            thread::yield_now();
        }
        for thread in threads {
            thread.join().expect("no model panics");
        }
    });
    graph.take()
}

/// More schedules than a level can have: a mistake in a model doesn't make the search endless.
const BOUND: usize = 10_000;

/// All schedules of a version.
pub fn explore(level: &'static Level, version: usize) -> Graph {
    let graph = run(level, version, DfsScheduler::new(Some(BOUND), false), Main::GivesWay);
    assert!(graph.schedules < BOUND, "{} has too many schedules to try them all", level.name);
    graph
}

/// Takes these steps, once, and says how that ended. In a deadlock shuttle itself panics, and says so.
pub fn follow(level: &'static Level, version: usize, steps: Vec<usize>) -> Option<End> {
    let given = Given { steps: steps.into_iter(), has_begun: false };
    let graph = run(level, version, given, Main::Joins);
    graph.nodes.last().and_then(|node| node.end)
}

/// Is told whose each step is, and runs once.
struct Given {
    steps: std::vec::IntoIter<usize>,
    has_begun: bool,
}

impl Scheduler for Given {
    fn new_execution(&mut self) -> Option<Schedule> {
        let is_first = !std::mem::replace(&mut self.has_begun, true);
        is_first.then(|| Schedule::new(0))
    }

    fn next_task(&mut self, _: &[&Task], _: Option<TaskId>, _: bool) -> Option<TaskId> {
        self.steps.next().map(|place| TaskId::from(place + 1))
    }

    fn next_u64(&mut self) -> u64 {
        unreachable!("no model asks for a random number")
    }
}
