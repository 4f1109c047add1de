//! Whether the results and the arithmetic bear out the answers.

use anyhow::{Context, Result, bail, ensure};
use records::sessions::Records;
use report::tables;

use super::{
    Predictions,
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

/// The answers of the book that rest on experiments, judged by other records of the same experiments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Repeated {
    /// How many answers there are.
    pub answers: usize,
    /// Those that the other records do not bear out: the question's id, and what they say against it.
    pub differ: Vec<(String, String)>,
}

/// Judges every answer that rests on one of these experiments. `look` finds their figures, and not the book's.
pub(crate) fn repeated(predictions: &Predictions, records: &Records, look: &Look) -> Repeated {
    let asks = |prediction: &Prediction| {
        let mut asked = prediction.results.iter().flat_map(|expression| &expression.directives);
        asked.any(|directive| directive.experiment().is_some_and(|it| records.get(it).is_some()))
    };
    let mut repeated = Repeated { answers: 0, differ: Vec::new() };
    for (_, id, prediction) in predictions.all().filter(|(.., prediction)| asks(prediction)) {
        repeated.answers += 1;
        let faults = faults(prediction, look);
        if !faults.is_empty() {
            repeated.differ.push((id.to_owned(), faults.join("; ")));
        }
    }
    repeated
}

impl Repeated {
    /// How many answers are the same, and which are not, in a sentence.
    pub(crate) fn in_words(&self) -> String {
        let questions = tables::plural(self.answers as u64, "question");
        let ids: Vec<String> = self.differ.iter().map(|(id, _)| tables::code(id)).collect();
        let (count, exceptions) = match ids.len() {
            0 => (format!("All {questions}"), String::new()),
            differ => (
                format!("{} of {questions}", self.answers - differ),
                format!(", and not {}", ids.join(", ")),
            ),
        };
        format!(
            "{count} to you that these experiments answer have the same answer by the figures of the other \
             session{exceptions}."
        )
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

    /// What these records say of the answers in the book's pages.
    fn judge(filler: &Filler, records: Records) -> Repeated {
        let other = filler.with_records(records.clone());
        repeated(&filler.predictions, &records, &|directive| other.quantity(directive))
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

    #[test]
    fn the_second_session_answers_every_question_as_the_first_one_did() {
        let filler = book();
        let first = judge(&filler, filler.results.experiments.clone());
        assert!(first.answers > 20, "{first:?}");
        let second = judge(&filler, filler.results.experiments.second_session().unwrap());
        assert_eq!(second, Repeated { answers: first.answers, differ: Vec::new() });
    }

    #[test]
    fn an_answer_that_other_records_do_not_bear_out_is_noticed() {
        let mut filler = book();
        filler.predictions.get_mut("warm-up").choice = Some(1);
        let repeated = judge(&filler, filler.results.experiments.clone());
        let ids: Vec<&str> = repeated.differ.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["warm-up"]);
        assert!(repeated.in_words().ends_with(", and not `warm-up`."), "{}", repeated.in_words());
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
