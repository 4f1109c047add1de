//! The figures that pages name, computed once an edition: `measurements/figures.csv`, which `cargo xtask charts` writes.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use crate::base::number;

/// The figures that the picture of a crowd shows, of each of its variants.
pub const OF_A_CROWD: [&str; 7] = [
    "server_peak_memory_mib",
    "kernel_stack_mib",
    "server_page_tables_mib",
    "server_peak_threads",
    "requests",
    "turned_away",
    "last_answer_seconds",
];

/// Which figure of which experiment.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Key {
    /// The name of its description.
    pub experiment: String,
    /// The variant.
    pub of: String,
    /// The variant with which it is compared round by round, if it is.
    pub to: Option<String>,
    /// One of [`FIGURES`](crate::figures::FIGURES), or a figure that the programs print.
    pub figure: String,
}

/// A figure of a variant over its rounds, in the unit that is a part of its name; or the ratios of two variants.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Computed {
    /// The number of rounds that it comes from.
    pub rounds: usize,
    /// The median.
    pub median: f64,
    /// The least.
    pub least: f64,
    /// The greatest.
    pub greatest: f64,
    /// For ratios: `more` or `less`, if all rounds agree which has more, and else `can't tell`.
    pub differs: Option<String>,
}

impl Computed {
    /// Writes the median, with so many digits after the point.
    pub fn median_words(&self, decimals: usize) -> String {
        number(self.median, decimals)
    }

    /// Writes the least and the greatest: `810 to 836`.
    pub fn range_words(&self, decimals: usize) -> String {
        format!("{} to {}", number(self.least, decimals), number(self.greatest, decimals))
    }
}

/// A row of the file.
#[derive(Serialize, Deserialize)]
struct Row {
    experiment: String,
    of: String,
    to: Option<String>,
    figure: String,
    rounds: usize,
    median: f64,
    least: f64,
    greatest: f64,
    differs: Option<String>,
}

/// Returns the path of the file of figures.
pub fn path(root: &Path) -> PathBuf {
    root.join("measurements").join("figures.csv")
}

/// Reads the figures in that file; none where there is no such file. Fails when it is not what [`text()`] made.
pub fn read(root: &Path) -> Result<BTreeMap<Key, Computed>> {
    let path = path(root);
    if !path.exists() {
        return Ok(BTreeMap::new());
    }
    read_table(&path).with_context(|| format!("cannot read {}", path.display()))
}

fn read_table(path: &Path) -> Result<BTreeMap<Key, Computed>, csv::Error> {
    let mut figures = BTreeMap::new();
    for row in csv::Reader::from_path(path)?.deserialize() {
        let Row { experiment, of, to, figure, rounds, median, least, greatest, differs } = row?;
        let key = Key { experiment, of, to, figure };
        figures.insert(key, Computed { rounds, median, least, greatest, differs });
    }
    Ok(figures)
}

/// Writes the contents of that file. Fails when a figure is not a number.
pub fn text(figures: &BTreeMap<Key, Computed>) -> Result<String> {
    let mut table = csv::Writer::from_writer(Vec::new());
    for (key, computed) in figures {
        let Key { experiment, of, to, figure } = key.clone();
        let Computed { rounds, median, least, greatest, differs } = computed.clone();
        table.serialize(Row {
            experiment,
            of,
            to,
            figure,
            rounds,
            median,
            least,
            greatest,
            differs,
        })?;
    }
    Ok(String::from_utf8(table.into_inner()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(to: Option<&str>) -> Key {
        Key {
            experiment: "pool-law".to_owned(),
            of: "pool of 4, kept".to_owned(),
            to: to.map(str::to_owned),
            figure: "requests_per_second".to_owned(),
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let root = tempfile::tempdir().unwrap();
        assert!(read(root.path()).unwrap().is_empty());
        let alone =
            Computed { rounds: 5, median: 39.5, least: 39.0, greatest: 40.25, differs: None };
        let beside = Computed {
            median: f64::INFINITY,
            greatest: f64::INFINITY,
            differs: Some("more".to_owned()),
            ..alone.clone()
        };
        let figures = [(key(None), alone.clone()), (key(Some("pool of 1")), beside)].into();
        std::fs::create_dir(root.path().join("measurements")).unwrap();
        std::fs::write(path(root.path()), text(&figures).unwrap()).unwrap();
        assert_eq!(read(root.path()).unwrap(), figures);
        assert_eq!(
            (alone.median_words(0), alone.range_words(1)),
            ("40".into(), "39.0 to 40.2".into())
        );
    }
}
