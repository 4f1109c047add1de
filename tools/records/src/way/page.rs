//! A page of the book in its sections, and the text, code and commands that somebody reads and types in each.
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
    files::cannot_read,
};

/// The folder of the pages, from the repository's root.
const BOOK: &str = "book";

/// A page.
#[derive(Clone, Debug)]
pub struct Page {
    /// Its file without the ending: `ch03-threadpool`.
    pub name: String,
    /// Its sections, in their order; a section ends where the next begins.
    pub sections: Vec<Section>,
}

/// A heading, and the text below it up to the next heading.
#[derive(Clone, Debug)]
pub struct Section {
    /// The anchor of its heading.
    pub id: String,
    /// The heading, as Markdown.
    pub title: String,
    /// The line of the heading in the page's file, from 1.
    pub line: usize,
    /// Its pieces, in their order.
    pub pieces: Vec<Piece>,
}

/// A piece of a section.
#[derive(Clone, Debug)]
pub struct Piece {
    /// Its first line in the page's file, from 1.
    pub line: usize,
    /// Whether it is in a `<details>`.
    pub is_folded: bool,
    /// The text that is read or typed.
    pub content: Content,
}

/// The text of a piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A line of Markdown.
    Words(String),
    /// A block of code.
    Code {
        /// The first word behind its fence.
        language: String,
        /// Its lines, with those that it includes.
        text: String,
        /// The files from which it includes something, by their paths from the repository's root.
        files: Vec<PathBuf>,
    },
    /// The difference between two files.
    Difference {
        /// The old file, by its path from the repository's root.
        old: PathBuf,
        /// The new file.
        new: PathBuf,
        /// The lines that only the old one has.
        removed: String,
        /// The lines that only the new one has.
        added: String,
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

    /// Returns its first heading.
    pub fn title(&self) -> &str {
        self.sections.first().map_or(&self.name, |first| &first.title)
    }

    /// Finds the place of the section with this anchor.
    pub fn place(&self, id: &str) -> Option<usize> {
        self.sections.iter().position(|section| section.id == id)
    }
}

impl Section {
    /// Tells whether it is nothing but a heading, as where its parts have headings of their own.
    pub fn is_empty(&self) -> bool {
        self.pieces.iter().all(|piece| match &piece.content {
            Content::Words(words) => words.trim().is_empty() || words.starts_with("<a id="),
            _ => false,
        })
    }
}

/// The lines between two fences.
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
                    let content = self.block(open).with_context(|| format!("line {line}"))?;
                    self.add(line, depth > 0, content);
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
                let content = self.line(line).with_context(|| format!("line {number}"))?;
                self.add(number, depth > 0, content);
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

    fn add(&mut self, line: usize, is_folded: bool, content: Content) {
        if let Some(section) = self.page.sections.last_mut() {
            section.pieces.push(Piece { line, is_folded, content });
        }
    }

    /// Reads a line outside of all fences.
    fn line(&self, line: &str) -> Result<Content> {
        let Some(found) = DIRECTIVE.captures(line) else {
            return Ok(Content::Words(line.to_owned()));
        };
        let words: Vec<&str> = found[2].split(' ').collect();
        Ok(match (&found[1], &words[..]) {
            ("diff", [old, new]) => self.difference(old, new)?,
            ("schedule", [level]) => Content::Schedule((*level).to_owned()),
            // A picture, a table or a question, whose words are its own.
            _ => Content::Words(line.to_owned()),
        })
    }

    fn difference(&self, old: &str, new: &str) -> Result<Content> {
        let old_text = without_anchors(&read_below(self.root, old)?);
        let new_text = without_anchors(&read_below(self.root, new)?);
        let mut removed = String::new();
        let mut added = String::new();
        for change in TextDiff::from_lines(&old_text, &new_text).iter_all_changes() {
            match change.tag() {
                ChangeTag::Delete => removed += change.value(),
                ChangeTag::Insert => added += change.value(),
                ChangeTag::Equal => {}
            }
        }
        Ok(Content::Difference { old: old.into(), new: new.into(), removed, added })
    }

    fn block(&self, block: Block) -> Result<Content> {
        let language = block.info.split(',').next().unwrap_or_default().to_owned();
        if language == "console" || language == "sh" {
            return Ok(Content::Commands(commands(&language, &block.lines)));
        }
        let mut text = String::new();
        let mut files = Vec::new();
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
        Ok(Content::Code { language, text, files })
    }

    fn included(&self, path: &str, anchor: &str) -> Result<String> {
        let text = read_below(&self.root.join(BOOK), path)?;
        match anchor {
            "" => Ok(without_anchors(&text)),
            anchor => part(&text, anchor).with_context(|| format!("{path} has no anchor {anchor}")),
        }
    }
}

/// Finds the commands in a block: in a console, the lines with a prompt.
fn commands(language: &str, lines: &[String]) -> Vec<String> {
    let mut commands = Vec::new();
    for line in lines {
        if language != "console" && !line.trim().is_empty() {
            commands.push(line.clone());
        }
        if language == "console"
            && let Some(command) = line.strip_prefix("$ ")
        {
            commands.push(command.to_owned());
        }
    }
    commands
}

fn read_below(folder: &Path, path: &str) -> Result<String> {
    let text = fs::read_to_string(folder.join(path));
    Ok(text.with_context(|| cannot_read(path.as_ref()))?.replace("\r\n", "\n"))
}
