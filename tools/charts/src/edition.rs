//! Makes the files of an edition.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use records::{
    computed, descriptions,
    results::shown_folder,
    store::{self, EXPERIMENTS},
};
use regex::Regex;

use crate::{
    chart::chart,
    figures::{self, All},
    measured::Measured,
};

/// The folder of the drawn charts, below the repository's root.
pub const CHARTS: &str = "measurements/charts";

/// Makes the files of the edition, each with its text: the figures that pages name, and the charts that they show.
///
/// # Errors
/// When a record or a description can't be read, or a page names what was not measured.
pub fn edition(root: &Path) -> Result<BTreeMap<PathBuf, String>> {
    let all = all(root)?;
    let figures = computed::text(&figures::figures(root, &all)?)?;
    let mut files = BTreeMap::from([(computed::path(root), figures)]);
    for name in shown(root)? {
        let measured = all.get(&name).with_context(|| {
            format!("a page shows the chart of `{name}`, and there is no record of it")
        })?;
        let chart = chart(measured, &figures::finding(&all, measured)?)?;
        files.insert(root.join(CHARTS).join(format!("{name}.html")), chart);
    }
    Ok(files)
}

/// Reads the experiments that were measured, each with its description.
fn all(root: &Path) -> Result<All> {
    let folder = shown_folder(root).join(EXPERIMENTS);
    let mut all = All::new();
    for (name, description) in descriptions::load_all(root)? {
        if folder.join(format!("{name}.csv")).exists() {
            let record = store::read(&folder, &name)?;
            all.insert(name.clone(), Measured { name, description, record });
        }
    }
    Ok(all)
}

/// Lists the experiments whose charts pages show.
fn shown(root: &Path) -> Result<BTreeSet<String>> {
    let directive = Regex::new(r"(?m)^\{\{#chart ([a-z0-9-]+)\}\}").context("it is right")?;
    let mut names = BTreeSet::new();
    for page in fs::read_dir(root.join("book"))? {
        let path = page?.path();
        if path.extension().is_some_and(|ending| ending == "md") {
            let text = fs::read_to_string(&path)?;
            names.extend(directive.captures_iter(&text).map(|found| found[1].to_owned()));
        }
    }
    Ok(names)
}

/// Lists the charts in the folder that belong to no page any more.
///
/// # Errors
/// When the folder can't be read.
pub fn left_over(root: &Path, edition: &BTreeMap<PathBuf, String>) -> Result<Vec<PathBuf>> {
    let folder = root.join(CHARTS);
    if !folder.exists() {
        return Ok(Vec::new());
    }
    let mut paths = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        if !edition.contains_key(&path) {
            paths.push(path);
        }
    }
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use records::base::find_root;

    use super::*;

    /// The committed figures and charts are those that the records give.
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
        assert_eq!(left_over(&root, &files).unwrap(), Vec::<PathBuf>::new());
    }

    /// An experiment without a sentence is removed.
    #[test]
    fn every_experiment_has_the_sentence_that_it_is_there_for() {
        let root = find_root().unwrap();
        let table = fs::read_to_string(root.join("measurements/README.md")).unwrap();
        let rows = table.lines().filter_map(|line| line.strip_prefix("| `"));
        let mut listed: Vec<&str> = rows.filter_map(|row| Some(row.split_once('`')?.0)).collect();
        listed.sort_unstable();
        let described: Vec<String> = descriptions::load_all(&root).unwrap().into_keys().collect();
        assert_eq!(listed, described);
    }
}
