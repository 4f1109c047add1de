//! A program that is run while the machine, and a process, are watched.

use std::{
    process::Command,
    time::{Duration, Instant},
};

use anyhow::Result;
use process::{
    Ran, ServerProcess, StopFlag,
    usage::{self, Usage},
};
use records::{figures::Figures, stats::rounded};

use crate::{
    figures::named,
    monitors::{Monitor, Peaks, watch_process, watch_stalls},
};

/// What was seen of a program while it ran.
pub struct Watched {
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
    mut tick: impl FnMut(),
) -> (Result<Ran>, Watched) {
    let load_average_before = usage::load_average().map(|[one, _, _]| one);
    let counters = || {
        let (drops, overflows) = usage::listen_losses().unzip();
        [usage::steal_seconds(), usage::pressure_seconds(), drops, overflows]
    };
    let counted = counters();
    let mut monitor = process.map(watch_process);
    let stalls = watch_stalls();
    let before = usage::children_usage();
    let began = Instant::now();
    let ran = process::run(command, limit, stop, |id| {
        monitor.get_or_insert_with(|| watch_process(id));
        tick();
    });
    let seconds = began.elapsed().as_secs_f64();
    let used = usage::used_since(before);
    let stalls = stalls.finish();
    let peaks = monitor.map(Monitor::finish).unwrap_or_default();
    let now = counters();
    let grown = |at: usize| Some(rounded(now[at]? - counted[at]?));
    let machine = named([
        ("stall_share_percent", Some(stalls.share_percent)),
        ("stall_median_ms", Some(stalls.median_ms)),
        ("stall_p99_ms", Some(stalls.p99_ms)),
        ("stall_max_ms", Some(stalls.max_ms)),
        ("load_average_before", load_average_before),
        ("steal_seconds", grown(0)),
        ("cpu_pressure_seconds", grown(1)),
        ("listen_drops", grown(2)),
        ("listen_overflows", grown(3)),
    ]);
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
    let switches_count = before.is_none();
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
    let mut figures = named([
        ("kernel_stack_mib", peaks.kernel_stack_mib.map(rounded)),
        ("server_memory_mib", peaks.median_memory_mib.map(rounded)),
        ("server_peak_memory_mib", peaks.memory_mib.map(rounded)),
        ("server_peak_threads", peaks.threads),
    ]);
    // The end of one that died by itself was waited for before.
    if still_running {
        let of = |figure: fn(Usage) -> f64| used.map(figure);
        let per_request =
            |value: Option<f64>| value.filter(|_| served > 0.0).map(|value| value / served);
        let cpu = of(Usage::seconds);
        // How often it was switched before is not known.
        let switched = |figure: fn(Usage) -> f64| of(figure).filter(|_| switches_count);
        let switches = switched(|used| used.voluntary_switches + used.involuntary_switches);
        figures.extend(named([
            ("server_cpu_seconds", cpu.map(rounded)),
            ("server_cpu_user_seconds", of(|used| rounded(used.user_seconds))),
            ("server_cpu_system_seconds", of(|used| rounded(used.system_seconds))),
            ("server_cpu_us_per_request", per_request(cpu).map(|cpu| rounded(cpu * 1e6))),
            ("server_voluntary_switches", switched(|used| used.voluntary_switches)),
            ("server_involuntary_switches", switched(|used| used.involuntary_switches)),
            ("server_switches_per_request", per_request(switches).map(rounded)),
        ]));
    }
    figures
}

/// What a program used, and what its peaks were.
pub fn program_figures(watched: &Watched) -> Figures {
    let of = |figure: fn(Usage) -> f64| watched.used.map(figure);
    named([
        ("program_seconds", Some(rounded(watched.seconds))),
        ("program_cpu_seconds", of(|used| rounded(used.seconds()))),
        ("program_cpu_user_seconds", of(|used| rounded(used.user_seconds))),
        ("program_cpu_system_seconds", of(|used| rounded(used.system_seconds))),
        ("program_voluntary_switches", of(|used| used.voluntary_switches)),
        ("program_involuntary_switches", of(|used| used.involuntary_switches)),
        ("program_peak_memory_mib", watched.peaks.memory_mib.map(rounded)),
        ("program_peak_threads", watched.peaks.threads),
    ])
}
