//! Threads observed by the kernel's own tracer, ftrace: every switch and every wake-up.
//!
//! It needs no program, but the right to use it: by default only root has that.
//! <https://docs.kernel.org/trace/ftrace.html>

use std::{
    collections::{BTreeMap, BTreeSet},
    fs, io,
    ops::Range,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use records::recording::State;

use crate::{
    proc::{self, Sight},
    threads::{Observed, Track},
};

/// Where Linux shows its tracers. The second is older.
const FOLDERS: [&str; 2] = ["/sys/kernel/tracing", "/sys/kernel/debug/tracing"];

/// What is recorded: a processor goes over to another thread; a thread becomes ready; a new thread does.
const EVENTS: &str = "sched:sched_switch sched:sched_wakeup sched:sched_wakeup_new";

/// Besides, where the kernel has it: a connection was accepted.
const ACCEPTED: &str = "syscalls:sys_exit_accept4";

/// The kernel keeps this much for each processor: some ten thousand switches.
const BUFFER_KB: &str = "4096";

/// A tracer of our own. Dropping it takes it away.
pub struct Ftrace {
    folder: PathBuf,
    server: u32,
    /// The threads at the beginning.
    first: BTreeMap<u64, Sight>,
    begin: u64,
}

impl Ftrace {
    /// Begins to record.
    ///
    /// # Errors
    /// When the kernel has no such tracer, or we have no right to it: the message says which.
    pub fn start(server: u32) -> Result<Ftrace> {
        let folder = FOLDERS.map(Path::new).into_iter().find(|it| it.join("trace_clock").exists());
        let folder = folder
            .context("the kernel's tracer is not to be seen (by default only root may use it)")?;
        let folder = folder.join(format!("instances/observe-{}", std::process::id()));
        fs::create_dir(&folder).context("the kernel's tracer can not be used")?;
        let mut tracer = Ftrace { folder, server, first: BTreeMap::new(), begin: 0 };
        tracer.set("trace_clock", "mono")?;
        tracer.set("buffer_size_kb", BUFFER_KB)?;
        tracer.set("set_event", EVENTS)?;
        // Not every kernel has it, and it is not needed for the threads.
        let _ = tracer.set("set_event", ACCEPTED);
        tracer.begin = proc::now();
        tracer.first = proc::threads(server);
        Ok(tracer)
    }

    fn set(&self, name: &str, value: &str) -> Result<()> {
        // `set_event` takes what is written for the whole list, unless it is opened for appending.
        let write = || -> io::Result<()> {
            let mut file = fs::OpenOptions::new().append(true).open(self.folder.join(name))?;
            io::Write::write_all(&mut file, value.as_bytes())
        };
        write().with_context(|| format!("cannot set {name} of the kernel's tracer"))
    }

    /// Ends the recording, and gives what the server's threads did, and when it accepted connections.
    ///
    /// # Errors
    /// When events were lost, or the server was not seen.
    pub fn finish(self) -> Result<Observed> {
        let end = proc::now();
        self.set("tracing_on", "0")?;
        let text = fs::read_to_string(self.folder.join("trace"));
        let text = text.context("cannot read the kernel's trace")?;
        let counts = text.lines().find_map(|line| line.split_once("entries-written: "));
        let (kept, written) = counts
            .and_then(|(_, rest)| rest.split_whitespace().next()?.split_once('/'))
            .context("the kernel's trace does not say how long it is")?;
        ensure!(
            kept == written,
            "the kernel kept only {kept} of {written} events; try fewer requests"
        );
        let events: Vec<Event> = text.lines().filter_map(parse).collect();
        let observed = observed(u64::from(self.server), &self.first, &events, self.begin..end);
        ensure!(
            observed.samples > 0,
            "the kernel's trace does not hold the server: are its process numbers those of a container?"
        );
        Ok(observed)
    }
}

impl Drop for Ftrace {
    fn drop(&mut self) {
        // The files in it go with it.
        let _ = fs::remove_dir(&self.folder);
    }
}

/// One line of the trace.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Event {
    at: u64,
    cpu: u32,
    /// The thread that was running there.
    thread: u64,
    what: What,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum What {
    /// A processor went over from one thread to another.
    Switch { from: (u64, String), left: Left, to: (u64, String) },
    /// A thread became ready.
    Wake(u64),
    /// A new thread became ready.
    New(u64, String),
    /// A connection was accepted.
    Accept,
}

/// In what state a thread left its processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Left {
    /// It could have gone on.
    Ready,
    Waiting,
    Ended,
}

/// `a name-18 [000] d..2. 45115.336876: sched_switch: prev_comm=…`, or nothing if it is something else.
fn parse(line: &str) -> Option<Event> {
    // A name may hold anything, but hardly this.
    let (head, rest) = line.split_once(" [")?;
    let (_, thread) = head.trim_end().rsplit_once('-')?;
    let (cpu, rest) = rest.split_once("] ")?;
    let (time, what) = rest.split_once(": ")?;
    let (seconds, microseconds) = time.rsplit(' ').next()?.split_once('.')?;
    let at =
        seconds.parse::<u64>().ok()? * 1_000_000_000 + microseconds.parse::<u64>().ok()? * 1000;
    let what = if let Some(fields) = what.strip_prefix("sched_switch: ") {
        let (from, to) = fields.split_once(" ==> next_comm=")?;
        let (comm, rest) = from.strip_prefix("prev_comm=")?.rsplit_once(" prev_pid=")?;
        let (tid, rest) = rest.split_once(' ')?;
        let left = match rest.split_once("prev_state=")?.1.chars().next()? {
            'R' => Left::Ready,
            'X' | 'Z' => Left::Ended,
            _ => Left::Waiting,
        };
        let from = (tid.parse().ok()?, comm.to_owned());
        let (comm, rest) = to.rsplit_once(" next_pid=")?;
        let tid = rest.split(' ').next()?.parse().ok()?;
        What::Switch { from, left, to: (tid, comm.to_owned()) }
    } else if let Some(fields) = what.strip_prefix("sched_wakeup: ") {
        What::Wake(woken(fields)?.0)
    } else if let Some(fields) = what.strip_prefix("sched_wakeup_new: ") {
        let (tid, comm) = woken(fields)?;
        What::New(tid, comm.to_owned())
    } else if let Some(result) = what.strip_prefix("sys_accept4 -> ") {
        // An error is a huge number here: a negative one.
        let descriptor = u64::from_str_radix(result.trim().strip_prefix("0x")?, 16).ok()?;
        i32::try_from(descriptor).ok()?;
        What::Accept
    } else {
        return None;
    };
    Some(Event { at, cpu: cpu.parse().ok()?, thread: thread.parse().ok()?, what })
}

/// `comm=a name pid=18 prio=120 target_cpu=000`
fn woken(fields: &str) -> Option<(u64, &str)> {
    let (comm, rest) = fields.strip_prefix("comm=")?.rsplit_once(" pid=")?;
    Some((rest.split(' ').next()?.parse().ok()?, comm))
}

/// A thread while the events are gone through.
struct Going {
    track: Track,
    /// What it does, since when; `None` once it has ended.
    now: Option<(u64, State, Option<u32>)>,
    /// What it did before its first event is known only by that.
    guessed: bool,
}

impl Going {
    /// It leaves its processor, which last switched at `switched`. If nobody saw it come there, the processor
    /// was idle: then it came as soon as it was ready. (Some virtual machines do not report a switch from idleness.)
    fn was_running(&mut self, switched: u64, cpu: u32) {
        if let (false, Some((since, State::Ready, _))) = (self.guessed, self.now) {
            let came = since.max(switched);
            self.track.push(since, came, State::Ready, None);
            self.now = Some((came, State::Running, Some(cpu)));
        }
    }

    /// It goes over to another state at a moment, and was in this one until then.
    fn change(&mut self, at: u64, was: (State, Option<u32>), next: Option<(State, Option<u32>)>) {
        if let Some((since, state, cpu)) = self.now {
            let (state, cpu) = if self.guessed { was } else { (state, cpu) };
            self.track.push(since, at, state, cpu);
        }
        self.guessed = false;
        self.now = next.map(|(state, cpu)| (at, state, cpu));
    }
}

/// What the threads of a server did, from all events of the machine.
fn observed(
    server: u64,
    first: &BTreeMap<u64, Sight>,
    events: &[Event],
    time: Range<u64>,
) -> Observed {
    let mut own: BTreeSet<u64> = first.keys().copied().chain([server]).collect();
    let mut threads: BTreeMap<u64, Going> = BTreeMap::new();
    for (&tid, sight) in first {
        let track = Track { tid, comm: sight.comm.clone(), stretches: Vec::new() };
        let now = Some((time.start, sight.state, Some(sight.cpu)));
        threads.insert(tid, Going { track, now, guessed: true });
    }
    let mut accepts = Vec::new();
    let mut samples = 0;
    // The last switch of each processor.
    let mut switched: BTreeMap<u32, u64> = BTreeMap::new();
    for event in events.iter().filter(|event| time.contains(&event.at)) {
        let (at, cpu) = (event.at, Some(event.cpu));
        // A thread that one of the server's has started is the server's too.
        if let What::New(tid, comm) = &event.what
            && own.contains(&event.thread)
        {
            own.insert(*tid);
            let track = Track { tid: *tid, comm: comm.clone(), stretches: Vec::new() };
            threads.insert(*tid, Going { track, now: None, guessed: false });
        }
        if let What::Switch { from, .. } = &event.what {
            let before = switched.insert(event.cpu, at).unwrap_or(time.start);
            if let Some(going) = threads.get_mut(&from.0) {
                going.was_running(before, event.cpu);
            }
        }
        let mut change = |tid: u64, comm: Option<&String>, was, next| {
            let Some(going) = threads.get_mut(&tid) else { return };
            samples += 1;
            if let Some(comm) = comm {
                going.track.comm.clone_from(comm);
            }
            going.change(at, was, next);
        };
        match &event.what {
            What::Switch { from, left, to } => {
                let next = match left {
                    Left::Ready => Some((State::Ready, None)),
                    Left::Waiting => Some((State::Waiting, None)),
                    Left::Ended => None,
                };
                change(from.0, Some(&from.1), (State::Running, cpu), next);
                let running = Some((State::Running, cpu));
                change(to.0, Some(&to.1), (State::Ready, None), running);
            }
            What::New(tid, _) => {
                change(*tid, None, (State::Waiting, None), Some((State::Ready, None)));
            }
            What::Wake(tid) => {
                // A thread can also be woken before it has left its processor: nothing changes.
                let waits = threads.get(tid).is_some_and(|thread| {
                    thread.guessed || matches!(thread.now, Some((_, State::Waiting, _)))
                });
                if waits {
                    let going = threads.get_mut(tid).expect("it was just there");
                    samples += 1;
                    going.change(at, (State::Waiting, None), Some((State::Ready, None)));
                }
            }
            What::Accept if own.contains(&event.thread) => accepts.push(at),
            What::Accept => {}
        }
    }
    for going in threads.values_mut() {
        if let Some((since, state, cpu)) = going.now {
            going.track.push(since, time.end, state, cpu);
        }
    }
    let tracks = threads.into_values().map(|going| going.track).collect();
    Observed { tracks, interval: 0, samples, longest_gap: 0, accepts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::threads::Stretch;

    /// As the kernel wrote them, with shorter numbers. Processor 1 never reports that it leaves its idle thread.
    const TRACE: &str = "\
# entries-in-buffer/entries-written: 11/11   #P:2
        client 0-6162    [001] d.s6. 46.000100: sched_wakeup: comm=rung pid=60 prio=120 target_cpu=001
        client 0-6162    [001] d..2. 46.000110: sched_switch: prev_comm=client 0 prev_pid=6162 prev_prio=120 prev_state=S ==> next_comm=rung next_pid=60 next_prio=120
            rung-60      [001] ..... 46.000115: sys_accept4 -> 0x5
            rung-60      [001] ..... 46.000116: sys_accept4 -> 0xfffffffffffffff5
            rung-60      [001] d..2. 46.000120: sched_wakeup_new: comm=rung pid=61 prio=120 target_cpu=001
            rung-60      [001] d..2. 46.000130: sched_switch: prev_comm=rung prev_pid=60 prev_prio=120 prev_state=R+ ==> next_comm=rung next_pid=61 next_prio=120
   connection) 1-61      [001] d..2. 46.000150: sched_switch: prev_comm=connection) 1 prev_pid=61 prev_prio=120 prev_state=S ==> next_comm=rung next_pid=60 next_prio=120
            rung-60      [001] d..2. 46.000160: sched_switch: prev_comm=rung prev_pid=60 prev_prio=120 prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120
          <idle>-0       [001] dNh4. 46.000200: sched_wakeup: comm=connection) 1 pid=61 prio=120 target_cpu=001
   connection) 1-61      [001] d..2. 46.000230: sched_switch: prev_comm=connection) 1 prev_pid=61 prev_prio=120 prev_state=R ==> next_comm=other next_pid=7 next_prio=120
           other-7       [000] d..2. 46.000240: sched_switch: prev_comm=other prev_pid=7 prev_prio=120 prev_state=S ==> next_comm=connection) 1 next_pid=61 next_prio=120
   connection) 1-61      [000] d..2. 46.000250: sched_switch: prev_comm=connection) 1 prev_pid=61 prev_prio=120 prev_state=X ==> next_comm=swapper/0 next_pid=0 next_prio=120
";

    fn us(time: u64) -> u64 {
        46_000_000_000 + time * 1000
    }

    fn stretches(track: &Track) -> Vec<(u64, u64, State, Option<u32>)> {
        let time = |time: u64| (time - us(0)) / 1000;
        let tuple = |it: &Stretch| (time(it.from), time(it.to), it.state, it.cpu);
        track.stretches.iter().map(tuple).collect()
    }

    #[test]
    fn every_switch_becomes_a_stretch() {
        use State::{Ready, Running, Waiting};
        let events: Vec<Event> = TRACE.lines().filter_map(parse).collect();
        assert_eq!(events.len(), 11, "all but the comment and the accept that failed");
        let sight = |comm: &str| Sight { comm: comm.into(), state: Waiting, cpu: 0 };
        let first = BTreeMap::from([(60, sight("rung")), (62, sight("ctrl-c"))]);
        let seen = observed(60, &first, &events, us(0)..us(300));
        assert_eq!(seen.accepts, [us(115)]);
        assert_eq!((seen.interval, seen.longest_gap), (0, 0));
        let [main, connection, idle] = &seen.tracks[..] else { panic!("{:?}", seen.tracks) };
        let main_did = [
            (0, 100, Waiting, None),
            (100, 110, Ready, None),
            (110, 130, Running, Some(1)),
            (130, 150, Ready, None),
            (150, 160, Running, Some(1)),
            (160, 300, Waiting, None),
        ];
        assert_eq!(stretches(main), main_did);
        // It begins, is seen to leave a processor that nobody saw it come to, changes to another, and ends.
        let connection_did = [
            (120, 130, Ready, None),
            (130, 150, Running, Some(1)),
            (150, 200, Waiting, None),
            (200, 230, Running, Some(1)),
            (230, 240, Ready, None),
            (240, 250, Running, Some(0)),
        ];
        assert_eq!(stretches(connection), connection_did);
        assert_eq!((connection.tid, connection.comm.as_str()), (61, "connection) 1"));
        assert_eq!(stretches(idle), [(0, 300, Waiting, None)]);
    }

    #[test]
    fn what_a_thread_did_before_its_first_event_follows_from_that() {
        let sight = Sight { comm: "rung".into(), state: State::Waiting, cpu: 0 };
        let first = BTreeMap::from([(60, sight)]);
        let line = "rung-60 [001] d..2. 46.000130: sched_switch: prev_comm=rung prev_pid=60 prev_prio=120 \
                    prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120";
        let seen = observed(60, &first, &[parse(line).unwrap()], us(0)..us(200));
        let did = [(0, 130, State::Running, Some(1)), (130, 200, State::Waiting, None)];
        assert_eq!(stretches(&seen.tracks[0]), did);
        assert_eq!(seen.samples, 1);
    }

    #[test]
    fn lines_of_other_kinds_are_passed_over() {
        for line in
            ["", "# tracer: nop", "CPU:1 [LOST 5 EVENTS]", "a-1 [000] d..2. 1.5: other: x=1"]
        {
            assert_eq!(parse(line), None, "{line}");
        }
    }
}
