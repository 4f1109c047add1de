//! The right answer to one question, as a file of `book/predictions` holds it.

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use super::expression::Expression;

/// The right answer to one question, and how we know: a table `[question-id]` of `predictions/PAGE.toml`.
///
/// At least one of `tests`, `results` and `arithmetic` is there.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Prediction {
    /// Which answer of the list is right, counted from 1. Either this or `number`.
    pub choice: Option<usize>,
    /// The number to estimate, above 0.
    pub number: Option<f64>,
    /// What the number counts, for a sentence: `requests per second`.
    pub unit: Option<String>,
    /// How far an estimate may be off and be right, as a part of `number`: 0.1 is 10%. Below 0.5.
    pub tolerance: Option<f64>,
    /// Tests that check the answer: `tests/claims.rs: two_sleeps`, or
    /// `tests/claims.rs: two_sleeps for ch01_single_threaded` where it runs for each rung.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Expressions over the results. For a choice one condition for each answer of the list, of which only
    /// that of the right answer holds; for a number one expression, whose value is the number.
    /// Figures in it are directives: `{{#times NAME "VARIANT" 3}} > 1`.
    #[serde(default)]
    pub results: Vec<Expression>,
    /// The same without results.
    #[serde(default)]
    pub arithmetic: Vec<Expression>,
}

impl Prediction {
    /// Fails where the form is wrong; what it says is [`judge::faults`](super::judge::faults)' to judge.
    pub(super) fn check_form(&self) -> Result<()> {
        match (self.choice, self.number) {
            (Some(choice), None) => {
                ensure!(choice > 0, "answers are counted from 1");
                let extra = self.unit.is_some() || self.tolerance.is_some();
                ensure!(!extra, "`unit` and `tolerance` belong to a `number`");
            }
            (None, Some(number)) => {
                ensure!(number > 0.0, "`number` must be above 0");
                ensure!(self.unit.is_some(), "a number needs its `unit`");
                let tolerance = self.tolerance.context("a number needs a `tolerance`")?;
                ensure!(tolerance > 0.0 && tolerance < 0.5, "`tolerance` is between 0 and 0.5");
            }
            _ => bail!("it needs either `choice` or `number`"),
        }
        let none = self.tests.is_empty() && self.results.is_empty() && self.arithmetic.is_empty();
        ensure!(!none, "it needs evidence: `tests`, `results` or `arithmetic`");
        let has_figure = |expression: &&Expression| !expression.directives.is_empty();
        if let Some(Expression { text, .. }) = self.results.iter().find(|it| !has_figure(it)) {
            bail!("`{text}` has no directive: it is `arithmetic`");
        }
        if let Some(Expression { text, .. }) = self.arithmetic.iter().find(has_figure) {
            bail!("`{text}` has a directive: it belongs to `results`");
        }
        for expressions in [&self.results, &self.arithmetic] {
            ensure!(self.number.is_none() || expressions.len() < 2, "a number has one expression");
            if let Some(choice) = self.choice.filter(|_| !expressions.is_empty()) {
                ensure!(choice <= expressions.len(), "no condition stands for answer {choice}");
            }
        }
        Ok(())
    }
}
