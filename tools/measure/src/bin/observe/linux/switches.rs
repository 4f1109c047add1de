//! Turns the events of the whole machine into the timeline of each thread of one server.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Range,
};

use records::recording::State;

use super::{
    events::{Event, EventKind, PrevState},
    proc::ThreadStat,
    threads::{Observed, Track},
};

/// A thread during the replay of the events.
struct ThreadState {
    track: Track,
    /// The start of its current state, the state, and the processor; `None` once it has ended.
    now: Option<(u64, State, Option<u32>)>,
    /// Whether its current state is a guess, which its first event corrects.
    guessed: bool,
}

impl ThreadState {
    /// Tells whether it waits, as far as is known.
    fn may_wait(&self) -> bool {
        self.guessed || matches!(self.now, Some((_, State::Waiting, _)))
    }

    /// Notes that it was running on a processor, whose last switch was at `switched`. If the trace has no switch to it, the
    /// processor was idle, and it ran as soon as it was ready. (Some virtual machines report no switch from idle.)
    fn was_running(&mut self, switched: u64, cpu: u32) {
        if let (false, Some((since, State::Ready, _))) = (self.guessed, self.now) {
            let came = since.max(switched);
            self.track.push(since, came, State::Ready, None);
            self.now = Some((came, State::Running, Some(cpu)));
        }
    }

    /// Changes its state at a moment, until which it was in the state `was`.
    fn change(&mut self, at: u64, was: (State, Option<u32>), next: Option<(State, Option<u32>)>) {
        if let Some((since, state, cpu)) = self.now {
            let (state, cpu) = if self.guessed { was } else { (state, cpu) };
            self.track.push(since, at, state, cpu);
        }
        self.guessed = false;
        self.now = next.map(|(state, cpu)| (at, state, cpu));
    }
}

/// The threads of a server during the replay of the events.
#[derive(Default)]
struct Server {
    /// The ids of all threads that it has or had.
    own: BTreeSet<u64>,
    threads: BTreeMap<u64, ThreadState>,
    /// The observations so far, without the threads.
    observed: Observed,
    /// The last switch of each processor.
    switched: BTreeMap<u32, u64>,
}

/// Builds the timelines of a server's threads from all events of the machine. `first` are the threads at the start.
pub fn timelines(
    server: u64,
    first: &BTreeMap<u64, ThreadStat>,
    events: &[Event],
    time: Range<u64>,
) -> Observed {
    let own = first.keys().copied().chain([server]).collect();
    let mut all = Server { own, ..Server::default() };
    for (&tid, stat) in first {
        let track = Track { tid, comm: stat.comm.clone(), stretches: Vec::new() };
        let now = Some((time.start, stat.state, Some(stat.cpu)));
        all.threads.insert(tid, ThreadState { track, now, guessed: true });
    }
    for event in events.iter().filter(|event| time.contains(&event.at)) {
        all.event(event, time.start);
    }
    for thread in all.threads.values_mut() {
        if let Some((since, state, cpu)) = thread.now {
            thread.track.push(since, time.end, state, cpu);
        }
    }
    let tracks = all.threads.into_values().map(|thread| thread.track).collect();
    Observed { tracks, ..all.observed }
}

impl Server {
    /// Replays one event. `begin` is the start of the recording.
    fn event(&mut self, event: &Event, begin: u64) {
        let at = event.at;
        let cpu = Some(event.cpu);
        let is_own = self.own.contains(&event.thread);
        match &event.kind {
            EventKind::Switch { from, prev_state, to } => {
                let before = self.switched.insert(event.cpu, at).unwrap_or(begin);
                if let Some(thread) = self.threads.get_mut(&from.0) {
                    thread.was_running(before, event.cpu);
                }
                let next = match prev_state {
                    PrevState::Ready => Some((State::Ready, None)),
                    PrevState::Waiting => Some((State::Waiting, None)),
                    PrevState::Ended => None,
                };
                self.change(at, from.0, Some(&from.1), (State::Running, cpu), next);
                let running = Some((State::Running, cpu));
                self.change(at, to.0, Some(&to.1), (State::Ready, None), running);
            }
            EventKind::New(tid, comm) => {
                // A thread that one of the server's has started is the server's too.
                if is_own {
                    self.own.insert(*tid);
                    let track = Track { tid: *tid, comm: comm.clone(), stretches: Vec::new() };
                    self.threads.insert(*tid, ThreadState { track, now: None, guessed: false });
                }
                self.wake(at, *tid);
            }
            EventKind::Wake(tid) => {
                // A thread can also be woken before it has left its processor: nothing changes.
                if self.threads.get(tid).is_some_and(ThreadState::may_wait) {
                    self.wake(at, *tid);
                }
            }
        }
    }

    /// Makes a thread ready.
    fn wake(&mut self, at: u64, tid: u64) {
        self.change(at, tid, None, (State::Waiting, None), Some((State::Ready, None)));
    }

    /// Changes the state of a thread, if it is one of the server's.
    fn change(
        &mut self,
        at: u64,
        tid: u64,
        comm: Option<&String>,
        was: (State, Option<u32>),
        next: Option<(State, Option<u32>)>,
    ) {
        let Some(thread) = self.threads.get_mut(&tid) else { return };
        self.observed.events += 1;
        if let Some(comm) = comm {
            thread.track.comm.clone_from(comm);
        }
        thread.change(at, was, next);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linux::{events::parse, threads::Stretch};

    /// As the kernel wrote them, with shorter numbers. Processor 1 never reports that it leaves its idle thread.
    const TRACE: &str = "\
# entries-in-buffer/entries-written: 10/10   #P:2
CPU:1 [LOST 5 EVENTS]
             a-1      [000] d..2. 46.000050: other: x=1
        client 0-6162    [001] d.s6. 46.000100: sched_wakeup: comm=rung pid=60 prio=120 target_cpu=001
        client 0-6162    [001] d..2. 46.000110: sched_switch: prev_comm=client 0 prev_pid=6162 prev_prio=120 prev_state=S ==> next_comm=rung next_pid=60 next_prio=120
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

    /// The stretches of a thread, in microseconds since the beginning.
    fn stretches(track: &Track) -> Vec<(u64, u64, State, Option<u32>)> {
        let mut stretches = Vec::new();
        for &Stretch { from, to, state, cpu } in &track.stretches {
            stretches.push(((from - us(0)) / 1000, (to - us(0)) / 1000, state, cpu));
        }
        stretches
    }

    fn waiting(comm: &str) -> ThreadStat {
        ThreadStat { comm: comm.into(), state: State::Waiting, cpu: 0 }
    }

    #[test]
    fn every_switch_becomes_a_stretch() {
        use State::{Ready, Running, Waiting};
        let events: Vec<Event> = TRACE.lines().filter_map(parse).collect();
        assert_eq!(events.len(), 10, "all but what is of another kind");
        let first = BTreeMap::from([(60, waiting("rung")), (62, waiting("ctrl-c"))]);
        let seen = timelines(60, &first, &events, us(0)..us(300));
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
        let first = BTreeMap::from([(60, waiting("rung"))]);
        let line = "rung-60 [001] d..2. 46.000130: sched_switch: prev_comm=rung prev_pid=60 prev_prio=120 \
                    prev_state=S ==> next_comm=swapper/1 next_pid=0 next_prio=120";
        let seen = timelines(60, &first, &[parse(line).unwrap()], us(0)..us(200));
        let did = [(0, 130, State::Running, Some(1)), (130, 200, State::Waiting, None)];
        assert_eq!(stretches(&seen.tracks[0]), did);
        assert_eq!(seen.events, 1);
    }
}
