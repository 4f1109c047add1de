//! A program that is run while the machine, and a process, are watched.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use process::{
    self, Ran, ServerProcess, StopFlag,
    system::{self, Usage},
};
use records::{figures::Figures, stats::rounded};

use crate::watch::{Peaks, ProcessMonitor, StallMonitor};

/// What came of a program that was watched.
pub struct Watched {
    /// How it ended, and what it printed.
    pub ran: anyhow::Result<Ran>,
    /// How long it took, in seconds.
    pub seconds: f64,
    /// What it used; `None` where the system does not tell.
    pub used: Option<Usage>,
    /// The peaks of the process that was watched: the server's, or its own.
    pub peaks: Peaks,
    /// What the machine did meanwhile.
    pub machine: Figures,
}

/// Runs a program to its end, and watches the machine, and this process; itself where none is named.
///
/// No other child of ours may end meanwhile.
pub fn run(
    command: &mut Command,
    process: Option<u32>,
    limit: Duration,
    stop: &StopFlag,
    tick: impl FnMut(),
) -> Watched {
    let load_average_before = system::load_average();
    let (steal, pressure) = (system::steal_seconds(), system::pressure_seconds());
    let listen = system::listen_losses();
    let mut monitor = process.map(ProcessMonitor::start);
    let stalls = StallMonitor::start();
    let before = system::children_usage();
    let began = Instant::now();
    let started = |id| {
        monitor.get_or_insert_with(|| ProcessMonitor::start(id));
    };
    let ran = process::run_and_tell(command, limit, stop, started, tick);
    let seconds = began.elapsed().as_secs_f64();
    let after = system::children_usage();
    let stalls = stalls.finish();
    let peaks = monitor.map(ProcessMonitor::finish).unwrap_or_default();

    let mut machine = Figures::new();
    let mut set = |name: &str, value: Option<f64>| {
        machine.insert(name.to_owned(), value);
    };
    let delta = |before: Option<f64>, after: Option<f64>| Some(rounded(after? - before?));
    set("stall_share_percent", Some(stalls.share_percent));
    set("stall_median_ms", Some(stalls.median_ms));
    set("stall_p99_ms", Some(stalls.p99_ms));
    set("stall_max_ms", Some(stalls.max_ms));
    set("steal_seconds", delta(steal, system::steal_seconds()));
    set("cpu_pressure_seconds", delta(pressure, system::pressure_seconds()));
    set("load_average_before", load_average_before.map(|[one, _, _]| one));
    let (drops, overflows) = listen.unzip();
    let (drops_after, overflows_after) = system::listen_losses().unzip();
    set("listen_drops", delta(drops, drops_after));
    set("listen_overflows", delta(overflows, overflows_after));
    let used = before.zip(after).map(|(before, after)| after.since(before));
    Watched { ran, seconds, used, peaks, machine }
}

/// The last line that a program wrote, complaints first: what went wrong stands there.
pub fn last_line(out: &str, complaints: &str) -> String {
    let last = |text: &str| text.trim().lines().last().map(str::to_owned);
    last(complaints).or_else(|| last(out)).unwrap_or_default()
}

/// Ends a server, and gives what it used and what its peaks were. `served` is the number of its answers.
pub fn server_figures(mut server: ServerProcess, peaks: &Peaks, served: f64) -> Figures {
    let still_running = server.program.is_running();
    // Between these two lines no other child ends, so the difference is the server's.
    let before = system::children_usage();
    drop(server);
    let after = system::children_usage();
    let mut figures = Figures::new();
    let mut set = |name: &str, value: Option<f64>| {
        figures.insert(name.to_owned(), value);
    };
    set("kernel_stack_mib", peaks.kernel_stack_mib.map(rounded));
    set("server_memory_mib", peaks.median_memory_mib.map(rounded));
    set("server_peak_memory_mib", peaks.memory_mib.map(rounded));
    set("server_peak_threads", peaks.threads);
    // The end of one that died by itself was waited for before.
    if still_running {
        let used = before.zip(after).map(|(before, after)| after.since(before));
        let per_request =
            |value: Option<f64>| value.filter(|_| served > 0.0).map(|value| value / served);
        let cpu = used.map(Usage::seconds);
        let switches = used.map(|used| used.voluntary_switches + used.involuntary_switches);
        set("server_cpu_seconds", cpu.map(rounded));
        set("server_cpu_user_seconds", used.map(|used| rounded(used.user_seconds)));
        set("server_cpu_system_seconds", used.map(|used| rounded(used.system_seconds)));
        set("server_cpu_us_per_request", per_request(cpu).map(|cpu| rounded(cpu * 1e6)));
        set("server_voluntary_switches", used.map(|used| used.voluntary_switches));
        set("server_involuntary_switches", used.map(|used| used.involuntary_switches));
        set("server_switches_per_request", per_request(switches).map(rounded));
    }
    figures
}

/// What a program used, and what its peaks were.
pub fn program_figures(watched: &Watched) -> Figures {
    let used = watched.used;
    let named = [
        ("program_seconds", Some(rounded(watched.seconds))),
        ("program_cpu_seconds", used.map(|used| rounded(used.seconds()))),
        ("program_cpu_user_seconds", used.map(|used| rounded(used.user_seconds))),
        ("program_cpu_system_seconds", used.map(|used| rounded(used.system_seconds))),
        ("program_voluntary_switches", used.map(|used| used.voluntary_switches)),
        ("program_involuntary_switches", used.map(|used| used.involuntary_switches)),
        ("program_peak_memory_mib", watched.peaks.memory_mib.map(rounded)),
        ("program_peak_threads", watched.peaks.threads),
    ];
    named.map(|(name, value)| (name.to_owned(), value)).into()
}
