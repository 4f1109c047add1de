//! Measured figures as a page shows them: Markdown tables, and sentences computed from the numbers.

use std::fmt::Write;

use anyhow::{Result, bail};
use base::number;
use records::{
    ladder::{Run, Session},
    results::Results,
};

/// What stands where a tool or a system gives no figure.
pub(crate) const ABSENT: &str = "–";

/// One line of a table: its name, and the text of its cell for a run that has such a figure.
type Row = (&'static str, fn(&Run) -> Option<String>);

/// The rows of the table of one rung.
const ROWS: &[Row] = &[
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
    ("Latency, median, ms", |run| digits(run, "latency_p50_ms")),
    ("Latency, 99 % below, ms", |run| digits(run, "latency_p99_ms")),
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

/// The columns of the table that sets the rungs side by side.
const COLUMNS: &[Row] = &[
    ("Requests/s", |run| digits(run, "requests_per_second").map(|text| text + marker(run))),
    ("Law", |run| digits(run, "law_requests_per_second")),
    ("Duration, s", |run| {
        run.figure("law_duration_seconds")?;
        digits(run, "duration_seconds")
    }),
    ("Law, s", |run| digits(run, "law_duration_seconds")),
    ("Latency, mean, ms", |run| digits(run, "latency_mean_ms")),
    ("Median, ms", |run| digits(run, "latency_p50_ms")),
    ("99 %, ms", |run| digits(run, "latency_p99_ms")),
    ("Highest, ms", |run| digits(run, "latency_max_ms")),
    ("After 2 s", |run| whole(run, "timeouts")),
    ("Errors", |run| whole(run, "errors")),
    ("CPU per request, µs", |run| digits(run, "server_cpu_us_per_request")),
    ("Memory, MiB", |run| digits(run, "server_peak_memory_mib")),
    ("Threads", |run| whole(run, "server_peak_threads")),
    ("Switches per request", |run| digits(run, "server_switches_per_request")),
];

/// A run in a table, and whether it is the reader's.
type Entry<'a> = (&'a Run, bool);

/// The table of one rung: a column for each benchmark, notes below. Beside each column stands the
/// reader's own, if there is one.
///
/// # Errors
/// When the rung is unknown or has no results.
pub fn rung(results: &Results, yours: Option<&Results>, rung: &str) -> Result<String> {
    if results.get(rung, "wrk-sleep").is_none() {
        // Names whatever is wrong: no such rung, no results at all, or not this one.
        results.run(rung, "wrk-sleep")?;
    }
    let runs = beside(results.runs_of(rung), yours);
    let mut text = String::new();
    for (run, _) in runs.iter().filter(|(_, is_yours)| !is_yours) {
        let _ = writeln!(text, "- {}: {} against {}", code(&run.bench), command(run), server(run));
    }
    text.push('\n');
    text += &origins(results, yours, &runs, "column", "to the left of it");
    text += "| Figure |";
    for (run, is_yours) in &runs {
        let _ = write!(text, " {}{} |", of(*is_yours), code(&run.bench));
    }
    text += "\n|---|";
    text += &"---:|".repeat(runs.len());
    text.push('\n');
    let (rows, zeros) = without_zeros(filled(ROWS, &runs));
    for (name, cells) in rows {
        let _ = writeln!(text, "| {name} | {} |", cells.join(" | "));
    }
    text += &notes(&runs, &zeros, |run| code(&run.bench));
    Ok(text)
}

/// The table that sets these rungs side by side for one benchmark. Below each row stands the
/// reader's own, if there is one.
///
/// # Errors
/// When one of them has no result.
pub fn compare(
    results: &Results,
    yours: Option<&Results>,
    bench: &str,
    rungs: &[&str],
) -> Result<String> {
    let runs = rungs.iter().map(|rung| results.run(rung, bench)).collect::<Result<Vec<_>>>()?;
    let runs = beside(runs, yours);
    let (columns, zeros) = without_zeros(filled(COLUMNS, &runs));
    let mut text = origins(results, yours, &runs, "row", "above it");
    text += "| Server |";
    for (name, _) in &columns {
        let _ = write!(text, " {name} |");
    }
    text += "\n|---|";
    text += &"---:|".repeat(columns.len());
    text.push('\n');
    for (index, (run, is_yours)) in runs.iter().enumerate() {
        // A long name may go on in the next line behind a `_`, but nowhere else.
        let name = run.rung.replace('_', "_<wbr>");
        let _ = write!(text, "| {}<code>{name}</code> |", of(*is_yours));
        for (_, cells) in &columns {
            let _ = write!(text, " {} |", cells[index]);
        }
        text.push('\n');
    }
    text += &notes(&runs, &zeros, |run| code(&run.rung));
    Ok(text)
}

/// A row or a column of a table: its name, and the text of its cells.
pub(crate) type Column = (&'static str, Vec<String>);

/// The name and the cells of each row or column that at least one of the runs has a figure for.
fn filled(rows: &[Row], runs: &[Entry]) -> Vec<Column> {
    let cells = |cell: fn(&Run) -> Option<String>| -> Option<Vec<String>> {
        let cells: Vec<Option<String>> = runs.iter().map(|(run, _)| cell(run)).collect();
        let is_there = cells.iter().any(Option::is_some);
        let text = |cell: Option<String>| cell.unwrap_or_else(|| ABSENT.to_owned());
        is_there.then(|| cells.into_iter().map(text).collect())
    };
    rows.iter().filter_map(|(name, cell)| Some((*name, cells(*cell)?))).collect()
}

/// Takes out what is 0 wherever it is known, and returns the names of that apart.
pub(crate) fn without_zeros(rows: Vec<Column>) -> (Vec<Column>, Vec<&'static str>) {
    let says_something = |cells: &[String]| cells.iter().any(|cell| cell != "0" && cell != ABSENT);
    let (kept, zeros): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|(_, cells)| says_something(cells));
    (kept, zeros.into_iter().map(|(name, _)| name).collect())
}

/// The sentence below a table that names what [`without_zeros`] has taken out.
pub(crate) fn zeros_sentence(names: &[&str]) -> Option<String> {
    let names: Vec<String> = names.iter().map(|name| format!("*{name}*")).collect();
    let [most @ .., last] = &names[..] else { return None };
    let and = if most.is_empty() { "" } else { " and " };
    let why = if most.is_empty() { "it is 0 throughout" } else { "they are 0 throughout" };
    Some(format!("Left out, because {why}: {}{and}{last}.", most.join(", ")))
}

/// What stands before a name if the run is the reader's.
fn of(is_yours: bool) -> &'static str {
    if is_yours { "*yours:* " } else { "" }
}

/// Each run with the reader's own after it, if there is one.
fn beside<'a>(
    runs: impl IntoIterator<Item = &'a Run>,
    yours: Option<&'a Results>,
) -> Vec<Entry<'a>> {
    let pair = |run: &'a Run| {
        let own = yours.and_then(|yours| yours.get(&run.rung, &run.bench));
        [Some((run, false)), own.map(|own| (own, true))].into_iter().flatten()
    };
    runs.into_iter().flat_map(pair).collect()
}

/// The sentence on top of a table that says whose figures are whose; nothing if all are the book's.
fn origins(
    results: &Results,
    yours: Option<&Results>,
    runs: &[Entry],
    what: &str,
    place: &str,
) -> String {
    if !runs.iter().any(|(_, is_yours)| *is_yours) {
        return String::new();
    }
    let line = |results: &Results| machine_line(results).ok();
    let unknown = || "a machine that is not described".to_owned();
    format!(
        "This book's machine: {}. Yours: {}. Each {what} marked *yours* belongs to the one {place}.\n\n",
        line(results).unwrap_or_else(unknown),
        yours.and_then(line).unwrap_or_else(unknown)
    )
}

/// What a reader must know to read the figures right, as a list.
fn notes(entries: &[Entry], zeros: &[&str], name: impl Fn(&Run) -> String) -> String {
    let runs: Vec<&Run> = entries.iter().map(|(run, _)| *run).collect();
    let mut notes: Vec<String> = zeros_sentence(zeros).into_iter().collect();
    for (run, is_yours) in entries {
        let name = |run: &Run| format!("{}{}", of(*is_yours), name(run));
        if let Some(sentence) = reduced(run) {
            notes.push(format!("{}: {sentence}", name(run)));
        }
        if run.void {
            let why = format!("{} (void): {}.", name(run), void_reason(run));
            notes.push(why);
        } else if !run.void_attempts.is_empty() {
            let count = run.void_attempts.len();
            let times = if count == 1 { "attempt was" } else { "attempts were" };
            let reason = &run.void_attempts[0].reason;
            notes.push(format!(
                "{}: {count} earlier {times} void ({reason}), and measured again.",
                name(run)
            ));
        }
        if run.noisy {
            notes.push(format!("{} is a noisy run: {}.", name(run), run.noisy_reason));
        }
    }
    if runs.iter().any(|run| run.figure("timeouts").is_some_and(|count| count > 0.0)) {
        notes.push(
            "wrk calls an answer that takes longer than 2 s a timeout. It counts among the requests, \
             but wrk leaves it out of its latency figures."
                .to_owned(),
        );
    }
    if runs.iter().any(|run| run.figure("failed_length").is_some_and(|count| count > 0.0)) {
        notes.push(
            "ab takes the length of its first answer for the length of all, and counts others as failed. \
             The answers of `/tenth` differ in length, so these are no errors."
                .to_owned(),
        );
    }
    for is_yours in [false, true] {
        if entries.iter().any(|(run, yours)| run.quick && *yours == is_yours) {
            let whose = if is_yours { "Yours were measured" } else { "Measured" };
            notes.push(format!("{whose} with `--quick`: shorter than the sources' command lines."));
        }
    }
    if runs.iter().any(|run| run.wire_tests_passed.is_none()) {
        notes.push("Measured without running the wire tests first.".to_owned());
    }
    let absent = [
        ("server_cpu_seconds", "the server's CPU time and context switches"),
        ("server_peak_memory_mib", "its memory and threads"),
    ];
    for (figure, what) in absent {
        if runs.iter().all(|run| run.figure(figure).is_none()) {
            notes.push(format!("This system did not tell {what}."));
        }
    }
    if notes.is_empty() {
        return String::new();
    }
    notes.iter().fold(String::from("\n"), |text, note| text + "- " + note + "\n")
}

fn void_reason(run: &Run) -> String {
    let reason = run.void_attempts.last().map_or("too many errors", |attempt| &attempt.reason);
    format!("every attempt had too many errors, the last one {reason}; these figures prove nothing")
}

/// The tool's command line, as a reader would type it: with the rungs' default port.
pub fn command(run: &Run) -> String {
    command_line(&run.tool.argv)
}

/// A generator's command line with the rungs' default port in its URL.
pub(crate) fn command_line(argv: &[String]) -> String {
    let words = argv.iter().map(|word| match word.strip_prefix("http://127.0.0.1:") {
        Some(rest) => {
            format!("http://127.0.0.1:8080{}", &rest[rest.find('/').unwrap_or(rest.len())..])
        }
        None => word.clone(),
    });
    code(&words.collect::<Vec<_>>().join(" "))
}

/// The server's command line.
pub fn server(run: &Run) -> String {
    code(&run.server.argv.join(" "))
}

/// The sentence that says why a run had fewer requests, if it had.
pub fn reduced(run: &Run) -> Option<String> {
    let reduced = run.reduced.as_ref()?;
    Some(format!(
        "{} requests instead of {}: {}.",
        number(reduced.requests as f64, 0),
        number(reduced.instead_of as f64, 0),
        reduced.reason
    ))
}

/// What stands behind a figure of a run that can't be relied on.
pub fn marker(run: &Run) -> &'static str {
    match (run.void, run.noisy) {
        (true, _) => " (void run)",
        (false, true) => " (noisy run)",
        (false, false) => "",
    }
}

/// Inline code that survives a `|` in a table and a backtick inside.
pub fn code(text: &str) -> String {
    let text = text.replace('|', "\\|");
    if text.contains('`') { format!("`` {text} ``") } else { format!("`{text}`") }
}

/// One field of the machine.
///
/// # Errors
/// When there is no such field, or the system did not tell it.
pub fn machine_field(results: &Results, name: &str) -> Result<String> {
    let file = results.machine()?;
    let machine = &file.machine;
    let count = |value: Option<u64>| value.map(|value| value.to_string());
    let session = file.sessions.last();
    let value = match name {
        "cpu_model" => machine.cpu_model.clone(),
        "physical_cores" => count(machine.physical_cores),
        "hardware_threads" => count(machine.hardware_threads),
        "memory_gib" => machine.memory_mib.map(gib),
        "kernel" => machine.kernel.clone(),
        "operating_system" => machine.operating_system.clone(),
        "rustc" => Some(file.rustc.clone()),
        "wrk" | "ab" => file.tools.get(name).cloned(),
        "date" => session.map(|session| day(&session.started).to_owned()),
        "commit" => session.and_then(|session| session.commit.head.clone()),
        "seed" => session.map(|session| session.seed.to_string()),
        _ => bail!(
            "there is no field `{name}` of the machine; there are cpu_model, physical_cores, \
             hardware_threads, memory_gib, kernel, operating_system, rustc, wrk, ab, date, commit, seed"
        ),
    };
    match value {
        Some(value) => Ok(value),
        None => bail!("machine.json does not know {name}"),
    }
}

/// The machine in half a sentence.
///
/// # Errors
/// When nothing was measured yet.
pub fn machine_line(results: &Results) -> Result<String> {
    let file = results.machine()?;
    let machine = &file.machine;
    let mut parts = vec![machine.cpu_model.clone().unwrap_or("an unnamed processor".to_owned())];
    parts.extend(machine.physical_cores.map(|count| plural(count, "core")));
    parts.extend(machine.hardware_threads.map(|count| plural(count, "hardware thread")));
    parts.extend(machine.memory_mib.map(|mib| format!("{} GiB of memory", gib(mib))));
    parts.extend(machine.kernel.clone());
    parts.extend(file.sessions.last().map(|session| format!("on {}", day(&session.started))));
    Ok(parts.join(", "))
}

/// The machine and the sessions, as a table.
///
/// # Errors
/// When nothing was measured yet.
pub fn machine(results: &Results) -> Result<String> {
    let file = results.machine()?;
    let machine = &file.machine;
    let unknown = || "not told by this system".to_owned();
    let count = |value: Option<u64>| value.map_or_else(unknown, |value| value.to_string());
    let text = |value: &Option<String>| value.clone().unwrap_or_else(unknown);
    let mut rows = vec![
        ("Processor", text(&machine.cpu_model)),
        ("Physical cores", count(machine.physical_cores)),
        ("Hardware threads", count(machine.hardware_threads)),
        ("Memory", machine.memory_mib.map_or_else(unknown, |mib| format!("{} GiB", gib(mib)))),
        ("Operating system", text(&machine.operating_system)),
        ("Kernel", text(&machine.kernel)),
        ("Compiler", file.rustc.clone()),
        ("Servers built with", code(&format!("cargo build --{}", file.profile))),
    ];
    for (tool, version) in &file.tools {
        rows.push((if tool == "ab" { "ab" } else { "wrk" }, version.clone()));
    }
    rows.push(("Open files allowed", count(file.descriptor_limit)));
    rows.push(("Bound to processors", file.pinning.clone()));
    for session in &file.sessions {
        rows.push(("Measured", measured(session)));
        rows.push(("Commit", commit(session)));
        rows.push((
            "Order",
            format!(
                "{}, shuffled with the seed {}",
                plural(session.order.len() as u64, "run"),
                session.seed
            ),
        ));
        if let Some([one, five, fifteen]) = session.load_average_before {
            rows.push((
                "Load average before",
                format!("{one:.2}, {five:.2}, {fifteen:.2} (over 1, 5 and 15 minutes)"),
            ));
        }
        if let Some(stalls) = &session.idle_stalls {
            rows.push((
                "Stalls before the runs",
                format!(
                    "median {:.2} ms, 99 % below {:.1} ms, worst {:.1} ms; {:.2} % of the time lost",
                    stalls.median_ms, stalls.p99_ms, stalls.max_ms, stalls.share_percent
                ),
            ));
        }
    }
    let mut table = String::from("| Property | Value |\n|---|---|\n");
    for (name, value) in rows {
        let _ = writeln!(table, "| {name} | {} |", value.replace('|', "\\|"));
    }
    Ok(table)
}

fn measured(session: &Session) -> String {
    let quick = if session.quick { ", shortened with `--quick`" } else { "" };
    format!("{} to {} (UTC){quick}", minute(&session.started), minute(&session.finished))
}

fn commit(session: &Session) -> String {
    let Some(head) = &session.commit.head else { return "unknown: no git here".to_owned() };
    let dirty = match session.commit.dirty {
        Some(true) => ", with changes that were not committed",
        _ => "",
    };
    format!("`{}`{dirty}", &head[..head.len().min(12)])
}

/// How noisy the machine was, in words: over all runs, or over those of one rung.
///
/// # Errors
/// When nothing was measured yet, or not on this rung.
pub fn noise(results: &Results, rung: Option<&str>) -> Result<String> {
    results.machine()?;
    let runs: Vec<&Run> = match rung {
        Some(rung) => {
            let runs: Vec<&Run> = results.runs_of(rung).collect();
            if runs.is_empty() {
                results.run(rung, "wrk-sleep")?;
            }
            runs
        }
        None => results.runs().collect(),
    };
    let name = |run: &Run| match rung {
        Some(_) => code(&run.bench),
        None => code(&format!("{}/{}", run.rung, run.bench)),
    };
    let mut text = String::new();
    if rung.is_none() {
        let sessions = &results.machine()?.sessions;
        let before = sessions.iter().filter_map(|session| session.idle_stalls.as_ref());
        // Of several sessions the one that began worst.
        let idle = before.max_by(|one, other| one.max_ms.total_cmp(&other.max_ms));
        if let Some(idle) = idle {
            let _ = write!(
                text,
                "A thread slept for 5 ms again and again and noted how late it woke. \
                 Before the runs, while we started nothing, it woke {:.2} ms late in the median, \
                 at most {:.1} ms late in 99 of 100 cases, and {:.1} ms late at worst. ",
                idle.median_ms, idle.p99_ms, idle.max_ms
            );
        }
    }
    if let Some(worst) = largest(&runs, "stall_max_ms") {
        let late = worst.figure("stall_max_ms").unwrap_or_default();
        let lost = largest(&runs, "stall_share_percent")
            .and_then(|run| run.figure("stall_share_percent"))
            .unwrap_or_default();
        let _ = write!(
            text,
            "While these servers were measured, a thread that asked to wake every 5 ms woke up to {} ms late ({}), \
             and at most {} % of a run's time was lost in delays of more than 10 ms. ",
            number(late, 1),
            name(worst),
            number(lost, 1)
        );
    }
    let total = |figure: &str| -> Option<f64> {
        let values: Vec<f64> = runs.iter().filter_map(|run| run.figure(figure)).collect();
        (!values.is_empty()).then(|| values.iter().sum())
    };
    if rung.is_none() {
        if let Some(steal) = total("steal_seconds") {
            let _ = write!(
                text,
                "The kernel says that the host took {} s of processor time away in all. ",
                number(steal, 1)
            );
        }
        if let Some(pressure) = total("cpu_pressure_seconds") {
            let _ = write!(
                text,
                "For {} s of the runs' {} s at least one thread was ready and found no processor free. ",
                number(pressure, 0),
                number(total("duration_seconds").unwrap_or_default(), 0)
            );
        }
        text += "Server and tool share the machine and are bound to no processor, so part of every \
                 delay is their own doing. ";
    }
    let noisy: Vec<String> = runs.iter().filter(|run| run.noisy).map(|run| name(run)).collect();
    match noisy.len() {
        0 => text += "None of these runs counts as noisy.",
        count => {
            let _ = write!(
                text,
                "**{count} of {} count as noisy** (more than {} % of the time lost, or more than 1 in 100 \
                 wake-ups over {} ms late): {}.",
                plural(runs.len() as u64, "run"),
                records::description::NOISY_SHARE_PERCENT,
                records::description::NOISY_P99_MS,
                noisy.join(", ")
            );
        }
    }
    Ok(text)
}

fn largest<'a>(runs: &[&'a Run], figure: &str) -> Option<&'a Run> {
    let value = |run: &Run| run.figure(figure);
    runs.iter()
        .copied()
        .filter(|run| value(run).is_some())
        .max_by(|one, other| value(one).unwrap_or(0.0).total_cmp(&value(other).unwrap_or(0.0)))
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

/// So many of something: "1 round", "2 rounds".
pub fn plural(count: u64, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {what}{s}", number(count as f64, 0))
}

fn gib(mib: u64) -> String {
    number(mib as f64 / 1024.0, 1)
}

/// The day of a moment in RFC 3339.
pub(crate) fn day(moment: &str) -> &str {
    moment.split('T').next().unwrap_or(moment)
}

/// A moment in RFC 3339 up to the minute, for people.
fn minute(moment: &str) -> String {
    moment.get(..16).unwrap_or(moment).replace('T', " ")
}

#[cfg(test)]
mod tests {
    use records::{
        ladder::{Reduced, write_machine, write_run},
        testing::{example_machine, example_run},
    };

    use super::*;

    fn results(runs: &[Run]) -> Results {
        let folder = tempfile::tempdir().unwrap();
        for run in runs {
            write_run(folder.path(), run, "raw").unwrap();
        }
        write_machine(folder.path(), &example_machine()).unwrap();
        Results::read(folder.path()).unwrap()
    }

    #[test]
    fn a_rungs_table_has_a_column_for_each_benchmark() {
        let sleep = example_run(
            "ch03_threadpool",
            "wrk-sleep",
            &[
                ("requests_per_second", 79.0),
                ("law_requests_per_second", 80.0),
                ("timeouts", 3.0),
                ("errors_read", 0.0),
                ("non_2xx", 0.0),
            ],
        );
        let mut root =
            example_run("ch03_threadpool", "wrk-root", &[("requests_per_second", 12345.6)]);
        root.noisy = true;
        root.noisy_reason = "7 % lost".to_owned();
        let table = rung(&results(&[sleep, root]), None, "ch03_threadpool").unwrap();
        assert!(
            table.contains("| Figure | `wrk-sleep` | `wrk-root` |\n|---|---:|---:|\n"),
            "{table}"
        );
        assert!(table.contains("| Requests per second | 79.0 | 12,346 |"), "{table}");
        assert!(table.contains("| Measured, in % of the law | 98.8 | – |"), "{table}");
        assert!(table.contains("- `wrk-root` is a noisy run: 7 % lost."), "{table}");
        assert!(table.contains("longer than 2 s"), "{table}");
        assert!(table.contains("`wrk -t12 -c500 -d20s http://127.0.0.1:8080/sleep`"), "{table}");
        // No run has it, so no row has it.
        assert!(!table.contains("median"), "{table}");
        let zeros = "- Left out, because they are 0 throughout: *Errors: read* and *Answers that are not 2xx*.";
        assert!(table.contains(zeros) && !table.contains("| Errors: read"), "{table}");
    }

    #[test]
    fn a_comparison_wants_every_rung_it_names() {
        let figures = [("requests_per_second", 5.0), ("errors", 0.0)];
        let mut one = example_run("ch01_single_threaded", "ab-tenth", &figures);
        one.reduced = Some(Reduced {
            requests: 500,
            instead_of: 10000,
            reason: "the law says 2,000 s".to_owned(),
        });
        let results = results(&[one]);
        let table = compare(&results, None, "ab-tenth", &["ch01_single_threaded"]).unwrap();
        assert!(table.contains("500 requests instead of 10,000: the law says 2,000 s."), "{table}");
        assert!(table.contains("| Server | Requests/s |\n"), "{table}");
        assert!(table.contains("- Left out, because it is 0 throughout: *Errors*.\n"), "{table}");
        let error = compare(&results, None, "ab-tenth", &["ch06_tokio"]).unwrap_err().to_string();
        assert!(error.contains("no result ch06_tokio/ab-tenth.json"), "{error}");
    }

    #[test]
    fn yours_stands_beside_the_books() {
        let rate = |rung, rate| example_run(rung, "wrk-sleep", &[("requests_per_second", rate)]);
        let ours = results(&[rate("ch03_threadpool", 79.0), rate("ch06_tokio", 4755.0)]);
        let mut sketch = rate("ch03_threadpool", 12.0);
        sketch.quick = true;
        sketch.noisy = true;
        let yours = results(&[sketch]);
        let table = compare(&ours, Some(&yours), "wrk-sleep", &["ch03_threadpool", "ch06_tokio"]);
        let table = table.unwrap();
        for part in [
            "This book's machine: A Processor, 1 core, 2 hardware threads, 2.0 GiB of memory, Linux 6, \
             on 2025-01-02. Yours: A Processor",
            "Each row marked *yours* belongs to the one above it.\n\n| Server |",
            "| <code>ch03_<wbr>threadpool</code> | 79.0 |",
            "| *yours:* <code>ch03_<wbr>threadpool</code> | 12.0 (noisy run) |",
            "- *yours:* `ch03_threadpool` is a noisy run: quiet.",
            "- Yours were measured with `--quick`",
        ] {
            assert!(table.contains(part), "no {part} in:\n{table}");
        }
        assert!(!table.contains("- Measured with"), "{table}");
        assert!(!table.contains("*yours:* <code>ch06_<wbr>tokio"), "{table}");
        let table = rung(&ours, Some(&yours), "ch03_threadpool").unwrap();
        assert!(
            table.contains("| Figure | `wrk-sleep` | *yours:* `wrk-sleep` |\n|---|---:|---:|\n"),
            "{table}"
        );
        assert!(table.contains("| Requests per second | 79.0 | 12.0 |"), "{table}");
        // Of a rung that the reader has not measured, the table is the book's alone.
        let table = rung(&ours, Some(&yours), "ch06_tokio").unwrap();
        assert_eq!(table, rung(&ours, None, "ch06_tokio").unwrap());
    }

    #[test]
    fn the_machine_and_its_noise_in_words() {
        let run = example_run(
            "ch06_tokio",
            "wrk-sleep",
            &[("stall_max_ms", 31.25), ("stall_share_percent", 0.5), ("steal_seconds", 0.1)],
        );
        let results = results(&[run]);
        assert_eq!(
            machine_line(&results).unwrap(),
            "A Processor, 1 core, 2 hardware threads, 2.0 GiB of memory, Linux 6, on 2025-01-02"
        );
        assert_eq!(machine_field(&results, "hardware_threads").unwrap(), "2");
        assert!(machine_field(&results, "colour").is_err());
        assert!(machine_field(&results, "operating_system").is_err());
        assert!(machine(&results).unwrap().contains("| Processor | A Processor |"));
        let text = noise(&results, Some("ch06_tokio")).unwrap();
        assert!(text.contains("up to 31.2 ms late (`wrk-sleep`)"), "{text}");
        assert!(text.ends_with("None of these runs counts as noisy."), "{text}");
        assert!(noise(&results, Some("ch02_thread_spawn")).is_err());
    }
}
