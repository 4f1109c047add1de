//! The machines on which the experiments were measured.

use std::collections::BTreeSet;

use anyhow::{Context, Result, bail, ensure};
use records::{measured::Records, store::Record};

use crate::report::{
    origin::{gib, machines, period, values},
    quantity::Quantity,
    text::{code, listed, plural, table},
};

const NO_RESULTS: &str = "there are no results yet; `cargo xtask bench` measures them";

fn latest(records: &Records) -> Result<&Record> {
    let all = records.all().map(|(_, set)| set.record);
    let latest = all.max_by(|one, other| one.finished.cmp(&other.finished));
    latest.context(NO_RESULTS)
}

/// One field of the machine. Fails when there is no such field, or the system did not tell it.
pub fn machine_field(records: &Records, name: &str) -> Result<Quantity> {
    let machine = &latest(records)?.machine;
    let count = match name {
        "physical_cores" => machine.physical_cores,
        "hardware_threads" => machine.hardware_threads,
        _ => bail!(
            "there is no field `{name}` of the machine; there are physical_cores, hardware_threads, and in a sentence `line`, or \
             a tool with the experiments that used it"
        ),
    };
    let count = count.with_context(|| format!("the records do not know {name}"))?;
    Ok(Quantity::count(count as usize))
}

/// The machines of these experiments in half a sentence, or of all where none is named. Fails when one was not measured.
pub fn machine_line(records: &Records, names: &[String]) -> Result<String> {
    let chosen: Vec<&Record> = match names {
        [] => records.all().map(|(_, set)| set.record).collect(),
        names => {
            let chosen = names.iter().map(|name| Ok(records.record(name)?.record));
            chosen.collect::<Result<_>>()?
        }
    };
    latest(records)?;
    Ok(machines(&chosen))
}

/// The version of a tool with which these experiments were measured, or the versions in their order, as numbers: `25.0.3`
/// of `javac 25.0.3`. Fails when one was not measured, or its record doesn't know the tool.
pub fn tool_version(records: &Records, tool: &str, names: &[String]) -> Result<String> {
    let mut chosen: Vec<&Record> = Vec::new();
    for name in names {
        let record = records.record(name)?.record;
        let known: Vec<&str> = record.tools.keys().map(String::as_str).collect();
        ensure!(
            record.tools.contains_key(tool),
            "the record of {name} does not know the tool `{tool}`; it knows {}",
            known.join(", ")
        );
        chosen.push(record);
    }
    let versions = values(&chosen, |record| numbers_of(&record.tools[tool]));
    let versions: Vec<String> =
        versions.into_iter().map(|(version, _)| version.to_owned()).collect();
    Ok(listed(&versions))
}

/// The version in what a tool says of itself: its first number, with the dots in it; all of it where there is none.
fn numbers_of(line: &str) -> &str {
    let mut parts = line.split(|letter: char| !letter.is_ascii_digit() && letter != '.');
    parts.find(|part| part.starts_with(|first: char| first.is_ascii_digit())).unwrap_or(line)
}

/// The machines, what was measured with, and when, as a table. What is not the same for all records has a row for each
/// of its values, with the number of its records. Fails when nothing was measured yet.
pub fn machine(records: &Records) -> Result<String> {
    let latest = latest(records)?;
    let all: Vec<&Record> = records.all().map(|(_, set)| set.record).collect();
    let minute = |moment: &str| moment.get(..16).unwrap_or(moment).replace('T', " ");
    let mut rows: Vec<(String, String)> = Vec::new();
    let mut add = |name: &str, records: &[&Record], value: &dyn Fn(&Record) -> String| {
        let values = values(records, value);
        let several = values.len() > 1;
        rows.extend(values.into_iter().map(|(value, own)| {
            let extent = plural(own.len() as u64, "record");
            let own = format!("{value}: {extent}, {}", period(&own, minute));
            (name.to_owned(), if several { own } else { value })
        }));
    };
    add("Processor", &all, &|it| text(&it.machine.cpu_model));
    add("Physical cores", &all, &|it| count(it.machine.physical_cores));
    add("Hardware threads", &all, &|it| count(it.machine.hardware_threads));
    add("Memory", &all, &|it| it.machine.memory_mib.map_or_else(unknown, gib));
    add("Operating system", &all, &|it| text(&it.machine.operating_system));
    add("Kernel", &all, &|it| text(&it.machine.kernel));
    add("Compiler", &all, &|it| it.rustc.clone());
    let tools: BTreeSet<&String> = all.iter().flat_map(|record| record.tools.keys()).collect();
    for tool in tools {
        let own = all.iter().copied().filter(|record| record.tools.contains_key(tool));
        add(tool, &own.collect::<Vec<_>>(), &|it| it.tools[tool].clone());
    }
    add("Open files allowed", &all, &|it| count(it.descriptor_limit));
    if all.iter().any(|record| set_by_hand(record).is_some()) {
        add("Set by hand", &all, &|it| set_by_hand(it).unwrap_or("nothing".to_owned()));
    }
    rows.push(("Measured".to_owned(), period(&all, minute) + " (UTC)"));
    let runs: usize = all.iter().map(|record| record.runs.len()).sum();
    let experiments = plural(all.len() as u64, "experiment");
    rows.push(("Extent".to_owned(), format!("{experiments}, {}", plural(runs as u64, "run"))));
    if let Some(commit) = &latest.commit.head {
        let dirty = if latest.commit.dirty == Some(true) { ", with other changes" } else { "" };
        rows.push(("Commit of the last".to_owned(), code(&commit[..commit.len().min(12)]) + dirty));
    }
    let rows = rows.into_iter().map(|(name, value)| vec![name, value.replace('|', "\\|")]);
    Ok(table(&["Property", "Value"], &["Value"], rows))
}

fn unknown() -> String {
    "not published by this system".to_owned()
}

fn count(value: Option<u64>) -> String {
    value.map_or_else(unknown, |value| value.to_string())
}

fn text(value: &Option<String>) -> String {
    value.clone().unwrap_or_else(unknown)
}

fn set_by_hand(record: &Record) -> Option<String> {
    record.build.as_ref()?.set_by_hand().map(|set| code(&set))
}

#[cfg(test)]
mod tests {
    use records::{
        machine::Build,
        testing::{pool, read, write},
    };

    use super::*;
    use crate::report::testing::{has, lacks, with};

    #[test]
    fn the_machine_in_words_and_as_a_table() {
        with(&pool(), None, |evidence| {
            let records = evidence.ours;
            assert_eq!(
                machine_line(records, &[]).unwrap(),
                "A <Processor> & Co, 1 core, 2 hardware threads, 2.0 GiB of memory, Linux 6, 2025-01-02"
            );
            let named = |name: &str| machine_line(records, &[name.to_owned()]);
            assert_eq!(named("pool-law").unwrap(), machine_line(records, &[]).unwrap());
            assert!(named("no-such").is_err());
            assert_eq!(machine_field(records, "hardware_threads").unwrap(), Quantity::count(2));
            assert!(machine_field(records, "colour").is_err());
            let version = |tool: &str, name: &str| tool_version(records, tool, &[name.to_owned()]);
            assert_eq!(version("wrk", "pool-law").unwrap(), "4.1.0");
            assert!(version("wrk", "no-such").is_err());
            let error = version("Go", "pool-law").unwrap_err().to_string();
            has(&error, &["of pool-law does not know the tool `Go`; it knows wrk"]);
            let parts = ["| Physical cores | 1 |", "| wrk | 4.1.0 |", "| 1 experiment, 16 runs |"];
            has(&machine(records).unwrap(), &parts);
        });
        let none = machine(&Records::default()).unwrap_err().to_string();
        has(&none, &["`cargo xtask bench`"]);
    }

    #[test]
    fn records_of_several_machines_have_a_row_for_each() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "first", &pool());
        let mut later = pool();
        later.machine.kernel = Some("Linux 7".to_owned());
        later.started = "2025-01-03T03:04:05Z".to_owned();
        later.finished = "2025-01-03T04:04:05Z".to_owned();
        let settings = [("RUSTFLAGS".to_owned(), "-g".to_owned())].into();
        later.build = Some(Build { settings, ..Build::default() });
        for name in ["second", "third"] {
            write(folder.path(), name, &later);
        }
        let records = read(folder.path(), &later);
        let text = machine(&records).unwrap();
        let parts = [
            "| Physical cores | 1 |\n",
            "| Kernel | Linux 6: 1 record, 2025-01-02 03:04 to 2025-01-02 04:04 |\n",
            "| Kernel | Linux 7: 2 records, 2025-01-03 03:04 to 2025-01-03 04:04 |\n",
            "| Set by hand | `RUSTFLAGS=-g`: 2 records, ",
            "| Extent | 3 experiments, 48 runs |",
        ];
        has(&text, &parts);
        let line = machine_line(&records, &["second".to_owned()]).unwrap();
        has(&line, &[", Linux 7, 2025-01-03"]);
        lacks(&line, &["Linux 6", "record"]);
        has(&machine_line(&records, &[]).unwrap(), &["Linux 7, 2025-01-03 (2 records)"]);
    }

    #[test]
    fn a_tools_versions_are_numbers_in_the_order_of_the_records() {
        let folder = tempfile::tempdir().unwrap();
        let says = [
            ("one", "2025-01-02T03:04:05Z", "v20.20.2"),
            ("another", "2025-01-03T03:04:05Z", "v26.1.0"),
            ("third", "2025-01-04T03:04:05Z", "go version go1.26.8 linux/amd64"),
        ];
        for (name, started, line) in says {
            let mut record = pool();
            record.started = started.to_owned();
            record.tools = [("Node.js".to_owned(), line.to_owned())].into();
            write(folder.path(), name, &record);
        }
        let records = read(folder.path(), &pool());
        let of = |names: &[&str]| {
            let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
            tool_version(&records, "Node.js", &names).unwrap()
        };
        assert_eq!(of(&["another", "one", "another"]), "20.20.2 and 26.1.0");
        assert_eq!(of(&["third"]), "1.26.8");
    }
}
