//! A recording: what one rung's threads, tasks and requests did, on one clock.

use std::collections::BTreeSet;

use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};

use crate::machine::{Build, Machine};

/// The folder of the recordings, in a folder of results.
pub const OBSERVED: &str = "observed";

/// The number of the file's format.
pub const FORMAT: u32 = 1;

/// All of it. Times are whole microseconds since the recording began.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recording {
    /// [`FORMAT`].
    pub format: u32,
    /// The server.
    pub rung: String,
    /// The options that it was started with, besides its port.
    pub server_options: Vec<String>,
    /// The command that makes another such recording.
    pub command: String,
    /// When, in RFC 3339.
    pub recorded: String,
    /// The commit that was checked out.
    pub commit: Option<String>,
    /// The machine.
    pub machine: Machine,
    /// The SHA-256 of the instrumented server.
    pub binary_sha256: String,
    /// Its compiler settings, and settings made by hand; `None` in recordings without them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub build: Option<Build>,
    /// The route of the requests.
    pub route: String,
    /// The number of clients, each with one request at a time.
    pub clients: u64,
    /// Its duration.
    pub duration_us: u64,
    /// The number of processors of the machine, which are numbered from 0.
    pub cpus: u32,
    /// The method of observation. Its name in the file is another one.
    #[serde(rename = "sampling")]
    pub observation: Observation,
    /// The server's threads, in the order in which they began.
    pub threads: Vec<Thread>,
    /// The requests, in the order in which they were sent.
    pub requests: Vec<Request>,
    /// The tasks that the rung spawned, in this order; none in rungs 1 to 3.
    pub tasks: Vec<Task>,
}

/// The method of observation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// The method, in one sentence.
    pub method: String,
    /// The number of context switches and wake-ups of the server's threads.
    #[serde(rename = "samples")]
    pub events: u64,
}

/// A thread of the server.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Thread {
    /// Its place in the list.
    pub id: usize,
    /// The system's number for it.
    pub tid: u64,
    /// Its name, or its role where it has none.
    pub name: String,
    /// Its states, in order and without overlap. Outside of them it did not exist.
    pub spans: Vec<Span>,
}

/// A thread was in one state from the first time to the second; on that processor, if it was running.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span(pub u64, pub u64, pub State, pub Option<u32>);

/// The state of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It is on a processor.
    Running,
    /// It is runnable, and no processor is free for it.
    Ready,
    /// It is blocked.
    Waiting,
}

/// A request, from the client's side and from the server's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    /// Its place in the list.
    pub id: usize,
    /// The client that sent it.
    pub client: u64,
    /// Its route.
    pub route: String,
    /// The thread whose handler took the connection; for a task, the one that polled it first.
    pub thread: usize,
    /// The task that handled it.
    pub task: Option<usize>,
    /// The moment at which the client began to connect for it.
    pub sent: u64,
    /// The times in which a handler worked on its connection.
    pub handled: Option<Vec<(u64, u64)>>,
    /// The moment at which the client had the whole answer, or lost its connection.
    pub answered: u64,
    /// The status of the answer; `None` where the server was stopped before it.
    pub status: Option<u16>,
}

/// A task that the rung spawned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Task {
    /// Its place in the list.
    pub id: usize,
    /// Its role.
    pub name: String,
    /// The request that it handled.
    pub request: Option<usize>,
    /// From, to, and the thread.
    pub polls: Vec<(u64, u64, usize)>,
    /// The moments at which its waker was called.
    pub wakes: Vec<u64>,
    /// The moment at which it was spawned; 0 if that was before the recording began.
    pub spawned: u64,
    /// The moment at which it ended; `None` if that was after the recording's end.
    pub ended: Option<u64>,
}

impl Recording {
    /// Checks that the parts fit together. Fails when they do not: the message names the part.
    pub fn check(&self) -> Result<()> {
        ensure!(self.format == FORMAT, "the format is {}, and not {FORMAT}", self.format);
        for (index, thread) in self.threads.iter().enumerate() {
            let name = &thread.name;
            ensure!(thread.id == index, "thread {index} says that it is {}", thread.id);
            let mut last = 0;
            for &Span(from, to, state, cpu) in &thread.spans {
                ensure!(self.covers(from, to) && from < to, "thread {name}: {from} to {to}");
                ensure!(last <= from, "thread {name}: {from} is before {last}");
                let cpu_fits = cpu.is_some_and(|cpu| cpu < self.cpus);
                ensure!(cpu_fits == (state == State::Running), "thread {name} at {from}: {cpu:?}");
                last = to;
            }
        }
        self.check_processors()?;
        for (index, task) in self.tasks.iter().enumerate() {
            let name = &task.name;
            ensure!(task.id == index, "task {index} says that it is {}", task.id);
            let end = task.ended.unwrap_or(self.duration_us);
            ensure!(self.covers(task.spawned, end), "task {name}: {} to {end}", task.spawned);
            let mut last = task.spawned;
            for &(from, to, thread) in &task.polls {
                let is_next = self.covers(from, to) && last <= from && to <= end;
                ensure!(is_next, "{name}: {from} to {to}");
                ensure!(thread < self.threads.len(), "{name}: there is no thread {thread}");
                last = to;
            }
            ensure!(task.wakes.is_sorted(), "{name}: its wakes are not in order");
            ensure!(task.wakes.iter().all(|&at| at <= self.duration_us), "{name}: a late wake");
            if let Some(request) = task.request {
                let back = self.requests.get(request).and_then(|request| request.task);
                ensure!(back == Some(index), "{name}: request {request} is not its own");
            }
        }
        for (index, request) in self.requests.iter().enumerate() {
            ensure!(request.id == index, "request {index} says that it is {}", request.id);
            ensure!(request.client < self.clients, "request {index}: client {}", request.client);
            let is_in_order = self.covers(request.sent, request.answered);
            ensure!(is_in_order, "request {index} was answered early");
            ensure!(request.thread < self.threads.len(), "request {index}: no such thread");
            ensure!(request.task.is_none_or(|task| task < self.tasks.len()), "{index}: no task");
            for &(from, to) in request.handled.iter().flatten() {
                ensure!(self.covers(from, to), "request {index}: handled from {from} to {to}");
            }
        }
        Ok(())
    }

    /// Tells whether these two times are in order, and the second is not after the end.
    fn covers(&self, from: u64, to: u64) -> bool {
        from <= to && to <= self.duration_us
    }

    /// Checks that no processor runs two threads at once.
    fn check_processors(&self) -> Result<()> {
        for cpu in 0..self.cpus {
            let spans = self.threads.iter().flat_map(|thread| &thread.spans);
            let mut runs: Vec<&Span> = spans.filter(|span| span.3 == Some(cpu)).collect();
            runs.sort_by_key(|span| span.0);
            for pair in runs.windows(2) {
                let start = pair[1].0;
                ensure!(pair[0].1 <= start, "processor {cpu} runs two threads at {start}");
            }
        }
        Ok(())
    }

    /// Counts the threads that handled a request.
    pub fn serving_threads(&self) -> usize {
        self.requests.iter().map(|request| request.thread).collect::<BTreeSet<_>>().len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::recording;

    #[test]
    fn the_form_is_the_one_that_the_page_reads() {
        let value = serde_json::to_value(recording()).unwrap();
        assert_eq!(value["threads"][0]["spans"][2], serde_json::json!([20, 40, "running", 1]));
        assert_eq!(value["threads"][0]["spans"][0], serde_json::json!([0, 15, "waiting", null]));
        assert_eq!(value["requests"][0]["handled"], serde_json::json!([[25, 520]]));
        assert_eq!(value["tasks"][0]["polls"][1], serde_json::json!([450, 520, 1]));
        assert_eq!(serde_json::from_value::<Recording>(value).unwrap(), recording());
    }

    #[test]
    fn every_contradiction_is_found() {
        type Damage = fn(&mut Recording);
        let broken: [(&str, Damage); 12] = [
            ("another form", |it| it.format = 2),
            ("spans overlap", |it| it.threads[0].spans[1].0 = 14),
            ("a span after the end", |it| it.threads[1].spans[0].1 = 1001),
            ("a wait on a processor", |it| it.threads[0].spans[0].3 = Some(0)),
            ("a run on no processor", |it| it.threads[0].spans[2].3 = None),
            ("a processor too many", |it| it.threads[0].spans[2].3 = Some(2)),
            ("two threads on one processor", |it| it.threads[1].spans[0].0 = 39),
            ("polls overlap", |it| it.tasks[0].polls[1].0 = 29),
            ("a poll by nobody", |it| it.tasks[0].polls[0].2 = 2),
            ("an answer before its request", |it| it.requests[0].answered = 9),
            ("a request of no client", |it| it.requests[0].client = 2),
            ("a task of another request", |it| it.requests[0].task = None),
        ];
        for (what, damage) in broken {
            let mut recording = recording();
            damage(&mut recording);
            assert!(recording.check().is_err(), "{what}");
        }
    }

    /// The recordings that the book shows.
    #[test]
    fn the_books_recordings_are_whole() {
        let folder = crate::base::find_root().unwrap().join("measurements/results/observed");
        let mut rungs = Vec::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            assert!(text.len() < 60_000, "{} is {} bytes long", path.display(), text.len());
            let recording: Recording = serde_json::from_str(&text).unwrap();
            recording.check().unwrap_or_else(|error| panic!("{}: {error:#}", path.display()));
            assert_eq!(path.file_stem().unwrap().to_str(), Some(recording.rung.as_str()));
            assert!(recording.requests.iter().all(|request| request.status == Some(200)));
            rungs.push(recording.rung);
        }
        for rung in crate::servers::MEASURED.iter() {
            assert!(rungs.iter().any(|recorded| recorded == rung), "{rung}");
        }
        assert!(rungs.iter().all(|rung| crate::servers::NAMES.contains(&rung.as_str())));
    }
}
