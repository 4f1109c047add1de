//! What the tests of several modules need: results on the disk, and what is expected of texts and drawings.

use std::{collections::BTreeMap, fs, path::PathBuf, sync::LazyLock};

use records::{recording::Recording, results::Results};
use regex::Regex;
use roxmltree::{Document, Node};

/// The recording of a server that the book shows.
pub fn recorded(rung: &str) -> &'static Recording {
    static BOOKS: LazyLock<Results> = LazyLock::new(|| {
        let results = records::base::find_root().unwrap().join("measurements/results");
        Results::read(&results).unwrap()
    });
    BOOKS.recording(rung).unwrap()
}

/// What chapters open with, by name.
pub fn openings() -> &'static BTreeMap<String, Recording> {
    static BOOKS: LazyLock<BTreeMap<String, Recording>> = LazyLock::new(|| {
        let folder = records::base::find_root().unwrap().join("measurements/results/openings");
        let files = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
        let read = |path: PathBuf| {
            let text = fs::read_to_string(&path).unwrap();
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, serde_json::from_str(&text).unwrap())
        };
        let all: BTreeMap<String, Recording> = files.map(read).collect();
        assert!(all.len() > 5, "{} openings", all.len());
        all
    });
    &BOOKS
}

/// Fails unless all of these parts are in the text.
#[track_caller]
pub fn has(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "no {part} in:\n{text}");
    }
}

/// Fails if one of these parts is in the text.
#[track_caller]
pub fn lacks(text: &str, parts: &[&str]) {
    for part in parts {
        assert!(!text.contains(part), "{part} in:\n{text}");
    }
}

/// Looks at a part of a page, which has to be well-formed and without the empty line that would end a block of HTML.
#[track_caller]
pub fn look_at<T>(html: &str, look: impl FnOnce(Node) -> T) -> T {
    lacks(html, &["\n\n"]);
    let page = format!("<page>{html}</page>");
    look(Document::parse(&page).unwrap().root_element())
}

/// Fails unless these are the two sizes of a drawing on one line, well-formed, named and described; looks at each.
#[track_caller]
pub fn both_sizes(svg: &str, title: &str, look: impl Fn(Node)) {
    lacks(svg, &["\n"]);
    look_at(svg, |page| {
        let classes: Vec<_> = page.children().filter_map(|svg| svg.attribute("class")).collect();
        assert_eq!(classes, ["pic wide", "pic narrow"]);
        for svg in page.children() {
            assert_eq!(svg.attribute("role"), Some("img"));
            let child = |name| svg.children().find(|node| node.has_tag_name(name)).unwrap();
            let ids = ["title", "desc"].map(|name| child(name).attribute("id").unwrap());
            assert_eq!(svg.attribute("aria-labelledby").unwrap(), ids.join(" "));
            assert_eq!(child("title").text(), Some(title));
            look(svg);
        }
    });
}

/// Fails if a drawing has a look of its own, or a colour that the theme has not.
#[track_caller]
pub fn is_in_the_theme(svg: &str) {
    let own = r#"#[0-9A-Fa-f]{3,8}\b|rgb|"(black|white|red)"|font-family|style=|xmlns"#;
    let own = Regex::new(own).unwrap();
    assert_eq!(own.find(&svg.replace("url(#", "url(")), None, "{svg}");
    let path = records::base::find_root().unwrap().join("book/theme/pictures.css");
    let css = fs::read_to_string(path).unwrap();
    let used = Regex::new(r"var\((--[a-z0-9-]+)\)").unwrap();
    for found in used.captures_iter(svg).filter(|found| !["--bg", "--s"].contains(&&found[1])) {
        assert_eq!(css.matches(&format!("{}: light-dark(", &found[1])).count(), 1, "{}", &found[1]);
    }
}
