//! Reads the state of a process's threads from `/proc`.

use std::{collections::BTreeMap, fs};

use nix::time::{ClockId, clock_gettime};
use records::recording::State;

/// Returns the nanoseconds of the monotonic clock, which is the same in all processes.
pub fn now() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).expect("every Linux has this clock");
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}

/// A thread at a moment, by its `stat`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThreadStat {
    pub comm: String,
    /// Waiting, or else running or ready: `stat` does not tell these two apart, and it is [`State::Running`] here.
    pub state: State,
    /// The processor that it runs on, or ran on last.
    pub cpu: u32,
}

/// Lists the threads of a process, by number. None if there is no such process. Linux counts positions there, so while a
/// thread ends, one that lives may be left out.
pub fn threads(process: u32) -> BTreeMap<u64, ThreadStat> {
    let Ok(folder) = fs::read_dir(format!("/proc/{process}/task")) else { return BTreeMap::new() };
    let mut threads = BTreeMap::new();
    for entry in folder.flatten() {
        let Ok(tid) = entry.file_name().to_string_lossy().parse() else { continue };
        if let Some(stat) = stat(process, tid) {
            threads.insert(tid, stat);
        }
    }
    threads
}

fn stat(process: u32, tid: u64) -> Option<ThreadStat> {
    parse_stat(&fs::read_to_string(format!("/proc/{process}/task/{tid}/stat")).ok()?)
}

/// Parses `4711 (a name) S 1 …`; `None` if the thread has ended.
fn parse_stat(stat: &str) -> Option<ThreadStat> {
    // The name may hold anything, a parenthesis too.
    let (head, rest) = stat.rsplit_once(") ")?;
    let (_, comm) = head.split_once('(')?;
    let mut fields = rest.split_ascii_whitespace();
    let state = match fields.next()? {
        "R" => State::Running,
        "X" | "Z" => return None,
        _ => State::Waiting,
    };
    // Field 39 of `stat`, and the state was field 3.
    let cpu = fields.nth(35)?.parse().ok()?;
    Some(ThreadStat { comm: comm.to_owned(), state, cpu })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_may_hold_anything() {
        let fields = ["0"; 35].join(" ");
        let stat = format!("4711 (a) S (b) R {fields} 3 0 0");
        let ThreadStat { comm, state, cpu } = parse_stat(&stat).unwrap();
        assert_eq!((&*comm, state, cpu), ("a) S (b", State::Running, 3));
        assert_eq!(parse_stat(&stat.replace(" R ", " Z ")), None);
        assert_eq!(parse_stat(""), None);
    }
}
