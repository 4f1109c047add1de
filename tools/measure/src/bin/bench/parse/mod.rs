//! Parses the output of the generators, and of the programs.

mod ab;
mod drill;
mod json;
mod numbers;
mod wrk;

use anyhow::Result;
use measure::Finished;
use records::figures::Figures;

/// Parses the output of a generator; or of a program, without a generator. Fails when something is missing that it
/// always prints.
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

/// Returns the figures of a generator's run, its whole output, and the reason why the run does not count, if it does not.
/// `may_fail` says that its exit status means nothing.
pub fn run(
    generator: &str,
    finished: Finished,
    may_fail: bool,
) -> (Figures, String, Option<String>) {
    let Finished { status, stdout, stderr } = finished;
    match output(Some(generator), &stdout) {
        Err(error) => {
            let why = format!("{error:#}: {}", last_line(&stdout, &stderr));
            (Figures::new(), stdout, Some(why))
        }
        Ok(figures) => {
            let failed = !status.success() && !may_fail;
            (figures, stdout, failed.then(|| format!("{generator} ended with {status}")))
        }
    }
}

/// Returns the last line of standard error, or else of standard output: it says what went wrong.
pub fn last_line(stdout: &str, stderr: &str) -> String {
    let last = stderr.trim().lines().last().or_else(|| stdout.trim().lines().last());
    last.unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use records::{
        description::Experiment,
        descriptions, results,
        stats::to_millionths,
        store::{self, EXPERIMENTS, RoundRun},
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
        let folder = results::shown_folder(&root).join(EXPERIMENTS);
        let described = descriptions::load_all(&root).unwrap();
        for (name, record) in store::read_all(&folder).unwrap() {
            let described = &described[&name];
            let text = store::read_raw(&folder, &name).unwrap();
            for run in record.runs.iter().filter(|run| run.left_out.is_none()) {
                let again = format!("`cargo xtask bench --only {name}`");
                check(&again, described, run, &text);
            }
        }
    }

    fn check(again: &str, described: &Experiment, run: &RoundRun, text: &str) {
        let at = format!("{again}: round {}, {}", run.round, run.variant);
        let raw = store::raw_of(text, run.round, &run.variant);
        let raw = raw.unwrap_or_else(|| panic!("{at}: no raw output"));
        let setup = described.setup(&run.variant).unwrap();
        // The counts of perf stand below a line of their own.
        let measured = raw.split("\n--- ").next().unwrap_or(raw);
        let printed = output(run.generator.first().map(String::as_str), measured);
        let mut printed = printed.unwrap_or_else(|error| panic!("{at}: {error:#}"));
        if setup.count.is_some() {
            let [in_time, late] = ["requests", "requests_late"].map(|it| or_zero(&run.figures, it));
            let calls = syscalls::total(raw).unwrap_or_else(|error| panic!("{at}: {error:#}"));
            set(&mut printed, "server_syscalls", calls);
            let each = to_millionths(calls / (in_time + late));
            set(&mut printed, "server_syscalls_per_request", each);
        }
        for (name, value) in &run.figures {
            let Some(printed) = printed.get(name) else { continue };
            // Parsing a number that was written as JSON may change its last digit.
            let same = (value - printed).abs() <= 1e-9 * printed.abs();
            assert!(same, "{at}: {name} is {value:?}, and {printed:?} was printed");
        }
    }
}
