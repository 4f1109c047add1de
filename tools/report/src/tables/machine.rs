//! The machine on which the experiments were measured, as the latest record has it, and how noisy it was.

use std::{collections::BTreeMap, fmt::Write};

use anyhow::{Context, Result, bail};
use base::number;
use records::{
    description::{NOISY_P99_MS, NOISY_SHARE_PERCENT},
    sessions::Records,
    store::{Record, RoundRun},
};

use crate::{
    quantity::Quantity,
    text::{code, day, plural, table},
};

const NO_RESULTS: &str = "there are no results yet; `cargo xtask bench` measures them";

fn latest(records: &Records) -> Result<&Record> {
    let all = records.all().map(|(_, set)| set.record);
    let latest = all.max_by(|one, other| one.finished.cmp(&other.finished));
    latest.context(NO_RESULTS)
}

/// When the first run began and the last one ended, as these parts of the moments.
fn period(records: &Records, part: fn(&str) -> String) -> String {
    let of = |moment: fn(&Record) -> &String| records.all().map(move |(_, set)| moment(set.record));
    let (first, last) = (of(|it| &it.started).min(), of(|it| &it.finished).max());
    let mut ends: Vec<String> = first.into_iter().chain(last).map(|moment| part(moment)).collect();
    ends.dedup();
    ends.join(" to ")
}

/// One field of the machine. Fails when there is no such field, or the system did not tell it.
pub fn machine_field(records: &Records, name: &str) -> Result<Quantity> {
    let machine = &latest(records)?.machine;
    let count = match name {
        "physical_cores" => machine.physical_cores,
        "hardware_threads" => machine.hardware_threads,
        _ => bail!(
            "there is no field `{name}` of the machine; there are physical_cores, hardware_threads"
        ),
    };
    let count = count.with_context(|| format!("the records do not know {name}"))?;
    Ok(Quantity::count(count as usize))
}

/// The machine in half a sentence. Fails when nothing was measured yet.
pub fn machine_line(records: &Records) -> Result<String> {
    let machine = &latest(records)?.machine;
    let mut parts = vec![machine.name().to_owned()];
    parts.extend(machine.physical_cores.map(|count| plural(count, "core")));
    parts.extend(machine.hardware_threads.map(|count| plural(count, "hardware thread")));
    parts.extend(machine.memory_mib.map(|mib| format!("{} GiB of memory", gib(mib).words())));
    parts.extend(machine.kernel.clone());
    parts.push(period(records, |moment| day(moment).to_owned()));
    Ok(parts.join(", "))
}

/// The machine, what was measured with, and when, as a table. Fails when nothing was measured yet.
pub fn machine(records: &Records) -> Result<String> {
    let record = latest(records)?;
    let machine = &record.machine;
    let unknown = || "not published by this system".to_owned();
    let count = |value: Option<u64>| value.map_or_else(unknown, |value| value.to_string());
    let text = |value: &Option<String>| value.clone().unwrap_or_else(unknown);
    let memory = machine.memory_mib.map(|mib| format!("{} GiB", gib(mib).words()));
    let mut rows = vec![
        ("Processor", text(&machine.cpu_model)),
        ("Physical cores", count(machine.physical_cores)),
        ("Hardware threads", count(machine.hardware_threads)),
        ("Memory", memory.unwrap_or_else(unknown)),
        ("Operating system", text(&machine.operating_system)),
        ("Kernel", text(&machine.kernel)),
        ("Compiler", record.rustc.clone()),
    ];
    let tools = records.all().flat_map(|(_, set)| &set.record.tools);
    let tools: BTreeMap<&String, &String> = tools.collect();
    rows.extend(tools.into_iter().map(|(tool, version)| (tool.as_str(), version.clone())));
    rows.push(("Open files allowed", count(record.descriptor_limit)));
    let minute = |moment: &str| moment.get(..16).unwrap_or(moment).replace('T', " ");
    rows.push(("Measured", period(records, minute) + " (UTC)"));
    let runs: usize = records.all().map(|(_, set)| set.record.runs.len()).sum();
    let experiments = plural(records.all().count() as u64, "experiment");
    rows.push(("Extent", format!("{experiments}, {}", plural(runs as u64, "run"))));
    if let Some(commit) = &record.commit.head {
        let dirty = if record.commit.dirty == Some(true) { ", with other changes" } else { "" };
        rows.push(("Commit of the last", code(&commit[..commit.len().min(12)]) + dirty));
    }
    let rows =
        rows.into_iter().map(|(name, value)| vec![name.to_owned(), value.replace('|', "\\|")]);
    Ok(table(&["Property", "Value"], &["Value"], rows))
}

fn gib(mib: u64) -> Quantity {
    Quantity::number(mib as f64 / 1024.0, 1)
}

/// How late sleeping threads woke, how much CPU time the host took away, and how many runs count as noisy.
/// Fails when nothing was measured yet.
pub fn noise(records: &Records) -> Result<String> {
    let all = records.all();
    let runs = all.flat_map(|(name, set)| set.record.runs.iter().map(move |run| (name, run)));
    let runs: Vec<(&str, &RoundRun)> = runs.collect();
    let value = |run: &RoundRun, figure: &str| run.figures.get(figure).copied().flatten();
    let late = runs.iter().filter_map(|(name, run)| Some((*name, value(run, "stall_max_ms")?)));
    let worst = late.max_by(|one, other| one.1.total_cmp(&other.1));
    let (name, worst) = worst.context(NO_RESULTS)?;
    let mut text = "A thread repeatedly slept for 5 ms and noted how late it woke. ".to_owned();
    let idle = records.all().filter_map(|(_, set)| set.record.idle_stalls.as_ref());
    if let Some(idle) = idle.max_by(|one, other| one.max_ms.total_cmp(&other.max_ms)) {
        let _ = write!(
            text,
            "Before the runs, when we had started nothing, it woke with a median of {:.2} ms late, and {:.1} ms late at worst. ",
            idle.median_ms, idle.max_ms
        );
    }
    let _ = write!(text, "During the runs it woke up to {worst:.1} ms late ({}). ", code(name));
    let total = |figure: &str| {
        runs.iter().filter_map(|(_, run)| value(run, figure)).reduce(|one, other| one + other)
    };
    if let Some(steal) = total("steal_seconds") {
        let steal = number(steal, 1);
        let _ = write!(text, "The kernel reports that the host took away {steal} s of CPU time. ");
    }
    let noisy = runs.iter().filter(|(_, run)| run.noisy).count();
    let _ = write!(
        text,
        "{noisy} of {} count as noisy: more than {NOISY_SHARE_PERCENT}% of the time lost, or 1 in 100 wake-ups more \
         than {NOISY_P99_MS} ms late, or whatever the experiment's description sets.",
        plural(runs.len() as u64, "run")
    );
    Ok(text)
}

#[cfg(test)]
mod tests {
    use records::{machine::Stalls, testing::pool};

    use super::*;
    use crate::testing::{has, with};

    #[test]
    fn the_machine_in_words_and_as_a_table() {
        with(&pool(), None, |evidence| {
            let records = evidence.ours;
            assert_eq!(
                machine_line(records).unwrap(),
                "A <Processor> & Co, 1 core, 2 hardware threads, 2.0 GiB of memory, Linux 6, 2025-01-02"
            );
            assert_eq!(machine_field(records, "hardware_threads").unwrap(), Quantity::count(2));
            assert!(machine_field(records, "colour").is_err());
            let parts = ["| Physical cores | 1 |", "| wrk | 4.1.0 |", "| 1 experiment, 16 runs |"];
            has(&machine(records).unwrap(), &parts);
        });
        let none = machine(&Records::default()).unwrap_err().to_string();
        has(&none, &["`cargo xtask bench`"]);
    }

    #[test]
    fn the_noise_of_the_machine_in_words() {
        let mut record = pool();
        record.runs[3].figures.insert("stall_max_ms".to_owned(), Some(31.25));
        record.runs[4].figures.insert("steal_seconds".to_owned(), Some(0.1));
        record.idle_stalls = Some(Stalls {
            samples: 1,
            seconds: 5.0,
            median_ms: 0.07,
            p99_ms: 0.1,
            max_ms: 0.2,
            share_percent: 0.0,
        });
        with(&record, None, |evidence| {
            let parts = [
                "with a median of 0.07 ms late, and 0.2 ms late at worst",
                "up to 31.2 ms late (`pool-law`)",
                "took away 0.1 s of CPU time",
                "1 of 16 runs count as noisy",
            ];
            has(&noise(evidence.ours).unwrap(), &parts);
        });
        assert!(noise(&Records::default()).is_err());
    }
}
