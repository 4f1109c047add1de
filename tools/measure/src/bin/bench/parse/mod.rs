//! Reads what the generators print, and the programs.

mod ab;
mod drill;
mod json;
mod numbers;
mod wrk;

use anyhow::Result;
use measure::Ran;
use records::figures::Figures;

/// The figures in what a generator printed, or a program, where there is no generator. Fails where something is missing
/// that it always prints.
pub fn output(generator: Option<&str>, text: &str) -> Result<Figures> {
    match generator {
        None => json::program(text),
        Some("wrk") => wrk::parse(text),
        Some("ab") => ab::parse(text),
        Some("load") => json::load(text),
        Some("drill") => drill::parse(text),
        Some(_) => json::oha(text),
    }
}

/// The figures of a generator's run and its whole output, and why the run does not count, if it does not.
/// `may_fail`: whether its status says nothing.
pub fn run(
    generator: &str,
    (status, out, complaints): Ran,
    may_fail: bool,
) -> (Figures, String, Option<String>) {
    match output(Some(generator), &out) {
        Err(error) => {
            let why = format!("{error:#}: {}", last_line(&out, &complaints));
            (Figures::new(), out, Some(why))
        }
        Ok(figures) => {
            let failed = !status.success() && !may_fail;
            (figures, out, failed.then(|| format!("{generator} ended with {status}")))
        }
    }
}

/// The last line that a program wrote, complaints first: what went wrong stands there.
pub fn last_line(out: &str, complaints: &str) -> String {
    let last = |text: &str| text.trim().lines().last().map(str::to_owned);
    last(complaints).or_else(|| last(out)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use records::{
        results,
        stats::finely,
        store::{self, EXPERIMENTS, Record, RoundRun},
    };

    use super::*;
    use crate::{
        figures::{or_zero, set},
        syscalls,
    };

    /// Whoever changes a figure in a record by hand has to change what the generator printed too.
    #[test]
    fn the_books_records_say_what_the_generators_printed() {
        let root = records::base::find_root().unwrap();
        let folder = results::books(&root).join(EXPERIMENTS);
        for (name, record) in store::read_all(&folder).unwrap() {
            let text = store::read_raw(&folder, &name).unwrap();
            for run in record.runs.iter().filter(|run| run.void.is_none()) {
                let again = format!("`cargo xtask bench --only {name}`");
                check(&again, &record, run, &text);
            }
        }
    }

    fn check(again: &str, record: &Record, run: &RoundRun, text: &str) {
        let at = format!("{again}: round {}, {}", run.round, run.variant);
        let raw = store::raw_of(text, run.round, &run.variant, run.attempt);
        let raw = raw.unwrap_or_else(|| panic!("{at}: no raw output"));
        let setup = record.experiment.setup(&run.variant).unwrap();
        // What was counted stands below a line of its own.
        let measured = raw.split("\n--- ").next().unwrap_or(raw);
        let printed = output(run.generator.first().map(String::as_str), measured);
        let mut printed = printed.unwrap_or_else(|error| panic!("{at}: {error:#}"));
        if setup.count.is_some() {
            let [in_time, late] = ["requests", "requests_late"].map(|it| or_zero(&run.figures, it));
            let calls = syscalls::total(raw).unwrap_or_else(|error| panic!("{at}: {error:#}"));
            set(&mut printed, "server_syscalls", calls);
            let each = finely(calls / (in_time + late));
            set(&mut printed, "server_syscalls_per_request", each);
        }
        for (name, value) in &run.figures {
            let Some(said) = printed.get(name) else { continue };
            // Parsing what was written as JSON may change the last digit.
            let same = match (value, said) {
                (Some(value), Some(said)) => (value - said).abs() <= 1e-9 * said.abs(),
                _ => value == said,
            };
            assert!(same, "{at}: {name} is {value:?}, and {said:?} was printed");
        }
    }
}
