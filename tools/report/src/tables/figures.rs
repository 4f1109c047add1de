//! Which figures of a run a table shows, and under which names.

use base::number;
use records::ladder::Run;

/// A figure of a table: its name, and the text of its cell for a run that has it.
pub type Figure = (&'static str, fn(&Run) -> Option<String>);

/// The rows of the table of one rung.
pub const ROWS: &[Figure] = &[
    ("Requests per second", |run| digits(run, "requests_per_second")),
    ("The law predicts", |run| digits(run, "law_requests_per_second")),
    ("Measured, in % of the law", |run| {
        let measured = run.figure("requests_per_second")?;
        Some(number(100.0 * measured / run.figure("law_requests_per_second")?, 1))
    }),
    ("Requests completed", |run| whole(run, "requests")),
    ("Duration, s", |run| digits(run, "duration_seconds")),
    ("The law's duration, s", |run| digits(run, "law_duration_seconds")),
    ("Latency, mean, ms", |run| digits(run, "latency_mean_ms")),
    ("Latency, highest, ms", |run| digits(run, "latency_max_ms")),
    ("Answers after more than 2 s (wrk: timeout)", |run| whole(run, "timeouts")),
    ("Errors: connect", |run| whole(run, "errors_connect")),
    ("Errors: read", |run| whole(run, "errors_read")),
    ("Errors: write", |run| whole(run, "errors_write")),
    ("Answers that are not 2xx", |run| whole(run, "non_2xx")),
    ("Failed: Length (ab; no error here)", |run| whole(run, "failed_length")),
    ("Server: CPU time, s", |run| digits(run, "server_cpu_seconds")),
    ("Server: CPU time per request, µs", |run| digits(run, "server_cpu_us_per_request")),
    ("Server: highest memory, MiB", |run| digits(run, "server_peak_memory_mib")),
    ("Server: most threads", |run| whole(run, "server_peak_threads")),
    ("Server: context switches, voluntary", |run| whole(run, "server_voluntary_switches")),
    ("Server: context switches, involuntary", |run| whole(run, "server_involuntary_switches")),
    ("Stalls: time lost, %", |run| digits(run, "stall_share_percent")),
    ("Stalls: 99 % below, ms late", |run| digits(run, "stall_p99_ms")),
];

/// The columns of the table that compares rungs.
pub const COLUMNS: &[Figure] = &[
    ("Requests/s", |run| digits(run, "requests_per_second").map(|text| text + marker(run))),
    ("Law", |run| digits(run, "law_requests_per_second")),
    ("Duration, s", |run| {
        run.figure("law_duration_seconds")?;
        digits(run, "duration_seconds")
    }),
    ("Law, s", |run| digits(run, "law_duration_seconds")),
    ("Latency, mean, ms", |run| digits(run, "latency_mean_ms")),
    ("Highest, ms", |run| digits(run, "latency_max_ms")),
    ("After 2 s", |run| whole(run, "timeouts")),
    ("Errors", |run| whole(run, "errors")),
    ("CPU per request, µs", |run| digits(run, "server_cpu_us_per_request")),
    ("Memory, MiB", |run| digits(run, "server_peak_memory_mib")),
    ("Threads", |run| whole(run, "server_peak_threads")),
    ("Switches per request", |run| digits(run, "server_switches_per_request")),
];

/// What follows a figure of a run that can't be relied on.
pub fn marker(run: &Run) -> &'static str {
    match (run.void, run.noisy) {
        (true, _) => " (void run)",
        (false, true) => " (noisy run)",
        (false, false) => "",
    }
}

/// A figure with as many digits as it deserves.
fn digits(run: &Run, figure: &str) -> Option<String> {
    let value = run.figure(figure)?;
    let decimals = match value.abs() {
        0.0 | 100.0.. => 0,
        10.0.. => 1,
        _ => 2,
    };
    Some(number(value, decimals))
}

/// A count.
fn whole(run: &Run, figure: &str) -> Option<String> {
    Some(number(run.figure(figure)?, 0))
}
