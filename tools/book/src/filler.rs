//! Fills in the directives of a page from the figures, the recordings, the sources and the workshop.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use pictures::{sign, text::escape};
use records::{
    base::number,
    computed::Computed,
    opening, program,
    recording::Recording,
    results::Results,
    way,
    workshop::{lessons, page},
};

use crate::{
    difference,
    directive::Directive,
    fault::Fault,
    ids::Ids,
    listings::{self, Listings},
    questions,
    report::{
        crowd,
        measured::{Measured, Named},
        replay,
    },
    scan::{Found, directives},
    schedule,
};

/// Fills in directives.
#[derive(Clone, Debug, Default)]
pub(crate) struct Filler {
    /// The repository's root, from which `{{#diff}}` takes its paths.
    pub root: PathBuf,
    /// The measured experiments.
    pub measured: Measured,
    /// The book's recordings.
    pub results: Results,
    /// The reader's own recordings, if they are to stand beside those.
    pub yours: Option<Results>,
    /// The address at which the repository can be had, if the settings say it.
    pub repository: Option<String>,
    /// Makes the heads of changes.
    pub listings: Listings,
}

impl Filler {
    /// Replaces every directive of ours in the text of the page at this path; mdBook's own stay. Fails with all that can't
    /// be replaced.
    pub(crate) fn fill(&self, page: &Path, text: &str) -> Result<String, Vec<Fault>> {
        let ids = Ids::of(page);
        let text = &questions::expand(page, text).map_err(|fault| vec![fault])?;
        self.replace(text, &ids)
    }

    fn replace(&self, text: &str, ids: &Ids) -> Result<String, Vec<Fault>> {
        let mut filled = String::with_capacity(text.len());
        let mut faults = Vec::new();
        let mut end = 0;
        for found in directives(text).filter(|found| !found.is_mdbooks()) {
            filled += &text[end..found.start];
            match self.expand(&found, ids) {
                Ok(expansion) => filled += &expansion,
                Err(error) => faults.push(Fault { text: found.text.to_owned(), error }),
            }
            end = found.end();
        }
        filled += &text[end..];
        if faults.is_empty() { Ok(filled) } else { Err(faults) }
    }

    fn expand(&self, found: &Found, ids: &Ids) -> Result<String> {
        let filled = Directive::of(found).and_then(|directive| self.expansion(&directive, ids));
        filled.with_context(|| found.text.to_owned())
    }

    /// Makes the text that a directive becomes.
    fn expansion(&self, directive: &Directive, ids: &Ids) -> Result<String> {
        use Directive::*;
        let root = &self.root;
        let measured = &self.measured;
        Ok(match directive {
            Diff { old, new } => {
                let head = self.listings.head(Some(difference::short_name(old, new)), new);
                format!("{head}\n\n{}", difference::change(root, old, new)?)
            }
            Compare { name, variants } => measured.compare(name, variants)?,
            Machine { field: None, .. } => measured.machine()?,
            Machine { field: Some(field), names } if field == "line" => {
                measured.machine_line(names)?
            }
            Machine { field: Some(field), .. } => {
                bail!("there is no field `{field}` of the machine, only `line`")
            }
            Clone {} => self.clone_of_repository(),
            Chart { name } => {
                let is_first = ids.is_first("machine");
                measured.chart(name, &ids.next(name), is_first)?
            }
            EvidenceRaw { name, variant } => measured.raw(name, variant)?,
            Expected { name } => measured.expected(name)?,
            LawOf { name, variant } => measured.law(name, variant)?,
            Median { name, variant, figure, decimals } => {
                self.figure(name, variant, None, figure)?.median_words(*decimals)
            }
            Spread { name, variant, figure, decimals } => {
                self.figure(name, variant, None, figure)?.range_words(*decimals)
            }
            Times { name, of, to, figure, decimals } => {
                self.figure(name, of, Some(to), figure)?.median_words(*decimals)
            }
            Range { name, of, to, figure, decimals } => {
                self.figure(name, of, Some(to), figure)?.range_words(*decimals)
            }
            Server { name } => sign::named(name)?,
            Replay { rung } => self.replay(rung, ids)?,
            Race { next, rungs } => self.race(replay::Title::Servers, &link(next)?, rungs, ids)?,
            Crowd { name, next, rungs } => {
                let next = link(next)?;
                let race = self.race(replay::Title::Slowest, &next, rungs, ids)?;
                crowd::crowd(measured, name, &race, &next)?
            }
            Opening { name } => {
                let (described, recording) = self.opening(name)?;
                replay::opening(&ids.next("opening"), &described, recording)?
            }
            BeforeAfter { before, after } => {
                let (before, of_before) = self.opening(before)?;
                let (after, of_after) = self.opening(after)?;
                let ids = [ids.next("before"), ids.next("after")];
                let recordings = [of_before, of_after];
                replay::before_after(
                    ids.each_ref().map(|id| id.as_str()),
                    [&before, &after],
                    recordings,
                )?
            }
            Lines { paths } => number(listings::lines_of_code(root, paths)? as f64, 0),
            Jobs { name } => self.jobs(name, ids)?,
            Recorded { rung, what } => replay::recorded(self.results.recording(rung)?, what)?,
            Schedule { level } => schedule::level(root, level)?,
            Exercises { what: None } => page::table(root)?,
            Exercises { what: Some(what) } if page::NUMBERS.contains(&what.as_str()) => {
                number(page::number_of(root, what)? as f64, 0)
            }
            Exercises { what: Some(chapter) } => {
                self.with_changes(&page::of_chapter(root, chapter)?, ids)?
            }
            Lesson { name } => lessons::table(root, name)?,
            Way { what: None } => way::Way::read(root)?.list(),
            Way { what: Some(what) } => way::Way::read(root)?.number(what)?,
            Predict { .. } => bail!("a question to the reader stands in a page"),
        })
    }

    /// The text of exercises, in which each solution asks for its change as a page does.
    fn with_changes(&self, text: &str, ids: &Ids) -> Result<String> {
        self.replace(text, ids).map_err(|faults| {
            let first = faults.into_iter().next().expect("nothing fails without a fault");
            first.error
        })
    }

    /// The figure that a directive names; `to` is the variant with which it is compared, if it is.
    fn figure(
        &self,
        name: &str,
        of: &str,
        to: Option<&Option<String>>,
        figure: &Option<String>,
    ) -> Result<&Computed> {
        let to = to.map(Option::as_deref);
        self.measured.figure(Named { name, of, to, figure: figure.as_deref() })
    }

    fn clone_of_repository(&self) -> String {
        let Some(address) = &self.repository else {
            return "And you need the folder with the programs, which holds `Cargo.toml`, `book` and `examples`: whoever \
                    gave you these pages has it.\n\
                    Without it you can read all pages and answer their questions, but run nothing.\n\
                    Open a terminal in that folder."
                .to_owned();
        };
        let folder = address.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        let folder = folder.trim_end_matches(".git");
        format!("```console\n$ git clone {address}\n$ cd {folder}\n```")
    }

    /// Draws the book's recording of a rung and, below it, the reader's own.
    fn replay(&self, rung: &str, ids: &Ids) -> Result<String> {
        let name = format!("replay-{rung}");
        let mut text = replay::block(&ids.next(&name), self.results.recording(rung)?, false)?;
        if let Some(recording) = self.yours.as_ref().and_then(|yours| yours.recording(rung).ok()) {
            text += "\n\n";
            text += &replay::block(&ids.next(&name), recording, true)?;
        }
        Ok(text)
    }

    /// The book's recordings of these servers beside each other, and where they lead.
    fn race(
        &self,
        title: replay::Title,
        next: &str,
        rungs: &[String],
        ids: &Ids,
    ) -> Result<String> {
        let recordings = rungs.iter().map(|rung| self.results.recording(rung));
        replay::race(&ids.next("race"), title, next, &recordings.collect::<Result<Vec<_>>>()?)
    }

    /// The description of an opening, and its recording.
    fn opening(&self, name: &str) -> Result<(opening::Opening, &Recording)> {
        let recording = self.results.opening(name)?;
        let described = opening::load(&self.root, name)?;
        let described =
            described.with_context(|| format!("no file describes the opening {name}"))?;
        Ok((described, recording))
    }

    fn jobs(&self, name: &str, ids: &Ids) -> Result<String> {
        let recording = self.results.program(name)?;
        let described = program::load(&self.root, name)?;
        let described =
            described.with_context(|| format!("no file describes the program {name}"))?;
        replay::jobs(&ids.next("jobs"), &described, recording)
    }
}

/// A link in Markdown as HTML.
fn link(markdown: &str) -> Result<String> {
    let link = markdown.strip_prefix('[').and_then(|rest| rest.strip_suffix(')')?.split_once("]("));
    let (words, page) = link.with_context(|| format!("`{markdown}` is no link"))?;
    Ok(format!("<a href=\"{}\">{}</a>", escape(page), escape(words)))
}

#[cfg(test)]
mod tests {
    use std::{collections::BTreeSet, fs};

    use records::testing::recording;
    use regex::Regex;

    use super::*;
    use crate::report::measured::tests::measured;

    fn filler() -> (tempfile::TempDir, Filler) {
        let (folder, measured) = measured();
        let root = folder.path().to_path_buf();
        (folder, Filler { root, measured, ..Filler::default() })
    }

    fn fill(filler: &Filler, text: &str) -> String {
        filler.fill(Path::new("a.md"), text).unwrap()
    }

    fn error(filler: &Filler, text: &str) -> String {
        let faults = filler.fill(Path::new("a.md"), text).unwrap_err();
        assert_eq!(faults.len(), 1, "{faults:?}");
        format!("{:#}", faults[0].error)
    }

    /// The values of an attribute in an HTML text.
    fn attributes(text: &str, attribute: &str) -> Vec<String> {
        let pattern = Regex::new(&format!(r#"\b{attribute}="([^"]*)""#)).unwrap();
        pattern.captures_iter(text).map(|found| found[1].to_owned()).collect()
    }

    #[test]
    fn the_repository_is_had_from_the_address_in_the_settings() {
        let (_folder, mut filler) = filler();
        assert!(fill(&filler, "{{#clone}}").contains("which holds `Cargo.toml`"));
        filler.repository = Some("https://example.org/who/ladder".to_owned());
        let command = "```console\n$ git clone https://example.org/who/ladder\n$ cd ladder\n```";
        assert_eq!(fill(&filler, "{{#clone}}"), command);
    }

    #[test]
    fn figures_stand_in_sentences() {
        let (_folder, filler) = filler();
        for (text, filled) in [
            ("It did {{#median pool-law \"pool of 1\" 0}} a second.", "It did 10 a second."),
            ("{{#law_of pool-law \"pool of 1\"}}.", "1 / 0.1 s = 10 requests/s."),
            // Braces and spaces around a directive are no part of it.
            ("{{{#median pool-law \"pool of 1\" 0}}}", "{10}"),
            ("{{ # spread  pool-law \"pool of 4\" 1 }}", "39.0 to 39.9"),
            ("{{#times pool-law \"pool of 4\" 2}}", "3.99"),
            ("{{#times pool-law \"pool of 4\" \"pool of 1\" 1}}", "4.0"),
            ("{{#median pool-law \"pool of 1\" requests_per_second 1}}", "9.9"),
        ] {
            assert_eq!(fill(&filler, text), filled, "{text}");
        }
    }

    #[test]
    fn mdbooks_own_and_escaped_directives_stay() {
        for text in [
            "{{#include ../a.rs:main}}",
            r"\{{#median x 0}}",
            "{{ name }}",
            "{#median}",
            "{{#median",
            "{{#median x\n}}",
            "{{#median x} }",
        ] {
            assert_eq!(fill(&Filler::default(), text), text);
        }
    }

    #[test]
    fn what_is_not_there_is_an_error_that_names_the_directive() {
        let (_folder, filler) = filler();
        for (text, complaint) in [
            ("{{#reslts ch06_tokio}}", "{{#reslts ch06_tokio}}: there is no"),
            ("{{#median pool-law control speed 0}}", "`cargo xtask charts` computes it"),
            ("{{#compare pool-law x}}", "`cargo xtask charts` computes it"),
            ("{{#diff a.rs b.rs}}", "cannot read a.rs"),
            ("{{#chart no-such}}", "experiments/no-such.toml is not there"),
            ("{{#chart pool-law}}", "`cargo xtask charts` draws it"),
            (
                "{{#replay ch01_single_threaded}}",
                "observed/ch01_single_threaded.json; `cargo xtask observe ch01_single_threaded`",
            ),
            ("{{#replay ch06}}", "there is no rung `ch06`"),
            ("{{#race [On](a.md) ch06_tokio}}", "observed/ch06_tokio.json"),
            ("{{#race [On](a.md)}}", "a race has two servers or more"),
            ("{{#race ch06_tokio}}", "`ch06_tokio` is no link"),
            ("{{#opening one-thread}}", "`cargo xtask observe one-thread`"),
        ] {
            let error = error(&filler, text);
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }

    #[test]
    fn the_readers_own_recording_stands_below_the_books() {
        let (folder, mut filler) = filler();
        let file = folder.path().join("observed/ch06_tokio.json");
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, serde_json::to_vec(&recording()).unwrap()).unwrap();
        filler.results = Results::read(folder.path()).unwrap();
        let page = "{{#replay ch06_tokio}}";
        let alone = fill(&filler, page);
        assert_eq!(alone.matches("<rung-replay ").count(), 1);
        filler.yours = Some(filler.results.clone());
        let both = fill(&filler, page);
        assert!(both.starts_with(&alone), "{both}");
        assert_eq!(both.matches("<rung-replay ").count(), 2);
        assert!(both.contains("<strong>Yours</strong>: a request"), "{both}");
        let (of_one, of_both) = (attributes(&alone, "id"), attributes(&both, "id"));
        // A title, a description and the patterns at the least; and none of them twice on the page.
        assert!(of_one.len() >= 4 && of_both.len() == 2 * of_one.len(), "{of_both:?}");
        assert_eq!(of_both.iter().collect::<BTreeSet<_>>().len(), of_both.len(), "{of_both:?}");
        let text = "In all {{#recorded ch06_tokio polls}} polls.";
        assert_eq!(fill(&filler, text), "In all 5 polls.");
        assert!(error(&filler, "{{#recorded ch06_tokio x}}").contains("no number `x`"));
    }

    #[test]
    fn lines_of_code_are_counted_without_comments_and_empty_ones() {
        let (folder, filler) = filler();
        fs::write(folder.path().join("a.rs"), "//! A.\n\nfn a() {\n    // Why.\n}\n").unwrap();
        fs::write(folder.path().join("b.rs"), "use a; // Why.\n").unwrap();
        assert_eq!(fill(&filler, "It has {{#lines a.rs b.rs}} lines."), "It has 3 lines.");
        assert!(error(&filler, "{{#lines c.rs}}").contains("cannot read c.rs"));
    }

    #[test]
    fn a_solution_shows_its_change_as_a_page_does() {
        let (folder, filler) = filler();
        let exercise = folder.path().join("exercises/one_idea");
        fs::create_dir_all(&exercise).unwrap();
        for (file, text) in [
            (
                "../exercises.toml",
                "[[exercise]]\nname = \"one_idea\"\nchapter = \"ch01\"\ntitle = \"One idea\"\nminutes = 10\nkind = \"write\"\nidea = \"What.\"\n",
            ),
            ("README.md", "# One idea\n\nDo it.\n"),
            ("hints.md", "## First\n\nLook.\n"),
            ("start.rs", "// One idea.\n\nlet it = 1;\n"),
            ("solution.rs", "// One idea.\n\nlet it = 2;\n"),
            ("solution.md", "Because.\n"),
        ] {
            fs::write(exercise.join(file), text).unwrap();
        }
        let shown = fill(&filler, "{{#exercises ch01}}");
        let change =
            fill(&filler, "{{#diff exercises/one_idea/start.rs exercises/one_idea/solution.rs}}");
        assert!(change.contains("<del>let it = <mark>1</mark>;\n</del>"), "{change}");
        assert!(shown.contains(&format!("{change}\n\nBecause.")), "{shown}");
    }

    #[test]
    fn a_diff_has_its_files_for_a_head() {
        let (folder, filler) = filler();
        fs::write(folder.path().join("old.rs"), "one();\n").unwrap();
        fs::write(folder.path().join("new.rs"), "two();\n").unwrap();
        let change = fill(&filler, "{{#diff old.rs new.rs}}");
        let head = "<p class=\"listing-head\"><span><code>old.rs</code> → </span><strong><code>new.rs</code></strong></p>\n\n<pre class=\"change\">";
        assert!(change.starts_with(head), "{change}");
        assert!(error(&filler, "{{#diff old.rs old.rs}}").contains("are the same"));
    }
}
