//! Inserts the signs of the short way: on its pages, where it leaves them and where it goes on; and for the table of
//! contents, the list of what is on it.

use std::path::Path;

use anyhow::Result;
use pictures::text::escape;
use pulldown_cmark::{Event, Options, Parser, Tag, html::push_html};
use records::way::{self, FILE, Next, Way};
use serde_json::json;

/// Inserts the signs; none where a book has no such way.
#[derive(Debug, Default)]
pub(crate) struct Signs(Option<Way>);

impl Signs {
    /// Reads the repository's way. Fails when its list is wrong.
    pub(crate) fn of(root: &Path) -> Result<Signs> {
        Ok(Signs(root.join(FILE).exists().then(|| Way::read(root)).transpose()?))
    }

    /// Inserts the signs of a page.
    pub(crate) fn insert(&self, file: &Path, text: &str) -> String {
        let Some(way) = &self.0 else { return text.to_owned() };
        let name = file.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let signed = match way.pages.get(&name) {
            Some(page) => with_signs(way, page, text),
            None => text.to_owned(),
        };
        signed + &contents(way, &name)
    }
}

/// Inserts a sign below each heading at which the way leaves the page, and at the page's end if that is on the way.
fn with_signs(way: &Way, page: &way::Page, text: &str) -> String {
    let mut signed = String::with_capacity(text.len());
    let mut end = 0;
    let mut last = None;
    let mut is_signed = false;
    for (place, (section, at)) in page.sections.iter().zip(headings(text)).enumerate() {
        if way.has(&page.name, place) {
            last = Some(place);
            is_signed = false;
        } else if !(is_signed || section.is_empty() && leads_to_the_way(way, page, place)) {
            let next = match last {
                Some(last) => way.next(&page.name, last),
                None => first_of(way, page),
            };
            signed += &text[end..at];
            signed += &sign(&format!("Not on the {WAY}{}", goes_on(", which", next)));
            end = at;
            is_signed = true;
        }
    }
    signed += &text[end..];
    if let Some(last) = last.filter(|last| *last + 1 == page.sections.len())
        && let next @ Next::Page(..) = way.next(&page.name, last)
    {
        signed += &sign(&format!("The {WAY}{}", goes_on("", next)));
    }
    signed
}

/// Tells whether the sections of this heading, which has no words of its own, begin with one that is on the way.
fn leads_to_the_way(way: &Way, page: &way::Page, place: usize) -> bool {
    let below = (place + 1..page.sections.len()).find(|next| !page.sections[*next].is_empty());
    below.is_some_and(|next| way.has(&page.name, next))
}

/// Finds the first section of the page that is on the way.
fn first_of<'a>(way: &'a Way, page: &'a way::Page) -> Next<'a> {
    let first = (0..page.sections.len()).find(|place| way.has(&page.name, *place));
    first.map_or(Next::End, |place| Next::Section(&page.sections[place]))
}

/// The words of a link to the list.
const WAY: &str = "<a href=\"introduction.md#the-short-way\">short way</a>";

/// Writes a sign, a line below a heading.
fn sign(words: &str) -> String {
    format!("\n\n<p class=\"way\">{words}.</p>\n\n")
}

/// Writes where the way goes on, behind a word for it.
fn goes_on(which: &str, next: Next) -> String {
    let (address, title) = match next {
        Next::Section(section) => (format!("#{}", section.id), &section.title),
        Next::Page(page, section) if section.id == page.sections[0].id => {
            (format!("{}.md", page.name), &section.title)
        }
        Next::Page(page, section) => {
            (format!("{}.md#{}", page.name, section.id), &page.sections[0].title)
        }
        Next::End => return String::new(),
    };
    format!("{which} goes on with <a href=\"{address}\">{}</a>", html(title))
}

/// Writes a heading as HTML, without the paragraph around it.
fn html(title: &str) -> String {
    let events =
        Parser::new(title).filter(|event| !matches!(event, Event::Start(_) | Event::End(_)));
    let mut text = String::new();
    push_html(&mut text, events);
    text
}

/// Finds the end of each heading's line in a text, whose directives may have become anything but a heading of a page.
fn headings(text: &str) -> Vec<usize> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_HEADING_ATTRIBUTES;
    let mut ends = Vec::new();
    for (event, place) in Parser::new_ext(text, options).into_offset_iter() {
        if let Event::Start(Tag::Heading { .. }) = event {
            ends.push(place.end);
        }
    }
    ends
}

/// Writes the data that the table of contents reads (book/theme/ladder.js): the pages of the way and, of the page itself,
/// the sections.
fn contents(way: &Way, page: &str) -> String {
    let pages: Vec<String> = way.pages.keys().map(|name| format!("{name}.html")).collect();
    let own = way.stops.iter().filter(|stop| stop.page == page);
    let sections: Vec<&str> =
        own.flat_map(|stop| way.sections(stop)).map(|section| section.id.as_str()).collect();
    let data = escape(&json!({ "pages": pages, "sections": sections }).to_string());
    format!("\n\n<template class=\"way\" data-way=\"{data}\"></template>\n")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::{build::build, testing::repository};

    const WAY: &str = "words_per_minute = 1\nlines_per_minute = 1\ncommands_per_minute = 1\n\
                       [[page]]\npage = \"a\"\nabout = \"it\"\nsections = [\"a\", \"two\"]\n\
                       [[page]]\npage = \"b\"\nabout = \"it\"\nsections = [\"b\"]\n";

    #[test]
    fn a_page_says_where_the_way_leaves_it_and_where_it_goes_on() {
        let folder = repository(
            "# A\n\n{{#way words}} words\n\n## One\n\n### Inside\n\nOff.\n\n## Parts\n\n### `Two`\n\nOn.\n\n## Three\n\nOff.\n",
        );
        let root = folder.path();
        fs::write(root.join(FILE), WAY).unwrap();
        fs::write(root.join("book/b.md"), "# B\n\nOn.\n").unwrap();
        fs::write(root.join("book/c.md"), "# C\n\nOff.\n").unwrap();
        fs::write(root.join("book/introduction.md"), "# I\n\n## The short way\n\n{{#way}}\n")
            .unwrap();
        let summary = "- [I](introduction.md)\n- [A](a.md)\n- [B](b.md)\n- [C](c.md)\n";
        fs::write(root.join("book/SUMMARY.md"), summary).unwrap();
        let built = build(root, None).unwrap();
        let link = "<p class=\"way\">Not on the <a href=\"introduction.html#the-short-way\">short way</a>, which goes on with";
        let [a, c, introduction] = ["a.html", "c.html", "introduction.html"]
            .map(|name| fs::read_to_string(built.join(name)).unwrap());
        // Not at the heading of its parts, and once for two sections that follow each other.
        assert_eq!(a.matches("class=\"way\">Not on").count(), 2, "{a}");
        assert!(a.contains(&format!("{link} <a href=\"#two\"><code>Two</code></a>.</p>")), "{a}");
        assert!(a.contains(&format!("{link} <a href=\"b.html\">B</a>.</p>")), "{a}");
        assert!(!c.contains("Not on the"), "{c}");
        let data = "&quot;pages&quot;:[&quot;a.html&quot;,&quot;b.html&quot;],&quot;sections&quot;:[&quot;a&quot;,&quot;two&quot;]";
        assert!(a.contains(data), "{a}");
        assert!(c.contains("&quot;sections&quot;:[]"), "{c}");
        assert!(introduction.contains("<a href=\"a.html\">A</a>: it."));
    }
}
