//! The committed figures and charts are those that the records give.

use std::fs;

use charts::{edition, left_over};
use records::base::find_root;

#[test]
fn the_figures_and_the_charts_are_those_of_the_records() {
    let root = find_root().unwrap();
    let files = edition(&root).unwrap();
    for (path, text) in &files {
        let committed = fs::read_to_string(path).unwrap_or_default();
        assert!(
            committed == *text,
            "{} is not what the records come to; `cargo xtask charts` writes it anew",
            path.display()
        );
    }
    assert_eq!(left_over(&root, &files).unwrap(), Vec::<std::path::PathBuf>::new());
}

/// An experiment without a sentence is removed.
#[test]
fn every_experiment_has_the_sentence_that_it_is_there_for() {
    let root = find_root().unwrap();
    let table = fs::read_to_string(root.join("measurements/README.md")).unwrap();
    let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
    let mut listed: Vec<&str> = rows.filter_map(|row| Some(row.split_once('`')?.0)).collect();
    listed.sort_unstable();
    let described: Vec<String> =
        records::descriptions::load_all(&root).unwrap().into_keys().collect();
    assert_eq!(listed, described);
}
