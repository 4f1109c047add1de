//! The preprocessor `ladder`: fills in what a page takes from the sources and from the results.
//!
//! A directive stands between `{{#` and `}}`. A block directive stands alone on
//! its line, with an empty line before and after. A figure is named by its
//! place, `RUNG/BENCH/NAME`; the names are in [`FIGURES`](records::results::FIGURES).
//!
//! | block directive | becomes |
//! |---|---|
//! | `{{#diff OLD NEW}}` | the difference of two files, paths from the repository's root |
//! | `{{#results RUNG}}` | the table of one rung |
//! | `{{#compare BENCH [RUNG...]}}` | one benchmark, the rungs side by side |
//! | `{{#raw RUNG BENCH}}` | what the tool printed |
//! | `{{#machine}}` | the table of machine and sessions |
//! | `{{#noise [RUNG]}}` | how noisy the machine was, in words |
//! | `{{#experiment NAME}}` | an experiment: question, chart, verdict, folded table, command lines |
//! | `{{#chart NAME}}`, `{{#evidence_table NAME}}`, `{{#repeat NAME}}` | its parts |
//! | `{{#models}}` | what the eight servers do in both connection modes, from the experiments `models-…` |
//! | `{{#sessions}}` | how many verdicts and answers a second session of the experiments repeated, and which it did not |
//! | `{{#evidence_raw NAME VARIANT}}` | what the generator printed in the first round |
//! | `{{#predict ID}}` | a question to the reader, with the list and the `<details>` below it: [`predict`](crate::predict) |
//! | `{{#replay RUNG}}` | what was recorded of a rung: the picture that its script replays, and tables: [`replay`] |
//! | `{{#exercises CHAPTER}}` | the exercises of a chapter, such as `ch03`, with everything folded |
//! | `{{#exercises}}` | the table of all exercises |
//! | `{{#agenda NAME}}` | an agenda of `book/workshop.toml`, with the minutes of the pages and the exercises: [`agenda`] |
//! | `{{#minutes}}`, `{{#notes}}` | the minutes of all pages; all notes for teachers |
//!
//! | inline directive | becomes |
//! |---|---|
//! | `{{#figure PLACE DECIMALS}}` | a number: `1,234` |
//! | `{{#ratio PLACE PLACE DECIMALS}}` | the first divided by the second |
//! | `{{#percent PLACE PLACE DECIMALS}}` | the same in percent, without the sign |
//! | `{{#command RUNG BENCH}}` | the tool's command line, with port 8080 |
//! | `{{#server RUNG BENCH}}` | the server's command line |
//! | `{{#listening RUNG BENCH}}` | the line that the server printed |
//! | `{{#law RUNG BENCH}}` | the law with its numbers |
//! | `{{#reduced RUNG BENCH}}` | why a run had fewer requests; nothing if it had all |
//! | `{{#noisy RUNG BENCH}}` | ` (noisy run)`, ` (void run)` or nothing |
//! | `{{#machine NAME}}`, `{{#machine_line}}` | a field of the machine; the machine in half a sentence |
//! | `{{#median NAME VARIANT [FIGURE] DECIMALS}}` | the median over an experiment's rounds; FIGURE is its metric, where none is named |
//! | `{{#spread NAME VARIANT [FIGURE] DECIMALS}}` | the least and the greatest: `810 to 836` |
//! | `{{#times NAME VARIANT [BASE] DECIMALS}}` | the median of the ratios within the rounds, to the baseline where no BASE is named |
//! | `{{#interval NAME VARIANT DECIMALS}}` | the 95 % interval of that median: `1.9 to 2.3` |
//! | `{{#slope NAME SERIES FIGURE FACTOR DECIMALS}}` | how much a figure grows with x along a series, times FACTOR |
//! | `{{#verdict NAME VARIANT}}` | `a difference`, `no difference found` or `too few rounds` |
//! | `{{#law_of NAME VARIANT}}` | the law with its outcome |
//! | `{{#rounds NAME}}`, `{{#voids NAME}}` | how many rounds were measured whole, how many runs do not count |
//! | `{{#noisy_runs NAME}}` | `2 of 30 runs were noisy` |
//! | `{{#recorded RUNG WHAT}}` | a number of a recording, such as `threads`; a wrong name is answered with all of them |
//! | `{{#exercises_number WHAT}}` | how many exercises there are (`count`), how many of them `diagnose`, or their `minutes` |
//!
//! A variant whose name holds spaces stands in double quotes: `{{#median pool-law "pool of 4" 0}}`.
//!
//! The reader's own figures ([`Ladder::yours`]) stand beside the book's in charts and tables, and never in sentences.
//!
//! Whatever is missing, unknown or malformed fails the build. `\{{#figure …}}` stays as it is,
//! without the backslash. It also takes mdBook's anchor comments (`// ANCHOR: name`) out of the
//! pages, which a whole-file include would show.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use anyhow::{Context, Result, bail};
use base::{fenced, number};
use mdbook_driver::config::Config;
use mdbook_preprocessor::{Preprocessor, PreprocessorContext, book::Book};
use records::results::Results;
use regex::Regex;
use report::{
    evidence::{self, Evidence},
    models, replay, tables,
};
use servers::MEASURED;
use similar::TextDiff;
use workshop::{agenda, notes, page};

use crate::{
    Problem, build as book, check,
    predict::{self, Predictions, Repeated},
};

/// The preprocessor.
#[derive(Debug, Default)]
pub struct Ladder {
    /// Where the results are; `None` for the folder `results` among the book's sources.
    pub results: Option<PathBuf>,
    /// Where the reader's own results are, to stand beside those; `None` for nowhere.
    pub yours: Option<PathBuf>,
}

impl Ladder {
    /// The key of its table in `book.toml`.
    pub const NAME: &'static str = "ladder";
}

impl Preprocessor for Ladder {
    fn name(&self) -> &str {
        Self::NAME
    }

    fn run(&self, context: &PreprocessorContext, mut book: Book) -> Result<Book> {
        // With plain mdBook this is the only place where we can stand in its way.
        book::refuse_to_delete(&context.root, &context.config)?;
        let source = context.root.join(&context.config.book.src);
        let results = self.results.clone().unwrap_or_else(|| source.join("results"));
        let filler = Filler {
            root: context.root.clone(),
            results: Results::read(&results)?,
            yours: self.yours.as_deref().map(Results::read).transpose()?,
            predictions: Predictions::read(&source)?,
            filled: RefCell::default(),
        };
        let mut failure = None;
        book.for_each_chapter_mut(|chapter| {
            if failure.is_some() {
                return;
            }
            let page = chapter.path.clone().unwrap_or_default();
            match filler.fill(&page, &chapter.content) {
                Ok(content) => chapter.content = without_anchors(&content),
                Err((_, error)) => {
                    let file = chapter.source_path.clone().unwrap_or_default();
                    failure = Some(error.context(format!("{}", file.display())));
                }
            }
        });
        // mdBook has swallowed absent includes by now, and line numbers have moved: read the files themselves. Only
        // what could not be filled in is tried again, to say where it stands.
        let problems = check::check_sources(&context.root, &source, &filler)?;
        book::fail_on(&problems)?;
        failure.map_or(Ok(book), Err)
    }

    fn supports_renderer(&self, renderer: &str) -> Result<bool> {
        Ok(supports(renderer))
    }
}

/// Whether the preprocessor has something to do for this renderer.
pub fn supports(renderer: &str) -> bool {
    // `mdbook test` compiles the listings, and needs no figures.
    renderer != "test"
}

/// The directives that are mdBook's own.
pub(crate) const MDBOOK: [&str; 5] =
    ["include", "rustdoc_include", "playground", "playpen", "title"];

/// A directive in a text.
#[derive(Debug)]
pub(crate) struct Directive<'a> {
    /// The whole of it, braces included.
    pub text: &'a str,
    /// Where it starts, in bytes.
    pub start: usize,
    /// Its name.
    pub name: &'a str,
    /// What follows the name.
    pub rest: &'a str,
}

/// All directives in a text, mdBook's included, but not those behind a backslash.
pub(crate) fn directives(text: &str) -> impl Iterator<Item = Directive<'_>> {
    let mut from = 0;
    std::iter::from_fn(move || {
        while let Some(found) = text[from..].find("{{") {
            let start = from + found;
            let directive = directive_at(text, start);
            from = start + directive.as_ref().map_or(1, |directive| directive.text.len());
            if directive.is_some() && !text[..start].ends_with('\\') {
                return directive;
            }
        }
        None
    })
}

/// The directive whose two braces start at this byte, if it is one: it has a `#`, and ends on its line.
fn directive_at(text: &str, start: usize) -> Option<Directive<'_>> {
    let inside = &text[start + 2..];
    let inside = &inside[..inside.find(['{', '}', '\n'])?];
    let end = start + 2 + inside.len();
    let rest = inside.trim_start().strip_prefix('#').filter(|_| text[end..].starts_with("}}"))?;
    let rest = rest.trim_start();
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let (name, rest) = rest.split_at(rest.find(|letter| !is_name(letter)).unwrap_or(rest.len()));
    Some(Directive { text: &text[start..end + 2], start, name, rest: rest.trim() })
}

/// Fills in directives.
#[derive(Clone, Debug, Default)]
pub struct Filler {
    /// The repository's root, from which `{{#diff}}` takes its paths.
    pub root: PathBuf,
    /// The results.
    pub results: Results,
    /// The reader's own, if they are to stand beside those.
    pub yours: Option<Results>,
    /// The right answers to the questions in the pages.
    pub predictions: Predictions,
    /// The directives that were filled in so far.
    pub filled: RefCell<BTreeSet<String>>,
}

/// Makes the `id`s of one page, unique in the book because one page holds all others.
#[derive(Debug)]
pub(crate) struct Ids {
    page: String,
    used: RefCell<BTreeMap<String, usize>>,
}

impl Ids {
    /// For the page at this path in the book.
    pub(crate) fn of(page: &Path) -> Ids {
        let page = page.with_extension("").to_string_lossy().into_owned();
        let page = page.replace(|letter: char| !letter.is_ascii_alphanumeric(), "-");
        Ids { page, used: RefCell::default() }
    }

    /// The next one for this thing.
    fn next(&self, name: &str) -> String {
        let mut used = self.used.borrow_mut();
        let count = used.entry(name.to_owned()).or_default();
        *count += 1;
        // Two underscores, which no heading has in its id.
        match count {
            1 => format!("chart__{}__{name}", self.page),
            count => format!("chart__{}__{name}__{count}", self.page),
        }
    }
}

impl Filler {
    /// With the results and predictions of the book whose `book.toml` lies in `root`; and the folder of its sources.
    ///
    /// # Errors
    /// When one of these can't be read.
    pub fn of_book(root: &Path) -> Result<(Filler, PathBuf)> {
        let source = root.join(Config::from_disk(root.join("book.toml"))?.book.src);
        let results = Results::read(&source.join("results"))?;
        let predictions = Predictions::read(&source)?;
        let root = root.to_path_buf();
        Ok((Filler { root, results, predictions, ..Filler::default() }, source))
    }

    /// The text of the page at this path with every directive of this preprocessor replaced; mdBook's own stay.
    ///
    /// # Errors
    /// The first directive that can't be filled in, and why. Where it starts, in bytes, is meant for a text
    /// without questions to the reader, which grow as they are turned into HTML.
    pub fn fill(&self, page: &Path, text: &str) -> Result<String, (usize, anyhow::Error)> {
        let ids = Ids::of(page);
        let text = &self.predictions.expand(page, text)?;
        let mut filled = String::with_capacity(text.len());
        let mut end = 0;
        for directive in directives(text).filter(|found| !MDBOOK.contains(&found.name)) {
            filled += &text[end..directive.start];
            filled += &self.expand(&directive, &ids).map_err(|error| (directive.start, error))?;
            end = directive.start + directive.text.len();
        }
        filled += &text[end..];
        Ok(filled)
    }

    /// What a second session repeated: verdicts, and answers to the reader's questions.
    fn sessions(&self, evidence: Evidence) -> Result<String> {
        let second = evidence.ours.second_session()?;
        let mut text = evidence::sessions(evidence, &second)?;
        if !second.is_empty() {
            let Repeated { answers, differ } = predict::judge_by(self, second);
            let questions = tables::plural(answers as u64, "question");
            let (count, exceptions) = match differ[..] {
                [] => (format!("All {questions}"), String::new()),
                _ => {
                    let ids: Vec<String> = differ.iter().map(|(id, _)| tables::code(id)).collect();
                    (
                        format!("{} of {questions}", answers - differ.len()),
                        format!(", and not {}", ids.join(", ")),
                    )
                }
            };
            text += &format!(
                "\n\n{count} to you that these experiments answer have the same answer by the figures of the other \
                 session{exceptions}."
            );
        }
        Ok(text)
    }

    /// What a directive becomes.
    pub(crate) fn expand(&self, directive: &Directive, ids: &Ids) -> Result<String> {
        let filled =
            split(directive.rest).and_then(|words| self.expand_words(directive.name, &words, ids));
        if filled.is_ok() {
            self.filled.borrow_mut().insert(directive.text.to_owned());
        }
        filled.with_context(|| directive.text.to_owned())
    }

    fn expand_words(&self, name: &str, words: &[&str], ids: &Ids) -> Result<String> {
        let results = &self.results;
        let yours = self.yours.as_ref();
        let evidence =
            Evidence { ours: &results.experiments, yours: yours.map(|yours| &yours.experiments) };
        Ok(match (name, words) {
            ("diff", [old, new]) => self.diff(old, new)?,
            ("results", [rung]) => tables::rung(results, yours, rung)?,
            ("compare", [bench]) => tables::compare(results, yours, bench, &MEASURED)?,
            ("compare", [bench, rungs @ ..]) => tables::compare(results, yours, bench, rungs)?,
            ("raw", [rung, bench]) => fenced("text", &results.raw(rung, bench)?),
            ("machine", []) => tables::machine(results)?,
            ("machine", [field]) => tables::machine_field(results, field)?,
            ("machine_line", []) => tables::machine_line(results)?,
            ("noise", []) => tables::noise(results, None)?,
            ("noise", [rung]) => tables::noise(results, Some(rung))?,
            ("figure", [place, decimals]) => {
                number(results.figure(place)?, parse_decimals(decimals)?)
            }
            ("ratio", [one, other, decimals]) => {
                number(self.quotient(one, other)?, parse_decimals(decimals)?)
            }
            ("percent", [one, other, decimals]) => {
                number(100.0 * self.quotient(one, other)?, parse_decimals(decimals)?)
            }
            ("command", [rung, bench]) => tables::command(results.run(rung, bench)?),
            ("server", [rung, bench]) => tables::server(results.run(rung, bench)?),
            ("listening", [rung, bench]) => {
                tables::code(&results.run(rung, bench)?.server.listening)
            }
            ("law", [rung, bench]) => {
                let law = results.run(rung, bench)?.law.clone();
                law.with_context(|| format!("no law predicts {bench}"))?
            }
            ("reduced", [rung, bench]) => {
                tables::reduced(results.run(rung, bench)?).unwrap_or_default()
            }
            ("noisy", [rung, bench]) => tables::marker(results.run(rung, bench)?).to_owned(),
            ("experiment", [name]) => evidence::experiment(evidence, &ids.next(name), name)?,
            ("chart", [name]) => evidence::chart(evidence, &ids.next(name), name)?,
            ("evidence_table", [name]) => evidence::table(evidence, name)?,
            ("repeat", [name]) => evidence::repeat(evidence, name)?,
            ("evidence_raw", [name, variant]) => evidence::raw(evidence, name, variant)?,
            ("median", [name, variant, figure @ .., decimals]) if figure.len() < 2 => {
                let decimals = parse_decimals(decimals)?;
                evidence::median(evidence, name, variant, figure.first().copied(), decimals)?
            }
            ("spread", [name, variant, figure @ .., decimals]) if figure.len() < 2 => {
                let decimals = parse_decimals(decimals)?;
                evidence::spread(evidence, name, variant, figure.first().copied(), decimals)?
            }
            ("times", [name, variant, base @ .., decimals]) if base.len() < 2 => {
                let decimals = parse_decimals(decimals)?;
                evidence::times(evidence, name, variant, base.first().copied(), decimals)?
            }
            ("interval", [name, variant, decimals]) => {
                evidence::interval(evidence, name, variant, parse_decimals(decimals)?)?
            }
            ("verdict", [name, variant]) => evidence::verdict(evidence, name, variant)?,
            ("law_of", [name, variant]) => evidence::law_of(evidence, name, variant)?,
            ("slope", [name, series, figure, factor, decimals]) => {
                let factor = factor.parse().context("the factor is no number")?;
                let decimals = parse_decimals(decimals)?;
                evidence::slope(evidence, name, series, figure, factor, decimals)?
            }
            ("replay", [rung]) => self.replay(rung, ids)?,
            ("recorded", [rung, what]) => replay::recorded(results.recording(rung)?, what)?,
            ("exercises", []) => page::table(&self.root)?,
            ("exercises", [chapter]) => page::of_chapter(&self.root, chapter)?,
            ("exercises_number", [what]) => page::number_of(&self.root, what)?.to_string(),
            ("agenda", [name]) => agenda::agenda(&self.root, name)?,
            ("minutes", []) => notes::minutes(&self.root)?,
            ("notes", []) => notes::notes(&self.root)?,
            ("models", []) => models::tables(evidence)?,
            ("sessions", []) => self.sessions(evidence)?,
            ("rounds", [name]) => evidence::rounds(evidence, name)?,
            ("voids", [name]) => evidence::voids(evidence, name)?,
            ("noisy_runs", [name]) => evidence::noisy_runs(evidence, name)?,
            _ => bail!("{}", usage(name)),
        })
    }

    /// The book's recording of a rung and, below it, the reader's own.
    fn replay(&self, rung: &str, ids: &Ids) -> Result<String> {
        let name = format!("replay-{rung}");
        let mut text = replay::block(&ids.next(&name), self.results.recording(rung)?, false)?;
        if let Some(recording) = self.yours.as_ref().and_then(|yours| yours.recording(rung).ok()) {
            text += "\n\n";
            text += &replay::block(&ids.next(&name), recording, true)?;
        }
        Ok(text)
    }

    fn quotient(&self, one: &str, other: &str) -> Result<f64> {
        let divisor = self.results.figure(other)?;
        if divisor == 0.0 {
            bail!("{other} is 0, and nothing can be divided by it");
        }
        Ok(self.results.figure(one)? / divisor)
    }

    fn diff(&self, old: &str, new: &str) -> Result<String> {
        let read = |path: &str| -> Result<String> {
            let text = fs::read_to_string(self.root.join(path));
            // A checkout on Windows may have other line ends.
            let text = text.with_context(|| format!("cannot read {path}"))?.replace("\r\n", "\n");
            Ok(without_anchors(&text))
        };
        let (old_text, new_text) = (read(old)?, read(new)?);
        let diff = TextDiff::from_lines(&old_text, &new_text);
        let text = diff.unified_diff().context_radius(3).header(old, new).to_string();
        if text.is_empty() {
            bail!("{old} and {new} are the same");
        }
        Ok(fenced("diff", &text))
    }
}

/// The words of a directive. One that holds spaces stands in double quotes.
fn split(rest: &str) -> Result<Vec<&str>> {
    let mut words = Vec::new();
    let mut rest = rest.trim_start();
    while !rest.is_empty() {
        let (word, after) = match rest.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').context("a double quote is not closed")?,
            None => rest.split_at(rest.find(char::is_whitespace).unwrap_or(rest.len())),
        };
        if !after.is_empty() && !after.starts_with(char::is_whitespace) {
            bail!("a space must follow the word in quotes, \"{word}\"");
        }
        words.push(word);
        rest = after.trim_start();
    }
    Ok(words)
}

const QUOTES: &str = "a name with spaces stands in double quotes";

/// The line that says what a directive wants.
fn usage(name: &str) -> String {
    let form = match name {
        "diff" => "{{#diff OLD NEW}}",
        "results" => "{{#results RUNG}}",
        "compare" => "{{#compare BENCH [RUNG...]}}",
        "raw" | "command" | "server" | "listening" | "law" | "reduced" | "noisy" => {
            return format!("this directive is written {{{{#{name} RUNG BENCH}}}}");
        }
        "machine" => "{{#machine}} or {{#machine NAME}}",
        "machine_line" => "{{#machine_line}}",
        "noise" => "{{#noise}} or {{#noise RUNG}}",
        "figure" => "{{#figure RUNG/BENCH/NAME DECIMALS}}",
        "ratio" | "percent" => {
            return format!(
                "this directive is written {{{{#{name} RUNG/BENCH/NAME RUNG/BENCH/NAME DECIMALS}}}}"
            );
        }
        "experiment" | "chart" | "evidence_table" | "repeat" | "rounds" | "voids"
        | "noisy_runs" => {
            return format!("this directive is written {{{{#{name} NAME}}}}");
        }
        "evidence_raw" | "verdict" | "law_of" => {
            return format!("this directive is written {{{{#{name} NAME VARIANT}}}}; {QUOTES}");
        }
        "median" | "spread" => {
            return format!(
                "this directive is written {{{{#{name} NAME VARIANT [FIGURE] DECIMALS}}}}; {QUOTES}"
            );
        }
        "times" => {
            return format!(
                "this directive is written {{{{#times NAME VARIANT [BASE] DECIMALS}}}}; {QUOTES}"
            );
        }
        "slope" => "{{#slope NAME SERIES FIGURE FACTOR DECIMALS}}",
        "replay" => "{{#replay RUNG}}",
        "recorded" => "{{#recorded RUNG WHAT}}",
        "exercises" => "{{#exercises}} or {{#exercises CHAPTER}}",
        "exercises_number" => "{{#exercises_number WHAT}}",
        "models" | "sessions" | "minutes" | "notes" => {
            return format!("this directive is written {{{{#{name}}}}}");
        }
        "agenda" => "{{#agenda NAME}}",
        "interval" => {
            return format!(
                "this directive is written {{{{#interval NAME VARIANT DECIMALS}}}}; {QUOTES}"
            );
        }
        _ => return format!("there is no directive `{name}`"),
    };
    format!("this directive is written {form}")
}

fn parse_decimals(text: &str) -> Result<usize> {
    match text.parse() {
        Ok(decimals @ 0..=9) => Ok(decimals),
        _ => bail!("the number of decimals is a digit from 0 to 9, not `{text}`"),
    }
}

static ANCHOR: LazyLock<Regex> = LazyLock::new(|| {
    // In the comments of Rust, JavaScript, CSS, HTML and of files with # comments.
    Regex::new(r"(?m)^[ \t]*(?://|#|/\*|<!--)[ \t]*ANCHOR(?:_END)?:[ \t]*[\w-]+[ \t]*(?:\*/|-->)?[ \t]*(?:\n|\z)")
        .expect("a correct expression")
});

/// The text without the comment lines that only mark an anchor.
pub fn without_anchors(text: &str) -> String {
    ANCHOR.replace_all(text, "").into_owned()
}

/// Speaks mdBook's protocol for preprocessors: the book comes as JSON on standard input.
///
/// # Errors
/// When the input is not of this protocol, or a page has a problem.
pub fn preprocess() -> Result<()> {
    let (context, book) = mdbook_preprocessor::parse_input(std::io::stdin())?;
    let book = Ladder::default().run(&context, book)?;
    serde_json::to_writer(std::io::stdout(), &book).context("cannot hand the book back to mdBook")
}

/// The problems of the directives in one file. `file` is how the problem names it.
pub(crate) fn check_directives(filler: &Filler, file: &Path, text: &str) -> Vec<Problem> {
    let ids = Ids::of(file);
    // A question is more than its directive: `Predictions::check_page` looks at it.
    let ours = directives(text).filter(|found| {
        !MDBOOK.contains(&found.name)
            && found.name != "predict"
            && !filler.filled.borrow().contains(found.text)
    });
    ours.filter_map(|directive| {
        let error = filler.expand(&directive, &ids).err()?;
        Some(Problem {
            file: file.to_path_buf(),
            line: Some(check::line_of(text, directive.start)),
            message: format!("{error:#}"),
        })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use records::{
        ladder::{write_machine, write_run},
        testing::{example_machine, example_run, pool, recording, write},
    };

    use super::*;

    fn filler() -> (tempfile::TempDir, Filler) {
        let folder = tempfile::tempdir().unwrap();
        let run = |rung, speed| {
            let figures = [("requests_per_second", speed), ("law_requests_per_second", 80.0)];
            example_run(rung, "wrk-sleep", &figures)
        };
        write_run(folder.path(), &run("ch03_threadpool", 79.25), "raw ``` output\n").unwrap();
        write_run(folder.path(), &run("ch06_tokio", 4755.0), "").unwrap();
        write_machine(folder.path(), &example_machine()).unwrap();
        write(folder.path(), "pool-law", &pool());
        let results = Results::read(folder.path()).unwrap();
        let root = folder.path().to_path_buf();
        (folder, Filler { root, results, ..Filler::default() })
    }

    fn fill(text: &str) -> String {
        filler().1.fill(Path::new("a.md"), text).unwrap()
    }

    fn error(text: &str) -> String {
        let (_, error) = filler().1.fill(Path::new("a.md"), text).unwrap_err();
        format!("{error:#}")
    }

    #[test]
    fn figures_stand_in_sentences() {
        assert_eq!(
            fill("It did {{#figure ch06_tokio/wrk-sleep/requests_per_second 0}} a second."),
            "It did 4,755 a second."
        );
        let pair = "ch06_tokio/wrk-sleep/requests_per_second ch03_threadpool/wrk-sleep/requests_per_second";
        assert_eq!(fill(&format!("{{{{#ratio {pair} 1}}}}×")), "60.0×");
        let law = "ch03_threadpool/wrk-sleep/requests_per_second ch03_threadpool/wrk-sleep/law_requests_per_second";
        assert_eq!(fill(&format!("{{{{#percent {law} 0}}}} %")), "99 %");
        assert_eq!(fill("x{{#noisy ch06_tokio wrk-sleep}}."), "x.");
        assert_eq!(fill("{{#law ch06_tokio wrk-sleep}}"), "min(500, 8) / 0.1 s = 80 requests/s");
        assert_eq!(fill("{{#machine hardware_threads}}"), "2");
        assert_eq!(fill("{{#server ch06_tokio wrk-sleep}}"), "`ch06_tokio --port 0`");
    }

    #[test]
    fn raw_output_can_hold_a_fence() {
        let text = fill("{{#raw ch03_threadpool wrk-sleep}}");
        assert_eq!(text, "````text\nraw ``` output\n````");
    }

    #[test]
    fn mdbooks_own_and_escaped_directives_stay() {
        for text in [
            "{{#include ../a.rs:main}}",
            r"\{{#figure x 0}}",
            "{{ name }}",
            "{#figure}",
            "{{#figure",
            "{{#figure x\n}}",
            "{{#figure x} }",
        ] {
            assert_eq!(fill(text), text);
        }
    }

    #[test]
    fn braces_and_spaces_around_a_directive_are_no_part_of_it() {
        assert_eq!(fill("{{{#machine hardware_threads}}}"), "{2}");
        assert_eq!(fill("{{ # machine  hardware_threads }}{{#rounds pool-law}}"), "25");
    }

    #[test]
    fn what_is_malformed_is_an_error_that_names_the_directive() {
        assert!(error("{{#figure ch06_tokio/wrk-sleep/requests_per_second}}").contains("DECIMALS"));
        assert!(error("{{#figure ch06_tokio/wrk-sleep/speed 0}}").contains("no figure `speed`"));
        assert!(error("{{#figure ch06_tokio/wrk-sleep/requests_per_second x}}").contains("digit"));
        assert!(error("{{#figure ch06_tokio/wrk-sleep/timeouts 0}}").contains("no value for"));
        assert!(error("{{#reslts ch06_tokio}}").contains("{{#reslts ch06_tokio}}: there is no"));
        assert!(error("{{#raw ch06_tokio}}").contains("written {{#raw RUNG BENCH}}"));
        assert!(error("{{#compare wrk-sleep}}").contains("ch01_single_threaded/wrk-sleep.json"));
        assert!(error("{{#diff a.rs b.rs}}").contains("cannot read a.rs"));
        assert!(error("{{#}}").contains("no directive"));
    }

    #[test]
    fn names_with_spaces_stand_in_quotes() {
        assert_eq!(
            fill(
                "It did {{#median pool-law \"pool of 1\" 0}}, {{#times pool-law control 1}} times as much."
            ),
            "It did 10, 1.0 times as much."
        );
        let text = "{{#times pool-law \"control\" \"pool of 1\" 2}}, {{#rounds pool-law}}";
        assert_eq!(fill(text), "1.00, 5");
        let figure = "{{#median pool-law \"pool of 1\" requests_per_second 1}}";
        assert_eq!(fill(figure), "9.9");
        assert!(error("{{#median pool-law pool of 4 0}}").contains("double quotes"));
        assert!(error("{{#median pool-law \"pool of 4 0}}").contains("not closed"));
        assert!(error("{{#verdict pool-law \"pool of 4\"x}}").contains("a space must follow"));
        assert!(error("{{#interval pool-law}}").contains("NAME VARIANT DECIMALS"));
        let message = error("{{#experiment no-such}}");
        assert!(message.contains("`cargo xtask bench --only no-such`"), "{message}");
    }

    #[test]
    fn each_chart_has_ids_of_its_own() {
        let (_folder, filler) = filler();
        let mut seen = std::collections::BTreeSet::new();
        let id = Regex::new(r#" id="([^"]+)""#).unwrap();
        let labels = Regex::new(r#"aria-labelledby="([^"]+)""#).unwrap();
        for page in ["a.md", "b.md", "sub/a.md"] {
            let text = "{{#chart pool-law}}\n\n{{#experiment pool-law}}\n";
            let filled = filler.fill(Path::new(page), text).unwrap();
            for found in id.captures_iter(&filled) {
                assert!(seen.insert(found[1].to_owned()), "{page}: {}", &found[1]);
            }
            for label in labels.captures_iter(&filled) {
                for id in label[1].split(' ') {
                    assert!(seen.contains(id), "{page}: no {id}");
                }
            }
        }
        // Two sizes, each with a title and a description.
        assert_eq!(seen.len(), 3 * 2 * 4);
    }

    #[test]
    fn without_results_the_build_says_what_to_do() {
        let message =
            Filler::default().fill(Path::new("a.md"), "{{#results ch06_tokio}}").unwrap_err().1;
        assert!(format!("{message:#}").contains("`cargo xtask bench`"), "{message:#}");
    }

    #[test]
    fn the_readers_own_recording_stands_below_the_books() {
        let write = |folder: &Path| {
            let recording = serde_json::to_vec(&recording()).unwrap();
            fs::create_dir_all(folder.join("observed")).unwrap();
            fs::write(folder.join("observed/ch06_tokio.json"), recording).unwrap();
            Results::read(folder).unwrap()
        };
        let (folder, mut filler) = filler();
        filler.results = write(folder.path());
        let page = "{{#replay ch06_tokio}}";
        let fill = |filler: &Filler| filler.fill(Path::new("a.md"), page).unwrap();
        let alone = fill(&filler);
        assert_eq!(alone.matches("<rung-replay>").count(), 1);
        filler.yours = Some(write(folder.path()));
        let both = fill(&filler);
        assert!(both.starts_with(&alone), "{both}");
        assert_eq!(both.matches("<rung-replay>").count(), 2);
        assert!(both.contains("Yours: <code>ch06_tokio</code>"), "{both}");
        let id = Regex::new(r#"\bid="([^"]*)""#).unwrap();
        let ids = |text: &str| -> Vec<String> {
            id.captures_iter(text).map(|found| found[1].to_owned()).collect()
        };
        let (of_one, of_both) = (ids(&alone), ids(&both));
        // A title, a description and the patterns at the least; and none of them twice on the page.
        assert!(of_one.len() >= 4 && of_both.len() == 2 * of_one.len(), "{of_both:?}");
        assert_eq!(of_both.iter().collect::<BTreeSet<_>>().len(), of_both.len(), "{of_both:?}");
        let text = "In all {{#recorded ch06_tokio polls}} polls.";
        assert_eq!(filler.fill(Path::new("a.md"), text).unwrap(), "In all 5 polls.");
        let error = |text| format!("{:#}", filler.fill(Path::new("a.md"), text).unwrap_err().1);
        assert!(error("{{#replay ch01_single_threaded}}").contains(
            "observed/ch01_single_threaded.json; `cargo xtask observe ch01_single_threaded`"
        ));
        assert!(error("{{#replay ch06}}").contains("there is no rung `ch06`"));
        assert!(error("{{#replay}}").contains("written {{#replay RUNG}}"));
        assert!(error("{{#recorded ch06_tokio x}}").contains("no number `x`"));
    }

    #[test]
    fn a_diff_is_unified_and_without_anchors() {
        let (folder, filler) = filler();
        let old = "// ANCHOR: main\nfn main() {\n    one();\n}\n// ANCHOR_END: main\n";
        let new = "fn main() {\r\n    two();\r\n}\r\n";
        fs::write(folder.path().join("old.rs"), old).unwrap();
        fs::write(folder.path().join("new.rs"), new).unwrap();
        assert_eq!(
            filler.fill(Path::new("a.md"), "{{#diff old.rs new.rs}}").unwrap(),
            "```diff\n--- old.rs\n+++ new.rs\n@@ -1,3 +1,3 @@\n fn main() {\n-    one();\n+    two();\n }\n```"
        );
        assert!(filler.fill(Path::new("a.md"), "{{#diff old.rs old.rs}}").is_err());
    }

    #[test]
    fn anchor_lines_vanish_and_nothing_else() {
        let text = "// ANCHOR: a\nlet x = 1; // ANCHOR: b\n    // ANCHOR_END: a\n# ANCHOR: c\n<!-- ANCHOR: d -->\n/* ANCHOR: e */";
        assert_eq!(without_anchors(text), "let x = 1; // ANCHOR: b\n");
        assert_eq!(without_anchors("An ANCHOR: is a line.\n"), "An ANCHOR: is a line.\n");
    }
}
