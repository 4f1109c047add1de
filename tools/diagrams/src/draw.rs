//! Lets the vendored mermaid draw, in a browser.

use std::{fs, path::Path};

use anyhow::{Context, Result, bail, ensure};
use book::diagrams::{Diagrams, LIBRARY, SETTINGS};
use process::browser::Browser;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    Files,
    clean::{clean, escape},
    rules::{self, Form},
};

const SCRIPT: &str = include_str!("draw.js");

#[derive(Serialize)]
struct Block<'a> {
    name: String,
    source: &'a str,
}

/// What the browser has made of all blocks.
#[derive(Deserialize)]
struct Page {
    /// How many of the book's fonts were there.
    fonts: usize,
    drawn: Vec<Drawn>,
}

#[derive(Deserialize)]
struct Drawn {
    name: String,
    wide: String,
    narrow: Option<String>,
    /// Instead of a narrow drawing, for a sequence of many lifelines: between whom, and what.
    list: Option<Vec<[String; 2]>>,
    error: Option<String>,
}

/// The drawings of these sources, by the names of their files, and what is wrong with those that break a rule. Fails when
/// there is no browser, or mermaid is not the one that the book names.
pub fn draw(book: &Path, sources: &[String]) -> Result<(Files, Vec<String>)> {
    let (mut files, mut faults) = (Files::new(), Vec::new());
    if sources.is_empty() {
        return Ok((files, faults));
    }
    let diagrams = Diagrams::of(book);
    let blocks: Vec<Block> =
        sources.iter().map(|source| Block { name: diagrams.name(source), source }).collect();
    let Page { fonts, drawn } = open(book, &diagrams, &blocks)?;
    ensure!(fonts == 2, "the browser found {fonts} of the book's two fonts");
    ensure!(drawn.len() == sources.len(), "the browser drew {} of {}", drawn.len(), sources.len());
    for (drawn, source) in drawn.into_iter().zip(sources) {
        let title = source.lines().find_map(|line| line.trim().strip_prefix("accTitle:"));
        let title = title.unwrap_or("a diagram without accTitle").trim().to_owned();
        match draw_one(&diagrams, drawn, source) {
            Ok(two) => {
                let before = faults.len();
                for (_, form, text) in &two {
                    let found = rules::faults(text, *form).into_iter();
                    faults.extend(found.map(|fault| format!("{title}, {form:?}: {fault}")));
                }
                if faults.len() == before {
                    files.extend(two.map(|(path, _, text)| (path, text)));
                }
            }
            Err(error) => faults.push(format!("{title}: {error:#}")),
        }
    }
    Ok((files, faults))
}

type Drawing = (std::path::PathBuf, Form, String);

fn draw_one(diagrams: &Diagrams, drawn: Drawn, source: &str) -> Result<[Drawing; 2]> {
    if let Some(error) = drawn.error {
        bail!("mermaid says: {error}");
    }
    let mark = source.lines().find_map(|line| line.trim().strip_prefix("%% server:"));
    let server = mark.map(str::trim);
    let svg = |text: &str, form| clean(text, &drawn.name, form, server);
    let wide = svg(&drawn.wide, Form::Wide)?;
    let narrow = match (&drawn.narrow, &drawn.list) {
        (_, Some(list)) => (diagrams.narrow(source, "html"), Form::List, self::list(&wide, list)?),
        (Some(text), None) => {
            (diagrams.narrow(source, "svg"), Form::Narrow, svg(text, Form::Narrow)?)
        }
        (None, None) => bail!("the browser made no narrow drawing"),
    };
    Ok([(diagrams.wide(source), Form::Wide, wide), narrow])
}

/// A sequence as an ordered list, with the title of its drawing.
fn list(wide: &str, lines: &[[String; 2]]) -> Result<String> {
    let drawing = roxmltree::Document::parse(wide).context("the drawing is no XML")?;
    let title = drawing.descendants().find(|node| node.has_tag_name("title"));
    let title = title.and_then(|node| node.text()).unwrap_or_default();
    let line =
        |[who, what]: &[String; 2]| format!("<li><b>{}:</b> {}</li>\n", escape(who), escape(what));
    let lines: String = lines.iter().map(line).collect();
    Ok(format!("<ol class=\"narrow\" aria-label=\"{}\">\n{lines}</ol>\n", escape(title)))
}

/// Opens a page that draws all blocks.
fn open(book: &Path, diagrams: &Diagrams, blocks: &[Block]) -> Result<Page> {
    let library = book.join(LIBRARY[0]);
    let bytes = fs::read(&library).with_context(|| format!("cannot read {}", library.display()))?;
    let sum: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    ensure!(sum == diagrams.library(), "{} is not the one that {} names", LIBRARY[0], LIBRARY[1]);
    let work = tempfile::tempdir().context("cannot make a folder")?;
    let browser = Browser::find(work.path(), "draws the diagrams")?;
    let fonts = ["fonts/fonts.css", "fonts/open-sans-400.woff2", "fonts/open-sans-600.woff2"];
    for file in [LIBRARY[0]].into_iter().chain(fonts) {
        let copy = work.path().join(Path::new(file).file_name().context("a file has a name")?);
        fs::copy(book.join(file), copy).with_context(|| format!("cannot copy {file}"))?;
    }
    // Nothing in there may end the element.
    let blocks = serde_json::to_string(blocks)?.replace('<', "\\u003c");
    let page = work.path().join("draw.html");
    let html = format!(
        "<!DOCTYPE html><meta charset=\"utf-8\"><link rel=\"stylesheet\" href=\"fonts.css\">\n\
         <script src=\"mermaid.min.js\"></script>\n\
         <script type=\"application/json\" id=\"settings\">{SETTINGS}</script>\n\
         <script type=\"application/json\" id=\"blocks\">{blocks}</script>\n\
         <body><script>{SCRIPT}</script></body>"
    );
    fs::write(&page, html).context("cannot write the page that draws")?;
    let text = browser.open(&page, &["--dump-dom"])?;
    let drawn =
        text.split_once("<pre id=\"drawn\">").and_then(|(_, rest)| rest.split_once("</pre>"));
    let (json, _) = drawn.context("the browser did not come to an end")?;
    serde_json::from_str(json).context("what the browser drew can't be read")
}
