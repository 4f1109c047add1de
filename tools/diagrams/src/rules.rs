//! The rules that every drawing keeps, as far as a program can see them.

use std::{
    collections::BTreeSet,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use regex::Regex;
use roxmltree::Document;

/// In which column a drawing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A drawing for a wide one.
    Wide,
    /// A drawing for a narrow one.
    Narrow,
    /// Lines of text for a narrow one.
    List,
}

/// The most bytes of a drawing.
const BYTES: usize = 12 * 1024;

/// A colour that is no token of the book's.
static COLOUR: LazyLock<Regex> = LazyLock::new(|| {
    let pattern = r##"#[0-9a-fA-F]{3,8}\b[^-]|rgba?\(|hsla?\(|\b(?:fill|stroke)=""##;
    Regex::new(pattern).expect("a correct expression")
});

static NUMBER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"-?\d+(\.\d+)?").expect("a correct expression"));

pub fn faults(text: &str, form: Form) -> Vec<String> {
    let mut faults = Vec::new();
    if text.len() > BYTES {
        faults.push(format!("it has {} bytes, and may have {BYTES}", text.len()));
    }
    if text.contains("\n\n") {
        faults.push("an empty line ends its HTML".to_owned());
    }
    match Document::parse(text) {
        Ok(document) if form == Form::List => {
            let root = document.root_element();
            let lines = root.children().filter(|node| node.has_tag_name("li")).count();
            if lines == 0 || root.attribute("aria-label").is_none() {
                faults.push("it is no list with a name".to_owned());
            }
        }
        Ok(document) => faults.extend(drawing(&document, text, form)),
        Err(error) => faults.push(format!("it is no XML: {error}")),
    }
    faults
}

fn drawing(document: &Document, text: &str, form: Form) -> Vec<String> {
    let mut faults = Vec::new();
    let svg = document.root_element();
    let words = |tag: &str| {
        let found = svg.children().find(|node| node.has_tag_name(tag));
        found.filter(|node| node.text().is_some_and(|text| !text.is_empty()))
    };
    let ids = ["title", "desc"].map(|tag| words(tag).and_then(|node| node.attribute("id")));
    let label = ids.map(Option::unwrap_or_default).join(" ");
    if ids.contains(&None) || svg.attribute("aria-labelledby") != Some(&label) {
        faults.push("its name is not its title and its description".to_owned());
    }
    if let Some(found) = COLOUR.find(text) {
        faults.push(format!("it has a colour of its own: {}", found.as_str()));
    }
    let sheet = if form == Form::Wide { 720.0 } else { 340.0 };
    let width = svg.attribute("viewBox").and_then(|view| view.split(' ').nth(2)?.parse().ok());
    if width.is_none_or(|width: f64| width > sheet) {
        faults.push(format!("it is {} px wide, and its sheet {sheet}", width.unwrap_or_default()));
    }
    faults
}

/// The files of drawings whose sources are in no page, of which these are the names.
pub fn orphans<'a>(
    files: impl IntoIterator<Item = &'a PathBuf>,
    names: &BTreeSet<String>,
) -> Vec<PathBuf> {
    let source = |path: &Path| {
        let name = path.file_name()?.to_str()?;
        Some(name.split_once('-')?.0.to_owned())
    };
    let lost = files.into_iter().filter(|path| source(path).is_none_or(|it| !names.contains(&it)));
    lost.cloned().collect()
}

/// Whether two drawings say the same, each part at nearly the same place.
pub fn alike(one: &str, other: &str) -> bool {
    let numbers = |text: &str| -> Vec<f64> {
        NUMBER.find_iter(text).filter_map(|found| found.as_str().parse().ok()).collect()
    };
    let (places, others) = (numbers(one), numbers(other));
    NUMBER.replace_all(one, "") == NUMBER.replace_all(other, "")
        && places.len() == others.len()
        && places.iter().zip(&others).all(|(one, other)| (one - other).abs() <= 2.0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use base::find_root;
    use book::diagrams::{Diagrams, FOLDER};

    use super::*;

    /// Every diagram of the book has both forms, each keeps the rules, and no other drawing lies there.
    #[test]
    fn the_book_has_every_drawing_and_no_other() {
        let source = find_root().unwrap().join("book");
        let (book, blocks) = (Diagrams::of(&source), crate::blocks(&source).unwrap());
        let names: BTreeSet<String> = blocks.iter().map(|block| book.name(block)).collect();
        assert!(names.len() > 10);
        // Its ids are in the page for printing, which holds all pages.
        assert_eq!(names.len(), blocks.len(), "two pages have the same diagram");
        for block in &blocks {
            let title = block.lines().find(|line| line.contains("accTitle:")).expect(block);
            book.figure(block).expect(title);
            let forms = [
                (book.wide(block), Form::Wide),
                (book.narrow(block, "svg"), Form::Narrow),
                (book.narrow(block, "html"), Form::List),
            ];
            for (path, form) in forms {
                if let Ok(text) = fs::read_to_string(path) {
                    assert_eq!(faults(&text, form), [""; 0], "{title}");
                }
            }
        }
        let files = crate::texts(&source.join(FOLDER)).unwrap();
        assert_eq!(files.len(), 2 * blocks.len());
        assert_eq!(orphans(files.keys(), &names), [""; 0].map(PathBuf::from));
    }

    const GOOD: &str = "<svg viewBox=\"0 0 300 9\" aria-labelledby=\"t d\"><title id=\"t\">A</title>\
                        <desc id=\"d\">B</desc><path marker-end=\"url(#dabc-end)\"/></svg>";

    #[test]
    fn what_breaks_a_rule_is_noticed() {
        assert_eq!(faults(GOOD, Form::Narrow), [""; 0]);
        for (part, other, fault) in [
            ("<desc id=\"d\">B</desc>", "", "its name is not"),
            ("\"t d\"", "\"t\"", "its name is not"),
            ("<path ", "<path fill=\"red\" ", "a colour of its own: fill="),
            ("<path ", "<path style=\"stroke:#333;\" ", "a colour of its own: #333"),
            ("0 0 300", "0 0 341", "341 px wide"),
            ("</desc>", "</desc>\n\n", "empty line"),
            ("</svg>", "", "no XML"),
        ] {
            let found = faults(&GOOD.replace(part, other), Form::Narrow);
            assert!(found.len() == 1 && found[0].contains(fault), "{fault}: {found:?}");
        }
        assert_eq!(faults(&GOOD.replace("300", "341"), Form::Wide), [""; 0]);
        assert_eq!(faults(&"x".repeat(BYTES + 1), Form::List).len(), 2);
        assert_eq!(faults("<ol aria-label=\"A\"></ol>", Form::List).len(), 1);
    }

    #[test]
    fn drawings_are_alike_when_only_a_pixel_moved() {
        assert!(alike("<path d=\"M1,2.5\"/>", "<path d=\"M1.4,3\"/>"));
        for other in ["<path d=\"M1,9\"/>", "<path d=\"L1,2.5\"/>", "<path d=\"M1\"/>"] {
            assert!(!alike("<path d=\"M1,2.5\"/>", other), "{other}");
        }
    }
}
