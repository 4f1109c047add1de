//! The names of all figures, with their units, and the names that a program may use for its own.

use std::{collections::BTreeMap, sync::LazyLock};

use anyhow::{Result, ensure};

use crate::stats::to_thousandths;

/// Every figure that a result can hold. The unit is part of the name.
pub static FIGURES: LazyLock<Vec<&str>> =
    LazyLock::new(|| GROUPS.iter().flat_map(|names| names.split(' ')).collect());

/// Figure names, grouped by the tool that reports them.
const GROUPS: [&str; 13] = [
    // Reported by wrk and ab.
    "requests_per_second requests duration_seconds concurrency latency_mean_ms latency_stdev_ms latency_max_ms \
     transfer_bytes_per_second errors errors_connect errors_read errors_write non_2xx",
    // Reported by wrk alone.
    "tool_threads transfer_bytes timeouts thread_requests_per_second_mean thread_requests_per_second_stdev \
     thread_requests_per_second_max",
    // Reported by ab, or by wrk with --latency.
    "latency_p50_ms latency_p66_ms latency_p75_ms latency_p80_ms latency_p90_ms latency_p95_ms latency_p98_ms \
     latency_p99_ms latency_p100_ms failed failed_connect failed_receive failed_length failed_exceptions html_bytes \
     total_bytes",
    // Reported by load or oha.
    "latency_p999_ms connections_opened opening_seconds idle_connections idle_lost sent requests_late due never_sent \
     unanswered errors_timeout turned_away last_answer_seconds",
    // Reported by load, for the client that asks for another page.
    "neighbour_requests neighbour_mean_ms neighbour_p999_ms neighbour_errors",
    // Reported by load with --in-time. The program `rush` prints a figure of the first name, too, and may.
    "in_time_per_second neighbour_in_time_per_second",
    // The capacity in a closed loop at the beginning of the round, if rates are shares of it.
    "capacity_per_second",
    // The generator's process: the share of the processors that it may use and has threads for.
    "generator_cpu_share_percent",
    // The server's process. Its CPU time while the generator ran, as a share of the time of the CPUs that it may use:
    // the load. User and system time: from its start to its end. Its first answer: from its start to the end of that.
    "server_cpu_seconds server_cpu_share_percent server_cpu_user_seconds server_cpu_system_seconds server_cpu_us_per_request \
     server_peak_memory_mib server_peak_threads server_voluntary_switches server_involuntary_switches \
     server_switches_per_request server_memory_mib server_first_answer_ms server_page_tables_mib",
    // Counted by the kernel while the generator ran.
    "server_syscalls server_syscalls_per_request",
    // The machine meanwhile. The CPU time of the host's other guests, and of this machine's other processes.
    "steal_seconds others_cpu_seconds cpu_pressure_seconds load_average_before listen_drops listen_overflows kernel_stack_mib",
    // How fast the server's processor was before and after the run: what a step of a fixed computation took.
    "spin_before_ns spin_after_ns",
    // Derived from these, so that no run holds them.
    "server_cpu_user_us_per_request server_cpu_system_us_per_request goodput_percent",
];

/// The fewest answers: with fewer, the CPU time of a server's start and end is no small part of the cost of each.
pub const ENOUGH_ANSWERS: f64 = 1000.0;

/// The fewest latencies: with fewer, the slowest thousandth is only a handful of them.
pub const ENOUGH_LATENCIES: f64 = 10_000.0;

/// The number of each figure that the tool or the system gives.
pub type Figures = BTreeMap<String, f64>;

/// Returns a figure of a run, if it has that: one that it holds, or one that is computed from these.
///
/// The CPU time of an answer, outside the kernel and inside, is computed from the seconds, if there are
/// [`ENOUGH_ANSWERS`]. The 99.9th percentile of the latencies counts only with [`ENOUGH_LATENCIES`].
pub fn value(figures: &Figures, name: &str) -> Option<f64> {
    let seconds = match name {
        "server_cpu_user_us_per_request" => figures.get("server_cpu_user_seconds")?,
        "server_cpu_system_us_per_request" => figures.get("server_cpu_system_seconds")?,
        "goodput_percent" => return goodput(figures),
        "latency_p999_ms" if answers(figures)? < ENOUGH_LATENCIES => return None,
        "neighbour_p999_ms" if *figures.get("neighbour_requests")? < ENOUGH_LATENCIES => {
            return None;
        }
        _ => return figures.get(name).copied(),
    };
    let answers = answers(figures)?;
    (answers >= ENOUGH_ANSWERS).then(|| to_thousandths(seconds * 1e6 / answers))
}

/// Returns the share of the requests that were due which had their answer in time, in percent: the goodput of an open loop.
fn goodput(figures: &Figures) -> Option<f64> {
    let in_time = figures.get("in_time_per_second")? * figures.get("duration_seconds")?;
    let due = *figures.get("due")?;
    (due > 0.0).then(|| to_thousandths(100.0 * in_time / due))
}

/// Counts the answers of a run; a late one is an answer, too.
fn answers(figures: &Figures) -> Option<f64> {
    let late = figures.get("requests_late").copied().unwrap_or_default();
    Some(figures.get("requests")? + late)
}

/// The figures that the tool measures of a program's process.
pub const MEASURED: [&str; 8] = [
    "program_seconds",
    "program_cpu_seconds",
    "program_cpu_user_seconds",
    "program_cpu_system_seconds",
    "program_voluntary_switches",
    "program_involuntary_switches",
    "program_peak_memory_mib",
    "program_peak_threads",
];

/// The beginnings of the names under which the tool stores what it measures itself.
const OWN: [&str; 8] = [
    "program_",
    "steal_",
    "others_",
    "cpu_pressure_",
    "load_average_",
    "listen_",
    "server_",
    "spin_",
];

/// Checks that a program may print a figure of this name. Fails when it is the tool's own name, or no name.
pub fn check_printed(name: &str) -> Result<()> {
    ensure!(
        name.starts_with(|first: char| first.is_ascii_lowercase()) && name.bytes().all(is_plain),
        "a figure's name holds small letters, digits and `_`, not `{name}`"
    );
    let is_own = OWN.iter().any(|own| name.starts_with(own));
    ensure!(!is_own, "`{name}` would be a figure that this tool measures itself");
    Ok(())
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_'
}

/// Checks that a program's runs can have a figure of this name. Fails when they can't.
pub fn check_name(name: &str) -> Result<()> {
    if MEASURED.contains(&name) { Ok(()) } else { check_printed(name) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_answer_cost_in_user_mode_and_in_the_kernel_follows_from_the_seconds() {
        let [user, kernel] = ["server_cpu_user_us_per_request", "server_cpu_system_us_per_request"];
        let held = [
            ("requests", 1500.0),
            ("requests_late", 500.0),
            ("server_cpu_user_seconds", 0.002),
            ("server_cpu_system_seconds", 0.011),
        ];
        let mut figures: Figures = held.map(|(name, figure)| (name.to_owned(), figure)).into();
        assert_eq!((value(&figures, user), value(&figures, kernel)), (Some(1.0), Some(5.5)));
        assert_eq!(value(&figures, "requests"), Some(1500.0));
        figures.insert("requests".to_owned(), 499.0);
        assert_eq!((value(&figures, user), value(&figures, kernel)), (None, None));
        figures.remove("requests");
        assert_eq!(value(&figures, user), None);
        assert!(FIGURES.contains(&user) && FIGURES.contains(&kernel));
    }

    /// A name in the list of the generators is no name of the tool's own.
    #[test]
    fn a_program_may_print_what_load_reports_too() {
        assert!(FIGURES.contains(&"in_time_per_second"));
        check_printed("in_time_per_second").unwrap();
    }

    #[test]
    fn goodput_is_the_part_of_what_was_due() {
        let held = [("in_time_per_second", 150.0), ("duration_seconds", 2.0), ("due", 400.0)];
        let mut figures: Figures = held.map(|(name, figure)| (name.to_owned(), figure)).into();
        assert_eq!(value(&figures, "goodput_percent"), Some(75.0));
        figures.remove("due");
        assert_eq!(value(&figures, "goodput_percent"), None);
    }

    #[test]
    fn the_slowest_thousandth_is_told_of_enough_latencies_only() {
        let mut figures: Figures = [("requests_late".to_owned(), 500.0)].into();
        for (name, counted, few) in [
            ("latency_p999_ms", "requests", 9_499.0),
            ("neighbour_p999_ms", "neighbour_requests", 9_999.0),
        ] {
            figures.insert(name.to_owned(), 7.0);
            figures.insert(counted.to_owned(), few);
            assert_eq!(value(&figures, name), None);
            figures.insert(counted.to_owned(), few + 1.0);
            assert_eq!(value(&figures, name), Some(7.0));
        }
    }
}
