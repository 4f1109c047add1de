//! Computes the figures that pages name in their directives, from the records.

use std::{collections::BTreeMap, fs, path::Path, sync::LazyLock};

use anyhow::{Context, Result, bail};
use pictures::text::escape;
use records::{
    computed::{Computed, Key, OF_A_CROWD},
    difference::Side,
};
use regex::{Captures, Regex};

use crate::measured::Measured;

/// A directive that names figures: `{{#median NAME VARIANT [FIGURE] DECIMALS}}` and its kin.
static DIRECTIVE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(\\?)\{\{\s*#\s*(median|spread|times|range|compare|crowd)\s+([^}]*)\}\}")
        .expect("it is right")
});

/// The figures that a directive asks for.
enum Wanted {
    /// A figure of a variant.
    Figure(Key),
    /// The metric of several variants, or all that a crowd shows.
    Several(Vec<Key>),
}

/// The experiments that were measured, by name.
pub type All = BTreeMap<String, Measured>;

/// Computes the figures that the pages and the findings name.
///
/// # Errors
/// When a directive is malformed, or names what was not measured; the message names the page.
pub fn figures(root: &Path, all: &All) -> Result<BTreeMap<Key, Computed>> {
    let mut figures = BTreeMap::new();
    let mut pages: Vec<_> = fs::read_dir(root.join("book"))?.collect::<Result<_, _>>()?;
    pages.sort_by_key(|page| page.path());
    for path in pages.iter().map(fs::DirEntry::path) {
        if path.extension().is_some_and(|ending| ending == "md") {
            let text = fs::read_to_string(&path)?;
            add(&mut figures, all, &text).with_context(|| path.display().to_string())?;
        }
    }
    for (name, measured) in all {
        let finding = measured.description.finding.as_deref().unwrap_or_default();
        add(&mut figures, all, finding).with_context(|| format!("the finding of {name}"))?;
    }
    Ok(figures)
}

/// Adds the figures that a text names.
fn add(figures: &mut BTreeMap<Key, Computed>, all: &All, text: &str) -> Result<()> {
    for found in DIRECTIVE.captures_iter(text).filter(|found| found[1].is_empty()) {
        let wanted = wanted(all, &found[2], &found[3]).with_context(|| found[0].to_owned())?;
        let keys = match wanted {
            Wanted::Figure(key) => vec![key],
            Wanted::Several(keys) => keys,
        };
        for key in keys {
            let computed = computed(all, &key).with_context(|| found[0].to_owned())?;
            figures.insert(key, computed);
        }
    }
    Ok(())
}

/// Reads which figures a directive of this name and these arguments asks for.
fn wanted(all: &All, directive: &str, arguments: &str) -> Result<Wanted> {
    let words = shlex::split(arguments).context("a quote is not closed")?;
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let [name, rest @ ..] = &words[..] else { bail!("it names no experiment") };
    let measured = experiment(all, name)?;
    if directive == "compare" {
        let keys = rest.iter().map(|of| measured.key(of, None, None));
        return Ok(Wanted::Several(keys.collect()));
    }
    if directive == "crowd" {
        let mut keys = Vec::new();
        for variant in &measured.description.variants {
            // A lane of which no run counts says so.
            if !measured.record.counted(&variant.name).is_empty() {
                let shown =
                    OF_A_CROWD.map(|figure| measured.key(&variant.name, None, Some(figure)));
                keys.extend(shown);
            }
        }
        return Ok(Wanted::Several(keys));
    }
    let [of, rest @ .., _decimals] = rest else { bail!("it names no variant") };
    let is_ratio = ["times", "range"].contains(&directive);
    let baseline = measured.description.baseline();
    let (to, figure) = match rest {
        [] if is_ratio => (Some(baseline), None),
        [to] if is_ratio => (Some(*to), None),
        [to, figure] if is_ratio => (Some(*to), Some(*figure)),
        [] => (None, None),
        [figure] => (None, Some(*figure)),
        _ => bail!("it has too many words; a name with spaces stands in double quotes"),
    };
    Ok(Wanted::Figure(measured.key(of, to, figure)))
}

/// Computes a figure, or the ratios of two.
fn computed(all: &All, key: &Key) -> Result<Computed> {
    let measured = experiment(all, &key.experiment)?;
    let Some(to) = &key.to else {
        let spread = measured.spread(&key.of, &key.figure)?;
        let rounds = measured.record.values(&key.of, &key.figure).len();
        return Ok(Computed {
            rounds,
            median: spread.median,
            least: spread.least,
            greatest: spread.greatest,
            differs: None,
        });
    };
    let ratio = measured.ratio(&key.of, to, &key.figure)?;
    let differs = match ratio.agree {
        Some(Side::More) => "more",
        Some(Side::Less) => "less",
        None => "can't tell",
    };
    Ok(Computed {
        rounds: ratio.rounds,
        median: ratio.median,
        least: ratio.least,
        greatest: ratio.greatest,
        differs: Some(differs.to_owned()),
    })
}

fn experiment<'a>(all: &'a All, name: &str) -> Result<&'a Measured> {
    all.get(name).with_context(|| {
        format!("there is no record of `{name}`; `cargo xtask bench --only {name}` measures it")
    })
}

/// Writes the finding of an experiment in HTML, with its figures; or its title, if the description has no finding.
pub fn finding(all: &All, measured: &Measured) -> Result<String> {
    let Some(finding) = &measured.description.finding else {
        return Ok(escape(&measured.description.title));
    };
    let mut problem = None;
    let filled = DIRECTIVE.replace_all(finding, |found: &Captures| {
        words(all, found).unwrap_or_else(|error| {
            problem = Some(error.context(found[0].to_owned()));
            String::new()
        })
    });
    match problem {
        Some(error) => Err(error),
        None => Ok(escape(&filled)),
    }
}

/// Replaces a directive within a sentence by its figure.
fn words(all: &All, found: &Captures) -> Result<String> {
    let Wanted::Figure(key) = wanted(all, &found[2], &found[3])? else {
        bail!("a finding is a sentence")
    };
    let decimals = found[3].split_whitespace().last().and_then(|last| last.parse().ok());
    let decimals = decimals.context("the number of decimals is a digit from 0 to 9")?;
    let computed = computed(all, &key)?;
    Ok(match &found[2] {
        "spread" | "range" => computed.range_words(decimals),
        _ => computed.median_words(decimals),
    })
}
