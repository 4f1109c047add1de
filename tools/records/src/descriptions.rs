//! The descriptions in `measurements/experiments`, read and checked.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, anyhow, bail};
use servers::Foreign;

use crate::{
    description::{CONTROL, Contrast, Experiment, Margin, Pin, Setup, URL},
    expansion::expand,
    figures::{self, FIGURES},
    verdict::LEAST_ROUNDS,
};

/// The tools that a generator's command line may begin with. `load` is our own, built from `examples/load`.
pub const GENERATORS: [&str; 5] = ["wrk", "ab", "load", "oha", "drill"];

/// The keys that hold for every variant that says nothing else, and that a variant may say itself.
const SETUP_KEYS: [&str; 16] = [
    "server",
    "program",
    "arguments",
    "busy",
    "options",
    "env",
    "profile",
    "descriptors",
    "stderr",
    "generator",
    "plan",
    "seconds",
    "warm_up",
    "count",
    "pause",
    "errors_expected",
];

/// The greatest margin, in percent. More than this is no longer a ratio that anyone doubts.
const MOST_MARGIN: f64 = 900.0;

/// The other keys of an experiment.
const EXPERIMENT_KEYS: [&str; 13] = [
    "title",
    "question",
    "finding",
    "page",
    "metric",
    "rounds",
    "pin",
    "baseline",
    "margin",
    "contrasts",
    "control",
    "chart",
    "variants",
];

/// The other keys of a variant.
const VARIANT_KEYS: [&str; 6] = ["name", "law", "series", "x", "pin", "reduced"];

/// The folder of the descriptions, below the repository's root.
pub fn folder(root: &Path) -> PathBuf {
    root.join("measurements").join("experiments")
}

/// Reads and checks every description in `measurements/experiments`; none, if there is no such folder.
///
/// # Errors
/// When a file can't be read, is not TOML, or describes something that can't be measured;
/// the message names the file and what is wrong.
pub fn load_all(root: &Path) -> Result<BTreeMap<String, Experiment>> {
    let mut all = BTreeMap::new();
    let folder = folder(root);
    let entries = match fs::read_dir(&folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(all),
        entries => entries.with_context(|| format!("cannot read {}", folder.display()))?,
    };
    for entry in entries {
        let path = entry.with_context(|| format!("cannot read {}", folder.display()))?.path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let file = format!("measurements/experiments/{name}.toml");
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {file}"))?;
        let experiment = parse(&name, &text, root).with_context(|| file)?;
        all.insert(name, experiment);
    }
    Ok(all)
}

/// Reads and checks one description.
///
/// # Errors
/// When it is not TOML, or describes something that can't be measured.
pub fn parse(name: &str, text: &str, root: &Path) -> Result<Experiment> {
    let mut table: toml::Table = text.parse()?;
    expand(&mut table)?;
    // Serde's own check for unknown keys does not work beside `flatten`.
    let (setup, own): (&[&str], &[&str]) = (&SETUP_KEYS, &EXPERIMENT_KEYS);
    refuse_unknown(&table, &[own, setup], "")?;
    let variants = table.get("variants").and_then(toml::Value::as_array).into_iter().flatten();
    for (index, variant) in variants.enumerate() {
        let place = format!(" in variant {}", index + 1);
        let variant = variant.as_table().with_context(|| format!("no table{place}"))?;
        refuse_unknown(variant, &[&VARIANT_KEYS, setup], &place)?;
    }
    let experiment: Experiment = table.try_into()?;
    check(name, &experiment, root)?;
    Ok(experiment)
}

fn refuse_unknown(table: &toml::Table, known: &[&[&str]], place: &str) -> Result<()> {
    let known = known.concat();
    match table.keys().find(|key| !known.contains(&key.as_str())) {
        None => Ok(()),
        Some(key) => bail!("there is no key `{key}`{place}; there are {}", known.join(", ")),
    }
}

/// Fails where something is described that can't be measured.
fn check(name: &str, experiment: &Experiment, root: &Path) -> Result<()> {
    let plain = |letter: char| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    if name.is_empty() || !name.chars().all(|letter| plain(letter) || letter == '-') {
        bail!("an experiment's name holds small letters, digits and hyphens only, not `{name}`");
    }
    for (key, text) in [("title", &experiment.title), ("question", &experiment.question)] {
        if text.trim().is_empty() {
            bail!("its {key} is empty");
        }
    }
    if !root.join("book").join(format!("{}.md", experiment.page)).is_file() {
        bail!("there is no page book/{}.md", experiment.page);
    }
    if experiment.is_of_programs() {
        figures::check_name(&experiment.metric).context("its metric")?;
    } else if !FIGURES.contains(&experiment.metric.as_str()) {
        bail!("there is no figure `{}`; there are {}", experiment.metric, FIGURES.join(", "));
    }
    if experiment.rounds < LEAST_ROUNDS {
        bail!("its rounds are at least {LEAST_ROUNDS}: with fewer nobody can tell anything");
    }
    if experiment.finding.is_none() {
        bail!(
            "its `finding` is missing: what it found, in a sentence whose figures are directives"
        );
    }
    let Margin { percent, because } = &experiment.margin;
    if !(0.0..=MOST_MARGIN).contains(percent) || *percent == 0.0 {
        bail!("its margin is above 0%, 100 for twice as much, and {MOST_MARGIN}% at most");
    }
    if because.trim().is_empty() {
        bail!("its margin does not say because of what that much would matter");
    }
    check_variants(experiment, root)?;
    check_contrasts(experiment)?;
    let baseline = experiment.baseline();
    if experiment.variant(baseline).is_none() {
        bail!("its baseline `{baseline}` is no variant");
    }
    Ok(())
}

/// Whether there is something to compare, each by a name of its own, and each can be measured.
fn check_variants(experiment: &Experiment, root: &Path) -> Result<()> {
    let programs = experiment.is_of_programs();
    let setups: Vec<Setup> = experiment.setups().map(|(_, setup)| setup).collect();
    let only_counts = !setups.is_empty() && setups.iter().all(|setup| setup.count.is_some());
    if experiment.variants.len() < if only_counts { 1 } else { 2 } {
        bail!("it compares nothing: it needs at least two variants");
    }
    let mut names = BTreeSet::new();
    for (variant, setup) in experiment.variants.iter().zip(&setups) {
        if variant.name.trim().is_empty() || variant.name.contains(['"', '\n']) {
            bail!("a variant's name is not empty and holds no quote or line end");
        }
        if variant.name == CONTROL {
            bail!("`{CONTROL}` is the second run of the baseline, and no variant's name");
        }
        if !names.insert(&variant.name) {
            bail!("two variants have the name `{}`", variant.name);
        }
        let pin = variant.pin.unwrap_or(experiment.pin);
        let checked = match &setup.program {
            Some(program) => check_program(program, setup, pin, root),
            None if programs => Err(anyhow!("it has no program, and the others have one")),
            None => check_setup(setup, pin, root),
        };
        checked.with_context(|| format!("variant `{}`", variant.name))?;
    }
    Ok(())
}

/// Whether each contrast is between two of the variants, by a figure that there is, and stands there once.
fn check_contrasts(experiment: &Experiment) -> Result<()> {
    let mut seen = BTreeSet::new();
    for contrast in &experiment.contrasts {
        let Contrast { of, to, .. } = contrast;
        for name in [of, to] {
            if experiment.variant(name).is_none() {
                bail!("a contrast names `{name}`, which is no variant");
            }
        }
        let figure = contrast.figure(&experiment.metric);
        if experiment.is_of_programs() {
            figures::check_name(figure).context("a contrast's figure")?;
        } else if !FIGURES.contains(&figure) {
            bail!("a contrast has no figure `{figure}`; there are {}", FIGURES.join(", "));
        }
        if of == to || !seen.insert((of, to, figure)) || seen.contains(&(to, of, figure)) {
            bail!("the contrast of `{of}` to `{to}` compares nothing new");
        }
    }
    Ok(())
}

/// Whether the workspace has an example of this name, in a package of the same name.
fn is_example(name: &str, root: &Path) -> bool {
    let is_a_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    !name.is_empty() && is_a_name && root.join("examples").join(name).is_dir()
}

fn check_program(program: &str, setup: &Setup, pin: Pin, root: &Path) -> Result<()> {
    if !is_example(program, root) {
        bail!("there is no program examples/{program}");
    }
    if let Some(server) = &setup.server {
        check_server(server, root)?;
    }
    for (key, is_there) in [
        ("options", setup.options.is_some()),
        ("generator", setup.generator.is_some()),
        ("stderr", setup.stderr.is_some()),
        ("warm_up", setup.warm_up.is_some()),
        ("count", setup.count.is_some()),
        ("pause", setup.pause.is_some()),
        ("errors_expected", setup.errors_expected.is_some()),
    ] {
        if is_there {
            bail!("`{key}` is a server's, and it has a program");
        }
    }
    if !matches!(pin, Pin::None | Pin::One) {
        bail!("a program is bound to no CPU (`none`) or to one (`one`)");
    }
    let seconds = setup.seconds.context("it does not say how many seconds it takes")?;
    check_times([seconds])?;
    check_descriptors(setup)
}

fn check_times(times: impl IntoIterator<Item = f64>) -> Result<()> {
    if times.into_iter().any(|time| !time.is_finite() || time <= 0.0) {
        bail!("its seconds are more than none");
    }
    Ok(())
}

fn check_descriptors(setup: &Setup) -> Result<()> {
    if setup.descriptors.is_some_and(|limit| limit < 16) {
        bail!("no program starts with fewer than 16 descriptors");
    }
    Ok(())
}

fn check_server(server: &str, root: &Path) -> Result<()> {
    if Foreign::named(server).is_none() && !is_example(server, root) {
        bail!("there is no server examples/{server}");
    }
    Ok(())
}

fn check_setup(setup: &Setup, pin: Pin, root: &Path) -> Result<()> {
    check_server(setup.server.as_deref().context("it has neither server nor program")?, root)?;
    if setup.arguments.is_some() || setup.busy.is_some() {
        bail!("`arguments` and `busy` are a program's; a server has `options`");
    }
    if pin == Pin::One {
        bail!("a server and its generator are bound by `apart` or `together`");
    }
    let options = setup.options.iter().flatten();
    if options.clone().any(|option| option == "--port" || option.starts_with("--port=")) {
        bail!("the port is not the description's to say");
    }
    let generator = setup.generator.as_deref().context("it has no generator")?;
    let first = generator.first().map_or("", String::as_str);
    if !GENERATORS.contains(&first) {
        bail!("there is no generator `{first}`; there are {}", GENERATORS.join(", "));
    }
    if (first == "drill") != setup.plan.is_some() {
        bail!("drill has a `plan`, and no other generator does");
    }
    if !generator.iter().chain(&setup.plan).any(|word| word.contains(URL)) {
        bail!("its generator's command line holds no {URL}");
    }
    if first == "load" && !generator.iter().any(|word| word == "--json") {
        bail!("`load` prints what can be read back with --json only");
    }
    if setup.warm_up.is_some() && setup.count.is_some() {
        bail!("`count` holds all that a server does, so it has no `warm_up`");
    }
    let seconds = setup.seconds.context("it does not say how many seconds it takes")?;
    let pause = setup.pause.iter().flat_map(|pause| [pause.after, pause.lasts]);
    check_times(pause.chain([seconds]))?;
    check_descriptors(setup)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        description::Law,
        testing::{POOL, PROGRAM, repository},
    };

    fn read(text: &str) -> Result<Experiment> {
        parse("pool-law", text, repository().path())
    }

    #[track_caller]
    fn refused(old: &str, new: &str, why: &str) {
        assert!(POOL.contains(old), "{old}");
        let message = format!("{:#}", read(&POOL.replacen(old, new, 1)).unwrap_err());
        assert!(message.contains(why), "{message}");
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
        let refused = |old: &str, new: &str, why: &str| {
            assert!(PROGRAM.contains(old), "{old}");
            let message = format!("{:#}", read(&PROGRAM.replacen(old, new, 1)).unwrap_err());
            assert!(message.contains(why), "{message}");
        };
        refused("\"hardware_threads\"", "\"rounds\"", "no program examples/rounds");
        refused("\"hardware_threads\"", "\"\"", "no program examples/");
        refused("rounds = 5", "rounds = 5\nserver = \"ch09\"", "no server examples/ch09");
        refused("rounds = 5", "rounds = 5\ncount = \"syscalls\"", "`count` is a server's");
        refused("rounds = 5", "rounds = 5\npin = \"apart\"", "(`one`)");
        refused("seconds = 4", "", "how many seconds");
        refused("seconds = 4", "seconds = 4\ndescriptors = 2", "16");
        refused("rounds_per_second", "Rounds", "a figure's name");
        refused("rounds_per_second", "stall_p99_ms", "measures itself");
        let mixed = "[[variants]]\nname = \"a server\"\ngenerator = [\"wrk\"]\n[[variants]]";
        refused("[[variants]]", mixed, "`generator` is a server's");
        let without = PROGRAM.replace("program = \"hardware_threads\"\n", "").replacen(
            "name = \"8 threads\"",
            "name = \"8 threads\"\nprogram = \"hardware_threads\"",
            1,
        );
        let message = format!("{:#}", read(&without).unwrap_err());
        assert!(message.contains("`1 thread`: it has no program"), "{message}");
        for key in ["arguments = []", "busy = true", "pin = \"one\""] {
            let server =
                POOL.replace("name = \"pool of 1\"", &format!("name = \"pool of 1\"\n{key}"));
            assert!(read(&server).is_err(), "{key}");
        }
    }

    #[test]
    fn words_and_margin_change_nothing_that_is_measured() {
        let experiment = read(POOL).unwrap();
        let like = |change: &dyn Fn(&mut Experiment)| {
            let mut other = experiment.clone();
            change(&mut other);
            other.measures_like(&experiment)
        };
        assert!(like(&|it| it.title = "Another".to_owned()));
        assert!(like(&|it| it.margin.percent = 50.0));
        assert!(like(&|it| it.contrasts.clear()));
        assert!(like(&|it| it.variants[0].x = Some(77.0)));
        assert!(!like(&|it| it.rounds += 1));
        assert!(!like(&|it| it.baseline = Some("pool of 4".to_owned())));
        let law = |words: &str, value| Some(Law { value, words: words.to_owned() });
        assert!(like(&|it| it.variants[0].law = law("1 × 10", 10.0)));
        assert!(!like(&|it| it.variants[0].law = law("1 / 0.1 s", 11.0)));
        assert!(!like(&|it| it.variants[0].law = None));
        assert!(!like(&|it| it.variants[0].name = "another".to_owned()));
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
    }

    /// Its folder is not among the examples.
    #[test]
    fn a_server_on_a_framework_is_known() {
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
    fn what_can_not_be_measured_is_refused() {
        refused("{url}/sleep", "/sleep", "no {url}");
        refused("\"wrk\", ", "\"load\", ", "--json");
        refused("seconds = 4", "", "how many seconds");
        refused("seconds = 4", "seconds = 0", "more than none");
        refused("rounds = 5", "rounds = 4", "at least 5");
        refused("finding = ", "page2 = ", "no key `page2`");
        refused("percent = 5", "percent = 1000", "100 for twice as much");
        refused("percent = 5", "percent = nan", "100 for twice as much");
        refused("percent = 5", "percent = 0", "above 0%");
        refused("a law is exact", " ", "because of what");
        refused("of = \"pool of 4\"", "of = \"pool of 9\"", "`pool of 9`, which is no variant");
        refused("of = \"pool of 4\"", "of = \"pool of 1\"", "compares nothing new");
        refused(
            "to = \"pool of 1\" }",
            "to = \"pool of 1\", figure = \"speed\" }",
            "no figure `speed`",
        );
        let again = "to = \"pool of 1\" }, { of = \"pool of 1\", to = \"pool of 4\" }";
        refused("to = \"pool of 1\" }", again, "compares nothing new");
        refused("name = \"pool of 4\"", "name = \"pool of 1\"", "two variants have the name");
        refused("name = \"pool of 4\"", "name = \"control\"", "second run of the baseline");
        refused("\"--threads\", \"4\"", "\"--port\", \"4\"", "the port");
        refused("descriptors = 200", "descriptors = 2", "16");
        let alone = POOL.split("[[variants]]").take(2).collect::<Vec<_>>().join("[[variants]]");
        let alone = alone.replace("contrasts = [{ of = \"pool of 4\", to = \"pool of 1\" }]", "");
        assert!(read(&alone).unwrap_err().to_string().contains("two variants"));
        read(&alone.replace("rounds = 5", "rounds = 5\ncount = \"syscalls\"")).unwrap();
        for name in ["Pool", "", "a_b"] {
            assert!(parse(name, POOL, repository().path()).is_err(), "{name}");
        }
    }

    #[test]
    fn all_files_of_the_folder_are_read_and_a_wrong_one_is_named() {
        let root = repository();
        assert!(load_all(&root.path().join("elsewhere")).unwrap().is_empty());
        let write = |name: &str, text: &str| fs::write(folder(root.path()).join(name), text);
        write("pool-law.toml", POOL).unwrap();
        write("notes.txt", "no experiment").unwrap();
        assert_eq!(load_all(root.path()).unwrap().keys().collect::<Vec<_>>(), ["pool-law"]);
        write("other.toml", "titel = 1").unwrap();
        let message = format!("{:#}", load_all(root.path()).unwrap_err());
        assert!(message.starts_with("measurements/experiments/other.toml: "), "{message}");
        assert!(message.contains("`titel`"), "{message}");
    }

    #[test]
    fn only_drill_has_a_plan() {
        let with = |generator: &str, plan: &str| {
            let text = POOL.replace("\"wrk\", \"-t1\"", generator);
            read(&text.replace("seconds = 4", &format!("seconds = 4\n{plan}")))
        };
        let plan = "plan = 'plan: [{request: {url: \"{url}/\"}}]'";
        assert!(with("\"drill\"", plan).is_ok());
        for (generator, plan) in [("\"drill\"", ""), ("\"wrk\"", plan)] {
            let message = format!("{:#}", with(generator, plan).unwrap_err());
            assert!(message.contains("`plan`"), "{message}");
        }
    }

    #[test]
    fn the_repositorys_own_descriptions_are_right() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .expect("it lies two folders deep");
        load_all(root).unwrap();
    }
}
