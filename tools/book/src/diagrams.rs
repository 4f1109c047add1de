//! Replaces the diagrams in a page by their drawings: authors write mermaid, readers get drawings, which `tools/diagrams`
//! makes with mermaid's own programs.

use std::{
    fs,
    ops::Range,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use pulldown_cmark::{CodeBlockKind, Event, Parser, Tag, TagEnd};
use sha2::{Digest, Sha256};

use crate::fault::Fault;

/// The folder of the drawings, below the book's sources.
pub(crate) const FOLDER: &str = "diagrams";

/// The place of mermaid if the packages that draw are installed. A page then draws a diagram that has no drawing yet, while
/// somebody writes.
pub(crate) const LIBRARY: &str = "tools/diagrams/node_modules/mermaid/dist/mermaid.min.js";

/// The path at which a page loads it.
pub(crate) const PAGES_LIBRARY: &str = "/theme/mermaid.min.js";

/// The command that makes the drawings.
const COMMAND: &str = "npm run --prefix tools/diagrams draw";

/// A block of mermaid in a page.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Block {
    /// Its place, fences included, in bytes.
    place: Range<usize>,
    /// Its text.
    source: String,
}

/// Finds the blocks of mermaid in the text of a page.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut open = false;
    for (event, place) in Parser::new(text).into_offset_iter() {
        match event {
            Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) if &*info == "mermaid" => {
                blocks.push(Block { place, source: String::new() });
                open = true;
            }
            Event::Text(line) if open => {
                blocks.last_mut().expect("one is open").source += &line.replace('\r', "");
            }
            Event::End(TagEnd::CodeBlock) => open = false,
            _ => {}
        }
    }
    blocks
}

/// The drawings of a book.
#[derive(Clone, Debug, Default)]
pub(crate) struct Diagrams {
    folder: PathBuf,
}

impl Diagrams {
    /// Finds the diagrams of the book with these sources, which may have none.
    pub(crate) fn of(source: &Path) -> Diagrams {
        Diagrams { folder: source.join(FOLDER) }
    }

    /// Computes the name of a source's drawings, as the program that draws does.
    fn name(source: &str) -> String {
        Sha256::digest(source).iter().take(6).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the file of a source's drawing for wide columns.
    fn wide(&self, source: &str) -> PathBuf {
        self.folder.join(format!("{}-wide.svg", Diagrams::name(source)))
    }

    /// Returns the file of its drawing for narrow columns, with the ending of its form: `svg`, or `html` for a list.
    fn narrow(&self, source: &str, ending: &str) -> PathBuf {
        self.folder.join(format!("{}-narrow.{ending}", Diagrams::name(source)))
    }

    /// Writes the drawings of a source as HTML without an empty line. Fails when there is none, or only one of the two.
    fn figure(&self, source: &str) -> Result<String> {
        let wide = drawing(&self.wide(source))?;
        let narrow = match drawing(&self.narrow(source, "svg")) {
            Ok(narrow) => narrow,
            Err(_) => drawing(&self.narrow(source, "html"))?,
        };
        let (wide, narrow) = (wide.trim_end(), narrow.trim_end());
        Ok(format!("<figure class=\"chart diagram\">\n{wide}\n{narrow}\n</figure>"))
    }

    /// Replaces the blocks of a page by their drawings. A block without drawings stays while somebody writes.
    ///
    /// # Errors
    /// When a block has no drawings, and nobody writes.
    pub(crate) fn put(&self, text: &str, somebody_writes: bool) -> Result<String, Fault> {
        let mut page = text.to_owned();
        for Block { place, source } in blocks(text).into_iter().rev() {
            match self.figure(&source) {
                Ok(figure) => page.replace_range(place, &figure),
                Err(_) if somebody_writes => {}
                Err(error) => return Err(Fault { text: text[place].to_owned(), error }),
            }
        }
        Ok(page)
    }
}

/// Reads a drawing.
fn drawing(path: &Path) -> Result<String> {
    let text = fs::read_to_string(path);
    text.with_context(|| format!("this diagram is not drawn: `{COMMAND}` draws it"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# A\n\n```mermaid\nflowchart LR\n```\n\n> ```mermaid\n> flowchart TD\n> ```\n\n````text\n```mermaid\n````\n";

    #[test]
    fn blocks_are_found_where_they_stand() {
        let found = blocks(PAGE);
        let sources: Vec<&str> = found.iter().map(|block| block.source.as_str()).collect();
        assert_eq!(sources, ["flowchart LR\n", "flowchart TD\n"]);
        assert_eq!(&PAGE[found[0].place.clone()], "```mermaid\nflowchart LR\n```");
        assert_eq!(blocks(&PAGE.replace('\n', "\r\n"))[0].source, found[0].source);
    }

    #[test]
    fn a_drawing_takes_its_sources_place_and_any_change_asks_for_another() {
        let folder = tempfile::tempdir().unwrap();
        let diagrams = Diagrams::of(folder.path());
        let fault = diagrams.put(PAGE, false).unwrap_err();
        assert_eq!(fault.text, "```mermaid\n> flowchart TD\n> ```");
        assert!(fault.error.to_string().starts_with("this diagram is not drawn"));
        assert_eq!(diagrams.put(PAGE, true).unwrap(), PAGE);

        fs::create_dir(folder.path().join(FOLDER)).unwrap();
        fs::write(diagrams.wide("flowchart LR\n"), "<svg class=\"wide\"/>\n").unwrap();
        assert_eq!(diagrams.put(PAGE, true).unwrap(), PAGE, "one of two is not enough");
        fs::write(diagrams.narrow("flowchart LR\n", "html"), "<ol class=\"narrow\"/>\n").unwrap();
        let page = diagrams.put(PAGE, true).unwrap();
        let start = "# A\n\n<figure class=\"chart diagram\">\n<svg class=\"wide\"/>\n<ol ";
        assert!(page.starts_with(start), "{page}");
        assert!(page.ends_with(&PAGE[PAGE.find("\n> ```").unwrap()..]), "{page}");

        let changed = PAGE.replace("LR", "RL");
        assert_eq!(diagrams.put(&changed, true).unwrap(), changed);
    }
}
