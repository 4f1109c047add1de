//! Whether the results and the arithmetic bear out the answers.

use anyhow::{Context, Result, bail, ensure};

use super::{
    expression::{Expression, Look, Value},
    prediction::Prediction,
};

/// What the expressions say against an answer; nothing if they bear it out.
pub(crate) fn faults(prediction: &Prediction, look: &Look) -> Vec<String> {
    let mut faults = Vec::new();
    for expressions in [&prediction.results, &prediction.arithmetic] {
        for (index, expression) in expressions.iter().enumerate() {
            if let Err(error) = check_expression(prediction, look, index + 1, expression) {
                faults.push(format!("{error:#}"));
            }
        }
    }
    faults
}

fn check_expression(
    prediction: &Prediction,
    look: &Look,
    answer: usize,
    expression: &Expression,
) -> Result<()> {
    let text = &expression.text;
    let figures = expression.figures(look).with_context(|| format!("`{text}`"))?;
    let value = expression.root.value(&figures);
    let value = value.with_context(|| format!("`{text}`, whose figures are {figures:?}"))?;
    match (prediction.choice, prediction.number, value) {
        (Some(choice), _, Value::Truth(truth)) => ensure!(
            truth == (answer == choice),
            "answer {choice} is said to be right, but answer {answer} has the condition `{text}`, \
             whose figures are {figures:?}: {}",
            if truth { "it holds" } else { "it does not hold" }
        ),
        (_, Some(number), Value::Number(value)) => ensure!(
            (value - number).abs() <= prediction.tolerance.unwrap_or_default() * number,
            "{number} is said to be right, but `{text}` is {value}"
        ),
        (Some(_), ..) => bail!("`{text}` is no condition"),
        _ => bail!("`{text}` is no number"),
    }
    Ok(())
}

/// Fails unless a condition holds.
pub(super) fn hold(expression: &Expression, look: &Look) -> Result<()> {
    let text = &expression.text;
    let figures = expression.figures(look).with_context(|| format!("`{text}`"))?;
    match expression.root.value(&figures).with_context(|| format!("`{text}`"))? {
        Value::Truth(true) => Ok(()),
        Value::Truth(false) => bail!("`{text}` does not hold; its figures are {figures:?}"),
        _ => bail!("`{text}` is no condition"),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{filler::Filler, testing::book};

    fn check(filler: &Filler, prediction: &Prediction) -> Vec<String> {
        faults(prediction, &|directive| filler.quantity(directive))
    }

    #[test]
    fn the_results_and_the_arithmetic_bear_out_every_answer_of_the_book() {
        let filler = book();
        assert!(filler.predictions.all().count() > 30);
        let faults = |(page, id, prediction): (&Path, &str, &Prediction)| {
            let lines = check(&filler, prediction);
            (!lines.is_empty()).then(|| format!("{} [{id}]: {}", page.display(), lines.join("; ")))
        };
        let lines: Vec<String> = filler.predictions.all().filter_map(faults).collect();
        assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
    }

    /// An answer's other choices, or numbers that are far off.
    fn wrong(prediction: &Prediction, choices: usize) -> Vec<Prediction> {
        let others = (1..=choices).filter(|choice| Some(*choice) != prediction.choice);
        match prediction.number {
            Some(number) => [3.0, 1.0 / 3.0]
                .map(|factor| Prediction { number: Some(number * factor), ..prediction.clone() })
                .into(),
            None => others
                .map(|choice| Prediction { choice: Some(choice), ..prediction.clone() })
                .collect(),
        }
    }

    /// An expression that holds whatever the answer is would prove nothing.
    #[test]
    fn a_right_answer_that_is_moved_is_noticed() {
        let filler = book();
        let mut moved = 0;
        for (page, id, prediction) in filler.predictions.all() {
            // Each kind of evidence alone notices it.
            let results = Prediction { arithmetic: Vec::new(), ..prediction.clone() };
            let arithmetic = Prediction { results: Vec::new(), ..prediction.clone() };
            for alone in [results, arithmetic] {
                // One of the two is empty.
                let choices = alone.results.len() + alone.arithmetic.len();
                for wrong in wrong(&alone, choices).into_iter().filter(|_| choices > 0) {
                    moved += 1;
                    let unnoticed = check(&filler, &wrong).is_empty();
                    assert!(!unnoticed, "{} {id}: {wrong:?}", page.display());
                }
            }
        }
        assert!(moved > 50, "only {moved}");
    }
}
