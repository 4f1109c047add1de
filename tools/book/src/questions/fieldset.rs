//! Shows a question as HTML, which can be read without JavaScript.

use std::fmt::Write;

use anyhow::{Result, bail, ensure};
use records::base::number;

use pictures::text::escape;

use super::{page::Question, prediction::Prediction};

/// A question as HTML, its answers a numbered list. Blank lines let mdBook read the Markdown in it.
pub(super) fn fieldset(page: &str, question: &Question, prediction: &Prediction) -> Result<String> {
    let Question { id, text, answers } = question;
    // Unique in the book, because the page for printing holds all others. No heading has two underscores.
    let own = format!("predict__{}__{id}", page.replace('/', "-"));
    let right = right_answer(answers.len(), prediction)?;
    let mut html = format!(
        "\n<fieldset data-prediction=\"{page}/{id}\" {right} aria-labelledby=\"{own}\">\n\
         <div class=\"question\" id=\"{own}\">\n\n{text}\n\n</div>\n\n"
    );
    for (index, answer) in answers.iter().enumerate() {
        let _ = writeln!(html, "{}. {answer}", index + 1);
    }
    html += "\n</fieldset>\n";
    Ok(html)
}

/// The attributes by which the page's script knows the right answer.
fn right_answer(answers: usize, prediction: &Prediction) -> Result<String> {
    Ok(match (prediction.choice, prediction.number) {
        (Some(choice), _) => {
            ensure!(answers > 1, "a choice needs a list of answers");
            ensure!(choice <= answers, "there is no answer {choice}");
            for conditions in [&prediction.results, &prediction.arithmetic] {
                let count = conditions.len();
                ensure!(
                    count == 0 || count == answers,
                    "{answers} answers need as many conditions, not {count}"
                );
            }
            format!("data-choice=\"{choice}\"")
        }
        (_, Some(value)) => {
            ensure!(answers == 0, "a number has no list of answers");
            // As many digits after the point as it was written with.
            let decimals = value.to_string().split_once('.').map_or(0, |(_, digits)| digits.len());
            format!(
                "data-number=\"{value}\" data-shown=\"{}\" data-unit=\"{}\" data-tolerance=\"{}\"",
                number(value, decimals),
                escape(prediction.unit.as_deref().unwrap_or_default()),
                prediction.tolerance.unwrap_or_default()
            )
        }
        (None, None) => bail!("it has no answer"),
    })
}
