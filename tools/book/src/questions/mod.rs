//! The reader's predictions: questions in a page, whose right answers are data.
//!
//! A question in a page:
//!
//! ```text
//! {{#predict second-client}}
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
//! A question without a list of answers asks for a number. Several questions, each behind its
//! directive, may share the `<details>` that follows. Which answer is right stands in
//! `book/predictions/PAGE.toml` (see [`Prediction`](prediction::Prediction)), together with the evidence for it.
//!
//! Words that say what figures say stand in `{{#claim ID "words"}}`, and `book/claims/PAGE.toml` holds their condition:
//! `ID = '{{#times NAME "VARIANT" 2}} > 2'`, or a list of templates (see [`Claim`]). Where it does not hold, the book is
//! not built.
//!
//! A question becomes a `<fieldset>` that can be read without JavaScript; `book/theme/predict.js` makes its list one to
//! choose from, checks the answer and keeps it.

mod claim;
mod expression;
mod fieldset;
pub(crate) mod judge;
mod page;
mod prediction;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Error, Result};
use serde::de::DeserializeOwned;

use self::{
    claim::Claim,
    expression::Look,
    fieldset::fieldset,
    page::{Group, asked, next_group},
    prediction::Prediction,
};
use crate::{
    files::files_below,
    problem::{Problem, line_of},
};

/// The folder of the answers, among the book's sources.
pub(crate) const FOLDER: &str = "predictions";

/// The folder of the claims, among the book's sources.
pub(crate) const CLAIMS: &str = "claims";

/// By the page's path in the book, without its ending, and by the names there.
type OfPages<T> = BTreeMap<PathBuf, BTreeMap<String, T>>;

#[derive(Clone, Debug, Default)]
pub(crate) struct Predictions {
    pages: OfPages<Prediction>,
    /// The conditions of the words in the pages.
    claims: OfPages<Claim>,
}

impl Predictions {
    /// Reads the folders [`FOLDER`] and [`CLAIMS`] among the book's sources.
    pub(crate) fn read(source: &Path) -> Result<Predictions> {
        Ok(Predictions {
            pages: read(&source.join(FOLDER), Prediction::check_form)?,
            claims: read(&source.join(CLAIMS), |_| Ok(()))?,
        })
    }

    /// What the figures say against the answers of one page.
    pub(crate) fn judge_page(&self, page: &Path, file: &Path, look: &Look) -> Vec<Problem> {
        let known = self.pages.get(&page.with_extension("")).into_iter().flatten();
        let faults = known.flat_map(|(id, prediction)| {
            let faults = judge::faults(prediction, look);
            faults.into_iter().map(move |fault| Problem::of(file, format!("[{id}]: {fault}")))
        });
        faults.collect()
    }

    /// Every prediction with its page, without ending, and its name there.
    #[cfg(test)]
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Path, &str, &Prediction)> {
        self.pages.iter().flat_map(|(page, predictions)| {
            let named = predictions.iter();
            named.map(|(id, prediction)| (page.as_path(), id.as_str(), prediction))
        })
    }

    /// Fails unless the claim of this name on this page holds by these figures.
    pub(crate) fn check_claim(&self, page: &Path, id: &str, look: &Look) -> Result<()> {
        let page = page.with_extension("");
        let known = self.claims.get(&page).and_then(|claims| claims.get(id));
        let claim = known.with_context(|| {
            let page = page.to_string_lossy().replace('\\', "/");
            format!("{CLAIMS}/{page}.toml has no `{id}`")
        })?;
        judge::hold(&claim.0, look)
    }

    /// The text of a page with its questions turned into HTML.
    pub(crate) fn expand(&self, page: &Path, text: &str) -> Result<String, (usize, Error)> {
        let mut expanded = String::with_capacity(text.len());
        let mut end = 0;
        while let Some(group) = next_group(text, end)? {
            expanded += &text[end..group.start];
            expanded += &self.show(page, &group).map_err(|error| (group.start, error))?;
            end = group.end;
        }
        expanded += &text[end..];
        Ok(expanded)
    }

    fn show(&self, page: &Path, group: &Group) -> Result<String> {
        let page = page.with_extension("");
        let known = self.pages.get(&page);
        let name = page.to_string_lossy().replace('\\', "/");
        let mut html = String::from("<div class=\"predict\">\n");
        for question in &group.questions {
            let id = question.id;
            let prediction = known.and_then(|known| known.get(id));
            let fieldset = prediction
                .with_context(|| format!("predictions/{name}.toml has no table [{id}]"))
                .and_then(|prediction| fieldset(&name, question, prediction));
            html += &fieldset.with_context(|| format!("{{{{#predict {id}}}}}"))?;
        }
        Ok(format!("{html}\n{}\n\n</div>\n", group.answer.trim_end()))
    }

    /// The problems of the questions in one page. `file` is how a problem names it.
    pub(crate) fn check_page(&self, page: &Path, file: &Path, text: &str) -> Vec<Problem> {
        let mut problems = Vec::new();
        if let Err((byte, error)) = self.expand(page, text) {
            problems.push(Problem::at(file, text, byte, format!("{error:#}")));
        }
        let mut ids = BTreeSet::new();
        for found in asked(text) {
            if !ids.insert(found.rest) {
                let message = format!("{} is here twice", found.text);
                problems.push(Problem::at(file, text, found.start, message));
            }
        }
        let known = self.pages.get(&page.with_extension("")).into_iter().flatten();
        for (id, _) in known.filter(|(id, _)| !ids.contains(id.as_str())) {
            let answers = Path::new(FOLDER).join(page).with_extension("toml");
            let message = format!(
                "{} has [{id}], and no {{{{#predict {id}}}}} asks for it",
                answers.display()
            );
            problems.push(Problem::of(file, message));
        }
        let claims = self.claims.get(&page.with_extension("")).into_iter().flatten();
        for (id, _) in claims.filter(|(id, _)| !text.contains(&format!("{{{{#claim {id} "))) {
            let message = format!("no {{{{#claim {id} …}}}} uses the claim `{id}`");
            problems.push(Problem::of(file, message));
        }
        problems
    }
}

/// Reads the files of a folder that is about pages, whose values pass a check. A folder that is absent holds none.
fn read<T: DeserializeOwned>(
    folder: &Path,
    check: impl Fn(&T) -> Result<()>,
) -> Result<OfPages<T>> {
    let mut pages = OfPages::new();
    let exists = folder.try_exists();
    if !exists.with_context(|| format!("cannot read {}", folder.display()))? {
        return Ok(pages);
    }
    for path in files_below(folder, "toml")? {
        let file = || path.display().to_string();
        let text = fs::read_to_string(&path).with_context(file)?;
        let named: BTreeMap<String, T> = toml::from_str(&text).with_context(file)?;
        for (id, value) in &named {
            check(value).with_context(|| {
                let line = text.find(&format!("[{id}]")).map(|byte| line_of(&text, byte));
                let line = line.map(|line| format!(":{line}")).unwrap_or_default();
                format!("{}{line}: [{id}]", path.display())
            })?;
        }
        let page = path.strip_prefix(folder).expect("it is below").with_extension("");
        pages.insert(page, named);
    }
    Ok(pages)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A\n\n{{#predict one}}\n\nWhich *one*?\n\n1. This.\n2. That.\n\n{{#predict two}}\n\n\
        How many?\n\n<details>\n<summary>Answer</summary>\n\nThat, and 1,500.\n\n</details>\n\nThe end.\n";

    const ANSWERS: &str = "[one]\nchoice = 2\narithmetic = ['1 > 2', '2 > 1']\n\
        [two]\nnumber = 1500\nunit = \"<bytes>\"\ntolerance = 0.1\narithmetic = ['1,000 * 1.5']\n";

    fn predictions(answers: &str) -> Result<Predictions> {
        let folder = tempfile::tempdir()?;
        fs::create_dir(folder.path().join(FOLDER))?;
        fs::write(folder.path().join(FOLDER).join("a.toml"), answers)?;
        Predictions::read(folder.path())
    }

    fn error(page: &str, answers: &str) -> String {
        match predictions(answers) {
            Err(error) => format!("{error:#}"),
            Ok(read) => {
                let problems = read.check_page(Path::new("a.md"), Path::new("book/a.md"), page);
                problems.iter().map(|problem| format!("{problem}\n")).collect()
            }
        }
    }

    #[test]
    fn a_question_becomes_a_fieldset_with_a_numbered_list() {
        let expanded = predictions(ANSWERS).unwrap().expand(Path::new("a.md"), PAGE).unwrap();
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

    #[test]
    fn what_is_malformed_is_named_with_its_line() {
        assert_eq!(error(PAGE, ANSWERS), "");
        for (from, to, complaint) in [
            ("one}}", "none}}", "book/a.md:3: {{#predict none}}: predictions/a.toml has no"),
            ("1. This.\n", "", "answer 1 of the list is `2. That.`"),
            ("2. That.\n", "", "needs a list of answers"),
            ("2. That.\n", "2. That.\n3. Those.\n", "3 answers need as many conditions, not 2"),
            ("How many?\n", "How many?\n\n1. One.\n", "no list of answers"),
            ("</details>", "", "never ends"),
            ("<details>", "", "no <details>"),
            ("That, and", "\n<details>\n", "of its own"),
            ("{{#predict two}}", "{{#predict one}}", "a.md:10: {{#predict one}} is here twice"),
            ("{{#predict two}}\n\nHow many?\n", "", "no {{#predict two}} asks for it"),
            ("predict one", "predict One", "small letters"),
            ("Which *one*?\n", "", "no question"),
        ] {
            let error = error(&PAGE.replacen(from, to, 1), ANSWERS);
            assert!(error.contains(complaint), "{from} -> {to}: {error}");
        }
    }

    #[test]
    fn an_answer_without_evidence_or_form_is_refused() {
        let conditions = "arithmetic = ['1 > 2', '2 > 1']";
        for (from, to, complaint) in [
            (conditions, "", "a.toml:1: [one]: it needs evidence"),
            ("choice = 2", "choice = 3", "no condition stands for answer 3"),
            ("choice = 2", "choice = 0", "counted from 1"),
            ("choice = 2", "", "either `choice` or `number`"),
            ("choice = 2", "choice = 2\nnumber = 2", "either"),
            ("choice = 2", "right = 2", "right"),
            ("tolerance = 0.1", "tolerance = 0.6", "between 0 and 0.5"),
            ("tolerance = 0.1", "", "a.toml:4: [two]: a number needs a `tolerance`"),
            ("unit = \"<bytes>\"", "", "`unit`"),
            ("'1,000 * 1.5'", "'{{#rounds a}}'", "belongs to `results`"),
            ("arithmetic = ['1,000 * 1.5']", "results = ['1,500']", "it is `arithmetic`"),
            ("'1 > 2'", "'1 >'", "line 3"),
            ("'1 > 2'", "'1 >'", "`1 >`: something is missing at the end"),
            ("'1,000 * 1.5'", "'{{#medain a b 0}}'", "there is no directive `medain`"),
        ] {
            let error = error(PAGE, &ANSWERS.replacen(from, to, 1));
            assert!(error.contains(complaint), "{from} -> {to}: {error}");
        }
    }
}
