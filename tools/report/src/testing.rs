//! What the tests of several modules need: results on the disk, and what is expected of texts and drawings.

use std::{fs, path::Path};

use records::{results::Results, sessions::Records, store::Record, testing::write};
use regex::Regex;
use roxmltree::{Document, Node};

use crate::sets::Evidence;

/// The results that the book shows.
pub fn books() -> Results {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../measurements/results");
    Results::read(Path::new(folder)).unwrap()
}

/// The book's record of the experiment `pool-law` and the reader's, as they are read from the disk.
pub fn with<T>(record: &Record, yours: Option<&Record>, look: impl FnOnce(Evidence) -> T) -> T {
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    let read = |folder: usize, record| {
        write(folders[folder].path(), "pool-law", record);
        Records::read(folders[folder].path()).unwrap()
    };
    let (ours, yours) = (read(0, record), yours.map(|yours| read(1, yours)));
    look(Evidence { ours: &ours, yours: yours.as_ref() })
}

/// Fails unless all of these parts are in the text.
#[track_caller]
pub fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part} in:\n{text}");
    }
}

/// Fails unless these are the two sizes of a drawing on one line, well-formed, named and described; looks at each.
#[track_caller]
pub fn both_sizes(svg: &str, title: &str, look: impl Fn(Node)) {
    assert!(!svg.contains('\n'), "{svg}");
    let page = format!("<page>{svg}</page>");
    let page = Document::parse(&page).unwrap();
    let both: Vec<Node> = page.root_element().children().collect();
    let classes: Vec<_> = both.iter().map(|svg| svg.attribute("class").unwrap()).collect();
    let sizes: Vec<_> = classes.iter().map(|it| it.trim_start_matches("pic ")).collect();
    assert_eq!(sizes, ["wide", "narrow"]);
    for svg in both {
        assert_eq!(svg.attribute("role"), Some("img"));
        let child = |name| svg.children().find(|node| node.has_tag_name(name)).unwrap();
        let ids = ["title", "desc"].map(|name| child(name).attribute("id").unwrap());
        assert_eq!(svg.attribute("aria-labelledby").unwrap(), ids.join(" "));
        assert_eq!(child("title").text(), Some(title));
        look(svg);
    }
}

/// Fails if a drawing has a look of its own, or a colour that the theme has not.
#[track_caller]
pub fn is_in_the_theme(svg: &str) {
    let own = r#"#[0-9A-Fa-f]{3,8}\b|rgb|"(black|white|red)"|font-family|style=|xmlns"#;
    let own = Regex::new(own).unwrap();
    assert_eq!(own.find(&svg.replace("url(#", "url(")), None, "{svg}");
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../book/theme/pictures.css");
    let css = fs::read_to_string(path).unwrap();
    let used = Regex::new(r"var\((--[a-z0-9-]+)\)").unwrap();
    for found in used.captures_iter(svg).filter(|found| !["--bg", "--s"].contains(&&found[1])) {
        assert_eq!(css.matches(&format!("{}: light-dark(", &found[1])).count(), 1, "{}", &found[1]);
    }
}
