//! The order of the terms: no page uses one before the page that introduces it, unless it links the term there.
//!
//! Each entry of the glossary ends with "Introduced in [TITLE](PAGE#SECTION)." On every page that `SUMMARY.md` lists
//! before PAGE, and on PAGE before SECTION, the first use of the term has to be a link to the entry or to PAGE. The words
//! of a link to anything else are a name, and no use.
//!
//! What this can't see: whether SECTION explains the term before it uses it; uses in headings, listings, drawings and
//! summaries of folds, in what a directive fills in (questions, claims, charts), and in notes for teachers; the other
//! names of a term ("Also called"); and in which sense an everyday word is meant, so `terms.txt` lists the forms of some.

use std::{collections::BTreeMap, ops::Range};

use base::heading_id;
use ladder_tests::none;
use pulldown_cmark::{Event, Tag, TagEnd};
use regex::{Captures, Regex};

use super::{
    page::Page,
    repository::{read, root},
};

/// Words that are read in one go, such as a paragraph or a cell of a table.
#[derive(Debug, Default)]
struct Run {
    text: String,
    /// Where parts of it begin, and at which bytes of the page.
    parts: Vec<(usize, usize)>,
    /// Where words of code are.
    code: Vec<Range<usize>>,
    /// Where links are, and to what.
    links: Vec<(Range<usize>, String)>,
}

impl Run {
    fn add(&mut self, text: &str, byte: usize) {
        self.parts.push((self.text.len(), byte));
        self.text += text;
    }

    /// The byte of the page that comes with this byte of the run, or a few before it.
    fn byte_of(&self, at: usize) -> usize {
        self.parts.iter().rev().find(|(start, _)| *start <= at).map_or(0, |(_, byte)| *byte)
    }

    fn is_code(&self, place: &Range<usize>) -> bool {
        self.code.iter().any(|code| code.start <= place.start && place.end <= code.end)
    }

    /// What these words, or a part of them, are a link to.
    fn link_at(&self, place: &Range<usize>) -> Option<&str> {
        let overlaps = |link: &Range<usize>| link.start < place.end && place.start < link.end;
        self.links.iter().find(|(link, _)| overlaps(link)).map(|(_, target)| target.as_str())
    }
}

/// What a page says, without what this test doesn't see.
fn runs(page: &Page) -> Vec<Run> {
    let mut runs = vec![Run::default()];
    let mut hidden = false;
    for (event, place) in page.events() {
        let run = runs.last_mut().expect("there is always one");
        match event {
            // The last fold of a page.
            Event::Html(html) if html.contains("<summary>For teachers") => break,
            Event::Start(Tag::CodeBlock(_) | Tag::Heading { .. }) => hidden = true,
            Event::End(TagEnd::CodeBlock | TagEnd::Heading(_)) => {
                hidden = false;
                runs.push(Run::default());
            }
            _ if hidden => {}
            Event::Text(text) => run.add(&text, place.start),
            Event::Code(text) => {
                let start = run.text.len();
                run.add(&text, place.start);
                run.code.push(start..run.text.len());
            }
            Event::SoftBreak | Event::HardBreak => run.text.push(' '),
            Event::Start(Tag::Link { dest_url, .. }) => {
                let start = run.text.len();
                run.links.push((start..start, dest_url.into_string()));
            }
            Event::End(TagEnd::Link) => {
                let end = run.text.len();
                if let Some((link, _)) = run.links.last_mut() {
                    link.end = end;
                }
            }
            Event::Start(Tag::Strong | Tag::Emphasis)
            | Event::End(TagEnd::Strong | TagEnd::Emphasis)
            | Event::InlineHtml(_) => {}
            _ => runs.push(Run::default()),
        }
    }
    runs
}

/// The page with every directive made unreadable, at the same length.
fn without_directives(mut page: Page) -> Page {
    let directive = Regex::new(r"\{\{ *#[^}\n]*\}\}").expect("it is a pattern");
    let zeros = |found: &Captures| "0".repeat(found[0].len());
    page.text = directive.replace_all(&page.text, zeros).into_owned();
    page
}

/// A way to write a term.
#[derive(Debug)]
struct Form {
    words: Regex,
    is_code: bool,
}

impl Form {
    /// The form as `terms.txt` has it.
    fn of(form: &str) -> Form {
        let code = form.strip_prefix('`').and_then(|rest| rest.strip_suffix('`'));
        let words = code.unwrap_or(form).split([' ', '-']).map(regex::escape);
        let words = words.collect::<Vec<_>>().join("[ -]");
        let pattern = match code {
            Some(_) => words,
            None => format!("(?i){words}(?:s|es)?"),
        };
        Form { words: Regex::new(&pattern).expect("it is a pattern"), is_code: code.is_some() }
    }

    /// Where a run has it, as whole words.
    fn places(&self, run: &Run) -> Vec<Range<usize>> {
        let goes_on = |letter: char| letter.is_alphanumeric() || "-_".contains(letter);
        let found = self.words.find_iter(&run.text).map(|found| found.range());
        found
            .filter(|place| {
                !run.text[..place.start].ends_with(goes_on)
                    && !run.text[place.end..].starts_with(goes_on)
                    && run.is_code(place) == self.is_code
            })
            .collect()
    }
}

/// An entry of the glossary.
#[derive(Debug)]
struct Term {
    name: String,
    /// The line of its heading.
    line: usize,
    /// Its address as pages link to it.
    entry: String,
    /// The page that introduces it.
    home: String,
    /// The section of that page; empty for the whole page.
    section: String,
    forms: Vec<Form>,
}

impl Term {
    /// Where a run first uses it, and whether that is linked.
    fn first_use(&self, run: &Run) -> Option<(usize, bool)> {
        let mut places: Vec<_> = self.forms.iter().flat_map(|form| form.places(run)).collect();
        places.sort_by_key(|place| place.start);
        places.into_iter().find_map(|place| match run.link_at(&place) {
            None => Some((place.start, false)),
            Some(link) => self.is_explained_by(link).then_some((place.start, true)),
        })
    }

    fn is_explained_by(&self, link: &str) -> bool {
        let (page, section) = link.split_once('#').unwrap_or((link, ""));
        let is_here = page.is_empty() && section == self.section;
        link == self.entry || page == self.home || is_here
    }

    /// What is wrong on the page that introduces it.
    fn complaint_at_home(&self, page: &Page, runs: &[Run]) -> Option<String> {
        let Term { name, home, entry, section, .. } = self;
        let found = runs.iter().find_map(|run| {
            let (at, is_linked) = self.first_use(run)?;
            Some((page.line_of(run.byte_of(at)), is_linked))
        });
        let Some((line, is_linked)) = found else {
            let at = self.line;
            return Some(format!("book/glossary.md:{at}: {home} doesn't use the term {name:?}"));
        };
        let is_early = !is_linked && line < line_of_section(page, section);
        is_early.then(|| {
            format!(
                "{}: {name:?} comes before #{section}, which introduces it: link it to {entry}",
                page.at(line)
            )
        })
    }

    /// What is wrong with its uses on these pages, which are in the order in which they are read.
    fn complaints(&self, pages: &[(Page, Vec<Run>)]) -> Vec<String> {
        let Term { name, home, entry, .. } = self;
        let mut complaints = Vec::new();
        for (page, runs) in pages {
            let found = runs.iter().find_map(|run| Some((run, self.first_use(run)?)));
            match found {
                _ if format!("{}.md", page.stem) == *home => {
                    complaints.extend(self.complaint_at_home(page, runs));
                    return complaints;
                }
                Some((run, (at, false))) => complaints.push(format!(
                    "{}: {name:?} comes before {home}, which introduces it: link it to {entry}",
                    page.at(page.line_of(run.byte_of(at)))
                )),
                _ => {}
            }
        }
        complaints.push(format!("book/glossary.md:{}: there is no page {home}", self.line));
        complaints
    }
}

/// The line of a heading or an anchor, or 0.
fn line_of_section(page: &Page, section: &str) -> usize {
    let marks = [format!("{{#{section}}}"), format!("id=\"{section}\"")];
    let marked = page.text.lines().position(|line| marks.iter().any(|mark| line.contains(mark)));
    let headings = page.headings();
    let heading = headings.iter().find(|heading| heading_id(&heading.text) == section);
    marked.map(|line| line + 1).or(heading.map(|heading| heading.line)).unwrap_or_default()
}

/// The pages in the order in which they are read: file and title.
fn reading_order() -> Vec<(String, String)> {
    let link = Regex::new(r"\[([^\]]+)\]\(([^)]+)\)").expect("it is a pattern");
    let summary = read("book/SUMMARY.md");
    link.captures_iter(&summary).map(|link| (link[2].to_owned(), link[1].to_owned())).collect()
}

/// The forms of the terms that have others than their heading.
#[track_caller]
fn listed_forms() -> BTreeMap<String, Vec<String>> {
    let list = read("tests/book/terms.txt");
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines
        .map(|line| {
            let parts = line.split_once(" | ");
            let (name, forms) = parts.unwrap_or_else(|| panic!("not `term | forms`: {line}"));
            (name.trim().to_owned(), forms.split(',').map(|form| form.trim().to_owned()).collect())
        })
        .collect()
}

/// The entries of a glossary, and what is wrong with their form; `titles` are those of the pages.
fn entries(
    glossary: &Page,
    titles: &BTreeMap<String, String>,
    forms: &BTreeMap<String, Vec<String>>,
) -> (Vec<Term>, Vec<String>) {
    let introduced =
        Regex::new(r"^Introduced in \[([^\]]+)\]\(([^)#]+)(?:#([^)]+))?\)(?:; more in \[.+\))?\.$")
            .expect("it is a pattern");
    let own_id = Regex::new(r"\{#([\w-]+)\}").expect("it is a pattern");
    let lines: Vec<&str> = glossary.text.lines().collect();
    let (mut terms, mut complaints) = (Vec::new(), Vec::new());
    for heading in glossary.headings().into_iter().filter(|heading| heading.level == 3) {
        let (name, line) = (heading.text.trim().to_owned(), heading.line);
        let at = glossary.at(line);
        // The heading, an empty line, and then a sentence in each line.
        let sentences = lines[line..].iter().skip(1).take_while(|line| !line.is_empty());
        let sentences: Vec<&str> = sentences.copied().collect();
        let Some(last) = sentences.last().and_then(|last| introduced.captures(last)) else {
            complaints.push(format!("{at}: {name:?} doesn't end with “Introduced in …”"));
            continue;
        };
        let (title, home) = (&last[1], last[2].to_owned());
        if titles.get(&home).is_none_or(|known| known != title) {
            complaints.push(format!("{at}: there is no page {home} with the title {title:?}"));
        }
        // A link to the entry shows it.
        if sentences.len() < 2 || !sentences[0].ends_with('.') || sentences[0].contains("{{") {
            complaints.push(format!("{at}: {name:?} begins with no sentence that can stand alone"));
        }
        let id = own_id.captures(lines[line - 1]).map(|found| found[1].to_owned());
        let own = forms.get(&name);
        terms.push(Term {
            entry: format!("glossary.md#{}", id.unwrap_or_else(|| heading_id(&name))),
            home,
            section: last.get(3).map(|section| section.as_str().to_owned()).unwrap_or_default(),
            forms: match own {
                Some(forms) => forms.iter().map(|form| Form::of(form)).collect(),
                None => vec![Form::of(&name)],
            },
            name,
            line,
        });
    }
    let unknown = forms.keys().filter(|name| !terms.iter().any(|term| term.name == **name));
    complaints.extend(unknown.map(|name| format!("terms.txt: the glossary has no entry {name:?}")));
    (terms, complaints)
}

/// The terms of the book, and what is wrong with their entries.
fn terms() -> (Vec<Term>, Vec<String>) {
    let glossary = Page::read(&root().join("book/glossary.md"));
    entries(&glossary, &reading_order().into_iter().collect(), &listed_forms())
}

#[test]
fn every_term_names_the_page_that_introduces_it() {
    let (terms, complaints) = terms();
    none(complaints);
    assert!(terms.len() > 90, "only {} terms", terms.len());
}

#[test]
fn no_term_is_used_before_it_is_introduced_or_linked() {
    let pages: Vec<(Page, Vec<Run>)> = reading_order()
        .into_iter()
        .map(|(file, _)| without_directives(Page::read(&root().join("book").join(file))))
        .map(|page| {
            let runs = runs(&page);
            (page, runs)
        })
        .collect();
    none(terms().0.iter().flat_map(|term| term.complaints(&pages)).collect());
}

/// A page of a book that is not there.
fn page(stem: &str, text: &str) -> (Page, Vec<Run>) {
    let path = root().join("book").join(format!("{stem}.md"));
    let page = without_directives(Page { path, stem: stem.to_owned(), text: text.to_owned() });
    let runs = runs(&page);
    (page, runs)
}

#[test]
fn a_use_before_the_page_has_to_be_a_link() {
    let glossary =
        "# G\n\n## T\n\n### OS thread {#thread}\n\nIt runs.\nIntroduced in [B](b.md#c).\n";
    let titles = BTreeMap::from([("b.md".to_owned(), "B".to_owned())]);
    let forms = ["OS thread", "`spawn`"].map(str::to_owned).to_vec();
    let forms = BTreeMap::from([("OS thread".to_owned(), forms)]);
    let (terms, complaints) = entries(&page("glossary", glossary).0, &titles, &forms);
    assert!(complaints.is_empty() && terms.len() == 1, "{complaints:?}");
    let home = page("b", "# B\n\n## C\n\nAn OS thread.\n");
    for fine in [
        "An [OS thread](#c).\n\n## C\n",
        "## D {#c}\n\nOS threads\n",
        "<a id=\"c\"></a>\n\nOS threads\n",
    ] {
        let found = terms[0].complaints(&[page("b", &format!("# B\n\n{fine}"))]);
        assert_eq!(found, Vec::<String>::new(), "{fine}");
    }
    let early = page("b", "# B\n\nAn OS thread.\n\n## C\n\nOS threads\n");
    let found = terms[0].complaints(&[early]);
    assert!(
        found.len() == 1 && found[0].starts_with("book/b.md:3: \"OS thread\" comes before #c"),
        "{found:?}"
    );
    let look = |text: &str| {
        let first = page("a", text);
        terms[0].complaints(&[first, page("b", "# B\n\nAn OS thread.\n")])
    };
    for fine in [
        "# OS threads\n\nNone.\n",
        "An [OS-thread](glossary.md#thread), and OS threads.\n",
        "An *OS [thread](b.md)*.\n",
        "[OS threads of old](c.md) and [an OS thread](https://example.org/).\n",
        "```text\nOS thread\n```\n\n{{#median \"OS thread\"}} `OS thread` spawn macOS threads\n",
        "OS threading\n",
        "<details>\n<summary>For teachers</summary>\n\nOS thread\n\n</details>\n",
    ] {
        assert_eq!(look(fine), Vec::<String>::new(), "{fine}");
    }
    for wrong in [
        "# A\n\nLines.\n\nos threads\n",
        "# A\n\n[See](glossary.md#thread)\n\nthe OS\nthread\n",
        "# A\n\n| a |\n|---|\n| an **OS-thread** |\n",
        "# A\n\n[OS threads](c.md)\n\n`thread::spawn`, [OS thread](b.md)\n",
    ] {
        let found = look(wrong);
        let start = "book/a.md:5: \"OS thread\" comes before b.md";
        assert!(found.len() == 1 && found[0].starts_with(start), "{found:?}");
    }
    let unused = terms[0].complaints(&[page("a", "# A\n"), page("b", "# B\n")]);
    assert!(unused[0].starts_with("book/glossary.md:5: b.md doesn't use"), "{unused:?}");
    assert!(terms[0].complaints(&[page("a", "# A\n")])[0].contains("there is no page b.md"));
    assert!(terms[0].complaints(&[home]).is_empty());
}

#[test]
fn an_entry_without_its_page_is_refused() {
    let titles = BTreeMap::from([("b.md".to_owned(), "B".to_owned())]);
    for (text, complaint) in [
        ("It runs.\n[B](b.md)\n", "doesn't end with"),
        ("It runs.\nIntroduced in [A](b.md).\n", "no page b.md with the title \"A\""),
        ("It runs.\nIntroduced in [B](c.md).\n", "no page c.md"),
        ("Introduced in [B](b.md).\n", "no sentence that can stand alone"),
        ("{{#claim a \"b\"}}.\nIntroduced in [B](b.md).\n", "no sentence"),
    ] {
        let next = "### next\n\nX.\nIntroduced in [B](b.md).\n";
        let text = format!("# G\n\n## T\n\n### term\n\n{text}\n{next}");
        let path = root().join("book/glossary.md");
        let glossary = Page { path, stem: "glossary".to_owned(), text };
        let (_, complaints) = entries(&glossary, &titles, &BTreeMap::new());
        assert!(complaints.len() == 1 && complaints[0].contains(complaint), "{complaints:?}");
        assert!(complaints[0].starts_with("book/glossary.md:5: "), "{complaints:?}");
    }
    let forms = BTreeMap::from([("gone".to_owned(), Vec::new())]);
    let (_, complaints) = entries(&page("glossary", "# G\n").0, &titles, &forms);
    assert_eq!(complaints, ["terms.txt: the glossary has no entry \"gone\""]);
}
