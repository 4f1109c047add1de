//! The descriptions in `measurements/experiments`, read and checked.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow, bail, ensure};
use toml::Table;

use crate::{
    description::{CONTROL, ChartKind, Experiment, Pin, RATE, Setup, URL},
    difference::LEAST_ROUNDS,
    expansion::expand,
    figures::{self, FIGURES},
    files,
    servers::Server,
};

/// The tools that a generator's command line may begin with. `load` is our own, built from `examples/clients/load`.
pub const GENERATORS: [&str; 5] = ["wrk", "ab", "load", "oha", "drill"];

/// The keys that hold for every variant that says nothing else, and that a variant may say itself.
const SETUP_KEYS: &str = "server program arguments options env profile descriptors stderr generator plan seconds \
                          warm_up share count pause errors_expected";

/// The other keys of an experiment.
const EXPERIMENT_KEYS: &str =
    "title question expected finding page metric rounds pin baseline control chart variants";

/// The other keys of a variant.
const VARIANT_KEYS: &str = "name law series x pin reduced";

/// The folder of the descriptions of the book's experiments, in `measurements`.
const EXPERIMENTS: &str = "experiments";

/// The folder of the descriptions, below the repository's root.
pub fn folder(root: &Path) -> PathBuf {
    root.join("measurements").join(EXPERIMENTS)
}

/// Reads and checks every description in `measurements/experiments`; none, if there is no such folder. Fails when a
/// file can't be read, is not TOML, or describes something that can't be measured; the message names the file and what
/// is wrong.
pub fn load_all(root: &Path) -> Result<BTreeMap<String, Experiment>> {
    load_folder(root, EXPERIMENTS)
}

/// Does what [`load_all`] does, with another folder in `measurements`.
pub fn load_folder(root: &Path, folder: &str) -> Result<BTreeMap<String, Experiment>> {
    let mut all = BTreeMap::new();
    for (name, path) in files::with_ending(&root.join("measurements").join(folder), "toml")? {
        let file = format!("measurements/{folder}/{name}.toml");
        if let Some(text) = files::read_text(&path)? {
            let experiment = parse(&name, &text, root).context(file)?;
            all.insert(name, experiment);
        }
    }
    Ok(all)
}

/// Reads and checks one description. Fails when it is not TOML, or describes something that can't be measured.
pub fn parse(name: &str, text: &str, root: &Path) -> Result<Experiment> {
    let mut table: Table = text.parse()?;
    expand(&mut table)?;
    // Serde's own check for unknown keys does not work beside `flatten`.
    refuse_unknown(&table, EXPERIMENT_KEYS, "")?;
    let variants = table.get("variants").and_then(toml::Value::as_array).into_iter().flatten();
    for (index, variant) in variants.enumerate() {
        let place = format!(" in variant {}", index + 1);
        let variant = variant.as_table().with_context(|| format!("no table{place}"))?;
        refuse_unknown(variant, VARIANT_KEYS, &place)?;
    }
    let experiment: Experiment = table.try_into()?;
    check(name, &experiment, root)?;
    Ok(experiment)
}

fn refuse_unknown(table: &Table, own: &str, place: &str) -> Result<()> {
    let known: Vec<&str> = own.split(' ').chain(SETUP_KEYS.split(' ')).collect();
    match table.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => bail!("there is no key `{key}`{place}; there are {}", known.join(", ")),
    }
}

/// Checks a description. Fails where it describes something that can't be measured.
fn check(name: &str, experiment: &Experiment, root: &Path) -> Result<()> {
    ensure!(
        !name.is_empty() && name.bytes().all(is_plain),
        "an experiment's name holds small letters, digits and hyphens only, not `{name}`"
    );
    for (key, text) in [("title", &experiment.title), ("question", &experiment.question)] {
        ensure!(!text.trim().is_empty(), "its {key} is empty");
    }
    if let Some(expected) = &experiment.expected {
        check_expected(expected)?;
    }
    let page = format!("book/{}.md", experiment.page);
    ensure!(root.join(&page).is_file(), "there is no page {page}");
    check_figure(experiment, &experiment.metric).context("its metric")?;
    if let Some(figure) = &experiment.chart.x_figure {
        check_figure(experiment, figure).context("its chart's `x_figure`")?;
        ensure!(
            experiment.chart.kind == ChartKind::Lines,
            "its chart's `x_figure` lies along an axis: it goes with `kind = \"lines\"`"
        );
    }
    for figure in &experiment.chart.bands {
        check_figure(experiment, figure).context("its chart's `bands`")?;
        ensure!(
            experiment.chart.x_figure.is_some(),
            "its chart's `bands` are those of an `x_figure`"
        );
    }
    ensure!(
        experiment.rounds >= LEAST_ROUNDS,
        "its rounds are at least {LEAST_ROUNDS}: with fewer nobody can tell anything"
    );
    ensure!(
        experiment.finding.is_some(),
        "its `finding` is missing: what it found, in a sentence whose figures are directives"
    );
    check_variants(experiment, root)?;
    let baseline = experiment.baseline();
    ensure!(experiment.variant(baseline).is_some(), "its baseline `{baseline}` is no variant");
    Ok(())
}

/// Checks the sentence that says what is expected: it holds no directive, because nothing was measured when it was written.
fn check_expected(expected: &str) -> Result<()> {
    ensure!(
        !expected.trim().is_empty(),
        "its `expected` is empty; where nobody knows, it says \"We don't know.\""
    );
    ensure!(!expected.contains('\n'), "its `expected` is a sentence, in one line");
    ensure!(
        !expected.contains("{{"),
        "its `expected` was written before anything was measured, and holds no directive"
    );
    Ok(())
}

fn is_plain(byte: u8) -> bool {
    byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-'
}

/// Checks that the runs of an experiment can have this figure.
fn check_figure(experiment: &Experiment, figure: &str) -> Result<()> {
    if experiment.is_of_programs() {
        return figures::check_name(figure);
    }
    ensure!(
        FIGURES.contains(&figure),
        "there is no figure `{figure}`; there are {}",
        FIGURES.join(", ")
    );
    Ok(())
}

/// Checks that there is something to compare, that names are unique, and that each variant can be measured.
fn check_variants(experiment: &Experiment, root: &Path) -> Result<()> {
    let programs = experiment.is_of_programs();
    let setups: Vec<Setup> = experiment.setups().map(|(_, setup)| setup).collect();
    ensure!(setups.len() >= 2, "it compares nothing: it needs at least two variants");
    let mut names = BTreeSet::new();
    for (variant, setup) in experiment.variants.iter().zip(&setups) {
        let name = &variant.name;
        ensure!(
            !name.trim().is_empty() && !name.contains(['"', '\n']),
            "a variant's name is not empty and holds no quote or line end"
        );
        ensure!(
            name != CONTROL,
            "`{CONTROL}` is the second run of the baseline, and no variant's name"
        );
        ensure!(names.insert(name), "two variants have the name `{name}`");
        let pin = variant.pin.unwrap_or(experiment.pin);
        let checked = match &setup.program {
            Some(program) => check_program(program, setup, pin, root),
            None if programs => Err(anyhow!("it has no program, and the others have one")),
            None => check_setup(setup, pin, root),
        };
        checked.with_context(|| format!("variant `{name}`"))?;
    }
    Ok(())
}

/// Tells whether the workspace has an example of this name, in a package of the same name.
fn is_example(name: &str, root: &Path) -> bool {
    let is_a_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    !name.is_empty() && is_a_name && crate::servers::example_folder(root, name).is_dir()
}

fn check_program(program: &str, setup: &Setup, pin: Pin, root: &Path) -> Result<()> {
    ensure!(is_example(program, root), "there is no program examples/{program}");
    if let Some(server) = &setup.server {
        check_server(server, root)?;
    }
    let settings = Table::try_from(setup)?;
    for key in
        ["options", "generator", "stderr", "warm_up", "share", "count", "pause", "errors_expected"]
    {
        ensure!(!settings.contains_key(key), "`{key}` is a server's, and it has a program");
    }
    ensure!(
        matches!(pin, Pin::None | Pin::One),
        "a program is bound to no CPU (`none`) or to one (`one`)"
    );
    check_times_and_descriptors(setup)
}

/// Checks the settings that servers and programs share.
fn check_times_and_descriptors(setup: &Setup) -> Result<()> {
    let seconds = setup.seconds.context("it does not say how many seconds it takes")?;
    let pause = setup.pause.iter().flat_map(|pause| [pause.after, pause.lasts]);
    let mut times = pause.chain([seconds]);
    ensure!(times.all(|time| time.is_finite() && time > 0.0), "its seconds are more than none");
    let too_few = setup.descriptors.is_some_and(|limit| limit < 16);
    ensure!(!too_few, "no program starts with fewer than 16 descriptors");
    Ok(())
}

fn check_server(server: &str, root: &Path) -> Result<()> {
    let is_known = Server::foreign(server).is_some() || is_example(server, root);
    ensure!(is_known, "there is no server examples/{server}");
    Ok(())
}

fn check_setup(setup: &Setup, pin: Pin, root: &Path) -> Result<()> {
    check_server(setup.server.as_deref().context("it has neither server nor program")?, root)?;
    ensure!(setup.arguments.is_none(), "`arguments` are a program's; a server has `options`");
    ensure!(pin != Pin::One, "a server and its generator are bound by `apart` or `together`");
    let mut options = setup.options.iter().flatten();
    ensure!(
        !options.any(|option| option == "--port" || option.starts_with("--port=")),
        "the port is not the description's to say"
    );
    let generator = setup.generator.as_deref().context("it has no generator")?;
    let first = generator.first().map_or("", String::as_str);
    ensure!(
        GENERATORS.contains(&first),
        "there is no generator `{first}`; there are {}",
        GENERATORS.join(", ")
    );
    ensure!(
        (first == "drill") == setup.plan.is_some(),
        "drill has a `plan`, and no other generator does"
    );
    ensure!(
        generator.iter().chain(&setup.plan).any(|word| word.contains(URL)),
        "its generator's command line holds no {URL}"
    );
    ensure!(
        first != "load" || generator.iter().any(|word| word == "--json"),
        "`load` prints what can be read back with --json only"
    );
    check_share(setup, generator)?;
    check_times_and_descriptors(setup)
}

/// Checks that a rate that is a share can be set: {RATE} stands where `load` has its rate, and the share is more than none.
fn check_share(setup: &Setup, generator: &[String]) -> Result<()> {
    let has_rate = generator.iter().any(|word| word == RATE);
    ensure!(
        has_rate == setup.share.is_some(),
        "a variant with a `share` has {RATE} in its generator's command line, and no other has"
    );
    let Some(share) = setup.share else { return Ok(()) };
    ensure!(
        generator[0] == "load" && generator.windows(2).any(|pair| pair == ["--rate", RATE]),
        "a `share` is a rate of `load`: `--rate`, and {RATE} as the word behind it"
    );
    ensure!(share.is_finite() && share > 0.0, "a `share` is more than none");
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::testing::{POOL, PROGRAM, repository};

    fn read(text: &str) -> Result<Experiment> {
        parse("pool-law", text, repository().path())
    }

    #[track_caller]
    fn refused_in(text: &str, old: &str, new: &str, why: &str) {
        assert!(text.contains(old), "{old}");
        let message = format!("{:#}", read(&text.replacen(old, new, 1)).unwrap_err());
        assert!(message.contains(why), "{message}");
    }

    #[track_caller]
    fn refused(old: &str, new: &str, why: &str) {
        refused_in(POOL, old, new, why);
    }

    #[test]
    fn a_program_is_described() {
        let experiment = read(PROGRAM).unwrap();
        assert!(experiment.is_of_programs() && !read(POOL).unwrap().is_of_programs());
        let pins = experiment.entries().into_iter().map(|name| experiment.pin_of(name));
        assert_eq!(pins.collect::<Vec<_>>(), [Pin::None, Pin::One, Pin::None]);
        let stored = serde_json::to_string(&experiment).unwrap();
        assert_eq!(serde_json::from_str::<Experiment>(&stored).unwrap(), experiment);
        read(&PROGRAM.replace("rounds_per_second", "program_cpu_seconds")).unwrap();
        let mixed = "[[variants]]\nname = \"a server\"\ngenerator = [\"wrk\"]\n[[variants]]";
        for (old, new, why) in [
            ("\"hardware_threads\"", "\"rounds\"", "no program examples/rounds"),
            ("\"hardware_threads\"", "\"\"", "no program examples/"),
            ("rounds = 5", "rounds = 5\nserver = \"ch09\"", "no server examples/ch09"),
            ("rounds = 5", "rounds = 5\ncount = \"syscalls\"", "`count` is a server's"),
            ("rounds = 5", "rounds = 5\npin = \"apart\"", "(`one`)"),
            ("seconds = 4", "", "how many seconds"),
            ("seconds = 4", "seconds = 4\ndescriptors = 2", "16"),
            ("rounds_per_second", "Rounds", "a figure's name"),
            ("rounds_per_second", "spin_before_ns", "measures itself"),
            ("[[variants]]", mixed, "`generator` is a server's"),
        ] {
            refused_in(PROGRAM, old, new, why);
        }
        let without = PROGRAM.replace("program = \"hardware_threads\"\n", "");
        let own = "name = \"8 threads\"\nprogram = \"hardware_threads\"";
        refused_in(&without, "name = \"8 threads\"", own, "`1 thread`: it has no program");
        for key in ["arguments = []", "pin = \"one\""] {
            let more = format!("name = \"pool of 1\"\n{key}");
            refused_in(POOL, "name = \"pool of 1\"", &more, "variant `pool of 1`: ");
        }
    }

    #[test]
    fn a_description_is_read() {
        let experiment = read(POOL).unwrap();
        assert_eq!((experiment.rounds, experiment.pin), (5, Pin::Apart));
        assert_eq!(experiment.baseline(), "pool of 1");
        assert_eq!(experiment.entries(), ["pool of 1", "pool of 4", "control"]);
        assert_eq!(experiment.setup(CONTROL), experiment.setup("pool of 1"));
        let setup = experiment.setup("pool of 4").unwrap();
        assert_eq!(setup.options.unwrap(), ["--threads", "4"]);
        assert_eq!((setup.seconds, setup.descriptors), (Some(4.0), Some(200)));
        assert_eq!(setup.env.unwrap()["LIMITED"], "1");
        assert_eq!(experiment.variants[0].law.as_ref().unwrap().value, 10.0);
        assert_eq!(experiment.setup("pool of 9"), None);
        // Stored and read again it is the same.
        let stored = serde_json::to_string(&experiment).unwrap();
        assert_eq!(serde_json::from_str::<Experiment>(&stored).unwrap(), experiment);
        // A server on a framework is known too; its folder is not among the examples.
        read(&POOL.replacen("ch03_threadpool", "hyper_per_core", 1)).unwrap();
    }

    #[test]
    fn what_is_unknown_is_refused_by_name() {
        refused("rounds = 5", "rounds = 5\nround = 5", "there is no key `round`;");
        refused("descriptors = 200", "descriptor = 200", "no key `descriptor` in variant 2");
        refused("words = \"1 / 0.1 s\"", "words = \"\", unit = 1", "unit");
        refused("\"apart\"", "\"above\"", "above");
        refused("requests_per_second", "speed", "no figure `speed`");
        refused("\"measuring\"", "\"measured\"", "no page book/measured.md");
        refused("\"ch03_threadpool\"", "\"ch09\"", "no server examples/ch09");
        refused("\"ch03_threadpool\"", "\"../book\"", "no server examples/../book");
        refused("\"wrk\"", "\"siege\"", "no generator `siege`");
        refused("rounds = 5", "rounds = 5\nbaseline = \"x\"", "baseline `x`");
    }

    #[test]
    fn what_is_expected_is_a_sentence_without_a_figure() {
        assert_eq!(read(POOL).unwrap().expected, None);
        let expecting = POOL.replace("rounds = 5", "rounds = 5\nexpected = \"We don't know.\"");
        let experiment = read(&expecting).unwrap();
        assert_eq!(experiment.expected.as_deref(), Some("We don't know."));
        let words = "\"We don't know.\"";
        refused_in(&expecting, words, "\" \"", "its `expected` is empty");
        refused_in(&expecting, words, "\"It is\\nthe law.\"", "in one line");
        refused_in(&expecting, words, "'{{#median pool-law x 0}}'", "holds no directive");
    }

    #[test]
    fn dots_lie_over_a_figure_that_is_known() {
        let figure = "server_cpu_share_percent";
        let chart = format!("[chart]\nkind = \"lines\"\nx_figure = \"{figure}\"\n[[variants]]");
        let over = POOL.replacen("[[variants]]", &chart, 1);
        let experiment = read(&over).unwrap();
        assert_eq!(experiment.chart.x_figure.as_deref(), Some(figure));
        assert_eq!(experiment.variants[0].x, None);
        refused_in(&over, figure, "share", "`x_figure`: there is no figure `share`");
        refused_in(&over, "\"lines\"", "\"bars\"", "`kind = \"lines\"`");
        let bands = over.replacen("x_figure", "bands = [\"latency_p50_ms\"]\nx_figure", 1);
        assert_eq!(read(&bands).unwrap().chart.bands, ["latency_p50_ms"]);
        refused_in(&bands, "_p50_", "_p51_", "`bands`: there is no figure `latency_p51_ms`");
        let axis = format!("x_figure = \"{figure}\"");
        refused_in(&bands, &axis, "", "those of an `x_figure`");
        let of_a_program = PROGRAM.replacen("[[variants]]", &chart, 1);
        refused_in(&of_a_program, figure, figure, "measures itself");
        read(&of_a_program.replace(figure, "program_cpu_seconds")).unwrap();
    }

    #[test]
    fn what_can_not_be_measured_is_refused() {
        refused("{url}/sleep", "/sleep", "no {url}");
        refused("\"wrk\", ", "\"load\", ", "--json");
        refused("seconds = 4", "", "how many seconds");
        refused("seconds = 4", "seconds = 0", "more than none");
        refused("rounds = 5", "rounds = 4", "at least 5");
        refused("finding = ", "page2 = ", "no key `page2`");
        refused("name = \"pool of 4\"", "name = \"pool of 1\"", "two variants have the name");
        refused("name = \"pool of 4\"", "name = \"control\"", "second run of the baseline");
        refused("\"--threads\", \"4\"", "\"--port\", \"4\"", "the port");
        refused("descriptors = 200", "descriptors = 2", "16");
        let alone = POOL.split("[[variants]]").take(2).collect::<Vec<_>>().join("[[variants]]");
        assert!(read(&alone).unwrap_err().to_string().contains("two variants"));
        for name in ["Pool", "", "a_b"] {
            assert!(parse(name, POOL, repository().path()).is_err(), "{name}");
        }
    }

    #[test]
    fn all_files_of_the_folder_are_read_and_a_wrong_one_is_named() {
        let root = repository();
        assert!(load_all(&root.path().join("elsewhere")).unwrap().is_empty());
        let folder = folder(root.path());
        fs::write(folder.join("pool-law.toml"), POOL).unwrap();
        fs::write(folder.join("notes.txt"), "no experiment").unwrap();
        assert_eq!(load_all(root.path()).unwrap().keys().collect::<Vec<_>>(), ["pool-law"]);
        fs::write(folder.join("other.toml"), "titel = 1").unwrap();
        let message = format!("{:#}", load_all(root.path()).unwrap_err());
        assert!(message.starts_with("measurements/experiments/other.toml: "), "{message}");
        assert!(message.contains("`titel`"), "{message}");
    }

    #[test]
    fn a_share_is_a_rate_of_load() {
        let wrk = r#"generator = ["wrk", "-t1", "-c64", "-d4s", "{url}/sleep"]"#;
        let load = r#"generator = ["load", "--rate", "{rate}", "--duration", "4", "--json", "{url}/sleep"]
    share = 50"#;
        let shares = POOL.replace(wrk, load);
        assert_eq!(read(&shares).unwrap().setup("pool of 4").unwrap().share, Some(50.0));
        refused_in(&shares, "share = 50", "", "with a `share`");
        refused_in(&shares, "\"{rate}\"", "\"50\"", "with a `share`");
        refused_in(&shares, "\"--rate\", ", "", "the word behind it");
        refused_in(&shares, "share = 50", "share = 0", "more than none");
    }

    #[test]
    fn only_drill_has_a_plan() {
        let plan = "seconds = 4\nplan = 'plan: [{request: {url: \"{url}/\"}}]'";
        refused("seconds = 4", plan, "`plan`");
        refused("\"wrk\", \"-t1\"", "\"drill\"", "`plan`");
        read(&POOL.replace("\"wrk\", \"-t1\"", "\"drill\"").replace("seconds = 4", plan)).unwrap();
    }
}
