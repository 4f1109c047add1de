//! The machine on which the ladder was measured, and the sessions on it.

use anyhow::{Context, Result, bail};
use records::{ladder::Session, results::Results};

use crate::{
    quantity::Quantity,
    text::{code, day, plural, table},
};

/// One field of the machine.
///
/// # Errors
/// When there is no such field, or the system did not tell it.
pub fn machine_field(results: &Results, name: &str) -> Result<Quantity> {
    let file = results.machine()?;
    let machine = &file.machine;
    let count = |value: Option<u64>| value.map(|value| Quantity::count(value as usize));
    let word = |value: Option<String>| value.map(Quantity::Word);
    let session = file.sessions.last();
    let value = match name {
        "cpu_model" => word(machine.cpu_model.clone()),
        "physical_cores" => count(machine.physical_cores),
        "hardware_threads" => count(machine.hardware_threads),
        "memory_gib" => machine.memory_mib.map(gib),
        "kernel" => word(machine.kernel.clone()),
        "operating_system" => word(machine.operating_system.clone()),
        "rustc" => word(Some(file.rustc.clone())),
        "wrk" | "ab" => word(file.tools.get(name).cloned()),
        "date" => word(session.map(|session| day(&session.started).to_owned())),
        "commit" => word(session.and_then(|session| session.commit.head.clone())),
        "seed" => word(session.map(|session| session.seed.to_string())),
        _ => bail!(
            "there is no field `{name}` of the machine; there are cpu_model, physical_cores, \
             hardware_threads, memory_gib, kernel, operating_system, rustc, wrk, ab, date, commit, seed"
        ),
    };
    value.with_context(|| format!("machine.json does not know {name}"))
}

/// The machine in half a sentence.
///
/// # Errors
/// When nothing was measured yet.
pub fn machine_line(results: &Results) -> Result<String> {
    let file = results.machine()?;
    let machine = &file.machine;
    let mut parts = vec![machine.name().to_owned()];
    parts.extend(machine.physical_cores.map(|count| plural(count, "core")));
    parts.extend(machine.hardware_threads.map(|count| plural(count, "hardware thread")));
    parts.extend(machine.memory_mib.map(|mib| format!("{} GiB of memory", gib(mib).words())));
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
        (
            "Memory",
            machine.memory_mib.map_or_else(unknown, |mib| format!("{} GiB", gib(mib).words())),
        ),
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
    let rows =
        rows.into_iter().map(|(name, value)| vec![name.to_owned(), value.replace('|', "\\|")]);
    Ok(table(&["Property", "Value"], &["Value"], rows))
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

fn gib(mib: u64) -> Quantity {
    Quantity::number(mib as f64 / 1024.0, 1)
}

/// A moment in RFC 3339 up to the minute, for people.
fn minute(moment: &str) -> String {
    moment.get(..16).unwrap_or(moment).replace('T', " ")
}

#[cfg(test)]
mod tests {
    use records::testing::example_run;

    use super::*;
    use crate::testing::results;

    #[test]
    fn the_machine_in_words_and_as_a_table() {
        let results = results(&[example_run("ch06_tokio", "wrk-sleep", &[])]);
        assert_eq!(
            machine_line(&results).unwrap(),
            "A Processor, 1 core, 2 hardware threads, 2.0 GiB of memory, Linux 6, on 2025-01-02"
        );
        assert_eq!(machine_field(&results, "hardware_threads").unwrap(), Quantity::count(2));
        assert!(machine_field(&results, "colour").is_err());
        assert!(machine_field(&results, "operating_system").is_err());
        assert!(machine(&results).unwrap().contains("| Processor | A Processor |"));
    }
}
