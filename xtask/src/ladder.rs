//! The preprocessor `ladder`: fills in what a page takes from the sources and from the results.
//!
//! A directive stands between `{{#` and `}}`. A block directive stands alone on
//! its line, with an empty line before and after. A figure is named by its
//! place, `RUNG/BENCH/NAME`; the names are in [`FIGURES`](crate::results::FIGURES).
//!
//! | block directive | becomes |
//! |---|---|
//! | `{{#diff OLD NEW}}` | the difference of two files, paths from the repository's root |
//! | `{{#results RUNG}}` | the table of one rung |
//! | `{{#compare BENCH [RUNG...]}}` | one benchmark, the rungs side by side |
//! | `{{#raw RUNG BENCH}}` | what the tool printed |
//! | `{{#machine}}` | the table of machine and sessions |
//! | `{{#noise [RUNG]}}` | how noisy the machine was, in words |
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
//!
//! Whatever is missing, unknown or malformed fails the build. `\{{#figure …}}` stays as it is,
//! without the backslash. It also takes mdBook's anchor comments (`// ANCHOR: name`) out of the
//! pages, which a whole-file include would show.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use anyhow::{Context, Result, bail};
use mdbook_preprocessor::{Preprocessor, PreprocessorContext, book::Book};
use regex::Regex;
use similar::TextDiff;

use crate::{
    Problem, book, check, number,
    results::{RUNGS, Results},
    tables,
};

/// The preprocessor.
#[derive(Debug, Default)]
pub struct Ladder {
    /// Where the results are; `None` for the folder `results` among the book's sources.
    pub results: Option<PathBuf>,
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
        let filler = Filler { root: context.root.clone(), results: Results::read(&results)? };
        // mdBook has swallowed absent includes by now, and line numbers have moved: read the files themselves.
        let problems = check::check_sources(&context.root, &source, &filler)?;
        book::fail_on(&problems)?;
        let mut failure = None;
        book.for_each_chapter_mut(|chapter| {
            if failure.is_some() {
                return;
            }
            match filler.fill(&chapter.content) {
                Ok(content) => chapter.content = without_anchors(&content),
                Err((_, error)) => {
                    let file = chapter.source_path.clone().unwrap_or_default();
                    failure = Some(error.context(format!("{}", file.display())));
                }
            }
        });
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

static DIRECTIVE: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(\\?)\{\{\s*#\s*([A-Za-z0-9_-]*)([^{}\n]*)\}\}").expect("a correct expression")
});

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
    DIRECTIVE.captures_iter(text).filter(|found| found[1].is_empty()).map(|found| {
        let whole = found.get(0).expect("group 0 always matches");
        Directive {
            text: whole.as_str(),
            start: whole.start(),
            name: found.get(2).expect("it may be empty").as_str(),
            rest: found.get(3).expect("it may be empty").as_str().trim(),
        }
    })
}

/// Fills in directives.
#[derive(Debug, Default)]
pub struct Filler {
    /// The repository's root, from which `{{#diff}}` takes its paths.
    pub root: PathBuf,
    /// The results.
    pub results: Results,
}

impl Filler {
    /// The text with every directive of this preprocessor replaced; mdBook's own stay.
    ///
    /// # Errors
    /// The first directive that can't be filled in: where it starts, in bytes, and why.
    pub fn fill(&self, text: &str) -> Result<String, (usize, anyhow::Error)> {
        let mut filled = String::with_capacity(text.len());
        let mut end = 0;
        for directive in directives(text).filter(|found| !MDBOOK.contains(&found.name)) {
            filled += &text[end..directive.start];
            filled += &self.expand(&directive).map_err(|error| (directive.start, error))?;
            end = directive.start + directive.text.len();
        }
        filled += &text[end..];
        Ok(filled)
    }

    /// What a directive becomes.
    pub(crate) fn expand(&self, directive: &Directive) -> Result<String> {
        let words: Vec<&str> = directive.rest.split_whitespace().collect();
        self.expand_words(directive.name, &words).with_context(|| directive.text.to_owned())
    }

    fn expand_words(&self, name: &str, words: &[&str]) -> Result<String> {
        let results = &self.results;
        Ok(match (name, words) {
            ("diff", [old, new]) => self.diff(old, new)?,
            ("results", [rung]) => tables::rung(results, rung)?,
            ("compare", [bench]) => tables::compare(results, bench, &RUNGS)?,
            ("compare", [bench, rungs @ ..]) => tables::compare(results, bench, rungs)?,
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
            _ => bail!("{}", usage(name)),
        })
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

/// A fenced block whose fence is longer than any run of backticks inside it.
fn fenced(language: &str, text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat((longest + 1).max(3));
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
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
    let ours = directives(text).filter(|found| !MDBOOK.contains(&found.name));
    ours.filter_map(|directive| {
        let error = filler.expand(&directive).err()?;
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
    use super::*;
    use crate::results::{
        tests::{example_machine, example_run},
        write_machine, write_run,
    };

    fn filler() -> (tempfile::TempDir, Filler) {
        let folder = tempfile::tempdir().unwrap();
        let run = |rung, speed| {
            let figures = [("requests_per_second", speed), ("law_requests_per_second", 80.0)];
            example_run(rung, "wrk-sleep", &figures)
        };
        write_run(folder.path(), &run("ch03_threadpool", 79.25), "raw ``` output\n").unwrap();
        write_run(folder.path(), &run("ch06_tokio", 4755.0), "").unwrap();
        write_machine(folder.path(), &example_machine()).unwrap();
        let results = Results::read(folder.path()).unwrap();
        let root = folder.path().to_path_buf();
        (folder, Filler { root, results })
    }

    fn fill(text: &str) -> String {
        filler().1.fill(text).unwrap()
    }

    fn error(text: &str) -> String {
        let (_, error) = filler().1.fill(text).unwrap_err();
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
        for text in ["{{#include ../a.rs:main}}", r"\{{#figure x 0}}", "{{ name }}", "{#figure}"] {
            assert_eq!(fill(text), text);
        }
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
    fn without_results_the_build_says_what_to_do() {
        let message = Filler::default().fill("{{#results ch06_tokio}}").unwrap_err().1;
        assert!(format!("{message:#}").contains("`cargo xtask bench`"), "{message:#}");
    }

    #[test]
    fn a_diff_is_unified_and_without_anchors() {
        let (folder, filler) = filler();
        let old = "// ANCHOR: main\nfn main() {\n    one();\n}\n// ANCHOR_END: main\n";
        let new = "fn main() {\r\n    two();\r\n}\r\n";
        fs::write(folder.path().join("old.rs"), old).unwrap();
        fs::write(folder.path().join("new.rs"), new).unwrap();
        assert_eq!(
            filler.fill("{{#diff old.rs new.rs}}").unwrap(),
            "```diff\n--- old.rs\n+++ new.rs\n@@ -1,3 +1,3 @@\n fn main() {\n-    one();\n+    two();\n }\n```"
        );
        assert!(filler.fill("{{#diff old.rs old.rs}}").is_err());
    }

    #[test]
    fn anchor_lines_vanish_and_nothing_else() {
        let text = "// ANCHOR: a\nlet x = 1; // ANCHOR: b\n    // ANCHOR_END: a\n# ANCHOR: c\n<!-- ANCHOR: d -->\n/* ANCHOR: e */";
        assert_eq!(without_anchors(text), "let x = 1; // ANCHOR: b\n");
        assert_eq!(without_anchors("An ANCHOR: is a line.\n"), "An ANCHOR: is a line.\n");
    }
}
