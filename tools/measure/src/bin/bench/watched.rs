//! Runs a program, and watches the machine and a process meanwhile: what the process uses, and what others take.

use std::{
    process::Command,
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use anyhow::Result;
use cpu_speed::step_ns;
use measure::{
    Finished, ServerProcess, is_stopped,
    usage::{self, Others, Usage},
};
use records::{
    disturbance::Lost,
    figures::Figures,
    stats::{self, to_millionths, to_thousandths},
};

use crate::{
    context::Context,
    figures::{named, set},
    pinning::Pinning,
};

/// The time limit for a server to shut down.
const END_TIME: Duration = Duration::from_secs(20);

/// The interval between two samples of the server's process.
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

/// The peaks of a process, as far as the system tells them.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Peaks {
    /// The most memory that it had, in MiB.
    pub memory_mib: Option<f64>,
    pub threads: Option<f64>,
    /// The median of the memory that it had, in MiB.
    pub median_memory_mib: Option<f64>,
    /// The most that the kernel's memory for stacks, of all processes, grew meanwhile, in MiB.
    pub kernel_stack_mib: Option<f64>,
    /// The most that the kernel needed for its page tables, in MiB.
    pub page_tables_mib: Option<f64>,
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
                let page_tables = peaks.page_tables_mib.unwrap_or(0.0);
                peaks.page_tables_mib = Some(page_tables.max(status.page_tables_mib));
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

/// A run, with the usage of the processes and of the machine meanwhile.
pub struct Watched {
    /// The duration of the run, in seconds.
    pub seconds: f64,
    pub used: Option<Usage>,
    /// The CPU time that the watched process used meanwhile, in seconds; `None` where none is named, or no clock tells.
    pub process_seconds: Option<f64>,
    /// The peaks of the process that was watched: the server's, or its own.
    pub peaks: Peaks,
    /// The figures of the machine during the run.
    pub machine: Figures,
    /// The reason why the run is left out, if others used too much of the machine.
    pub left_out: Option<String>,
}

/// Runs a program to its end, and watches the machine and this process, or the program where none is named. Before and
/// after, it times a step of a fixed computation on the processors of the server, or of the program.
///
/// No other child of ours may end meanwhile.
pub fn run(
    command: &mut Command,
    process: Option<u32>,
    limit: Duration,
    pinning: &Pinning,
    context: &Context,
) -> (Result<Finished>, Watched) {
    let spin_before = step_ns(pinning.server.as_deref());
    let load_average_before = usage::load_average();
    let mut monitor = process.map(watch_process);
    let before = Counters::now();
    let children_before = usage::children_usage();
    let process_before = process.and_then(usage::cpu_seconds_so_far);
    let began = Instant::now();
    let finished = measure::run(command, limit, &context.stop, |id| {
        monitor.get_or_insert_with(|| watch_process(id));
        context.progress.tick();
    });
    let seconds = began.elapsed().as_secs_f64();
    let process_now = process.and_then(usage::cpu_seconds_so_far);
    let used = usage::used_since(children_before);
    let after = Counters::now();
    let peaks = monitor.map(Monitor::finish).unwrap_or_default();
    let spin_after = step_ns(pinning.server.as_deref());
    let process_seconds = grown(process_before, process_now);
    let others = after.others.zip(before.others);
    let lost = Lost {
        steal: grown(before.steal_seconds, after.steal_seconds),
        others: others.map(|(after, before)| after.seconds_since(&before)),
    };
    let cpus = context.machine.hardware_threads.unwrap_or(1) as f64;
    let machine = named([
        ("steal_seconds", lost.steal.map(to_thousandths)),
        ("others_cpu_seconds", lost.others.map(to_thousandths)),
        (
            "cpu_pressure_seconds",
            grown(before.pressure_seconds, after.pressure_seconds).map(to_thousandths),
        ),
        ("listen_drops", grown(before.listen_drops, after.listen_drops)),
        ("listen_overflows", grown(before.listen_overflows, after.listen_overflows)),
        ("load_average_before", load_average_before),
        ("spin_before_ns", Some(spin_before)),
        ("spin_after_ns", Some(spin_after)),
    ]);
    let left_out = lost.reason(seconds * cpus).filter(|_| context.leaves_out);
    (finished, Watched { seconds, used, process_seconds, peaks, machine, left_out })
}

/// Counters of the kernel for the machine and for the processes of others, since they started.
struct Counters {
    steal_seconds: Option<f64>,
    others: Option<Others>,
    pressure_seconds: Option<f64>,
    listen_drops: Option<f64>,
    listen_overflows: Option<f64>,
}

impl Counters {
    fn now() -> Counters {
        let (listen_drops, listen_overflows) = usage::listen_losses().unzip();
        Counters {
            steal_seconds: usage::steal_seconds(),
            others: Others::now(),
            pressure_seconds: usage::pressure_seconds(),
            listen_drops,
            listen_overflows,
        }
    }
}

/// Returns the growth of a counter.
fn grown(before: Option<f64>, now: Option<f64>) -> Option<f64> {
    Some(now? - before?)
}

/// Ends a server in good order, and returns the usage of its process from its start to its end; `None` where it doesn't
/// end, had ended before, or has started other processes, for which nobody may have waited.
pub fn end(server: &mut ServerProcess, context: &Context) -> Result<Option<Usage>> {
    if !cfg!(unix) {
        // Nothing asks it to end there.
        return Ok(None);
    }
    let has_children = !usage::children(server.program.id()).is_empty();
    let is_running = server.program.is_running();
    // From here to the server's end no other child ends, so what is added is the server's.
    let before = usage::children_usage();
    match server.end(END_TIME, &context.stop, || context.progress.tick()) {
        Err(error) if is_stopped(&error) => Err(error),
        Ok(()) if is_running && !has_children => Ok(usage::used_since(before)),
        _ => Ok(None),
    }
}

/// Returns the usage of a server: its CPU time while the generator ran; and, known from the end of its process, the user
/// and system time and the context switches of its whole life. `answers` is the number of its answers.
pub fn server_figures(
    watched: &Watched,
    ended: Option<Usage>,
    answers: f64,
    pinning: &Pinning,
) -> Figures {
    // Where no clock tells the time of a run, that of the whole life has to do.
    let seconds = watched.process_seconds.or(ended.map(Usage::seconds));
    let mut figures = used_figures("server", seconds, &watched.peaks);
    figures.extend(split_figures("server", ended));
    let share =
        seconds.map(|seconds| 100.0 * seconds / (watched.seconds * pinning.server_cpus as f64));
    let switches = ended.map(|used| used.voluntary_switches + used.involuntary_switches);
    let cpu_us = per_request(seconds, answers).map(|cpu| to_thousandths(cpu * 1e6));
    figures.extend(named([
        ("server_cpu_share_percent", share.map(to_thousandths)),
        ("server_cpu_us_per_request", cpu_us),
        // A few switches serve a thousand requests, so a thousandth would leave a single digit.
        ("server_switches_per_request", per_request(switches, answers).map(to_millionths)),
        ("kernel_stack_mib", watched.peaks.kernel_stack_mib.map(to_thousandths)),
        ("server_page_tables_mib", watched.peaks.page_tables_mib.map(to_thousandths)),
        ("server_memory_mib", watched.peaks.median_memory_mib.map(to_thousandths)),
    ]));
    figures
}

fn per_request(value: Option<f64>, served: f64) -> Option<f64> {
    value.filter(|_| served > 0.0).map(|value| value / served)
}

/// Returns the usage and the peaks of a program.
pub fn program_figures(watched: &Watched) -> Figures {
    let seconds = watched.used.map(Usage::seconds);
    let mut figures = used_figures("program", seconds, &watched.peaks);
    figures.extend(split_figures("program", watched.used));
    set(&mut figures, "program_seconds", to_thousandths(watched.seconds));
    figures
}

/// Returns the CPU time of a process in seconds and its peaks, under names with this prefix.
fn used_figures(whose: &str, seconds: Option<f64>, peaks: &Peaks) -> Figures {
    let figures = [
        ("cpu_seconds", seconds.map(to_thousandths)),
        ("peak_memory_mib", peaks.memory_mib.map(to_thousandths)),
        ("peak_threads", peaks.threads),
    ];
    prefixed(whose, figures)
}

/// Adds a prefix to the names of figures.
fn prefixed<const N: usize>(whose: &str, figures: [(&str, Option<f64>); N]) -> Figures {
    let mut named = Figures::new();
    for (name, value) in figures {
        set(&mut named, &format!("{whose}_{name}"), value);
    }
    named
}

/// Returns user and system time and the context switches of a process, under names with this prefix; none where they are
/// not known.
fn split_figures(whose: &str, used: Option<Usage>) -> Figures {
    let Some(used) = used else { return Figures::new() };
    let figures = [
        ("cpu_user_seconds", Some(to_thousandths(used.user_seconds))),
        ("cpu_system_seconds", Some(to_thousandths(used.system_seconds))),
        ("voluntary_switches", Some(used.voluntary_switches)),
        ("involuntary_switches", Some(used.involuntary_switches)),
    ];
    prefixed(whose, figures)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn this_process_has_threads() {
        let monitor = watch_process(std::process::id());
        thread::sleep(Duration::from_millis(50));
        let peaks = monitor.finish();
        assert!(peaks.threads >= Some(2.0) && peaks.memory_mib > Some(0.1), "{peaks:?}");
        assert!(peaks.median_memory_mib > Some(0.1) && peaks.kernel_stack_mib >= Some(0.0));
        assert!(peaks.page_tables_mib > Some(0.0));
    }
}
