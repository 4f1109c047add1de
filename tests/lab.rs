//! The scheduler lab of the book: its simulator gives the answers that the pages call right, and agrees with what was
//! measured. What is checked is written in `lab/*.test.mjs`.

use std::{fs, process::Command, time::Duration};

use ladder_tests::{DEADLINE, have, root, run, skip};
use records::{
    base::programs::how_to_install,
    descriptions,
    results::shown_folder,
    servers::SERVERS,
    store::{self, EXPERIMENTS},
};

/// How long all tests of the lab may take together.
const LAB_TIME: Duration = Duration::from_secs(900);

/// The first version of Node that has a test runner and that Debian still ships.
const OLDEST_NODE: u32 = 18;

/// The major version in what `node --version` prints: 20 of "v20.20.2".
fn major(version: &str) -> Option<u32> {
    version.trim().strip_prefix('v')?.split('.').next()?.parse().ok()
}

/// The declared servers as the tests of the lab want them: by name, the model and the threads.
fn servers() -> serde_json::Value {
    SERVERS
        .iter()
        .map(|server| {
            let model = serde_json::json!({
                "model": server.lab,
                "threads": server.threads_without_options(),
            });
            (server.name.clone(), model)
        })
        .collect()
}

/// What was measured, as the tests of the lab want it: by experiment, the metric, what was run and where, and the figures of
/// the runs that count.
fn measured() -> serde_json::Value {
    let folder = shown_folder(root()).join(EXPERIMENTS);
    let described = descriptions::load_all(root()).expect("they are right");
    let mut measured = serde_json::Map::new();
    for name in store::names(&folder).expect("the records are there") {
        let Some(description) = described.get(&name) else { continue };
        let record = store::read(&folder, &name).expect("it is a record");
        let counted = record.runs.iter().filter(|run| run.left_out.is_none());
        let runs: Vec<serde_json::Value> = counted
            .map(|run| serde_json::json!({ "variant": run.variant, "figures": run.figures }))
            .collect();
        let was_run = serde_json::json!({
            "metric": description.metric,
            "ran": description,
            "hardwareThreads": record.session.machine.hardware_threads,
            "runs": runs,
        });
        measured.insert(name, was_run);
    }
    measured.into()
}

/// Node's test runner with a file of `tests/lab`; none where there is no Node that has one, which is said.
fn runner(file: &str) -> Option<Command> {
    if !have("node") {
        return None;
    }
    let version = run(Command::new("node").arg("--version"), DEADLINE).stdout;
    if major(&version).is_none_or(|major| major < OLDEST_NODE) {
        let version = version.trim();
        skip(&format!(
            "node is {version}, and the tests want {OLDEST_NODE} or newer. {}",
            how_to_install("node")
        ));
        return None;
    }
    let mut node = Command::new("node");
    node.arg("--test").arg(root().join("tests/lab").join(file));
    Some(node)
}

/// Asserts that all tests of a file pass.
#[track_caller]
fn passes(node: &mut Command) {
    let finished = run(node, LAB_TIME);
    assert_eq!(finished.code, Some(0), "\n{}{}", finished.stdout, finished.stderr);
}

#[test]
fn the_lab_plays_what_the_pages_answer() {
    if let Some(mut node) = runner("simulator.test.mjs") {
        passes(&mut node);
    }
}

#[test]
#[ignore = "slow"]
fn the_lab_agrees_with_what_was_measured() {
    let Some(mut node) = runner("measured.test.mjs") else { return };
    // What was measured is more than a variable may hold.
    let records = tempfile::NamedTempFile::new().expect("a file");
    fs::write(&records, measured().to_string()).expect("it can be written");
    node.env("LADDER_SERVERS", servers().to_string()).env("LADDER_RECORDS", records.path());
    passes(&mut node);
}

#[test]
fn versions_of_node_are_read() {
    assert_eq!(major("v18.19.0\n"), Some(18));
    assert_eq!(major("v20.20.2"), Some(20));
    assert_eq!(major("20"), None);
    assert_eq!(major(""), None);
}
