//! A program that is run while the machine, and a process, are watched: how late a sleeping thread wakes, and what the
//! process uses.

use std::{
    process::Command,
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::Result;
use measure::{
    Ran, ServerProcess,
    speed::step_ns,
    usage::{self, Usage},
};
use records::{
    figures::Figures,
    machine::Stalls,
    stats::{self, finely, rounded},
};

use crate::{
    context::Context,
    figures::{named, set},
    pinning::Pinning,
};

/// How long the stall monitor sleeps each time.
const NAP: Duration = Duration::from_millis(5);

/// A delay above this counts as lost time, in milliseconds.
const LOST_ABOVE_MS: f64 = 10.0;

/// How often the server's process is looked at.
const SAMPLE_EVERY: Duration = Duration::from_millis(200);

/// A thread that watches until it is told to stop.
pub struct Monitor<T> {
    stop: Sender<()>,
    thread: JoinHandle<T>,
}

impl<T: Send + 'static> Monitor<T> {
    fn start(
        name: &str,
        work: impl FnOnce(mpsc::Receiver<()>) -> T + Send + 'static,
    ) -> Monitor<T> {
        let (stop, stopped) = mpsc::channel();
        let thread = thread::Builder::new().name(name.to_owned()).spawn(move || work(stopped));
        Monitor { stop, thread: thread.expect("one more thread can be had") }
    }

    pub fn finish(self) -> T {
        drop(self.stop);
        self.thread.join().expect("a watcher only counts")
    }
}

/// Sleeps for 5 ms again and again, and notes how late it wakes.
pub fn watch_stalls() -> Monitor<Stalls> {
    Monitor::start("stall monitor", |stopped| {
        let started = Instant::now();
        let mut late = Vec::new();
        loop {
            let asleep = Instant::now();
            // Not a wait on the channel: a plain sleep is what everybody knows.
            thread::sleep(NAP);
            late.push((asleep.elapsed().saturating_sub(NAP)).as_secs_f64() * 1000.0);
            if stopped.try_recv() != Err(mpsc::TryRecvError::Empty) {
                return stalls(late, started.elapsed());
            }
        }
    })
}

/// Sums up delays, in milliseconds.
fn stalls(mut late: Vec<f64>, watched: Duration) -> Stalls {
    late.sort_by(f64::total_cmp);
    let at = |share: f64| {
        let index = (share * late.len() as f64).ceil() as usize;
        late.get(index.max(1) - 1).copied().unwrap_or_default()
    };
    // A sum of no numbers would be -0.0.
    let lost = late.iter().filter(|&&late| late > LOST_ABOVE_MS).fold(0.0, |sum, late| sum + late);
    let watched_ms = watched.as_secs_f64() * 1000.0;
    Stalls {
        samples: late.len() as u64,
        seconds: rounded(watched.as_secs_f64()),
        median_ms: rounded(at(0.5)),
        p99_ms: rounded(at(0.99)),
        max_ms: rounded(at(1.0)),
        share_percent: rounded(100.0 * lost / watched_ms.max(1.0)),
    }
}

/// The server's peaks, as far as the system tells them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peaks {
    /// The most memory that it had, in MiB.
    pub memory_mib: Option<f64>,
    pub threads: Option<f64>,
    /// The median of the memory that it had, in MiB.
    pub median_memory_mib: Option<f64>,
    /// The most that the kernel's memory for stacks, of all processes, grew meanwhile, in MiB.
    pub kernel_stack_mib: Option<f64>,
}

/// Looks at a process five times a second.
pub fn watch_process(id: u32) -> Monitor<Peaks> {
    Monitor::start("process monitor", move |stopped| {
        let mut peaks = Peaks::default();
        let mut memory = Vec::new();
        let kernel_stack_before = usage::kernel_stack_mib();
        loop {
            let stop = stopped.recv_timeout(SAMPLE_EVERY) != Err(RecvTimeoutError::Timeout);
            // Once more at the end too: the server still runs then.
            if let Some(status) = usage::process_status(id) {
                // The kernel keeps the peak of the memory itself; the rest is only as we find it.
                peaks.memory_mib = Some(status.peak_memory_mib);
                peaks.threads = Some(peaks.threads.unwrap_or(0.0).max(status.threads));
                memory.push(status.memory_mib);
            }
            if let (Some(now), Some(before)) = (usage::kernel_stack_mib(), kernel_stack_before) {
                let most = peaks.kernel_stack_mib.unwrap_or(0.0);
                peaks.kernel_stack_mib = Some(most.max(now - before));
            }
            if stop {
                peaks.median_memory_mib = stats::median(&memory);
                return peaks;
            }
        }
    })
}

pub struct Watched {
    /// How long it took, in seconds.
    pub seconds: f64,
    pub used: Option<Usage>,
    /// The peaks of the process that was watched: the server's, or its own.
    pub peaks: Peaks,
    /// What the machine did meanwhile.
    pub machine: Figures,
}

/// Runs a program to its end, and watches the machine, and this process; itself where none is named. Before and after
/// it looks how fast the processors of the server, or of the program, are.
///
/// No other child of ours may end meanwhile.
pub fn run(
    command: &mut Command,
    process: Option<u32>,
    limit: Duration,
    pinning: &Pinning,
    context: &Context,
) -> (Result<Ran>, Watched) {
    let spin_before = step_ns(pinning.server.as_deref());
    let load_average_before = usage::load_average();
    let counters = || {
        let (drops, overflows) = usage::listen_losses().unzip();
        named([
            ("steal_seconds", usage::steal_seconds()),
            ("cpu_pressure_seconds", usage::pressure_seconds()),
            ("listen_drops", drops),
            ("listen_overflows", overflows),
        ])
    };
    let counted = counters();
    let mut monitor = process.map(watch_process);
    let stalls = watch_stalls();
    let before = usage::children_usage();
    let began = Instant::now();
    let ran = measure::run(command, limit, &context.stop, |id| {
        monitor.get_or_insert_with(|| watch_process(id));
        context.progress.tick();
    });
    let seconds = began.elapsed().as_secs_f64();
    let used = usage::used_since(before);
    let stalls = stalls.finish();
    let peaks = monitor.map(Monitor::finish).unwrap_or_default();
    let now = counters();
    let grown = |(name, before): (String, Option<f64>)| {
        let grown = now[&name].zip(before).map(|(now, before)| rounded(now - before));
        (name, grown)
    };
    let mut machine: Figures = counted.into_iter().map(grown).collect();
    let spin_after = step_ns(pinning.server.as_deref());
    machine.extend(named([
        ("stall_share_percent", Some(stalls.share_percent)),
        ("stall_median_ms", Some(stalls.median_ms)),
        ("stall_p99_ms", Some(stalls.p99_ms)),
        ("stall_max_ms", Some(stalls.max_ms)),
        ("load_average_before", load_average_before),
        ("spin_before_ns", Some(spin_before)),
        ("spin_after_ns", Some(spin_after)),
    ]));
    (ran, Watched { seconds, used, peaks, machine })
}

/// Ends a server, and gives what it used and what its peaks were. `served` is the number of its answers, and `before`
/// the processor time that it had used before the first of them, where that does not count.
pub fn server_figures(
    mut server: ServerProcess,
    peaks: &Peaks,
    served: f64,
    before: Option<(f64, f64)>,
) -> Figures {
    let (user_before, system_before) = before.unwrap_or_default();
    let still_running = server.program.is_running();
    let (user, system) = usage::children_seconds(server.program.id());
    // Between these two lines no other child ends, so the difference is the server's.
    let ended = usage::children_usage();
    drop(server);
    let used = usage::used_since(ended).map(|used| Usage {
        user_seconds: used.user_seconds + user - user_before,
        system_seconds: used.system_seconds + system - system_before,
        ..used
    });
    let mut figures = answered_figures(used.map(Usage::seconds), peaks, served);
    figures.extend(split_figures("server", used));
    let switches = used.map(|used| used.voluntary_switches + used.involuntary_switches);
    // A few switches serve a thousand requests, so a thousandth would leave a single digit.
    set(&mut figures, "server_switches_per_request", per_request(switches, served).map(finely));
    if before.is_some() {
        // The warm-up's are among them.
        figures.retain(|name, _| !name.contains("_switches"));
    }
    if !still_running {
        // The end of one that died by itself was waited for before.
        figures.retain(|name, _| !name.contains("_cpu_") && !name.contains("_switches"));
    }
    figures
}

/// What so many answers cost a server, whose processor time is in seconds, and what its peaks were.
pub fn answered_figures(seconds: Option<f64>, peaks: &Peaks, served: f64) -> Figures {
    let mut figures = used_figures("server", seconds, peaks);
    let cpu_us = per_request(seconds, served).map(|cpu| rounded(cpu * 1e6));
    figures.extend(named([
        ("kernel_stack_mib", peaks.kernel_stack_mib.map(rounded)),
        ("server_memory_mib", peaks.median_memory_mib.map(rounded)),
        ("server_cpu_us_per_request", cpu_us),
    ]));
    figures
}

fn per_request(value: Option<f64>, served: f64) -> Option<f64> {
    value.filter(|_| served > 0.0).map(|value| value / served)
}

/// What a program used, and what its peaks were.
pub fn program_figures(watched: &Watched) -> Figures {
    let seconds = watched.used.map(Usage::seconds);
    let mut figures = used_figures("program", seconds, &watched.peaks);
    figures.extend(split_figures("program", watched.used));
    set(&mut figures, "program_seconds", rounded(watched.seconds));
    figures
}

/// The processor time of a process in seconds, and its peaks, under names that begin so.
fn used_figures(whose: &str, seconds: Option<f64>, peaks: &Peaks) -> Figures {
    let figures = [
        ("cpu_seconds", seconds.map(rounded)),
        ("peak_memory_mib", peaks.memory_mib.map(rounded)),
        ("peak_threads", peaks.threads),
    ];
    figures.map(|(name, value)| (format!("{whose}_{name}"), value)).into()
}

/// How the processor time of a process divides, and how often it was switched, under names that begin so.
fn split_figures(whose: &str, used: Option<Usage>) -> Figures {
    let of = |figure: fn(Usage) -> f64| used.map(figure);
    let figures = [
        ("cpu_user_seconds", of(|used| rounded(used.user_seconds))),
        ("cpu_system_seconds", of(|used| rounded(used.system_seconds))),
        ("voluntary_switches", of(|used| used.voluntary_switches)),
        ("involuntary_switches", of(|used| used.involuntary_switches)),
    ];
    figures.map(|(name, value)| (format!("{whose}_{name}"), value)).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_are_summed_up() {
        let mut late = vec![0.1; 98];
        late.extend([11.0, 40.0]);
        let stalls = stalls(late, Duration::from_secs(1));
        assert_eq!((stalls.samples, stalls.share_percent), (100, 5.1));
        assert_eq!((stalls.median_ms, stalls.p99_ms, stalls.max_ms), (0.1, 11.0, 40.0));
        // No delay is no division by nothing.
        let stalls = super::stalls(Vec::new(), Duration::ZERO);
        assert_eq!((stalls.samples, stalls.max_ms, stalls.share_percent), (0, 0.0, 0.0));
        assert!(stalls.share_percent.is_sign_positive());
    }

    #[test]
    fn watching_counts_naps() {
        let stalls = watch_stalls().finish();
        assert!(stalls.samples >= 1, "{stalls:?}");
        assert!(stalls.seconds >= NAP.as_secs_f64() * stalls.samples as f64, "{stalls:?}");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_threads() {
        let monitor = watch_process(std::process::id());
        thread::sleep(Duration::from_millis(50));
        let peaks = monitor.finish();
        assert!(peaks.threads >= Some(2.0) && peaks.memory_mib > Some(0.1), "{peaks:?}");
        assert!(peaks.median_memory_mib > Some(0.1) && peaks.kernel_stack_mib >= Some(0.0));
    }
}
