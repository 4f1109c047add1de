//! Joins the kernel's trace of the threads, the server's reports, and the clients' observations.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use anyhow::{Context, Result};
use records::recording::{Request, Span, State, Task, Thread};

use super::{
    clients::Answered,
    threads::{Observed, Track},
    trace::{Connection, Step, Trace},
};

/// The three lists of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merged {
    pub threads: Vec<Thread>,
    pub requests: Vec<Request>,
    pub tasks: Vec<Task>,
}

/// Puts the parts together. `time` is the recording's, in nanoseconds of the monotonic clock. Fails when the server has
/// not reported who served a request.
pub fn merge(
    server: u64,
    time: Range<u64>,
    observed: Observed,
    trace: &Trace,
    answers: &[Answered],
) -> Result<Merged> {
    let threads = threads(server, &time, observed.tracks, trace);
    let mut task_ids = BTreeMap::new();
    for &task in trace.tasks.keys() {
        if is_recorded(task, trace, answers) {
            task_ids.insert(task, task_ids.len());
        }
    }
    let join = Join { time: &time, trace, threads: &threads, task_ids };
    let mut requests = Vec::new();
    for (id, answer) in answers.iter().enumerate() {
        requests.push(join.request(id, answer)?);
    }
    let tasks = join.tasks(&requests)?;
    Ok(Merged { threads, requests, tasks })
}

/// Tells whether a task served no request, or one that is recorded.
fn is_recorded(task: u64, trace: &Trace, answers: &[Answered]) -> bool {
    let mut served = trace.connections.values().filter(|it| it.task == Some(task));
    served.all(|it| answers.iter().any(|answer| Some(answer.number) == it.request))
}

/// The data by which requests and tasks are joined.
struct Join<'a> {
    time: &'a Range<u64>,
    trace: &'a Trace,
    threads: &'a [Thread],
    /// The number of each task in the recording, by that in the reports.
    task_ids: BTreeMap<u64, usize>,
}

impl Join<'_> {
    /// Converts a moment to microseconds since the start of the recording.
    fn at(&self, moment: u64) -> u64 {
        let Range { start, end } = *self.time;
        moment.clamp(start, end).saturating_sub(start) / 1000
    }

    fn thread(&self, tid: u64) -> Option<usize> {
        self.threads.iter().position(|thread| thread.tid == tid)
    }

    /// Joins a request with the connection that served it.
    fn request(&self, id: usize, answer: &Answered) -> Result<Request> {
        let mut connections = self.trace.connections.iter();
        let (number, connection) = connections
            .find(|(_, connection)| connection.request == Some(answer.number))
            .with_context(|| format!("the server did not report request {}", answer.number))?;
        // A handler ends with its server.
        let last = if answer.status.is_none() { answer.answered } else { self.time.end };
        let closed = connection.closed.unwrap_or(last);
        let thread = self.thread(connection.thread);
        let thread = thread.context("a request was served by no thread")?;
        let whole = (self.at(connection.opened), self.at(closed));
        let turns = self.turns(*number, connection, thread, whole);
        Ok(Request {
            id,
            client: answer.client,
            route: answer.route.clone(),
            thread,
            task: connection.task.map(|task| self.task_ids[&task]),
            sent: self.at(answer.sent),
            handled: Some(if turns.is_empty() { vec![whole] } else { turns }),
            answered: self.at(answer.answered),
            status: answer.status,
        })
    }

    /// Tells whether another connection of this thread was open between these moments of the recording.
    fn has_another(&self, number: u64, thread: u64, (from, to): (u64, u64)) -> bool {
        self.trace.connections.iter().any(|(other, connection)| {
            *other != number
                && connection.task.is_none()
                && connection.thread == thread
                && self.at(connection.opened) < to
                && connection.closed.is_none_or(|closed| from < self.at(closed))
        })
    }

    /// Lists the times between two moments of the recording in which a thread ran, up to its next sleep.
    fn running(&self, thread: usize, at: u64, end: u64) -> Vec<(u64, u64)> {
        let mut running = Vec::new();
        for &Span(from, to, state, _) in &self.threads[thread].spans {
            if to <= at {
                continue;
            }
            let from = from.max(at);
            let to = to.min(end);
            if state == State::Waiting || from >= to {
                break;
            }
            running.push((from, to));
        }
        // What is shorter than a microsecond is no span, but the server has said that the thread ran then.
        if running.is_empty() && at < end {
            running.push((at, at + 1));
        }
        running
    }

    /// Returns the turns of a connection on a thread that has several at the same time, as an event loop has: each lasts
    /// from its step to the next step for another connection, or to sleep. Empty if the thread had no other connection.
    fn turns(
        &self,
        number: u64,
        connection: &Connection,
        thread: usize,
        (opened, closed): (u64, u64),
    ) -> Vec<(u64, u64)> {
        let tid = connection.thread;
        if connection.task.is_some() || !self.has_another(number, tid, (opened, closed)) {
            return Vec::new();
        }
        let steps: Vec<&Step> = self.trace.steps.iter().filter(|it| it.thread == tid).collect();
        let mut turns: Vec<(u64, u64)> = Vec::new();
        for (index, step) in steps.iter().enumerate() {
            if step.connection != number {
                continue;
            }
            let end = steps.get(index + 1).map_or(closed, |next| self.at(next.at).min(closed));
            for (from, to) in self.running(thread, self.at(step.at), end) {
                match turns.last_mut() {
                    Some(last) if last.1 == from => last.1 = to,
                    _ => turns.push((from, to)),
                }
            }
        }
        turns
    }

    /// Tells whether a task serves a connection.
    fn serves(&self, task: u64) -> bool {
        self.trace.connections.values().any(|connection| connection.task == Some(task))
    }

    /// Tells whether a task spawned one that serves a connection.
    fn accepts(&self, task: u64) -> bool {
        self.trace.tasks.iter().any(|(&other, it)| it.by == Some(task) && self.serves(other))
    }

    /// Lists the tasks, each with its own name or that of its role.
    fn tasks(&self, requests: &[Request]) -> Result<Vec<Task>> {
        let mut tasks = Vec::new();
        let mut connections = 0;
        for (number, &id) in &self.task_ids {
            let task = &self.trace.tasks[number];
            let name = if let Some(name) = &task.name {
                name.clone()
            } else if self.serves(*number) {
                connections += 1;
                format!("connection {}", connections - 1)
            } else if self.accepts(*number) {
                "accept loop".to_owned()
            } else {
                format!("task {id}")
            };
            let mut polls = Vec::new();
            for &(from, to, tid) in &task.polls {
                if self.time.contains(&from) {
                    let thread = self.thread(tid).context("a task was polled by no thread")?;
                    polls.push((self.at(from), self.at(to.unwrap_or(self.time.end)), thread));
                }
            }
            let mut wakes: Vec<u64> = task.wakes.clone();
            wakes.retain(|wake| self.time.contains(wake));
            // A timer may have been due after a later wake.
            wakes.sort_unstable();
            let ended = task.ended.filter(|ended| self.time.contains(ended));
            tasks.push(Task {
                id,
                name,
                request: requests.iter().position(|request| request.task == Some(id)),
                polls,
                wakes: wakes.into_iter().map(|wake| self.at(wake)).collect(),
                spawned: self.at(task.spawned),
                ended: ended.map(|ended| self.at(ended)),
            });
        }
        Ok(tasks)
    }
}

/// Lists the threads in the order in which they began, with their names.
fn threads(server: u64, time: &Range<u64>, mut tracks: Vec<Track>, trace: &Trace) -> Vec<Thread> {
    // The list of the threads at the beginning may lack one; its reports are all that is known of it then.
    let reporting = trace.connections.values().map(|connection| connection.thread);
    let polling = trace.tasks.values().flat_map(|task| task.polls.iter().map(|poll| poll.2));
    let working: BTreeSet<u64> = reporting.chain(polling).collect();
    for &tid in working.iter().chain(trace.names.keys()) {
        if !tracks.iter().any(|track| track.tid == tid) {
            tracks.push(Track { tid, ..Track::default() });
        }
    }
    tracks.sort_by_key(|track| (track.stretches.first().map(|first| first.from), track.tid));
    let names = names(server, &tracks, &trace.names, &working);
    let mut threads = Vec::new();
    for (id, (track, name)) in tracks.iter().zip(names).enumerate() {
        let spans = track.spans(time.start, time.end);
        threads.push(Thread { id, tid: track.tid, name, spans });
    }
    threads
}

/// Names the threads: as the program does, or by the role of a thread that was given no name; numbered where several
/// have the same.
fn names(
    server: u64,
    tracks: &[Track],
    given: &BTreeMap<u64, String>,
    working: &BTreeSet<u64>,
) -> Vec<String> {
    let process = tracks.iter().find(|track| track.tid == server).map(|track| &*track.comm);
    let mut names = Vec::new();
    for track in tracks {
        names.push(match given.get(&track.tid) {
            _ if track.tid == server => "main".to_owned(),
            Some(name) => name.clone(),
            // A thread that was given no name has that of the process.
            None if track.comm.is_empty() || Some(&*track.comm) == process => {
                if working.contains(&track.tid) { "worker" } else { "helper" }.to_owned()
            }
            None => track.comm.clone(),
        });
    }
    numbered(&names)
}

/// Numbers names that are roles, or that several threads have.
fn numbered(names: &[String]) -> Vec<String> {
    let mut counts: BTreeMap<&String, usize> = BTreeMap::new();
    let mut numbered = Vec::new();
    for name in names {
        let count = counts.entry(name).or_default();
        *count += 1;
        let is_alone = names.iter().filter(|other| *other == name).count() == 1;
        let is_role = name == "worker" || name == "helper";
        numbered.push(match is_alone && !is_role {
            true => name.clone(),
            false => format!("{name} {count}"),
        });
    }
    numbered
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(tid: u64, comm: &str, from: u64) -> Track {
        let mut track = Track { tid, comm: comm.into(), ..Track::default() };
        track.push(from, 900_000, State::Waiting, None);
        track
    }

    fn answer(number: u64, sent: u64) -> Answered {
        let route = "/sleep".to_owned();
        Answered { number, client: 0, route, sent, answered: sent + 50_000, status: Some(200) }
    }

    fn merged(tracks: Vec<Track>, reports: &str, answers: &[Answered]) -> Result<Merged> {
        let trace = Trace::read(reports).unwrap();
        let observed = Observed { tracks, events: 0 };
        merge(10, 100_000..900_000, observed, &trace, answers)
    }

    /// The turns of each request.
    fn turns(main: Track, reports: &str, answers: &[Answered]) -> Vec<Vec<(u64, u64)>> {
        let requests = merged(vec![main], reports, answers).unwrap().requests;
        requests.into_iter().map(|request| request.handled.unwrap()).collect()
    }

    #[test]
    fn threads_have_their_names_or_roles() {
        let tracks = vec![
            track(13, "rung", 300_000),
            track(10, "rung", 100_000),
            track(11, "pool-thread-wi", 100_000),
            track(12, "pool-thread-wi", 200_000),
            track(14, "rung", 400_000),
            track(15, "ctrl-c", 500_000),
        ];
        let reports = "\
200000 11 message=thread name=pool-thread-with-a-long-name
200000 11 message=open connection=0
200000 12 message=thread name=pool-thread-with-a-long-name
300000 13 message=thread name=
300000 13 message=open connection=1
";
        let threads = merged(tracks, reports, &[]).unwrap().threads;
        let names: Vec<(&str, u64)> =
            threads.iter().map(|thread| (thread.name.as_str(), thread.tid)).collect();
        let expected = [
            ("main", 10),
            ("pool-thread-with-a-long-name 1", 11),
            ("pool-thread-with-a-long-name 2", 12),
            ("worker 1", 13),
            ("helper 1", 14),
            ("ctrl-c", 15),
        ];
        assert_eq!(names, expected);
        assert!(threads.iter().enumerate().all(|(id, thread)| thread.id == id));
    }

    #[test]
    fn a_request_is_joined_with_its_thread_and_its_task() {
        let reports = "\
50000 11 message=spawn task=0
150000 11 message=poll task=0
160000 11 message=spawn task=1 by=0
170000 11 message=pause task=0
180000 12 message=poll task=1
190000 12 message=open connection=0 task=1
195000 12 message=request connection=0 request=4
200000 12 message=pause task=1
210000 11 message=wake task=1
220000 11 message=poll task=1
230000 11 message=close connection=0
240000 11 message=pause task=1
250000 11 message=end task=1
950000 11 message=wake task=0
";
        let tracks =
            vec![track(10, "rung", 100_000), track(11, "a", 100_000), track(12, "b", 100_000)];
        let merged = merged(tracks, reports, &[answer(4, 155_000)]).unwrap();
        let request = &merged.requests[0];
        // Thread 2 polled it first.
        assert_eq!((request.thread, request.task), (2, Some(1)));
        assert_eq!(request.handled, Some(vec![(90, 130)]));
        assert_eq!((request.sent, request.answered), (55, 105));
        let [accepting, connection] = &merged.tasks[..] else { panic!("{:?}", merged.tasks) };
        assert_eq!(
            (&*accepting.name, accepting.spawned, accepting.ended),
            ("accept loop", 0, None)
        );
        // What comes after the recording's end is no part of it.
        assert!(accepting.wakes.is_empty());
        assert_eq!((&*connection.name, connection.request), ("connection 0", Some(0)));
        assert_eq!(connection.polls, [(80, 100, 2), (120, 140, 1)]);
        assert_eq!((connection.spawned, connection.ended), (60, Some(150)));
        assert_eq!(connection.wakes, [110]);
    }

    #[test]
    fn the_task_of_a_request_that_is_not_recorded_is_left_out() {
        let reports = "\
50000 11 message=spawn task=0
150000 11 message=spawn task=1 by=0
151000 11 message=open connection=0 task=1
152000 11 message=request connection=0 request=3
160000 11 message=spawn task=2 by=0
161000 11 message=open connection=1 task=2
162000 11 message=request connection=1 request=4
";
        let tracks = vec![track(10, "rung", 100_000), track(11, "a", 100_000)];
        let merged = merged(tracks, reports, &[answer(4, 155_000)]).unwrap();
        let names: Vec<_> = merged.tasks.iter().map(|task| &*task.name).collect();
        assert_eq!(names, ["accept loop", "connection 0"]);
        assert_eq!((merged.requests[0].task, merged.tasks[1].request), (Some(1), Some(0)));
    }

    #[test]
    fn a_thread_with_several_connections_takes_turns() {
        let reports = "\
200000 10 message=open connection=0
200000 10 message=step connection=0
205000 10 message=request connection=0 request=0
220000 10 message=open connection=1
220000 10 message=step connection=1
225000 10 message=request connection=1 request=1
240000 10 message=step connection=0
300000 10 message=close connection=0
310000 10 message=step connection=1
320000 10 message=close connection=1
";
        let answers = [answer(0, 150_000), answer(1, 180_000)];
        let mut main = Track { tid: 10, comm: "rung".into(), ..Track::default() };
        for (from, to, state) in [
            (100_000, 230_000, State::Running),
            (230_000, 240_000, State::Waiting),
            (240_000, 250_000, State::Running),
            (250_000, 260_000, State::Ready),
            (260_000, 400_000, State::Running),
        ] {
            main.push(from, to, state, Some(0));
        }
        // The thread slept from 130 on, and the turn after that was the first's.
        let expected = [[(100, 120), (140, 200)], [(120, 130), (210, 220)]];
        assert_eq!(turns(main, reports, &answers), expected);
        // A thread that was never seen awake: a microsecond for each step that it reported.
        let asleep = track(10, "rung", 100_000);
        let expected = [[(100, 101), (140, 141)], [(120, 121), (210, 211)]];
        assert_eq!(turns(asleep, reports, &answers), expected);
    }

    #[test]
    fn a_request_that_the_server_did_not_report_is_an_error() {
        let error =
            merged(vec![track(10, "rung", 100_000)], "", &[answer(3, 150_000)]).unwrap_err();
        assert!(error.to_string().contains("request 3"), "{error}");
    }
}
