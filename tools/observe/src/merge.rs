//! Puts together what the threads did, what the server reported, and what the clients saw.

use std::{collections::BTreeMap, ops::Range};

use anyhow::{Context, Result};
use records::recording::{Request, Task, Thread};

use crate::{
    clients::Answered,
    threads::{Observed, Track},
    trace::Trace,
};

/// The three lists of a recording.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Merged {
    /// The threads.
    pub threads: Vec<Thread>,
    /// The requests.
    pub requests: Vec<Request>,
    /// The tasks.
    pub tasks: Vec<Task>,
}

/// Puts the parts together. `time` is the recording's, in nanoseconds of the monotonic clock.
///
/// # Errors
/// When the server has not reported who served a request.
pub fn merge(
    server: u64,
    time: Range<u64>,
    observed: Observed,
    trace: &Trace,
    answers: &[Answered],
    route: &str,
) -> Result<Merged> {
    let at = |moment: u64| moment.clamp(time.start, time.end).saturating_sub(time.start) / 1000;
    let threads = threads(server, &time, observed.tracks, trace);
    let accepts = accepts(&observed.accepts, trace, answers);
    let thread = |tid: u64| threads.iter().position(|thread| thread.tid == tid);
    let task_ids: BTreeMap<u64, usize> =
        trace.tasks.keys().enumerate().map(|(id, &task)| (task, id)).collect();

    let mut requests = Vec::new();
    for (id, answer) in answers.iter().enumerate() {
        let connection = trace
            .connections
            .values()
            .find(|connection| connection.request == Some(answer.number))
            .with_context(|| format!("the server did not report request {}", answer.number))?;
        let task = connection.task.map(|task| &trace.tasks[&task]);
        let accepted = match task {
            // The loop that accepts spawns at once.
            Some(task) => Some(task.spawned),
            // Rung 1 handles at once what it accepts; the others hand it on to another thread.
            None if connection.thread == server => Some(connection.opened),
            None => accepts.as_ref().map(|accepts| accepts[id]),
        };
        let closed = connection.closed.unwrap_or(time.end);
        requests.push(Request {
            id,
            client: answer.client,
            route: route.to_owned(),
            thread: thread(connection.thread).context("a request was served by no thread")?,
            task: connection.task.map(|task| task_ids[&task]),
            sent: at(answer.sent),
            accepted: accepted.map(at),
            handled: Some(vec![(at(connection.opened), at(closed))]),
            answered: at(answer.answered),
            status: answer.status,
        });
    }

    let mut tasks = Vec::new();
    let mut connections = 0;
    for (number, task) in &trace.tasks {
        let id = task_ids[number];
        let request = requests.iter().position(|request| request.task == Some(id));
        let name = if trace.connections.values().any(|it| it.task == Some(*number)) {
            connections += 1;
            format!("connection {}", connections - 1)
        } else if trace.tasks.values().any(|other| other.by == Some(*number)) {
            "accept loop".to_owned()
        } else {
            format!("task {id}")
        };
        let polls = task.polls.iter().filter(|(from, ..)| time.contains(from));
        let polls = polls.map(|&(from, to, tid)| {
            let thread = thread(tid).context("a task was polled by no thread")?;
            Ok((at(from), at(to.unwrap_or(time.end)), thread))
        });
        tasks.push(Task {
            id,
            name,
            request,
            polls: polls.collect::<Result<_>>()?,
            wakes: task
                .wakes
                .iter()
                .filter(|wake| time.contains(wake))
                .map(|&wake| at(wake))
                .collect(),
            spawned: at(task.spawned),
            ended: task.ended.filter(|ended| time.contains(ended)).map(at),
        });
    }
    Ok(Merged { threads, requests, tasks })
}

/// When the connection of each answer was accepted: the system hands connections out in the order in which they
/// were made. `None` where the times do not fit, because two clients connected at almost the same time.
fn accepts(accepts: &[u64], trace: &Trace, answers: &[Answered]) -> Option<Vec<u64>> {
    let fits = |(accepted, answer): (&u64, &Answered)| {
        let mut connections = trace.connections.values();
        let connection = connections.find(|it| it.request == Some(answer.number));
        connection.is_some_and(|it| answer.sent <= *accepted && *accepted <= it.opened)
    };
    let all = accepts.len() == answers.len() && accepts.iter().zip(answers).all(fits);
    all.then(|| accepts.to_vec())
}

/// The threads in the order in which they began, with their names.
fn threads(server: u64, time: &Range<u64>, mut tracks: Vec<Track>, trace: &Trace) -> Vec<Thread> {
    // A thread may have lived between two samples; its reports are all that is known of it then.
    let reporting = trace.connections.values().map(|connection| connection.thread);
    let polling = trace.tasks.values().flat_map(|task| task.polls.iter().map(|poll| poll.2));
    for tid in reporting.chain(polling).chain(trace.names.keys().copied()) {
        if !tracks.iter().any(|track| track.tid == tid) {
            tracks.push(Track { tid, ..Track::default() });
        }
    }
    tracks.sort_by_key(|track| (track.stretches.first().map(|first| first.from), track.tid));
    let process = tracks.iter().find(|track| track.tid == server);
    let process = process.map(|track| track.comm.clone()).unwrap_or_default();
    let works = |tid: u64| {
        trace.connections.values().any(|connection| connection.thread == tid)
            || trace.tasks.values().any(|task| task.polls.iter().any(|poll| poll.2 == tid))
    };
    let names: Vec<String> = tracks
        .iter()
        .map(|track| match trace.names.get(&track.tid) {
            _ if track.tid == server => "main".to_owned(),
            Some(name) => name.clone(),
            // A thread that was given no name has that of the process.
            None if track.comm.is_empty() || track.comm == process => {
                if works(track.tid) { "worker" } else { "helper" }.to_owned()
            }
            None => track.comm.clone(),
        })
        .collect();
    let mut turns: BTreeMap<&String, usize> = BTreeMap::new();
    let numbered = names.iter().map(|name| {
        let turn = turns.entry(name).or_default();
        *turn += 1;
        let alone = names.iter().filter(|other| *other == name).count() == 1;
        let has_role = name == "worker" || name == "helper";
        if alone && !has_role { name.clone() } else { format!("{name} {turn}") }
    });
    let numbered: Vec<String> = numbered.collect();
    let tracks = tracks.iter().zip(numbered).enumerate();
    tracks
        .map(|(id, (track, name))| Thread {
            id,
            tid: track.tid,
            name,
            spans: track.spans(time.start, time.end),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use records::recording::State;

    use super::*;

    fn track(tid: u64, comm: &str, from: u64) -> Track {
        let mut track = Track { tid, comm: comm.into(), ..Track::default() };
        track.push(from, 900_000, State::Waiting, None);
        track
    }

    fn answer(number: u64, sent: u64) -> Answered {
        Answered { number, client: 0, sent, answered: sent + 50_000, status: 200 }
    }

    fn merged(
        tracks: Vec<Track>,
        reports: &str,
        answers: &[Answered],
        accepts: &[u64],
    ) -> Result<Merged> {
        let trace = Trace::read(reports).unwrap();
        let observed = Observed { tracks, accepts: accepts.to_vec(), ..Observed::default() };
        merge(10, 100_000..900_000, observed, &trace, answers, "/sleep")
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
        let threads = merged(tracks, reports, &[], &[]).unwrap().threads;
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
        let merged = merged(tracks, reports, &[answer(4, 155_000)], &[]).unwrap();
        let request = &merged.requests[0];
        // Thread 2 polled it first; the task was spawned where it was accepted.
        assert_eq!((request.thread, request.task, request.accepted), (2, Some(1), Some(60)));
        assert_eq!(request.handled, Some(vec![(90, 130)]));
        assert_eq!((request.sent, request.answered), (55, 105));
        let [accepting, connection] = &merged.tasks[..] else { panic!("{:?}", merged.tasks) };
        assert_eq!(
            (accepting.name.as_str(), accepting.spawned, accepting.ended),
            ("accept loop", 0, None)
        );
        // What comes after the recording's end is no part of it.
        assert!(accepting.wakes.is_empty());
        assert_eq!((connection.name.as_str(), connection.request), ("connection 0", Some(0)));
        assert_eq!(connection.polls, [(80, 100, 2), (120, 140, 1)]);
        assert_eq!(
            (connection.wakes[0], connection.spawned, connection.ended),
            (110, 60, Some(150))
        );
    }

    #[test]
    fn accepted_connections_are_counted_off_where_the_times_fit() {
        let reports = "\
200000 11 message=open connection=0
200000 11 message=request connection=0 request=0
300000 11 message=open connection=1
300000 11 message=request connection=1 request=1
";
        let tracks = || vec![track(10, "rung", 100_000), track(11, "a", 100_000)];
        let answers = [answer(0, 150_000), answer(1, 180_000)];
        let accepted = |accepts: &[u64]| -> Vec<Option<u64>> {
            let merged = merged(tracks(), reports, &answers, accepts).unwrap();
            merged.requests.iter().map(|request| request.accepted).collect()
        };
        assert_eq!(accepted(&[160_000, 190_000]), [Some(60), Some(90)]);
        // One was not seen; one would have been handled before it was accepted.
        assert_eq!(accepted(&[160_000]), [None, None]);
        assert_eq!(accepted(&[160_000, 310_000]), [None, None]);
    }

    #[test]
    fn a_thread_that_no_sample_met_is_there_all_the_same() {
        let reports = "200000 11 message=open connection=0\n200000 11 message=request connection=0 request=0\n";
        let merged = merged(vec![track(10, "rung", 100_000)], reports, &[answer(0, 150_000)], &[]);
        let merged = merged.unwrap();
        let thread = &merged.threads[merged.requests[0].thread];
        assert_eq!((thread.tid, thread.spans.len()), (11, 0));
    }

    #[test]
    fn a_request_that_the_server_did_not_report_is_an_error() {
        let error =
            merged(vec![track(10, "rung", 100_000)], "", &[answer(3, 150_000)], &[]).unwrap_err();
        assert!(error.to_string().contains("request 3"), "{error}");
    }
}
