//! The short way: the sections of the book that it leads through, as `book/way.toml` lists them, and how long it takes.

mod count;
mod page;

use std::{collections::BTreeMap, fmt::Write, fs, path::Path};

use anyhow::{Context, Result, bail, ensure};
use serde::Deserialize;

use crate::{base::number, workshop::exercises::exercises};

pub use count::Count;
pub use page::{Content, Page, Piece, Section};

/// The list, from the repository's root.
pub const FILE: &str = "book/way.toml";

/// The file as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    words_per_minute: usize,
    lines_per_minute: usize,
    commands_per_minute: usize,
    page: Vec<Entry>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    page: String,
    about: String,
    sections: Vec<String>,
    /// The names of the exercises that are done there.
    #[serde(default)]
    write: Vec<String>,
}

/// The short way.
#[derive(Debug)]
pub struct Way {
    /// The stops, in the order in which they are read. A page may come twice.
    pub stops: Vec<Stop>,
    /// Each page of it once.
    pub pages: BTreeMap<String, Page>,
    /// The words, lines of code and commands that somebody reads and types in a minute.
    pub rates: Count,
}

/// Some sections of a page that are read one after the other.
#[derive(Debug)]
pub struct Stop {
    /// The page's file without its ending.
    pub page: String,
    /// Half a sentence for the list.
    pub about: String,
    /// The places of its sections in the page, in their order.
    pub sections: Vec<usize>,
    /// The amount that is read and typed there.
    pub count: Count,
    /// The minutes that the exercises take which are done there.
    pub writing: usize,
}

/// The continuation of the way at the end of a section.
#[derive(Clone, Copy, Debug)]
pub enum Next<'a> {
    /// At another section of the same page.
    Section(&'a Section),
    /// On another page, at this section of it.
    Page(&'a Page, &'a Section),
    /// Nowhere: it ends.
    End,
}

impl Way {
    /// Reads the list, and the pages that it names.
    ///
    /// # Errors
    /// When the list is malformed, a page, section or exercise isn't there, or the sections of a page are out of order.
    pub fn read(root: &Path) -> Result<Way> {
        let text = fs::read_to_string(root.join(FILE)).with_context(|| format!("no {FILE}"))?;
        let file: File = toml::from_str(&text).with_context(|| FILE.to_owned())?;
        let rates = Count {
            words: file.words_per_minute,
            lines: file.lines_per_minute,
            commands: file.commands_per_minute,
        };
        ensure!(rates.words * rates.lines * rates.commands > 0, "{FILE}: a rate is nothing");
        let mut way = Way { stops: Vec::new(), pages: BTreeMap::new(), rates };
        for entry in file.page {
            let page = Page::read(root, &entry.page).with_context(|| FILE.to_owned())?;
            way.stops.push(Stop::of(root, entry, &page)?);
            way.pages.insert(page.name.clone(), page);
        }
        Ok(way)
    }

    /// Returns the page of a stop.
    pub fn page(&self, stop: &Stop) -> &Page {
        &self.pages[&stop.page]
    }

    /// Lists the sections of a stop.
    pub fn sections<'a>(&'a self, stop: &'a Stop) -> impl Iterator<Item = &'a Section> {
        let page = self.page(stop);
        stop.sections.iter().map(|place| &page.sections[*place])
    }

    /// Tells whether this section of the page is on the way.
    pub fn has(&self, page: &str, place: usize) -> bool {
        self.stops.iter().any(|stop| stop.page == page && stop.sections.contains(&place))
    }

    /// Finds the continuation after this section, which is on the way.
    pub fn next(&self, page: &str, place: usize) -> Next<'_> {
        let mut is_behind = false;
        for stop in &self.stops {
            let its_page = self.page(stop);
            for at in &stop.sections {
                let section = &its_page.sections[*at];
                if is_behind && its_page.name == page {
                    return Next::Section(section);
                }
                if is_behind {
                    return Next::Page(its_page, section);
                }
                is_behind = its_page.name == page && *at == place;
            }
        }
        Next::End
    }

    /// Counts all that is read and typed on it.
    pub fn count(&self) -> Count {
        self.stops.iter().fold(Count::default(), |sum, stop| sum + stop.count)
    }

    fn minutes(&self, count: Count) -> usize {
        count.minutes(self.rates)
    }

    /// Writes the list for a page: each stop with its minutes, those of its exercises among them.
    pub fn list(&self) -> String {
        let mut list = String::new();
        for stop in &self.stops {
            let page = self.page(stop);
            let first = self.sections(stop).next();
            let is_top = first.is_none_or(|first| first.id == page.sections[0].id);
            let place =
                if is_top { String::new() } else { format!("#{}", first.map_or("", |it| &it.id)) };
            let minutes = fives(self.minutes(stop.count) + stop.writing);
            let _ = writeln!(
                list,
                "- [{}]({}.md{place}): {}. *{minutes} minutes.*",
                page.title(),
                page.name,
                stop.about
            );
        }
        list.trim_end().to_owned()
    }

    /// Writes a number of the way in words. Fails when there is none of this name.
    pub fn number(&self, what: &str) -> Result<String> {
        let count = self.count();
        let writing: usize = self.stops.iter().map(|stop| stop.writing).sum();
        Ok(match what {
            "words" => hundreds(count.words),
            "lines" => hundreds(count.lines),
            "commands" => count.commands.to_string(),
            "words_per_minute" => self.rates.words.to_string(),
            "lines_per_minute" => self.rates.lines.to_string(),
            "commands_per_minute" => self.rates.commands.to_string(),
            "reading" => hours(self.minutes(count)),
            "writing" => hours(writing),
            _ => bail!(
                "of the short way there is `words`, `lines`, `commands`, each of them `_per_minute`, `reading` and \
                 `writing`, and no `{what}`"
            ),
        })
    }
}

impl Stop {
    fn of(root: &Path, entry: Entry, page: &Page) -> Result<Stop> {
        let Entry { page: name, about, sections, write } = entry;
        let mut places: Vec<usize> = Vec::new();
        for id in &sections {
            let place = page.place(id);
            let place = place.with_context(|| format!("{FILE}: {name}.md has no section #{id}"))?;
            let is_next = places.last().is_none_or(|last| *last < place);
            ensure!(is_next, "{FILE}: in {name}.md #{id} stands before the section above it");
            places.push(place);
        }
        ensure!(!places.is_empty(), "{FILE}: of {name} no section is named");
        let known = exercises(root)?;
        let mut writing = 0;
        for exercise in &write {
            let it = known.iter().find(|it| it.name == *exercise);
            let it = it.with_context(|| format!("{FILE}: there is no exercise {exercise}"))?;
            writing += it.minutes as usize;
        }
        let count = places.iter().map(|place| Count::of(&page.sections[*place]));
        let count = count.fold(Count::default(), |sum, one| sum + one);
        Ok(Stop { page: name, about, sections: places, count, writing })
    }
}

/// Rounds up to a hundred, and writes that.
fn hundreds(value: usize) -> String {
    number((value.div_ceil(100) * 100) as f64, 0)
}

/// Rounds minutes up to a number that ends in 0 or 5.
fn fives(minutes: usize) -> usize {
    minutes.div_ceil(5) * 5
}

/// Writes minutes as hours, to the next quarter: `4¼ hours`.
fn hours(minutes: usize) -> String {
    let quarters = minutes.div_ceil(15);
    let part = ["", "¼", "½", "¾"][quarters % 4];
    match quarters / 4 {
        0 => format!("{} minutes", quarters * 15),
        1 if part.is_empty() => "an hour".to_owned(),
        whole => format!("{whole}{part} hours"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A page\n\nTwo words.\n\n```console\n$ cargo run\nno word\n```\n\n## Inside\n\n### One\n\n\
                        [Three](b.md#x) more `words`.\n\n<details>\n<summary>Folded</summary>\n\nNot counted.\n\n\
                        ```console\n$ nor this\n```\n\n</details>\n\n### Two {#second}\n\n```rust,ignore\n\
                        {{#include ../a.rs:one}}\n```\n\n{{#diff a.rs b.rs}}\n\n### Three\n\nLeft out.\n";

    fn repository(list: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        let exercise = "[[exercise]]\nname = \"one\"\nchapter = \"a\"\ntitle = \"One\"\nminutes = 20\nkind = \"write\"\n\
                        idea = \"One thing.\"\n";
        let rates = "words_per_minute = 200\nlines_per_minute = 20\ncommands_per_minute = 1\n";
        for (name, text) in [
            ("book/a.md", PAGE),
            ("book/b.md", "# Another\n\n## Last\n\nWords.\n"),
            (
                "a.rs",
                "// ANCHOR: one\nfn one() {}\n\nfn two() {}\n// ANCHOR_END: one\nfn three() {}\n",
            ),
            ("b.rs", "fn one() {}\n\nfn two() {}\nfn four() {}\n"),
            ("exercises/exercises.toml", exercise),
            (FILE, &format!("{rates}{list}")),
        ] {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    fn list(sections: &str) -> String {
        format!(
            "[[page]]\npage = \"a\"\nabout = \"of one\"\nsections = [{sections}]\n\
             [[page]]\npage = \"b\"\nabout = \"of another\"\nsections = [\"last\"]\nwrite = [\"one\"]\n"
        )
    }

    #[test]
    fn words_lines_and_commands_of_the_listed_sections_are_counted() {
        let folder = repository(&list(r#""a-page", "one", "second""#));
        let way = Way::read(folder.path()).unwrap();
        // Of the listing two lines, of the difference one that goes and one that comes.
        assert_eq!(way.stops[0].count, Count { words: 5, lines: 4, commands: 1 });
        assert_eq!(way.count(), Count { words: 6, lines: 4, commands: 1 });
        let expected = "- [A page](a.md): of one. *5 minutes.*\n- [Another](b.md#last): of another. *25 minutes.*";
        assert_eq!(way.list(), expected);
        assert_eq!(way.number("writing").unwrap(), "30 minutes");
        assert!(way.number("x").unwrap_err().to_string().contains("no `x`"));
        for (minutes, words) in
            [(14, "15 minutes"), (60, "an hour"), (61, "1¼ hours"), (240, "4 hours")]
        {
            assert_eq!(hours(minutes), words);
        }
    }

    #[test]
    fn the_way_leads_from_section_to_section_and_from_page_to_page() {
        let folder = repository(&list(r#""a-page", "second""#));
        let way = Way::read(folder.path()).unwrap();
        let places = ["a-page", "second"].map(|id| way.pages["a"].place(id).unwrap());
        let Next::Section(next) = way.next("a", places[0]) else { panic!("it goes on there") };
        assert_eq!((next.id.as_str(), next.title.as_str()), ("second", "Two"));
        let Next::Page(page, section) = way.next("a", places[1]) else { panic!("another page") };
        assert_eq!((page.title(), section.id.as_str()), ("Another", "last"));
        assert!(matches!(way.next("b", 1), Next::End));
        assert!(way.has("a", places[1]) && !way.has("a", way.pages["a"].place("three").unwrap()));
        assert!(way.pages["a"].sections[1].is_empty() && !way.pages["a"].sections[2].is_empty());
    }

    #[test]
    fn what_is_not_there_is_named() {
        let all = list(r#""one""#);
        for (list, complaint) in [
            (list(r#""none""#), "a.md has no section #none"),
            (list(r#""second", "one""#), "#one stands before the section above it"),
            (list(""), "of a no section is named"),
            (all.replace("write = [\"one\"]", "write = [\"two\"]"), "there is no exercise two"),
            (all.replace("\"b\"", "\"c\""), "no page c"),
        ] {
            let folder = repository(&list);
            let error = format!("{:#}", Way::read(folder.path()).unwrap_err());
            assert!(error.contains(complaint), "{complaint}: {error}");
        }
    }
}
