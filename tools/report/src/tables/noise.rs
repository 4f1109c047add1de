//! What the machine did to the figures, in words.

use std::fmt::Write;

use anyhow::Result;
use base::number;
use records::{
    description::{NOISY_P99_MS, NOISY_SHARE_PERCENT},
    ladder::{MachineFile, Run},
    results::Results,
};

use crate::text::{code, plural};

/// How noisy the machine was, in words: over all runs, or over the runs of one rung.
///
/// # Errors
/// When nothing was measured yet, or not on this rung.
pub fn noise(results: &Results, rung: Option<&str>) -> Result<String> {
    let file = results.machine()?;
    let runs: Vec<&Run> = match rung {
        Some(rung) => results.runs_of(rung).collect(),
        None => results.runs().collect(),
    };
    if let (Some(rung), []) = (rung, &runs[..]) {
        results.run(rung, "wrk-sleep")?;
    }
    let name = |run: &Run| match rung {
        Some(_) => code(&run.bench),
        None => code(&format!("{}/{}", run.rung, run.bench)),
    };
    let mut text = if rung.is_none() { before_the_runs(file) } else { String::new() };
    if let Some((worst, late)) = largest(&runs, "stall_max_ms") {
        let lost = largest(&runs, "stall_share_percent").map_or(0.0, |(_, lost)| lost);
        let _ = write!(
            text,
            "While these servers were measured, a thread that asked to wake every 5 ms woke up to {} ms late ({}), \
             and at most {} % of a run's time was lost in delays of more than 10 ms. ",
            number(late, 1),
            name(worst),
            number(lost, 1)
        );
    }
    if rung.is_none() {
        text += &processors_taken(&runs);
    }
    let noisy: Vec<String> = runs.iter().filter(|run| run.noisy).map(|run| name(run)).collect();
    if noisy.is_empty() {
        return Ok(text + "None of these runs counts as noisy.");
    }
    let _ = write!(
        text,
        "**{} of {} count as noisy** (more than {NOISY_SHARE_PERCENT} % of the time lost, or more than 1 in 100 \
         wake-ups over {NOISY_P99_MS} ms late): {}.",
        noisy.len(),
        plural(runs.len() as u64, "run"),
        noisy.join(", ")
    );
    Ok(text)
}

/// How late a thread woke while nothing was measured: of several sessions in the one that began worst.
fn before_the_runs(file: &MachineFile) -> String {
    let idle = file.sessions.iter().filter_map(|session| session.idle_stalls.as_ref());
    let worst = idle.max_by(|one, other| one.max_ms.total_cmp(&other.max_ms));
    worst.map_or_else(String::new, |idle| {
        format!(
            "A thread slept for 5 ms again and again and noted how late it woke. \
             Before the runs, while we started nothing, it woke {:.2} ms late in the median, \
             at most {:.1} ms late in 99 of 100 cases, and {:.1} ms late at worst. ",
            idle.median_ms, idle.p99_ms, idle.max_ms
        )
    })
}

/// How much time on processors the host took away, and how long threads had to wait for one.
fn processors_taken(runs: &[&Run]) -> String {
    let total =
        |figure: &str| runs.iter().filter_map(|run| run.figure(figure)).reduce(|a, b| a + b);
    let mut text = String::new();
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
    text + "Server and tool share the machine and are bound to no processor, so part of every delay is their own doing. "
}

/// The run in which a figure is largest, and the figure.
fn largest<'a>(runs: &[&'a Run], figure: &str) -> Option<(&'a Run, f64)> {
    let values = runs.iter().filter_map(|run| Some((*run, run.figure(figure)?)));
    values.max_by(|(_, one), (_, other)| one.total_cmp(other))
}

#[cfg(test)]
mod tests {
    use records::testing::example_run;

    use super::*;
    use crate::testing::{has, results};

    #[test]
    fn the_noise_of_the_machine_in_words() {
        let figures =
            [("stall_max_ms", 31.25), ("stall_share_percent", 0.5), ("steal_seconds", 0.1)];
        let results = results(&[example_run("ch06_tokio", "wrk-sleep", &figures)]);
        let text = noise(&results, Some("ch06_tokio")).unwrap();
        has(&text, &["up to 31.2 ms late (`wrk-sleep`)"]);
        assert!(text.ends_with("None of these runs counts as noisy."), "{text}");
        assert!(noise(&results, Some("ch02_thread_spawn")).is_err());
    }
}
