//! Reads the reports of the instrumented server: lines of `NANOSECONDS THREAD name=value …`.

use std::collections::BTreeMap;

use anyhow::{Context, Result};

/// The server's threads, tasks and connections, by their numbers. Times are nanoseconds of the monotonic clock.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// The names that the program gave its threads.
    pub names: BTreeMap<u64, String>,
    pub tasks: BTreeMap<u64, Task>,
    pub connections: BTreeMap<u64, Connection>,
    /// The steps of all connections, in the order in which they were reported.
    pub steps: Vec<Step>,
}

/// The moment from which a thread works on a connection, until it sleeps or turns to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    pub at: u64,
    pub thread: u64,
    pub connection: u64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Task {
    /// Its name in the program.
    pub name: Option<String>,
    pub spawned: u64,
    /// The task that spawned it.
    pub by: Option<u64>,
    /// From, to (`None` if it never came back), and the thread.
    pub polls: Vec<(u64, Option<u64>, u64)>,
    /// The moments at which its waker was called, or its timer was due.
    pub wakes: Vec<u64>,
    pub ended: Option<u64>,
}

/// A connection in a handler.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Connection {
    /// The thread that began to handle it.
    pub thread: u64,
    pub task: Option<u64>,
    /// The moment at which its handler began.
    pub opened: u64,
    pub closed: Option<u64>,
    /// The number of its request.
    pub request: Option<u64>,
}

impl Trace {
    /// Reads the reports of a server. Fails when a line is not of that form; the last may be cut off.
    pub fn read(text: &str) -> Result<Trace> {
        let mut trace = Trace::default();
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            trace
                .line(line.trim_end_matches('\n'))
                .with_context(|| format!("the server reports `{}`", line.trim_end()))?;
        }
        Ok(trace)
    }

    fn line(&mut self, line: &str) -> Option<()> {
        let mut words = line.splitn(3, ' ');
        let (at, thread): (u64, u64) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        let pairs = words.next()?;
        if let Some((_, name)) = pairs.split_once("message=thread name=") {
            // A thread without a name is left out.
            if !name.is_empty() {
                self.names.insert(thread, name.to_owned());
            }
            return Some(());
        }
        let report = Report::read(pairs);
        match report.value("message")? {
            "spawn" => {
                let name = report.value("name").map(|name| name.trim_matches('"').to_owned());
                let task = Task { name, spawned: at, by: report.number("by"), ..Task::default() };
                self.tasks.insert(report.number("task")?, task);
            }
            "poll" => self.task(&report)?.polls.push((at, None, thread)),
            "pause" => self.task(&report)?.polls.last_mut()?.1 = Some(at),
            "wake" => self.task(&report)?.wakes.push(at),
            "due" => self.task(&report)?.wakes.push(at + report.number("after")?),
            "end" => self.task(&report)?.ended = Some(at),
            "open" => {
                let task = report.number("task");
                let connection = Connection { thread, task, opened: at, ..Connection::default() };
                self.connections.insert(report.number("connection")?, connection);
            }
            "request" => self.connection(&report)?.request = report.number("request"),
            "step" => {
                let connection = report.number("connection")?;
                self.steps.push(Step { at, thread, connection });
            }
            "close" => self.connection(&report)?.closed = Some(at),
            _ => return None,
        }
        Some(())
    }

    /// Finds the task that a report is about.
    fn task(&mut self, report: &Report) -> Option<&mut Task> {
        self.tasks.get_mut(&report.number("task")?)
    }

    /// Finds the connection that a report is about.
    fn connection(&mut self, report: &Report) -> Option<&mut Connection> {
        self.connections.get_mut(&report.number("connection")?)
    }
}

/// The values of a report by their names.
struct Report<'a>(BTreeMap<&'a str, &'a str>);

impl<'a> Report<'a> {
    fn read(pairs: &'a str) -> Report<'a> {
        Report(pairs.split(' ').filter_map(|pair| pair.split_once('=')).collect())
    }

    fn value(&self, name: &str) -> Option<&'a str> {
        self.0.get(name).copied()
    }

    fn number(&self, name: &str) -> Option<u64> {
        self.value(name)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_report_is_named() {
        for line in
            ["x 7 message=poll task=0\n", "1 7 message=poll task=9\n", "1 7 message=other\n"]
        {
            let error = Trace::read(line).unwrap_err().to_string();
            assert!(error.contains(line.trim()), "{error}");
        }
    }
}
