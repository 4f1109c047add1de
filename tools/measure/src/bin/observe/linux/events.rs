//! Parses the lines of the kernel's trace: context switches and wake-ups.

/// One line of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Nanoseconds of the monotonic clock.
    pub at: u64,
    pub cpu: u32,
    /// The thread that was running there.
    pub thread: u64,
    pub kind: EventKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// A context switch from one thread to another, each with its name.
    Switch { from: (u64, String), prev_state: PrevState, to: (u64, String) },
    /// A thread became ready.
    Wake(u64),
    /// A new thread became ready.
    New(u64, String),
}

/// The state in which a thread left its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrevState {
    /// It was preempted and is still runnable.
    Ready,
    /// It is blocked.
    Waiting,
    /// It has exited.
    Ended,
}

/// Parses a line such as `a name-18 [000] d..2. 45115.336876: sched_switch: prev_comm=…`; `None` for any other line.
pub fn parse(line: &str) -> Option<Event> {
    // A name may hold anything, but hardly this.
    let (head, rest) = line.split_once(" [")?;
    let (_, thread) = head.trim_end().rsplit_once('-')?;
    let (cpu, rest) = rest.split_once("] ")?;
    let (time, what) = rest.split_once(": ")?;
    let (seconds, microseconds) = time.rsplit(' ').next()?.split_once('.')?;
    let at =
        seconds.parse::<u64>().ok()? * 1_000_000_000 + microseconds.parse::<u64>().ok()? * 1000;
    let kind = if let Some(fields) = what.strip_prefix("sched_switch: ") {
        let (from, to) = fields.split_once(" ==> next_comm=")?;
        let (comm, rest) = from.strip_prefix("prev_comm=")?.rsplit_once(" prev_pid=")?;
        let (tid, rest) = rest.split_once(' ')?;
        let prev_state = match rest.split_once("prev_state=")?.1.chars().next()? {
            'R' => PrevState::Ready,
            'X' | 'Z' => PrevState::Ended,
            _ => PrevState::Waiting,
        };
        let from = (tid.parse().ok()?, comm.to_owned());
        let (comm, rest) = to.rsplit_once(" next_pid=")?;
        let tid = rest.split(' ').next()?.parse().ok()?;
        EventKind::Switch { from, prev_state, to: (tid, comm.to_owned()) }
    } else if let Some(fields) = what.strip_prefix("sched_wakeup: ") {
        EventKind::Wake(woken(fields)?.0)
    } else if let Some(fields) = what.strip_prefix("sched_wakeup_new: ") {
        let (tid, comm) = woken(fields)?;
        EventKind::New(tid, comm.to_owned())
    } else {
        return None;
    };
    Some(Event { at, cpu: cpu.parse().ok()?, thread: thread.parse().ok()?, kind })
}

/// Parses `comm=a name pid=18 prio=120 target_cpu=000`.
fn woken(fields: &str) -> Option<(u64, &str)> {
    let (comm, rest) = fields.strip_prefix("comm=")?.rsplit_once(" pid=")?;
    Some((rest.split(' ').next()?.parse().ok()?, comm))
}
