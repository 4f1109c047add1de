//! Threads observed by looking at them about a thousand times a second, in `/proc`.
//!
//! What a sample misses, the totals of `schedstat` tell: how long a thread ran and how long it was ready
//! since it last waited, to the nanosecond. Only *when* between two samples is not known.

use std::{
    collections::BTreeMap,
    fs::File,
    mem,
    os::unix::fs::FileExt,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use records::recording::State;

use super::{
    proc::{self, ThreadStat, Totals},
    threads::{Observed, Track},
};

/// The time from one sample to the next that we aim at.
const INTERVAL: Duration = Duration::from_millis(1);

#[derive(Clone, Debug, Default)]
struct ThreadSamples {
    comm: String,
    /// When it was not there yet; `None` if it was there from the beginning.
    before: Option<u64>,
    samples: Vec<Sample>,
    /// When it was not there any more.
    gone: Option<u64>,
}

/// A thread at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sample {
    at: u64,
    state: State,
    cpu: u32,
    totals: Totals,
}

/// A thread of ours that looks at the threads of a server.
pub struct Sampler {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Observed>,
}

impl Sampler {
    pub fn start(server: u32) -> Sampler {
        let stop = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&stop);
        let builder = thread::Builder::new().name("sampler".into());
        let thread = builder.spawn(move || sample(server, &stopped));
        Sampler { stop, thread: thread.expect("one more thread can be had") }
    }

    /// Stops, and gives what it saw.
    pub fn finish(self) -> Observed {
        self.stop.store(true, Ordering::SeqCst);
        self.thread.join().expect("the sampler only reads")
    }
}

/// The two files of a thread, kept open: to open them takes longer than to read them.
struct Files {
    stat: File,
    schedstat: File,
}

impl Files {
    fn open(server: u32, tid: u64) -> Option<Files> {
        let open = |name| File::open(format!("/proc/{server}/task/{tid}/{name}")).ok();
        Some(Files { stat: open("stat")?, schedstat: open("schedstat")? })
    }

    fn read(&self) -> Option<(ThreadStat, Totals)> {
        let text = |file: &File| {
            let mut bytes = [0; 1024];
            let length = file.read_at(&mut bytes, 0).ok()?;
            Some(String::from_utf8_lossy(&bytes[..length]).into_owned())
        };
        // The totals last: a thread that waited when they were read may have run since its state was.
        let stat = proc::parse_stat(&text(&self.stat)?)?;
        Some((stat, proc::totals(&text(&self.schedstat)?)?))
    }
}

fn sample(server: u32, stopped: &AtomicBool) -> Observed {
    let mut threads: BTreeMap<u64, (Files, ThreadSamples)> = BTreeMap::new();
    let mut ended: Vec<(u64, ThreadSamples)> = Vec::new();
    let mut times = Vec::new();
    loop {
        let at = proc::now();
        times.push(at);
        for tid in proc::thread_ids(server) {
            if let (false, Some(files)) = (threads.contains_key(&tid), Files::open(server, tid)) {
                let before = times.iter().rev().nth(1).copied();
                threads.insert(tid, (files, ThreadSamples { before, ..ThreadSamples::default() }));
            }
        }
        threads.retain(|&tid, (files, seen)| {
            let at = proc::now();
            let Some((stat, totals)) = files.read() else {
                ended.push((tid, ThreadSamples { gone: Some(at), ..mem::take(seen) }));
                return false;
            };
            seen.samples.push(Sample { at, state: stat.state, cpu: stat.cpu, totals });
            // A thread gets its name when it has begun.
            seen.comm = stat.comm;
            true
        });
        if stopped.load(Ordering::SeqCst) {
            break;
        }
        thread::sleep(INTERVAL);
    }
    let end = proc::now();
    ended.extend(threads.into_iter().map(|(tid, (_, seen))| (tid, seen)));
    let tracks = ended.iter().map(|(tid, seen)| track(*tid, seen, end)).collect();
    let longest_gap = times.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or_default();
    let interval = INTERVAL.as_nanos() as u64;
    Observed { tracks, interval, samples: times.len() as u64, longest_gap, ..Observed::default() }
}

/// What a thread did, as far as its samples tell.
fn track(tid: u64, seen: &ThreadSamples, end: u64) -> Track {
    let mut track = Track { tid, comm: seen.comm.clone(), stretches: Vec::new() };
    let (Some(first), Some(last)) = (seen.samples.first(), seen.samples.last()) else {
        return track;
    };
    if let Some(before) = seen.before {
        // All that it has ever had lies before its first sample.
        let busy = first.totals.running + first.totals.ready;
        let at = first.at.saturating_sub(busy).max(before);
        let born = Sample { at, state: State::Running, cpu: first.cpu, totals: Totals::default() };
        fill(&mut track, &[born, *first]);
    }
    let mut rest = &seen.samples[..];
    // From one sample in which it waits to the next: at both its totals are exact.
    while rest.len() > 1 {
        let waits = |sample: &&Sample| sample.state == State::Waiting;
        let to = rest[1..].iter().position(|sample| waits(&sample)).map_or(rest.len(), |at| at + 2);
        fill(&mut track, &rest[..to]);
        rest = &rest[to - 1..];
    }
    let until = seen.gone.unwrap_or(end);
    track.push(last.at, until, last.state, Some(last.cpu));
    track
}

/// Fills the time from the first of these samples to the last, by the difference of their totals.
/// All between them found the thread running or ready.
fn fill(track: &mut Track, samples: &[Sample]) {
    let (first, last) = (samples[0], samples[samples.len() - 1]);
    let length = last.at.saturating_sub(first.at);
    let ready = (last.totals.ready - first.totals.ready).min(length);
    let counted = (last.totals.running - first.totals.running).min(length - ready);
    let is_busy = |sample: &Sample| sample.state == State::Running;
    // Where the stretch does not end in a wait, its totals lag behind.
    let running = match is_busy(&last) {
        true if samples.iter().all(is_busy) => length - ready,
        _ => counted,
    };
    let waiting = length - ready - running;
    let busy: Vec<&Sample> = samples.iter().filter(|sample| is_busy(sample)).collect();
    // The busy time holds the samples that found it busy; the wait is shared out on both sides.
    let from = match (busy.first(), busy.last()) {
        (Some(begin), _) if begin.at == first.at => first.at,
        (_, Some(end)) if end.at == last.at => first.at + waiting,
        (Some(begin), Some(end)) => {
            let slack = (running + ready).saturating_sub(end.at - begin.at);
            begin.at.saturating_sub(slack / 2).clamp(first.at, first.at + waiting)
        }
        _ => first.at + waiting / 2,
    };
    track.push(first.at, from, State::Waiting, None);
    track.push(from, from + ready, State::Ready, None);
    let (mut at, end) = (from + ready, from + ready + running);
    // Each sample's processor holds until half way to the next sample.
    let on = if busy.is_empty() { vec![&last] } else { busy };
    for pair in on.windows(2).filter(|pair| pair[0].cpu != pair[1].cpu) {
        let change = u64::midpoint(pair[0].at, pair[1].at).clamp(at, end);
        track.push(at, change, State::Running, Some(pair[0].cpu));
        at = change;
    }
    track.push(at, end, State::Running, on.last().map(|sample| sample.cpu));
    track.push(end, last.at, State::Waiting, None);
}

#[cfg(test)]
mod tests {
    use State::{Ready, Running, Waiting};

    use super::*;

    /// A sample: when, in what state, where, and the totals of running and ready.
    fn sample(at: u64, state: State, cpu: u32, running: u64, ready: u64) -> Sample {
        Sample { at, state, cpu, totals: Totals { running, ready } }
    }

    fn did(seen: &ThreadSamples, end: u64) -> Vec<(u64, u64, State, Option<u32>)> {
        let track = track(1, seen, end);
        track.stretches.iter().map(|it| (it.from, it.to, it.state, it.cpu)).collect()
    }

    fn of(samples: &[Sample]) -> ThreadSamples {
        ThreadSamples { samples: samples.to_vec(), ..ThreadSamples::default() }
    }

    #[test]
    fn the_totals_say_what_happened_between_the_samples() {
        // It was seen waiting each time, and yet it ran for 200 and was ready for 100.
        let seen = of(&[sample(0, Waiting, 0, 50, 5), sample(1000, Waiting, 1, 250, 105)]);
        let expected = [
            (0, 350, Waiting, None),
            (350, 450, Ready, None),
            (450, 650, Running, Some(1)),
            (650, 1200, Waiting, None),
        ];
        assert_eq!(did(&seen, 1200), expected);

        // A run holds the samples that found it. Their totals are stale: the system counts at its clock ticks.
        let samples = [
            sample(0, Waiting, 0, 0, 0),
            sample(1000, Running, 0, 0, 0),
            sample(2000, Running, 0, 0, 0),
            sample(3000, Waiting, 0, 1400, 0),
        ];
        let expected =
            [(0, 800, Waiting, None), (800, 2200, Running, Some(0)), (2200, 3000, Waiting, None)];
        assert_eq!(did(&of(&samples), 3000), expected);

        // Nobody looked for 8000, of which it ran 6000.
        let samples = [
            sample(0, Waiting, 0, 0, 0),
            sample(1000, Waiting, 0, 0, 0),
            sample(9000, Waiting, 0, 6000, 1000),
        ];
        let expected = [
            (0, 1500, Waiting, None),
            (1500, 2500, Ready, None),
            (2500, 8500, Running, Some(0)),
            (8500, 9000, Waiting, None),
        ];
        assert_eq!(did(&of(&samples), 9000), expected);
    }

    #[test]
    fn a_thread_can_begin_and_end_and_change_its_processor() {
        let samples = [(0, 0), (1000, 0), (2000, 1), (3000, 1)];
        let samples = samples.map(|(at, cpu)| sample(at, Running, cpu, at, 0));
        let expected = [(0, 1500, Running, Some(0)), (1500, 4000, Running, Some(1))];
        assert_eq!(did(&of(&samples), 4000), expected);

        let samples = [5000, 6000].map(|at| sample(at, Waiting, 1, 300, 100));
        let seen = ThreadSamples { before: Some(4000), gone: Some(6500), ..of(&samples) };
        let expected = [
            (4600, 4700, Ready, None),
            (4700, 5000, Running, Some(1)),
            (5000, 6500, Waiting, None),
        ];
        assert_eq!(did(&seen, 9000), expected);
        assert_eq!(did(&ThreadSamples::default(), 9000), [], "no sample met it");
    }

    #[test]
    fn the_stretches_follow_each_other_whatever_was_seen() {
        let mut random = fastrand::Rng::with_seed(4);
        for _ in 0..2000 {
            let mut at = 0;
            let mut totals = Totals::default();
            let samples: Vec<Sample> = (0..random.usize(1..12))
                .map(|_| {
                    at += random.u64(1..3000);
                    // The totals may say more than the time holds: they were counted later.
                    totals.running += random.u64(..4000) * random.u64(..2);
                    totals.ready += random.u64(..2000) * random.u64(..2);
                    let state = if random.bool() { Running } else { Waiting };
                    Sample { at, state, cpu: random.u32(..2), totals }
                })
                .collect();
            let first = samples[0].at;
            let end = at + 500;
            let mut time = first;
            for (from, to, state, cpu) in did(&of(&samples), end) {
                assert!(from == time && to > from, "{samples:?}");
                assert_eq!(state == Running, cpu.is_some(), "{samples:?}");
                time = to;
            }
            assert_eq!(time, end, "{samples:?}");
        }
    }

    #[test]
    fn this_process_is_seen_working() {
        let sampler = Sampler::start(std::process::id());
        let worker = thread::Builder::new().name("busy one".into()).spawn(|| {
            let begin = proc::now();
            while proc::now() - begin < 50_000_000 {}
        });
        worker.unwrap().join().unwrap();
        let observed = sampler.finish();
        assert!(observed.samples > 0 && observed.longest_gap > 0);
        let busy = observed.tracks.iter().find(|track| track.comm == "busy one").unwrap();
        let running: u64 =
            busy.stretches.iter().filter(|it| it.state == Running).map(|it| it.to - it.from).sum();
        assert!(running > 0, "{busy:?}");
    }
}
