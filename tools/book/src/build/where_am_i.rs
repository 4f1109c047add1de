//! The line above the title of each page of the ladder: which rung it is, how long it takes, and what it builds on.
//!
//! Only what a page builds on is written for this line, in `book/road.toml`. The rung is the sign in
//! `examples/servers.toml`, the exercises are those of `exercises/exercises.toml`, and the minutes of a class are those of
//! the page's notes for teachers.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use mdbook_driver::book::{Book, BookItem, Chapter};
use mdbook_renderer::RenderContext;
use records::{
    servers::SERVERS,
    workshop::{
        exercises::{Exercise, exercises},
        notes,
    },
};

use pictures::text::{escape, listed, plural};

/// What each page builds on, among the pages.
pub(super) const ROAD: &str = "road.toml";
/// How the title of the part begins in which the ladder is.
const LADDER: &str = "The ladder";
/// Where it is said that the minutes of a class are estimates.
const MINUTES: &str = "workshop.html#three-agendas";
/// The heading below which the exercises of a page stand.
const EXERCISES: &str = "#your-turn";

/// A page of the ladder.
struct Page<'a> {
    /// Its file without its ending.
    stem: String,
    chapter: &'a Chapter,
    place: Place,
}

/// Where a page is on the ladder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It is this rung.
    Rung(usize),
    /// On the road, behind this rung.
    Behind(usize),
    /// Off the road, at this rung.
    Beside(usize),
}

/// The lines of a book's pages by their paths; none in a book without a ladder.
pub(super) fn lines(context: &RenderContext) -> Result<BTreeMap<PathBuf, String>> {
    let pages = ladder(&context.book);
    if pages.is_empty() {
        return Ok(BTreeMap::new());
    }
    let file = context.root.join(&context.config.book.src).join(ROAD);
    let needs = needs(&file, &pages)?;
    let exercises = exercises(&context.root)?;
    let in_class = notes::in_class(&context.root)?;
    let line = |page: &Page| {
        let own = exercises.iter().filter(|exercise| exercise.chapter == page.stem);
        let taught = in_class.get(&page.stem);
        let parts = [
            Some(page.place.words()),
            taught.map(|minutes| link(MINUTES, &format!("{minutes} min in a workshop"))),
            to_do(own),
            needed(needs.get(&page.stem), &pages),
        ];
        let parts = parts.into_iter().flatten().map(|part| format!("<span>{part}</span>"));
        let parts = parts.collect::<Vec<String>>().join(" · ");
        let path = page.chapter.path.clone().unwrap_or_default();
        (path, format!("<nav class=\"where\" aria-label=\"Where you are\">{parts}</nav>"))
    };
    Ok(pages.iter().map(line).collect())
}

/// The pages of the ladder, in their order.
fn ladder(book: &Book) -> Vec<Page<'_>> {
    let mut pages = Vec::new();
    let mut is_here = false;
    let mut rung = 0;
    for item in book.iter() {
        match item {
            BookItem::PartTitle(title) => is_here = title.starts_with(LADDER),
            BookItem::Chapter(chapter) if is_here => {
                let Some(stem) = chapter.path.as_deref().and_then(Path::file_stem) else {
                    continue;
                };
                let stem = stem.to_string_lossy().into_owned();
                let number = sign(&stem).and_then(|sign| sign.parse().ok());
                rung = number.unwrap_or(rung);
                let place = match number {
                    Some(number) => Place::Rung(number),
                    None if chapter.parent_names.is_empty() => Place::Behind(rung),
                    None => Place::Beside(rung),
                };
                pages.push(Page { stem, chapter, place });
            }
            BookItem::Chapter(_) | BookItem::Separator => {}
        }
    }
    pages
}

/// The sign of the first server that this page teaches.
fn sign(stem: &str) -> Option<&'static str> {
    let server = SERVERS.iter().find(|server| server.page == stem)?;
    Some(&server.sign)
}

/// How many rungs there are: a variant, or a server by hand, has no number for its sign.
fn rungs() -> usize {
    SERVERS.iter().filter(|server| server.sign.parse::<usize>().is_ok()).count()
}

/// What `road.toml` says. Fails when it can't be read, or names what is no page of the ladder.
fn needs(file: &Path, pages: &[Page]) -> Result<BTreeMap<String, Vec<String>>> {
    let text =
        fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))?;
    let needs: BTreeMap<String, Vec<String>> =
        toml::from_str(&text).with_context(|| format!("{ROAD} is malformed"))?;
    for name in needs.keys().chain(needs.values().flatten()) {
        let is_there = pages.iter().any(|page| page.stem == *name);
        ensure!(is_there, "{ROAD} names {name}, which is no page of the ladder");
    }
    Ok(needs)
}

impl Place {
    fn words(self) -> String {
        let last = rungs();
        match self {
            Place::Rung(rung) => format!("rung {rung} of {last}"),
            Place::Behind(rung) if rung < last => format!("between rungs {rung} and {}", rung + 1),
            Place::Behind(rung) => format!("after rung {rung}"),
            Place::Beside(rung) => format!("optional, beside rung {rung}"),
        }
    }
}

/// How many exercises there are, and how long they take together; nothing where there are none.
fn to_do<'a>(exercises: impl Iterator<Item = &'a Exercise>) -> Option<String> {
    let minutes: Vec<u32> = exercises.map(|exercise| exercise.minutes).collect();
    let count = plural(minutes.len() as u64, "exercise");
    let sum: u32 = minutes.iter().sum();
    (!minutes.is_empty()).then(|| link(EXERCISES, &format!("{count}, {sum} min")))
}

/// The pages that are needed, by their signs; one without a sign by its name.
fn needed(names: Option<&Vec<String>>, pages: &[Page]) -> Option<String> {
    let needed = |name: &String| {
        let page = pages.iter().find(|page| page.stem == *name)?;
        let address = format!("{name}.html");
        let whole = escape(&page.chapter.name);
        Some(match sign(name) {
            Some(sign) => format!("<a href=\"{address}\" aria-label=\"{whole}\">{sign}</a>"),
            None => link(&address, &whole),
        })
    };
    let links: Vec<String> = names?.iter().filter_map(needed).collect();
    (!links.is_empty()).then(|| format!("needs {}", listed(&links)))
}

fn link(address: &str, words: &str) -> String {
    format!("<a href=\"{address}\">{words}</a>")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chapter(name: &str, stem: &str, parents: &[&str]) -> BookItem {
        let parents = parents.iter().map(|parent| (*parent).to_owned()).collect();
        Chapter::new(name, String::new(), format!("{stem}.md"), parents).into()
    }

    fn book() -> Book {
        Book::new_with_items(vec![
            chapter("Start", "start", &[]),
            BookItem::PartTitle("The ladder, and more".to_owned()),
            chapter("2 · Threads", "ch02-thread-spawn", &[]),
            chapter("What a thread is", "hardware-threads", &["2 · Threads"]),
            chapter("3 · A <pool>", "ch03-threadpool", &[]),
            chapter("Shared data", "shared-data", &[]),
            chapter("L · A loop", "event-loop", &["4 · Tasks"]),
            chapter("7 · Bounded", "ch07-bounded", &[]),
            chapter("Recap", "recap", &[]),
            BookItem::PartTitle("Try it".to_owned()),
            chapter("Exercises", "exercises", &[]),
        ])
    }

    #[test]
    fn a_page_is_a_rung_behind_one_or_beside_one() {
        let book = book();
        let said: Vec<String> = ladder(&book).iter().map(|page| page.place.words()).collect();
        let expected = [
            "rung 2 of 7",
            "optional, beside rung 2",
            "rung 3 of 7",
            "between rungs 3 and 4",
            "optional, beside rung 3",
            "rung 7 of 7",
            "after rung 7",
        ];
        assert_eq!(said, expected);
    }

    #[test]
    fn what_a_page_builds_on_is_a_page_of_the_ladder() {
        let book = book();
        let pages = ladder(&book);
        let names = ["ch03-threadpool", "hardware-threads"].map(str::to_owned).to_vec();
        let expected = "needs <a href=\"ch03-threadpool.html\" aria-label=\"3 · A &lt;pool&gt;\">3</a> and \
                        <a href=\"hardware-threads.html\">What a thread is</a>";
        assert_eq!(needed(Some(&names), &pages).as_deref(), Some(expected));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(ROAD);
        for (text, is_right) in [
            ("recap = [\"shared-data\"]\n", true),
            ("recap = [\"exercises\"]\n", false),
            ("exercises = [\"recap\"]\n", false),
            ("recap = 7\n", false),
        ] {
            fs::write(&file, text).unwrap();
            assert_eq!(needs(&file, &pages).is_ok(), is_right, "{text}");
        }
    }
}
