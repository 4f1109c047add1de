//! Writes a question as HTML, which can be read without JavaScript.

use std::fmt::Write;

use records::base::number;

use pictures::text::escape;

use super::page::{Question, Right};

/// Writes a question as HTML, its answers a numbered list. Blank lines let mdBook read the Markdown in it.
pub(super) fn fieldset(page: &str, question: &Question) -> String {
    let Question { id, text, answers, right, .. } = question;
    // Unique in the book, because the page for printing holds all others. No heading has two underscores.
    let own = format!("predict__{}__{id}", page.replace('/', "-"));
    let right = attributes(right);
    let mut html = format!(
        "\n<fieldset data-prediction=\"{page}/{id}\" {right} aria-labelledby=\"{own}\">\n\
         <div class=\"question\" id=\"{own}\">\n\n{text}\n\n</div>\n\n"
    );
    for (index, answer) in answers.iter().enumerate() {
        let _ = writeln!(html, "{}. {answer}", index + 1);
    }
    html += "\n</fieldset>\n";
    html
}

/// Writes the attributes by which the page's script knows the right answer.
fn attributes(right: &Right) -> String {
    match right {
        Right::Choice(choice) => format!("data-choice=\"{choice}\""),
        Right::Number { value, tolerance, unit } => {
            // As many digits after the point as it was written with.
            let decimals = value.to_string().split_once('.').map_or(0, |(_, digits)| digits.len());
            format!(
                "data-number=\"{value}\" data-shown=\"{}\" data-unit=\"{}\" data-tolerance=\"{tolerance}\"",
                number(*value, decimals),
                escape(unit),
            )
        }
    }
}
