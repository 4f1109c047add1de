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
//! `book/predictions/PAGE.toml` (see [`Prediction`]), together with the evidence for it.
//!
//! A question becomes a `<fieldset>` that can be read, and marked, without JavaScript;
//! `book/theme/predict.js` checks the answer and keeps it.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    fs,
    io::ErrorKind,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use anyhow::{Context, Result, bail, ensure};
use base::number;
use records::sessions::Records;
use regex::Regex;
use report::{charts, evidence::MARK};
use serde::Deserialize;

use crate::{Problem, check, directives as ladder, directives::Filler};

/// The folder of the answers, among the book's sources.
pub const FOLDER: &str = "predictions";

/// The right answer to one question, and how we know: a table `[question-id]` of `predictions/PAGE.toml`.
///
/// At least one of `tests`, `results` and `arithmetic` is there.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Prediction {
    /// Which answer of the list is right, counted from 1. Either this or `number`.
    pub choice: Option<usize>,
    /// The number to estimate, above 0.
    pub number: Option<f64>,
    /// What the number counts, for a sentence: `requests per second`.
    pub unit: Option<String>,
    /// How far an estimate may be off and be right, as a part of `number`: 0.1 is 10 %. Below 0.5.
    pub tolerance: Option<f64>,
    /// Tests that check the answer: `tests/claims.rs: two_sleeps`, or
    /// `tests/claims.rs: two_sleeps for ch01_single_threaded` where it runs for each rung.
    #[serde(default)]
    pub tests: Vec<String>,
    /// Expressions over the results. For a choice one condition for each answer of the list, of which only
    /// that of the right answer holds; for a number one expression, whose value is the number.
    /// Directives in it are filled in first: `{{#times NAME "VARIANT" 3}} > 1`.
    #[serde(default)]
    pub results: Vec<String>,
    /// The same without results.
    #[serde(default)]
    pub arithmetic: Vec<String>,
}

impl Prediction {
    /// Whether the form is right; what it says is [`faults`](Prediction::faults)' to judge.
    fn check_form(&self) -> Result<()> {
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
        let no_directive = |text: &&String| ladder::directives(text).next().is_none();
        if let Some(text) = self.results.iter().find(no_directive) {
            bail!("`{text}` has no directive: it is `arithmetic`");
        }
        if let Some(text) = self.arithmetic.iter().find(|text| !no_directive(text)) {
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

    /// Whether one of the expressions asks for a figure of these experiments.
    fn asks(&self, experiments: &Records) -> bool {
        let mut asked = self.results.iter().flat_map(|text| ladder::directives(text));
        asked.any(|directive| {
            let name = directive.rest.split_whitespace().next();
            name.is_some_and(|name| experiments.get(name).is_some())
        })
    }

    /// What the expressions over results and the arithmetic say against the answer; nothing if they bear it out.
    pub fn faults(&self, filler: &Filler) -> Vec<String> {
        let mut faults = Vec::new();
        for expressions in [&self.results, &self.arithmetic] {
            for (index, text) in expressions.iter().enumerate() {
                if let Err(error) = self.check_expression(filler, index + 1, text) {
                    faults.push(format!("{error:#}"));
                }
            }
        }
        faults
    }

    fn check_expression(&self, filler: &Filler, answer: usize, text: &str) -> Result<()> {
        let filled = filler.fill(Path::new(""), text).map_err(|(_, error)| error)?;
        // A figure that the machine disturbed is one all the same.
        let filled = filled.replace(MARK, "");
        let value = evaluate(&filled).with_context(|| format!("`{text}`, which is `{filled}`"))?;
        match (self.choice, self.number, value) {
            (Some(choice), _, Value::Truth(truth)) => {
                let expected = answer == choice;
                ensure!(
                    truth == expected,
                    "answer {choice} is said to be right, but answer {answer} has the condition `{text}`, \
                     which is `{filled}`: {}",
                    if truth { "it holds" } else { "it does not hold" }
                );
            }
            (_, Some(number), Value::Number(value)) => {
                let tolerance = self.tolerance.unwrap_or_default() * number;
                ensure!(
                    (value - number).abs() <= tolerance,
                    "{number} is said to be right, but `{text}` is {value}"
                );
            }
            (Some(_), ..) => bail!("`{text}` is no condition"),
            _ => bail!("`{text}` is no number"),
        }
        Ok(())
    }
}

/// The predictions of all pages.
#[derive(Clone, Debug, Default)]
pub struct Predictions {
    /// By the page's path in the book, without its ending.
    pages: BTreeMap<PathBuf, BTreeMap<String, Prediction>>,
}

impl Predictions {
    /// Reads the folder [`FOLDER`] among the book's sources. One that is absent holds none.
    ///
    /// # Errors
    /// When a file can't be read, or a prediction in it has not the form that [`Prediction`] describes.
    pub fn read(source: &Path) -> Result<Predictions> {
        let folder = source.join(FOLDER);
        let mut pages = BTreeMap::new();
        match fs::metadata(&folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Ok(Predictions::default());
            }
            found => found.with_context(|| format!("cannot read {}", folder.display()))?,
        };
        for path in check::files_below(&folder, "toml")? {
            let read = || -> Result<BTreeMap<String, Prediction>> {
                let predictions: BTreeMap<String, Prediction> =
                    toml::from_str(&fs::read_to_string(&path)?)?;
                for (id, prediction) in &predictions {
                    prediction.check_form().with_context(|| format!("[{id}]"))?;
                }
                Ok(predictions)
            };
            let page = path.strip_prefix(&folder).expect("it is below").with_extension("");
            pages.insert(page, read().with_context(|| format!("{}", path.display()))?);
        }
        Ok(Predictions { pages })
    }

    /// Every prediction with its page, without ending, and its name there.
    pub fn all(&self) -> impl Iterator<Item = (&Path, &str, &Prediction)> {
        self.pages.iter().flat_map(|(page, predictions)| {
            let named = predictions.iter();
            named.map(|(id, prediction)| (page.as_path(), id.as_str(), prediction))
        })
    }

    /// The text of a page with its questions turned into HTML.
    ///
    /// # Errors
    /// The first question that is malformed: where its directive starts, in bytes, and why.
    pub(crate) fn expand(&self, page: &Path, text: &str) -> Result<String, (usize, anyhow::Error)> {
        let mut expanded = String::with_capacity(text.len());
        let mut end = 0;
        while let Some(group) = next_group(text, end)? {
            expanded += &text[end..group.start];
            let html = self.group(page, &group);
            expanded += &html.map_err(|error| (group.start, error))?;
            end = group.end;
        }
        expanded += &text[end..];
        Ok(expanded)
    }

    fn group(&self, page: &Path, group: &Group) -> Result<String> {
        let page = page.with_extension("");
        let none = BTreeMap::new();
        let known = self.pages.get(&page).unwrap_or(&none);
        let name = page.to_string_lossy().replace('\\', "/");
        let mut html = String::from("<div class=\"predict\">\n");
        for question in &group.questions {
            let id = question.id;
            let prediction = known.get(id).with_context(|| {
                format!("{{{{#predict {id}}}}}: predictions/{name}.toml has no table [{id}]")
            })?;
            let fieldset = fieldset(&name, question, prediction);
            html += &fieldset.with_context(|| format!("{{{{#predict {id}}}}}"))?;
        }
        let _ = write!(html, "\n{}\n\n</div>\n", group.answer.trim_end());
        Ok(html)
    }

    /// The problems of the questions in one page. `file` is how a problem names it.
    pub(crate) fn check_page(&self, page: &Path, file: &Path, text: &str) -> Vec<Problem> {
        let problem = |line: Option<usize>, message: String| Problem {
            file: file.to_path_buf(),
            line,
            message,
        };
        let mut problems = Vec::new();
        if let Err((byte, error)) = self.expand(page, text) {
            problems.push(problem(Some(check::line_of(text, byte)), format!("{error:#}")));
        }
        let mut asked = BTreeSet::new();
        for directive in ladder::directives(text).filter(|found| found.name == "predict") {
            if !asked.insert(directive.rest) {
                let line = check::line_of(text, directive.start);
                problems.push(problem(Some(line), format!("{} is here twice", directive.text)));
            }
        }
        let known = self.pages.get(&page.with_extension("")).into_iter().flatten();
        for (id, _) in known.filter(|(id, _)| !asked.contains(id.as_str())) {
            problems.push(problem(
                None,
                format!(
                    "{FOLDER}/{} has [{id}], and no {{{{#predict {id}}}}} asks for it",
                    page.with_extension("toml").display()
                ),
            ));
        }
        problems
    }
}

/// A question of a page.
struct Question<'a> {
    id: &'a str,
    /// Markdown.
    text: &'a str,
    /// Markdown, each without its number; none for a number to estimate.
    answers: Vec<&'a str>,
}

/// Questions that share one answer box.
struct Group<'a> {
    /// From the first directive, in bytes …
    start: usize,
    /// … to the line after `</details>`.
    end: usize,
    questions: Vec<Question<'a>>,
    /// The whole `<details>`.
    answer: &'a str,
}

static ANSWER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^(\d+)\. +(.+)$").expect("a correct expression"));

/// The next questions after this byte, up to the end of their answer.
fn next_group(text: &str, from: usize) -> Result<Option<Group<'_>>, (usize, anyhow::Error)> {
    let found: Vec<_> = ladder::directives(&text[from..])
        .filter(|directive| directive.name == "predict")
        .map(|directive| (from + directive.start, directive.text.len(), directive.rest))
        .collect();
    let Some((start, ..)) = found.first().copied() else { return Ok(None) };
    let fault = |message: &str| (start, anyhow::anyhow!("{{{{#predict}}}}: {message}"));
    let box_start = text[start..]
        .find("\n<details>\n")
        .map(|byte| start + byte + 1)
        .ok_or_else(|| fault("no <details> with the answer follows"))?;
    let box_end = text[box_start..]
        .find("\n</details>\n")
        .map(|byte| box_start + byte + "\n</details>\n".len())
        .ok_or_else(|| fault("the <details> with the answer never ends"))?;
    let answer = &text[box_start..box_end];
    if answer.matches("<details>").count() > 1 {
        return Err(fault("the answer can't hold a <details> of its own"));
    }
    let mut questions = Vec::new();
    let here = || found.iter().filter(|(byte, ..)| *byte < box_start);
    for (index, (byte, length, id)) in here().enumerate() {
        let ends = here().nth(index + 1).map_or(box_start, |(next, ..)| *next);
        let question = question(id, &text[byte + length..ends]);
        questions.push(question.map_err(|error| (*byte, error))?);
    }
    Ok(Some(Group { start, end: box_end, questions, answer }))
}

fn question<'a>(id: &'a str, text: &'a str) -> Result<Question<'a>> {
    let context = || format!("{{{{#predict {id}}}}}");
    let named = !id.is_empty()
        && id
            .bytes()
            .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    ensure!(named, "this directive is written {{{{#predict ID}}}}, with small letters and hyphens");
    ensure!(text.starts_with("\n\n"), "{}: an empty line must follow", context());
    let first = ANSWER.find(text).map_or(text.len(), |found| found.start());
    let (asked, list) = text.split_at(first);
    ensure!(!asked.trim().is_empty(), "{}: no question follows", context());
    let mut answers = Vec::new();
    for (index, line) in list.trim_end().lines().enumerate() {
        let found = ANSWER.captures(line).filter(|found| found[1] == *(index + 1).to_string());
        let found = found.with_context(|| {
            format!("{}: answer {} of the list is `{line}`", context(), index + 1)
        })?;
        answers.push(found.get(2).expect("it always matches").as_str());
    }
    Ok(Question { id, text: asked.trim(), answers })
}

/// A question as HTML. Blank lines let mdBook read the Markdown in it.
fn fieldset(page: &str, question: &Question, prediction: &Prediction) -> Result<String> {
    let Question { id, text, answers } = question;
    let key = format!("{page}/{id}");
    // Unique in the book, because the page for printing holds all others. No heading has two underscores.
    let own = format!("predict__{}__{id}", page.replace('/', "-"));
    let mut html = String::from("\n");
    let right = match (prediction.choice, prediction.number) {
        (Some(choice), _) => {
            ensure!(answers.len() > 1, "a choice needs a list of answers");
            ensure!(choice <= answers.len(), "there is no answer {choice}");
            for conditions in [&prediction.results, &prediction.arithmetic] {
                ensure!(
                    conditions.is_empty() || conditions.len() == answers.len(),
                    "{} answers need as many conditions, not {}",
                    answers.len(),
                    conditions.len()
                );
            }
            format!("data-choice=\"{choice}\"")
        }
        (_, Some(value)) => {
            ensure!(answers.is_empty(), "a number has no list of answers");
            format!(
                "data-number=\"{value}\" data-shown=\"{}\" data-unit=\"{}\" data-tolerance=\"{}\"",
                number(value, decimals(value)),
                charts::escape(prediction.unit.as_deref().unwrap_or_default()),
                prediction.tolerance.unwrap_or_default()
            )
        }
        (None, None) => bail!("it has no answer"),
    };
    let _ = write!(
        html,
        "<fieldset data-prediction=\"{key}\" {right} aria-labelledby=\"{own}\">\n\
         <div class=\"question\" id=\"{own}\">\n\n{text}\n\n</div>\n\n"
    );
    for (index, answer) in answers.iter().enumerate() {
        let number = index + 1;
        let _ = writeln!(
            html,
            "{number}. <label><input type=\"radio\" name=\"{own}\" value=\"{number}\"> {answer}</label>"
        );
    }
    if prediction.number.is_some() {
        let unit = charts::escape(prediction.unit.as_deref().unwrap_or_default());
        let _ = writeln!(
            html,
            "<p class=\"estimate\"><label>Your estimate: \
             <input type=\"text\" inputmode=\"decimal\" autocomplete=\"off\" size=\"8\"> {unit}</label></p>"
        );
    }
    html += "\n</fieldset>\n";
    Ok(html)
}

/// How many digits after the point a number was written with.
fn decimals(value: f64) -> usize {
    value.to_string().split_once('.').map_or(0, |(_, fraction)| fraction.len())
}

/// What the expressions behind the answers of the book's pages say against them.
///
/// # Errors
/// When the book, its results or its predictions can't be read.
pub fn check_answers(root: &Path) -> Result<Vec<Problem>> {
    let (filler, source) = Filler::of_book(root)?;
    let mut problems = Vec::new();
    for (page, id, prediction) in filler.predictions.all() {
        let file = source.join(FOLDER).join(page).with_extension("toml");
        let file = file.strip_prefix(root).unwrap_or(&file);
        for fault in prediction.faults(&filler) {
            let (file, message) = (file.to_path_buf(), format!("[{id}]: {fault}"));
            problems.push(Problem { file, line: None, message });
        }
    }
    Ok(problems)
}

/// The answers of the book that rest on experiments, judged by other records of the same experiments.
#[derive(Clone, Debug, PartialEq)]
pub struct Repeated {
    /// How many answers there are.
    pub answers: usize,
    /// Those that the other records do not bear out: the question's id, and what they say against it.
    pub differ: Vec<(String, String)>,
}

/// Judges every answer that rests on an experiment by these records, and not by the book's. What an answer takes from
/// the ladder's runs besides stays as it is.
pub fn judge_by(filler: &Filler, experiments: Records) -> Repeated {
    let mut repeated = Repeated { answers: 0, differ: Vec::new() };
    let asked: Vec<_> =
        filler.predictions.all().filter(|(.., prediction)| prediction.asks(&experiments)).collect();
    let mut other = Filler { yours: None, ..filler.clone() };
    other.results.experiments = experiments;
    for (_, id, prediction) in asked {
        repeated.answers += 1;
        let faults = prediction.faults(&other);
        if !faults.is_empty() {
            repeated.differ.push((id.to_owned(), faults.join("; ")));
        }
    }
    repeated
}

// ---------------------------------------------------------------------------------------------
// Expressions

/// What an expression comes to.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Number(f64),
    Truth(bool),
    Text(String),
}

static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let number = r"\d+(?:,\d{3})*(?:\.\d+)?";
    let pattern =
        format!(r#"^\s*({number}|"[^"]*"|<=|>=|==|!=|[-+*/<>()]|(?:and|or|to|least|greatest)\b)"#);
    Regex::new(&pattern).expect("a correct expression")
});

/// The value of an expression: numbers (`1,234.5`), texts in double quotes, `+ - * /`, comparisons, `and`,
/// `or`, and brackets, with the usual precedence; `least(1 to 2)` and `greatest(1 to 2)` are the ends of what
/// `{{#interval}}` and `{{#spread}}` become.
fn evaluate(text: &str) -> Result<Value> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_end();
    while !rest.is_empty() {
        let found = TOKEN.captures(rest).with_context(|| format!("cannot read `{rest}`"))?;
        tokens.push(found.get(1).expect("it always matches").as_str());
        rest = &rest[found[0].len()..];
    }
    let mut expression = Expression { tokens: &tokens };
    let value = expression.any()?;
    match expression.tokens {
        [] => Ok(value),
        [token, ..] => bail!("`{token}` is one too many"),
    }
}

struct Expression<'a> {
    tokens: &'a [&'a str],
}

impl Expression<'_> {
    /// The next token, if it is one of these.
    fn take(&mut self, wanted: &[&str]) -> Option<String> {
        let (token, rest) = self.tokens.split_first()?;
        let found = wanted.contains(token).then(|| (*token).to_owned())?;
        self.tokens = rest;
        Some(found)
    }

    fn any(&mut self) -> Result<Value> {
        let mut value = self.all()?;
        while self.take(&["or"]).is_some() {
            let other = self.all()?;
            value = Value::Truth(truth(value)? | truth(other)?);
        }
        Ok(value)
    }

    fn all(&mut self) -> Result<Value> {
        let mut value = self.comparison()?;
        while self.take(&["and"]).is_some() {
            let other = self.comparison()?;
            value = Value::Truth(truth(value)? & truth(other)?);
        }
        Ok(value)
    }

    fn comparison(&mut self) -> Result<Value> {
        let left = self.sum()?;
        let Some(sign) = self.take(&["<=", ">=", "==", "!=", "<", ">"]) else { return Ok(left) };
        let right = self.sum()?;
        let order = match (&left, &right) {
            (Value::Number(left), Value::Number(right)) => left.partial_cmp(right),
            (Value::Text(left), Value::Text(right)) if sign == "==" || sign == "!=" => {
                Some(left.cmp(right))
            }
            _ => None,
        };
        let order = order.with_context(|| format!("{left:?} {sign} {right:?} means nothing"))?;
        Ok(Value::Truth(match sign.as_str() {
            "<=" => order.is_le(),
            ">=" => order.is_ge(),
            "==" => order.is_eq(),
            "!=" => order.is_ne(),
            "<" => order.is_lt(),
            _ => order.is_gt(),
        }))
    }

    fn sum(&mut self) -> Result<Value> {
        let mut value = self.product()?;
        while let Some(sign) = self.take(&["+", "-"]) {
            let (left, right) = (amount(value)?, amount(self.product()?)?);
            value = Value::Number(if sign == "+" { left + right } else { left - right });
        }
        Ok(value)
    }

    fn product(&mut self) -> Result<Value> {
        let mut value = self.single()?;
        while let Some(sign) = self.take(&["*", "/"]) {
            let (left, right) = (amount(value)?, amount(self.single()?)?);
            ensure!(sign == "*" || right != 0.0, "nothing can be divided by 0");
            value = Value::Number(if sign == "*" { left * right } else { left / right });
        }
        Ok(value)
    }

    fn single(&mut self) -> Result<Value> {
        if self.take(&["-"]).is_some() {
            return Ok(Value::Number(-amount(self.single()?)?));
        }
        if self.take(&["("]).is_some() {
            let value = self.any()?;
            self.take(&[")"]).context("a bracket is not closed")?;
            return Ok(value);
        }
        if let Some(end) = self.take(&["least", "greatest"]) {
            self.take(&["("]).with_context(|| format!("a bracket must follow `{end}`"))?;
            let least = amount(self.sum()?)?;
            self.take(&["to"]).context("`to` is missing between the ends")?;
            let greatest = amount(self.sum()?)?;
            self.take(&[")"]).context("a bracket is not closed")?;
            return Ok(Value::Number(if end == "least" { least } else { greatest }));
        }
        let (token, rest) = self.tokens.split_first().context("something is missing at the end")?;
        self.tokens = rest;
        match token.strip_prefix('"') {
            Some(text) => Ok(Value::Text(text.trim_end_matches('"').to_owned())),
            None => {
                let value = token.replace(',', "").parse();
                Ok(Value::Number(value.with_context(|| format!("`{token}` is no number"))?))
            }
        }
    }
}

fn truth(value: Value) -> Result<bool> {
    match value {
        Value::Truth(truth) => Ok(truth),
        other => bail!("{other:?} is no condition"),
    }
}

fn amount(value: Value) -> Result<f64> {
    match value {
        Value::Number(number) => Ok(number),
        other => bail!("{other:?} is no number"),
    }
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
    fn a_question_becomes_a_fieldset_with_radio_buttons() {
        let expanded = predictions(ANSWERS).unwrap().expand(Path::new("a.md"), PAGE).unwrap();
        for part in [
            "data-prediction=\"a/one\" data-choice=\"2\" aria-labelledby=\"predict__a__one\"",
            "id=\"predict__a__one\">\n\nWhich *one*?\n\n</div>",
            "\n1. <label><input type=\"radio\" name=\"predict__a__one\" value=\"1\"> This.</label>\n2. <label>",
            "data-number=\"1500\" data-shown=\"1,500\" data-unit=\"&lt;bytes&gt;\" data-tolerance=\"0.1\"",
            "size=\"8\"> &lt;bytes&gt;</label>",
            "<details>\n<summary>Answer</summary>\n\nThat, and 1,500.\n\n</details>\n\n</div>\n\nThe end.\n",
        ] {
            assert!(expanded.contains(part), "{part}\n{expanded}");
        }
        assert_eq!(expanded.matches("<details>").count(), 1);
        assert!(!expanded.contains("{{#"), "{expanded}");
    }

    #[test]
    fn what_is_malformed_is_named_with_its_line() {
        let changed = |from: &str, to: &str| error(&PAGE.replacen(from, to, 1), ANSWERS);
        assert_eq!(error(PAGE, ANSWERS), "");
        assert!(
            changed("one}}", "none}}")
                .contains("book/a.md:3: {{#predict none}}: predictions/a.toml has no")
        );
        assert!(changed("1. This.\n", "").contains("answer 1 of the list is `2. That.`"));
        assert!(changed("2. That.\n", "").contains("needs a list of answers"));
        assert!(changed("How many?\n", "How many?\n\n1. One.\n").contains("no list of answers"));
        assert!(changed("</details>", "").contains("never ends"));
        assert!(changed("<details>", "").contains("no <details>"));
        assert!(changed("That, and", "\n<details>\n").contains("of its own"));
        assert!(changed("{{#predict two}}", "{{#predict one}}").contains("is here twice"));
        assert!(
            changed("{{#predict two}}\n\nHow many?\n", "")
                .contains("no {{#predict two}} asks for it")
        );
        assert!(changed("predict one", "predict One").contains("small letters"));
        assert!(changed("Which *one*?\n", "").contains("no question"));
        let three = PAGE.replacen("2. That.\n", "2. That.\n3. Those.\n", 1);
        assert!(error(&three, ANSWERS).contains("3 answers need as many conditions, not 2"));
    }

    #[test]
    fn an_answer_without_evidence_or_form_is_refused() {
        let changed = |from: &str, to: &str| error(PAGE, &ANSWERS.replacen(from, to, 1));
        assert!(
            changed("arithmetic = ['1 > 2', '2 > 1']", "").contains("[one]: it needs evidence")
        );
        assert!(changed("choice = 2", "choice = 3").contains("no condition stands for answer 3"));
        assert!(changed("choice = 2", "choice = 0").contains("counted from 1"));
        assert!(changed("choice = 2", "").contains("either `choice` or `number`"));
        assert!(changed("choice = 2", "choice = 2\nnumber = 2").contains("either"));
        assert!(changed("tolerance = 0.1", "tolerance = 0.6").contains("between 0 and 0.5"));
        assert!(changed("tolerance = 0.1", "").contains("needs a `tolerance`"));
        assert!(changed("unit = \"<bytes>\"", "").contains("`unit`"));
        assert!(changed("choice = 2", "right = 2").contains("right"));
        assert!(changed("'1,000 * 1.5'", "'{{#rounds a}}'").contains("belongs to `results`"));
        let results = "arithmetic = ['1,000 * 1.5']";
        assert!(changed(results, "results = ['1,500']").contains("it is `arithmetic`"));
    }

    #[test]
    fn expressions_have_the_usual_precedence() {
        for (text, number) in [
            ("1 + 2 * 3", 7.0),
            ("(1 + 2) * 3", 9.0),
            ("-2 - -3", 1.0),
            ("8 / 0.05 / 2", 80.0),
            ("1,234,567.5", 1_234_567.5),
            ("greatest(1.9 to 2.3) - least(1.9 to 2.25)", 0.4),
        ] {
            let Ok(Value::Number(value)) = evaluate(text) else { panic!("{text}") };
            assert!((value - number).abs() < 1e-9, "{text} is {value}");
        }
        for (text, truth) in [
            ("1 < 2 and 2 < 1", false),
            ("1 < 2 or 2 < 1 and 2 < 1", true),
            ("2 >= 2 and 2 <= 2 and 2 == 2", true),
            ("2 != 2", false),
            ("\"a difference\" == \"a difference\"", true),
            ("\"no\" != \"a difference\"", true),
        ] {
            assert_eq!(evaluate(text).unwrap(), Value::Truth(truth), "{text}");
        }
        for text in [
            "",
            "1 +",
            "1 2",
            "(1",
            "1 / 0",
            "1 < \"a\"",
            "1 and 2",
            "least(1)",
            "a",
            "1 < 2 + (1 < 2)",
        ] {
            assert!(evaluate(text).is_err(), "{text}");
        }
    }

    fn book() -> (Filler, PathBuf) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .expect("it lies two folders deep");
        (Filler::of_book(root).unwrap().0, root.to_path_buf())
    }

    #[test]
    fn the_results_and_the_arithmetic_bear_out_every_answer_of_the_book() {
        let (filler, root) = book();
        assert!(filler.predictions.all().count() > 30);
        let problems = check_answers(&root).unwrap();
        let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
        assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
    }

    #[test]
    fn the_second_session_answers_every_question_as_the_first_one_did() {
        let (filler, _) = book();
        let experiments = filler.results.experiments.clone();
        let first = judge_by(&filler, experiments);
        assert!(first.answers > 20, "{first:?}");
        let repeated = judge_by(&filler, filler.results.experiments.second_session().unwrap());
        assert_eq!(repeated, Repeated { answers: first.answers, differ: Vec::new() });
    }

    #[test]
    fn an_answer_that_other_records_do_not_bear_out_is_noticed() {
        let (mut filler, _) = book();
        let (page, ..) = filler.predictions.all().find(|(_, id, _)| *id == "warm-up").unwrap();
        let page = page.to_path_buf();
        let moved = filler.predictions.pages.get_mut(&page).unwrap().get_mut("warm-up").unwrap();
        moved.choice = Some(1);
        let repeated = judge_by(&filler, filler.results.experiments.clone());
        let ids: Vec<&str> = repeated.differ.iter().map(|(id, _)| id.as_str()).collect();
        assert_eq!(ids, ["warm-up"]);
    }

    /// An expression that holds whatever the answer is would prove nothing.
    #[test]
    fn a_right_answer_that_is_moved_is_noticed() {
        let (filler, _) = book();
        let mut moved = 0;
        for (page, id, prediction) in filler.predictions.all() {
            for expressions in [&prediction.results, &prediction.arithmetic] {
                if expressions.is_empty() {
                    continue;
                }
                let choices =
                    (1..=expressions.len()).filter(|choice| Some(*choice) != prediction.choice);
                let wrong: Vec<Prediction> = match prediction.number {
                    Some(number) => [3.0, 1.0 / 3.0]
                        .map(|factor| Prediction {
                            number: Some(number * factor),
                            ..prediction.clone()
                        })
                        .into(),
                    None => choices
                        .map(|choice| Prediction { choice: Some(choice), ..prediction.clone() })
                        .collect(),
                };
                for wrong in wrong {
                    moved += 1;
                    let at =
                        format!("{} {id}: {:?} {:?}", page.display(), wrong.choice, wrong.number);
                    // Each kind of evidence alone notices it.
                    let alone =
                        Prediction { results: Vec::new(), arithmetic: Vec::new(), ..wrong.clone() };
                    let alone = match std::ptr::eq(expressions, &prediction.results) {
                        true => Prediction { results: expressions.clone(), ..alone },
                        false => Prediction { arithmetic: expressions.clone(), ..alone },
                    };
                    assert!(!alone.faults(&filler).is_empty(), "{at}: nobody noticed");
                }
            }
        }
        assert!(moved > 50, "only {moved}");
    }
}
