//! A page of the book in its sections, and what somebody reads and types in each.
//!
//! It reads the Markdown that our pages use, line by line: headings, fences, folds and the directives for listings.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use anyhow::{Context, Result};
use regex::Regex;
use similar::{ChangeTag, TextDiff};

use crate::{
    anchors::{part, without_anchors},
    base::heading_id,
};

/// The folder of the pages, from the repository's root.
const BOOK: &str = "book";

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its file without the ending: `ch03-threadpool`.
    pub name: String,
    /// In their order; a section ends where the next begins.
    pub sections: Vec<Section>,
}

/// A heading, and what stands below it up to the next heading.
#[derive(Clone, Debug)]
pub struct Section {
    /// The anchor of its heading.
    pub id: String,
    /// The heading, as Markdown.
    pub title: String,
    /// The line of the heading in the page's file, from 1.
    pub line: usize,
    /// In their order.
    pub pieces: Vec<Piece>,
}

/// A piece of a section.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Its first line in the page's file, from 1.
    pub line: usize,
    /// Whether it is in a `<details>`.
    pub is_folded: bool,
    /// What is read or typed.
    pub what: What,
}

/// What is read or typed in a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A line of Markdown.
    Words(String),
    /// A block of code.
    Code {
        /// The first word behind its fence.
        language: String,
        /// Its lines, with those that it includes.
        text: String,
        /// From which files it includes something, by their paths from the repository's root.
        files: Vec<PathBuf>,
    },
    /// What has changed from one file to the next.
    Difference {
        /// The one, from the repository's root.
        old: PathBuf,
        /// The other.
        new: PathBuf,
        /// The lines that only the old one has.
        gone: String,
        /// The lines that only the new one has.
        come: String,
    },
    /// Commands, without their prompt.
    Commands(Vec<String>),
    /// A level of "You are the scheduler".
    Schedule(String),
}

static DIRECTIVE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\{\{#(\w+) ?([^}]*)\}\}$").expect("a correct expression"));

static OWN_ID: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^(.*?) *\{#([\w-]+)\}$").expect("a correct expression"));

impl Page {
    /// Reads the page of this name.
    ///
    /// # Errors
    /// When it isn't there, or includes what isn't there.
    pub fn read(root: &Path, name: &str) -> Result<Page> {
        let file = root.join(BOOK).join(format!("{name}.md"));
        let text = fs::read_to_string(&file).with_context(|| format!("no page {name}"))?;
        let mut reader =
            Reader { root, page: Page { name: name.to_owned(), sections: Vec::new() } };
        reader.read(&text.replace("\r\n", "\n")).with_context(|| format!("{BOOK}/{name}.md"))?;
        Ok(reader.page)
    }

    /// Its first heading.
    pub fn title(&self) -> &str {
        self.sections.first().map_or(&self.name, |first| &first.title)
    }

    /// The place of the section with this anchor.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.sections.iter().position(|section| section.id == id)
    }
}

impl Section {
    /// Whether there is nothing but its heading, as where its parts have headings of their own.
    pub fn is_empty(&self) -> bool {
        self.pieces.iter().all(|piece| match &piece.what {
            What::Words(words) => words.trim().is_empty() || words.starts_with("<a id="),
            _ => false,
        })
    }
}

/// What is between two fences.
struct Block {
    fence: String,
    info: String,
    line: usize,
    lines: Vec<String>,
}

struct Reader<'a> {
    root: &'a Path,
    page: Page,
}

impl Reader<'_> {
    fn read(&mut self, text: &str) -> Result<()> {
        let mut ids: BTreeMap<String, usize> = BTreeMap::new();
        let mut depth = 0_usize;
        let mut block: Option<Block> = None;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            if let Some(open) = &mut block {
                if line.trim_end() == open.fence {
                    let open = block.take().expect("it is open");
                    let line = open.line;
                    let what = self.block(open).with_context(|| format!("line {line}"))?;
                    self.put(line, depth > 0, what);
                } else {
                    open.lines.push(line.to_owned());
                }
                continue;
            }
            let ticks = line.len() - line.trim_start_matches('`').len();
            let hashes = line.len() - line.trim_start_matches('#').len();
            let heading = line[hashes..].strip_prefix(' ').filter(|_| (1..=6).contains(&hashes));
            if ticks >= 3 {
                let (fence, info) = line.split_at(ticks);
                let info = info.to_owned();
                block =
                    Some(Block { fence: fence.to_owned(), info, line: number, lines: Vec::new() });
            } else if let Some(heading) = heading {
                self.begin(heading, number, &mut ids);
            } else {
                depth += usize::from(line.starts_with("<details"));
                let what = self.line(line).with_context(|| format!("line {number}"))?;
                self.put(number, depth > 0, what);
                depth -= usize::from(line.starts_with("</details>") && depth > 0);
            }
        }
        Ok(())
    }

    /// Begins a section. mdBook numbers an anchor that was there before.
    fn begin(&mut self, heading: &str, line: usize, ids: &mut BTreeMap<String, usize>) {
        let own = OWN_ID.captures(heading);
        let (title, id) = match &own {
            Some(found) => (found[1].to_owned(), found[2].to_owned()),
            None => (heading.to_owned(), heading_id(heading)),
        };
        let before = ids.entry(id.clone()).or_default();
        let id = if *before == 0 { id } else { format!("{id}-{before}") };
        *before += 1;
        self.page.sections.push(Section { id, title, line, pieces: Vec::new() });
    }

    fn put(&mut self, line: usize, is_folded: bool, what: What) {
        if let Some(section) = self.page.sections.last_mut() {
            section.pieces.push(Piece { line, is_folded, what });
        }
    }

    /// A line outside of all fences.
    fn line(&self, line: &str) -> Result<What> {
        let Some(found) = DIRECTIVE.captures(line) else { return Ok(What::Words(line.to_owned())) };
        let words: Vec<&str> = found[2].split(' ').collect();
        Ok(match (&found[1], &words[..]) {
            ("diff", [old, new]) => self.difference(old, new)?,
            ("schedule", [level]) => What::Schedule((*level).to_owned()),
            // A picture, a table or a question, whose words are its own.
            _ => What::Words(line.to_owned()),
        })
    }

    fn difference(&self, old: &str, new: &str) -> Result<What> {
        let read = |path: &str| -> Result<String> {
            let text = fs::read_to_string(self.root.join(path));
            Ok(without_anchors(
                &text.with_context(|| format!("cannot read {path}"))?.replace("\r\n", "\n"),
            ))
        };
        let (old_text, new_text) = (read(old)?, read(new)?);
        let diff = TextDiff::from_lines(&old_text, &new_text);
        let of = |tag: ChangeTag| -> String {
            let changes = diff.iter_all_changes().filter(|change| change.tag() == tag);
            changes.map(|change| change.value()).collect()
        };
        Ok(What::Difference {
            old: old.into(),
            new: new.into(),
            gone: of(ChangeTag::Delete),
            come: of(ChangeTag::Insert),
        })
    }

    fn block(&self, block: Block) -> Result<What> {
        let language = block.info.split(',').next().unwrap_or_default().to_owned();
        if language == "console" || language == "sh" {
            let lines = block.lines.iter().map(String::as_str);
            let commands = lines.filter_map(|line| match language.as_str() {
                "console" => line.strip_prefix("$ "),
                _ => Some(line).filter(|line| !line.trim().is_empty()),
            });
            return Ok(What::Commands(commands.map(str::to_owned).collect()));
        }
        let (mut text, mut files) = (String::new(), Vec::new());
        for line in &block.lines {
            match DIRECTIVE.captures(line).filter(|found| &found[1] == "include") {
                Some(found) => {
                    let (path, anchor) = found[2].split_once(':').unwrap_or((&found[2], ""));
                    text += &self.included(path, anchor)?;
                    let from_root = path.strip_prefix("../").map(PathBuf::from);
                    files.push(from_root.unwrap_or_else(|| Path::new(BOOK).join(path)));
                }
                None => {
                    text += line;
                    text.push('\n');
                }
            }
        }
        Ok(What::Code { language, text, files })
    }

    fn included(&self, path: &str, anchor: &str) -> Result<String> {
        let text = fs::read_to_string(self.root.join(BOOK).join(path));
        let text = text.with_context(|| format!("cannot read {path}"))?.replace("\r\n", "\n");
        match anchor {
            "" => Ok(without_anchors(&text)),
            anchor => part(&text, anchor).with_context(|| format!("{path} has no anchor {anchor}")),
        }
    }
}
