//! The reader's predictions: questions in a page, each with its right answer.
//!
//! ```text
//! {{#predict second-client 2}}
//!
//! What happens to the second request?
//!
//! 1. It is answered at once.
//! 2. It is answered after the first one.
//!
//! <details>
//! <summary>Answer</summary>
//!
//! The second, because …
//!
//! </details>
//! ```
//!
//! A question without a list of answers asks for a number: `{{#predict rate 80 5% "requests per second"}}`. Several
//! questions, each behind its directive, may share the `<details>` that follows. Where an answer rests on figures,
//! `tests/book/predictions.toml` says on which.
//!
//! A question becomes a `<fieldset>` that can be read without JavaScript; `book/theme/ladder.js` makes its list one to
//! choose from, checks the answer and keeps it.

mod fieldset;
mod page;

use std::{collections::BTreeSet, path::Path};

use anyhow::anyhow;

use self::{fieldset::fieldset, page::next_group};
use crate::fault::Fault;

/// Turns the questions of a page into HTML. Fails with a question that is malformed or is there twice.
pub(crate) fn expand(page: &Path, text: &str) -> Result<String, Fault> {
    let name = page.with_extension("").to_string_lossy().replace('\\', "/");
    let mut expanded = String::with_capacity(text.len());
    let mut end = 0;
    let mut ids = BTreeSet::new();
    while let Some(group) = next_group(text, end)? {
        expanded += &text[end..group.start];
        expanded += "<div class=\"predict\">\n";
        for question in &group.questions {
            if !ids.insert(question.id.clone()) {
                let error = anyhow!("the question {} is here twice", question.id);
                return Err(Fault { text: question.directive.to_owned(), error });
            }
            expanded += &fieldset(&name, question);
        }
        expanded += &format!("\n{}\n\n</div>\n", group.answer.trim_end());
        end = group.end;
    }
    expanded += &text[end..];
    Ok(expanded)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A\n\n{{#predict one 2}}\n\nWhich *one*?\n\n1. This.\n2. That.\n\n\
        {{#predict two 1500 10% \"<bytes>\"}}\n\nHow many?\n\n\
        <details>\n<summary>Answer</summary>\n\nThat, and 1,500.\n\n</details>\n\nThe end.\n";

    #[test]
    fn a_question_becomes_a_fieldset_with_a_numbered_list() {
        let expanded = expand(Path::new("a.md"), PAGE).unwrap();
        for part in [
            "data-prediction=\"a/one\" data-choice=\"2\" aria-labelledby=\"predict__a__one\"",
            "id=\"predict__a__one\">\n\nWhich *one*?\n\n</div>",
            "</div>\n\n1. This.\n2. That.\n\n</fieldset>\n",
            "data-number=\"1500\" data-shown=\"1,500\" data-unit=\"&lt;bytes&gt;\" data-tolerance=\"0.1\"",
            "<details>\n<summary>Answer</summary>\n\nThat, and 1,500.\n\n</details>\n\n</div>\n\nThe end.\n",
        ] {
            assert!(expanded.contains(part), "{part}\n{expanded}");
        }
        assert_eq!(expanded.matches("<details>").count(), 1);
        assert!(!expanded.contains("{{#"), "{expanded}");
    }

    /// The complaint about a page.
    fn error(page: &str) -> String {
        expand(Path::new("a.md"), page).unwrap_err().in_file(Path::new("a.md"), page)
    }

    #[test]
    fn what_is_malformed_is_named_with_its_line() {
        for (from, to, complaint) in [
            (
                "one 2}}",
                "one}}",
                "a.md:3: {{#predict one}}: this directive is written {{#predict NAME ANSWER",
            ),
            ("one 2}}", "one 3}}", "{{#predict one 3}}: there is no answer 3 among 2"),
            ("one 2}}", "one 0}}", "there is no answer 0"),
            ("one 2}}", "one that}}", "there is no answer that"),
            ("1. This.\n", "", "answer 1 of the list is `2. That.`"),
            ("2. That.\n", "", "needs a list of answers"),
            ("How many?\n", "How many?\n\n1. One.\n2. Two.\n", "no list of answers"),
            (" 10% \"<bytes>\"", "", "a number its tolerance"),
            (" 10%", " 60%", "below 50%, not `60%`"),
            (" 1500", " many", "`many` is no number"),
            ("</details>", "", "never ends"),
            ("<details>", "", "no <details>"),
            ("That, and", "\n<details>\n", "of its own"),
            ("predict two", "predict one", "a.md:10: the question one is here twice"),
            ("predict one", "predict One", "small letters"),
            ("Which *one*?\n", "", "no question"),
        ] {
            let error = error(&PAGE.replacen(from, to, 1));
            assert!(error.contains(complaint), "{from} -> {to}: {error}");
        }
    }
}
