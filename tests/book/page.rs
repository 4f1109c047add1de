//! A page of the book, taken apart.

use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};

use records::servers::SERVERS;

use super::repository::{root, short};

/// A Markdown file.
#[derive(Clone, Debug)]
pub struct Page {
    /// Where it is.
    pub path: PathBuf,
    /// Its name without the ending.
    pub stem: String,
    /// What it says.
    pub text: String,
}

/// A fenced block.
#[derive(Clone, Debug)]
pub struct Block {
    /// The words after the fence.
    pub info: String,
    /// What is in it.
    pub text: String,
    /// The line of its fence, from 1.
    pub line: usize,
}

/// A heading.
#[derive(Clone, Debug)]
pub struct Heading {
    /// 1 to 6.
    pub level: u8,
    /// The words.
    pub text: String,
    /// Its line, from 1.
    pub line: usize,
}

/// `{{#name rest}}` in a page.
#[derive(Clone, Debug)]
pub struct Directive {
    /// The first word.
    pub name: String,
    /// All behind it.
    pub rest: String,
    /// Its line, from 1.
    pub line: usize,
}

impl Page {
    /// Reads a file.
    #[track_caller]
    pub fn read(path: &Path) -> Page {
        let text =
            fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        let stem = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
        Page { path: path.to_path_buf(), stem, text: text.replace("\r\n", "\n") }
    }

    /// `book/page.md:12`, as a message begins.
    pub fn at(&self, line: usize) -> String {
        format!("{}:{line}", short(&self.path))
    }

    /// The events of the parser with their places, with the extensions that mdBook turns on.
    pub fn events(&self) -> impl Iterator<Item = (Event<'_>, Range<usize>)> {
        let options = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_HEADING_ATTRIBUTES
            | Options::ENABLE_GFM
            | Options::ENABLE_DEFINITION_LIST;
        Parser::new_ext(&self.text, options).into_offset_iter()
    }

    /// The line, from 1, of this byte.
    pub fn line_of(&self, byte: usize) -> usize {
        self.text[..byte].matches('\n').count() + 1
    }

    /// All fenced blocks.
    pub fn blocks(&self) -> Vec<Block> {
        let mut blocks = Vec::new();
        let mut open: Option<Block> = None;
        for (event, place) in self.events() {
            match event {
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    let line = self.line_of(place.start);
                    open = Some(Block { info: info.into_string(), text: String::new(), line });
                }
                Event::Text(text) => {
                    if let Some(block) = &mut open {
                        block.text += &text;
                    }
                }
                Event::End(TagEnd::CodeBlock) => blocks.extend(open.take()),
                _ => {}
            }
        }
        blocks
    }

    /// All headings.
    pub fn headings(&self) -> Vec<Heading> {
        let mut headings = Vec::new();
        let mut open: Option<Heading> = None;
        for (event, place) in self.events() {
            match event {
                Event::Start(Tag::Heading { level, .. }) => {
                    let line = self.line_of(place.start);
                    open = Some(Heading { level: number(level), text: String::new(), line });
                }
                Event::Text(text) | Event::Code(text) => {
                    if let Some(heading) = &mut open {
                        heading.text += &text;
                    }
                }
                Event::End(TagEnd::Heading(_)) => headings.extend(open.take()),
                _ => {}
            }
        }
        headings
    }

    /// The targets of all links and pictures, with their lines.
    pub fn links(&self) -> Vec<(String, usize)> {
        let links = self.events().filter_map(|(event, place)| match event {
            Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                Some((dest_url.into_string(), self.line_of(place.start)))
            }
            _ => None,
        });
        links.collect()
    }

    /// All directives, the escaped ones left out.
    pub fn directives(&self) -> Vec<Directive> {
        let mut directives = Vec::new();
        for (byte, _) in self.text.match_indices("{{#") {
            if self.text[..byte].ends_with('\\') {
                continue;
            }
            let line = self.line_of(byte);
            let inside = self.text[byte + 3..].split("}}").next().unwrap_or_default();
            let (name, rest) = inside.split_once(char::is_whitespace).unwrap_or((inside, ""));
            directives.push(Directive {
                name: name.to_owned(),
                rest: rest.trim().to_owned(),
                line,
            });
        }
        directives
    }
}

fn number(level: HeadingLevel) -> u8 {
    match level {
        HeadingLevel::H1 => 1,
        HeadingLevel::H2 => 2,
        HeadingLevel::H3 => 3,
        HeadingLevel::H4 => 4,
        HeadingLevel::H5 => 5,
        HeadingLevel::H6 => 6,
    }
}

/// Every page of the book, in the order of their names; `SUMMARY.md` and the page for a wrong address are none.
pub fn pages() -> Vec<Page> {
    let files = super::repository::files_below(&root().join("book"));
    let pages = files.iter().filter(|path| {
        path.extension().is_some_and(|ending| ending == "md")
            && !path.ends_with("SUMMARY.md")
            && !path.ends_with("404.md")
    });
    pages.map(|path| Page::read(path)).collect()
}

/// The pages that teach a rung: `chNN-....md`.
pub fn chapters() -> Vec<Page> {
    let is_chapter = |page: &Page| SERVERS.iter().any(|server| server.page == page.stem);
    pages().into_iter().filter(is_chapter).collect()
}
