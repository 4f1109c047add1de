//! What was measured in the experiments: `measurements/results/experiments/NAME.json` is what `measurements/experiments/NAME.toml`
//! asks for, complete, and the same in the figures as in the generators' own words.

use std::{
    collections::{BTreeMap, BTreeSet},
    process::Command,
    sync::{Mutex, PoisonError},
};

use records::{
    description::{Experiment, Setup},
    descriptions,
    machine::Machine,
    opening::{self, OPENINGS},
    program::{self, PROGRAMS},
    ran::Ran,
    recording::Request,
    results::Results,
    servers::{FOREIGN, NAMES, SERVERS, keeps_the_contract},
    store::{self, Record, RoundRun},
};
use regex::{Captures, Regex};

use super::{
    page::Page,
    repository::{files_below, root, short},
};

/// Where the records of the pages lie.
pub const RECORDS: &str = "measurements/results/experiments";

/// The command lines of the sources.
const BENCHMARKS: [(&str, &str); 2] = [
    ("wrk-sleep", "wrk -t12 -c500 -d20s {url}/sleep"),
    ("ab-tenth", "ab -c 100 -n 10000 {url}/tenth"),
];

/// An experiment that was measured, and what its generators printed.
pub struct Measured {
    /// Its name.
    pub name: String,
    /// Its record.
    pub record: Record,
    /// What its generators printed, run after run.
    pub raw: String,
}

impl Measured {
    /// The runs that count, each with what its generator printed.
    fn counted(&self) -> impl Iterator<Item = (&RoundRun, Output<'_>)> {
        let counted = self.record.runs.iter().filter(|run| run.void.is_none());
        counted.map(|run| {
            let RoundRun { round, variant, attempt, .. } = run;
            let at = format!("{}: round {round}, {variant}, attempt {attempt}", self.name);
            let text = store::raw_of(&self.raw, *round, variant, *attempt);
            let text = text.unwrap_or_else(|| panic!("{at}: no raw output"));
            (run, Output { run, text, at })
        })
    }

    fn setup(&self, run: &RoundRun) -> Setup {
        let setup = self.record.experiment.setup(&run.variant);
        setup.unwrap_or_else(|| panic!("{}: no variant {}", self.name, run.variant))
    }
}

/// What the generator of a run printed.
struct Output<'a> {
    run: &'a RoundRun,
    text: &'a str,
    at: String,
}

impl Output<'_> {
    /// The first number that the pattern finds.
    fn number(&self, pattern: &'static str) -> Option<f64> {
        let found = compiled(pattern).captures(self.text)?;
        found[1].parse().ok()
    }

    /// Asserts that a figure is the number that the pattern finds.
    #[track_caller]
    fn same(&self, figure: &str, pattern: &'static str) {
        let printed = self.number(pattern);
        assert!(printed.is_some(), "{}: no {pattern} in the raw output", self.at);
        self.is(figure, printed);
    }

    /// Asserts that a figure is the number that the pattern finds, or 0 where the tool leaves it out.
    #[track_caller]
    fn same_or_zero(&self, figure: &str, pattern: &'static str) {
        self.is(figure, self.number(pattern).or(Some(0.0)));
    }

    #[track_caller]
    fn is(&self, figure: &str, number: Option<f64>) {
        let stored = self.run.figures.get(figure).copied().flatten();
        assert_eq!(stored, number, "{}: {figure}", self.at);
    }
}

/// A pattern, compiled once: there are thousands of outputs.
fn compiled(pattern: &'static str) -> Regex {
    static ALL: Mutex<BTreeMap<&str, Regex>> = Mutex::new(BTreeMap::new());
    let mut all = ALL.lock().unwrap_or_else(PoisonError::into_inner);
    all.entry(pattern).or_insert_with(|| Regex::new(pattern).expect("it is a pattern")).clone()
}

/// All records, in the words of their descriptions.
fn measured() -> Vec<Measured> {
    let folder = root().join(RECORDS);
    let described = described();
    let records = store::read_all(&folder).unwrap_or_else(|error| panic!("{error:#}"));
    let read = |(name, record): (String, Record)| {
        let raw = store::read_raw(&folder, &name).unwrap_or_else(|error| panic!("{error:#}"));
        let description = described.get(&record.name).filter(|_| record.name == name);
        let description = description.unwrap_or_else(|| panic!("{name}: nothing describes it"));
        let record = record.described(description);
        Measured { name, record, raw: raw.replace("\r\n", "\n") }
    };
    records.into_iter().map(read).collect()
}

fn described() -> BTreeMap<String, Experiment> {
    descriptions::load_all(root()).unwrap_or_else(|error| panic!("{error:#}"))
}

/// Whether this is a server whose figures are not there yet.
fn is_waiting(setup: &Setup) -> bool {
    let name = setup.server.as_deref().unwrap_or_default();
    SERVERS.iter().any(|server| server.name == name && !server.measured)
        || FOREIGN.iter().any(|server| server.name == name && !server.measured)
}

/// Described for the next session; no page uses a figure of these.
const NOT_MEASURED_YET: [&str; 1] = ["own-runtime-calls"];

#[test]
fn every_experiment_was_measured() {
    let files = store::files(&root().join(RECORDS)).unwrap_or_else(|error| panic!("{error:#}"));
    let measured: BTreeSet<String> = files.into_keys().collect();
    let described = described();
    // One that compares a server whose figures are not there yet waits with that server.
    let waits = |experiment: &Experiment| experiment.setups().any(|(_, setup)| is_waiting(&setup));
    let missing = described.iter().filter(|(name, it)| !measured.contains(*name) && !waits(it));
    let missing: Vec<&String> = missing.map(|(name, _)| name).collect();
    assert_eq!(missing, NOT_MEASURED_YET, "`cargo xtask bench --only NAME` measures one");
    let lost: Vec<&String> =
        measured.iter().filter(|name| !described.contains_key(*name)).collect();
    assert!(lost.is_empty(), "no measurements/experiments/NAME.toml describes {lost:?}");
}

#[test]
fn nothing_else_lies_among_the_results() {
    let mut known: BTreeSet<String> =
        NAMES.iter().map(|rung| format!("measurements/results/observed/{rung}.json")).collect();
    for name in described().keys() {
        for end in ["json", "txt"] {
            known.insert(format!("{RECORDS}/{name}.{end}"));
        }
    }
    known.insert(format!("measurements/results/{}", store::LOST));
    for name in opening::names(root()).expect("they can be read") {
        known.insert(format!("measurements/results/{OPENINGS}/{name}.json"));
    }
    for name in program::names(root()).expect("they can be read") {
        known.insert(format!("measurements/results/{PROGRAMS}/{name}.json"));
    }
    // What the judge printed of a server is a result where its page shows it.
    let judge = Page::read(&root().join("book/judge.md"));
    let shown = judge.directives().into_iter().filter(|it| it.name == "include");
    known.extend(shown.map(|it| it.rest.trim_start_matches("../").to_owned()));
    for path in files_below(&root().join("measurements/results")) {
        assert!(known.contains(&short(&path)), "{} is no result", short(&path));
    }
}

/// An opening was recorded as it is described: this server, and each client's route.
#[test]
fn every_opening_is_of_a_server_and_was_recorded_as_it_is_described() {
    let folder = root().join("measurements/results");
    let results = Results::read(&folder, &described()).expect("they can be read");
    let names = opening::names(root()).expect("they can be read");
    assert!(names.len() > 3, "openings were taken out");
    for name in names {
        let opening = opening::load(root(), &name).unwrap_or_else(|error| panic!("{error:#}"));
        let opening = opening.expect("its file is there");
        assert!(keeps_the_contract(&opening.server), "{name}: no server");
        assert!(opening.asks.is_sorted_by_key(|ask| ask.at_ms), "{name}: not in order");
        let Ok(recording) = results.opening(&name) else {
            println!("{name} was not recorded: `cargo xtask observe {name}`");
            continue;
        };
        assert_eq!(recording.rung, opening.server, "{name}");
        let mut asked: Vec<&str> = opening.clients().map(|(_, route)| route).collect();
        let mut recorded: Vec<&str> = recording.requests.iter().map(|it| &*it.route).collect();
        asked.sort_unstable();
        recorded.sort_unstable();
        assert_eq!(asked, recorded, "{name}: `cargo xtask observe {name}` records it again");
        let is_cut = |it: &Request| it.status.is_none() && opening.stop_ms.is_some();
        let mut requests = recording.requests.iter();
        assert!(requests.all(|it| it.status == Some(200) || is_cut(it)), "{name}");
    }
}

/// A command line of a source with what it asks for in all rounds together, which is what the source asked for once.
fn in_all_rounds(words: &str, rounds: usize) -> String {
    let asked = Regex::new(r"(-d|-n )(\d+)").expect("it is a pattern");
    let all = |found: &Captures| {
        let count: usize = found[2].parse().expect("a number");
        format!("{}{}", &found[1], count * rounds)
    };
    asked.replace(words, all).into_owned()
}

#[test]
fn the_command_lines_of_the_sources_are_their_own() {
    let (described, fewer) = (described(), Regex::new(r"-n \d+").expect("it is a pattern"));
    for (name, line) in BENCHMARKS {
        let experiment = &described[name];
        for (variant, setup) in experiment.setups() {
            let words = setup.generator.expect("a generator").join(" ");
            let here = in_all_rounds(&words, experiment.rounds);
            let reduced = experiment.variant(variant).and_then(|it| it.reduced.as_ref());
            // Where there are fewer requests, the reason is there, and nothing else differs.
            let line_here = match reduced {
                None => here.clone(),
                Some(_) => fewer.replace(&here, "-n 10000").into_owned(),
            };
            assert_eq!(line_here, line, "{name}, {variant}");
            assert_eq!(reduced.is_some(), here != line, "{name}, {variant}");
        }
        assert_eq!(experiment.variants.len(), SERVERS.len(), "{name} leaves a server out");
    }
}

/// A reader's own figures stand beside the book's where the same was run. A new server is in some descriptions at once,
/// and in their records when they are measured again.
#[test]
fn what_was_run_is_what_is_described() {
    let described = described();
    for Measured { name, record, .. } in measured() {
        let mut expected = described[&name].clone();
        let names = record.names();
        expected.variants.retain(|it| names.contains(&&*it.name) || !is_waiting(&it.own));
        let [ran, to_run] = [&record.experiment, &expected].map(Ran::of);
        let again = format!("`cargo xtask bench --only {name} --fresh` measures it again");
        assert_eq!(ran, to_run, "{name}: {again}");
    }
}

/// A machine without the build number of its kernel, which the owner of a virtual machine changes now and then. Its
/// memory is in whole GiB, since each build leaves another MiB or two of it. The page names every experiment's kernel.
fn of_one_version(machine: &Machine) -> Machine {
    let kernel = machine.kernel.as_ref().expect("a kernel");
    let memory = machine.memory_mib.expect("a size") as f64 / 1024.0;
    Machine {
        memory_mib: Some(memory.round() as u64),
        kernel: kernel.split('-').next().map(str::to_owned),
        ..machine.clone()
    }
}

/// Figures of two experiments may be put side by side, and their servers have kept the contract just before.
#[test]
fn the_experiments_come_from_one_machine_and_passed_tests() {
    let hash = Regex::new("^[0-9a-f]{64}$").expect("it is a pattern");
    let all = measured();
    let on = |record: &Record| (of_one_version(&record.machine), record.rustc.clone());
    for Measured { name, record, .. } in &all {
        assert_eq!(on(record), on(&all[0].record), "{name}: another machine");
        assert_eq!(record.commit.dirty, Some(false), "{name}: of changed sources");
        for run in &record.runs {
            let server = &run.server[0];
            let known = record.executables.iter().any(|(path, sha256)| {
                path.ends_with(&format!("/{server}")) && hash.is_match(sha256)
            });
            assert!(known, "{name}: no hash of {server}");
            if keeps_the_contract(server) {
                let passed = record.wire_tests_passed.get(server).copied().flatten();
                assert!(passed > Some(0), "{name}: {server} was measured without its wire tests");
            }
            match run.generator.first() {
                Some(generator) => {
                    assert!(record.tools.contains_key(generator), "{name}: which {generator}?");
                }
                // A program has no generator.
                None => assert!(record.experiment.is_of_programs(), "{name}: no generator"),
            }
        }
    }
}

/// A commit that a record names is one of the repository's, or its list of lost ones has it.
#[test]
fn each_commit_that_a_record_names_exists_or_is_said_to_be_lost() {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(root()).args(arguments).output();
        output.ok().filter(|it| it.status.success()).map(|it| it.stdout)
    };
    let is_shallow = git(&["rev-parse", "--is-shallow-repository"]);
    if is_shallow.as_deref() != Some(b"false\n") {
        println!("skipped: there is no git, or not the whole history");
        return;
    }
    let named: BTreeSet<String> =
        measured().into_iter().filter_map(|it| it.record.commit.head).collect();
    let is_gone = |head: &String| git(&["merge-base", "--is-ancestor", head, "HEAD"]).is_none();
    let gone: BTreeSet<String> = named.into_iter().filter(is_gone).collect();
    assert_eq!(gone, store::lost_commits(&root().join("measurements/results")));
}

#[test]
fn no_experiment_is_partial() {
    measured().iter().for_each(check_rounds);
}

/// All rounds are there, each with a run of each variant, and nothing was printed in any other. A run that is void or left
/// out isn't repeated, so a variant needs a run that counts, and not one in each round.
#[track_caller]
pub fn check_rounds(measured: &Measured) {
    let Measured { name, record, raw } = measured;
    assert!(!record.quick, "{name}: only a sketch");
    assert!(record.skipped.is_empty(), "{name}: not all could be measured");
    let experiment = &record.experiment;
    for variant in experiment.entries() {
        let runs = record.runs.iter().filter(|run| run.variant == variant);
        let rounds: BTreeSet<usize> = runs.map(|run| run.round).collect();
        assert_eq!(rounds.len(), experiment.rounds, "{name}: {variant} lacks a round");
        let counts = !record.values(variant, &experiment.metric).is_empty();
        assert!(counts, "{name}: no run of {variant} counts");
    }
    let printed = raw.lines().filter(|line| line.starts_with("=== round ")).count();
    assert_eq!(printed, record.runs.len(), "{name}: a run was taken out of its record");
}

#[test]
fn the_figures_of_the_experiments_are_those_of_the_raw_output() {
    measured().iter().for_each(check_figures);
}

/// The figures are those that the generator printed, and what a request cost follows from what the kernel counted.
#[track_caller]
pub fn check_figures(measured: &Measured) {
    for (run, output) in measured.counted() {
        match run.generator.first().map(String::as_str) {
            Some("wrk") => {
                is_what_wrk_printed(&output);
                is_the_cost_of_a_request(&output);
            }
            Some("ab") => is_what_ab_printed(&output),
            Some("load") => {
                output.same("requests_per_second", r#""requests_per_second":\s*([\d.eE+-]+)"#);
                output.same("requests", r#""requests":\s*(\d+)"#);
            }
            _ => assert!(!output.text.trim().is_empty(), "{}: no raw output", output.at),
        }
    }
}

/// One request more, which warms the server up, is in its CPU time; both figures are rounded.
#[track_caller]
fn is_the_cost_of_a_request(output: &Output) {
    let figure = |name: &str| output.run.figures.get(name).copied().flatten();
    let Some(cost) = figure("server_cpu_us_per_request") else { return };
    let seconds = figure("server_cpu_seconds").expect("there is no cost without it");
    let requests = figure("requests").expect("a cost is that of requests");
    let (expected, rounding) = (1e6 * seconds / requests, 1e6 * 0.001 / requests);
    let near = (cost - expected).abs() <= rounding + 2.0 * expected / requests + 0.001;
    assert!(near, "{}: {cost} µs for a request, but {seconds} s for {requests}", output.at);
}

#[track_caller]
fn is_what_wrk_printed(output: &Output) {
    output.same("requests_per_second", r"Requests/sec:\s+([\d.]+)");
    output.same("requests", r"(\d+) requests in ");
    output.same("tool_threads", r"(\d+) threads and");
    // Each thread opens the same number, and wrk says nothing of the rest that no thread opens.
    let asked = output.number(r"(\d+) connections");
    let both = asked.zip(output.number(r"(\d+) threads and"));
    output.is("concurrency", both.map(|(asked, threads)| (asked / threads).floor() * threads));
    output.same_or_zero("errors_connect", r"Socket errors: connect (\d+)");
    output.same_or_zero("errors_read", r"Socket errors: .*read (\d+)");
    output.same_or_zero("errors_write", r"Socket errors: .*write (\d+)");
    output.same_or_zero("timeouts", r"Socket errors: .*timeout (\d+)");
    output.same_or_zero("non_2xx", r"Non-2xx or 3xx responses: (\d+)");
}

#[track_caller]
fn is_what_ab_printed(output: &Output) {
    output.same("requests_per_second", r"Requests per second:\s+([\d.]+)");
    output.same("requests", r"Complete requests:\s+(\d+)");
    output.same("failed", r"Failed requests:\s+(\d+)");
    output.same("duration_seconds", r"Time taken for tests:\s+([\d.]+) seconds");
    output.same("concurrency", r"Concurrency Level:\s+(\d+)");
    output.same_or_zero("non_2xx", r"Non-2xx responses:\s+(\d+)");
}

/// A run counts only if at most one answer in a thousand was wrong, unless errors are what is to be shown.
#[test]
fn no_run_has_more_errors_than_it_may() {
    for it in measured() {
        for (run, output) in it.counted() {
            let figure = |name: &str| run.figures.get(name).copied().flatten().unwrap_or(0.0);
            if run.generator.is_empty() || it.setup(run).errors_expected == Some(true) {
                continue;
            }
            let wrong = ["errors_connect", "errors_read", "errors_write", "non_2xx"].map(figure);
            let (errors, requests) = (wrong.iter().sum::<f64>(), figure("requests"));
            let at = output.at;
            assert!(errors <= requests / 1000.0, "{at}: {errors} errors in {requests} requests");
        }
    }
}

/// The directives that show an experiment, each with its name as the first word.
const SHOW: [&str; 16] = [
    "experiment",
    "chart",
    "compare",
    "command",
    "server",
    "evidence_raw",
    "median",
    "spread",
    "times",
    "interval",
    "verdict",
    "pin",
    "rounds",
    "voids",
    "law_of",
    "slope",
];

#[test]
fn every_experiment_is_on_its_page() {
    for Measured { name, record, .. } in measured() {
        let page = &record.experiment.page;
        let path = root().join("book").join(page).with_extension("md");
        let text = Page::read(&path);
        let shown = text.directives().iter().any(|directive| {
            SHOW.contains(&directive.name.as_str())
                && directive.rest.split_whitespace().next() == Some(&name)
        });
        let shown = shown || text.text.contains(&format!("(all-charts.md#chart-{name})"));
        assert!(shown, "book/{page}.md does not show {name}: {{{{#experiment {name}}}}} would");
    }
}
