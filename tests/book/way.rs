//! The short way holds to itself: nothing on it needs a term, a name or a listing that is taught in a section which it
//! leaves out.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use ladder_tests::none;
use records::way::{Content, Page, Piece, Section, Way};
use regex::{Captures, Regex};

use super::{
    page::pages,
    repository::{read, root},
};

static WAY: LazyLock<Way> =
    LazyLock::new(|| Way::read(root()).unwrap_or_else(|error| panic!("{error:#}")));

/// All pages of the book in their sections.
static PAGES: LazyLock<Vec<Page>> = LazyLock::new(|| {
    let read = |name: &str| Page::read(root(), name).unwrap_or_else(|error| panic!("{error:#}"));
    pages().iter().map(|page| read(&page.stem)).collect()
});

/// Where something stands on a page, as a message begins.
fn at(page: &Page, line: usize) -> String {
    format!("book/{}.md:{line}", page.name)
}

/// The sections of the way, in the order in which they are read.
fn on_the_way() -> impl Iterator<Item = (&'static Page, &'static Section)> {
    WAY.stops.iter().flat_map(|stop| WAY.sections(stop).map(|section| (WAY.page(stop), section)))
}

/// The sections of all pages that the way leaves out.
fn left_out() -> impl Iterator<Item = (&'static Page, &'static Section)> {
    let sections =
        PAGES.iter().flat_map(|page| page.sections.iter().enumerate().map(move |it| (page, it)));
    let left_out = sections.filter(|(page, (place, _))| !WAY.has(&page.name, *place));
    left_out.map(|(page, (_, section))| (page, section))
}

#[test]
fn the_style_and_the_contents_read_the_list() {
    for (file, words) in [
        ("book/introduction.md", "\n{{#way}}\n"),
        ("book/theme/ladder.js", "template.way"),
        ("book/theme/ladder.css", "html .chapter li a.way::after"),
    ] {
        assert!(read(file).contains(words), "{file}: no {words:?}");
    }
    // Nobody has typed it a second time.
    for page in WAY.pages.keys() {
        assert!(!read("book/theme/ladder.css").contains(&format!("{page}.html")), "{page}");
    }
}

/// A term of the glossary.
struct Term {
    id: String,
    name: String,
    /// The pages and anchors at which it is introduced, or where there is more on it.
    taught: Vec<(String, String)>,
}

fn terms() -> Vec<Term> {
    let link = Regex::new(r"\]\(([\w-]+)\.md(?:#([\w-]+))?\)").expect("it is a pattern");
    let glossary = Page::read(root(), "glossary").unwrap_or_else(|error| panic!("{error:#}"));
    let mut terms = Vec::new();
    for section in &glossary.sections {
        let lines = section.pieces.iter().filter_map(|piece| match &piece.content {
            Content::Words(line) if line.starts_with("Introduced in ") => Some(line),
            _ => None,
        });
        let taught = lines.flat_map(|line| link.captures_iter(line)).map(|found| {
            let anchor = found.get(2).map_or("", |anchor| anchor.as_str());
            (found[1].to_owned(), anchor.to_owned())
        });
        let taught: Vec<_> = taught.collect();
        if !taught.is_empty() {
            let name = section.title.replace('`', "");
            terms.push(Term { id: section.id.clone(), name, taught });
        }
    }
    assert!(terms.len() > 80, "{} terms", terms.len());
    terms
}

/// Whether a term is taught in this section.
fn is_taught(term: &Term, page: &Page, section: &Section) -> bool {
    term.taught.iter().any(|(name, anchor)| {
        // Whoever goes the way has begun there.
        if name == "introduction" {
            return true;
        }
        let top = page.sections[0].id == section.id;
        *name == page.name && (*anchor == section.id || (anchor.is_empty() && top))
    })
}

/// The words of a line that are read: no code, no address, and no name of another page, which is a door.
fn prose(line: &str) -> String {
    static DOOR: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\[[^\]]*\]\(([\w-]+)\.md[^)]*\)").expect("it is a pattern"));
    static UNREAD: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"`[^`]*`|\]\([^)]*\)|\{\{[^}]*\}\}|<[^>]*>|https?://\S+")
            .expect("it is a pattern")
    });
    let without_doors = DOOR.replace_all(line, |found: &Captures| match &found[1] {
        "glossary" => found[0].to_owned(),
        _ => String::new(),
    });
    UNREAD.replace_all(&without_doors, " ").into_owned()
}

/// A term that the way uses is taught on it, or at its first use explained by a link to the glossary. What a fold uses
/// nobody needs.
#[test]
fn no_term_on_the_way_is_taught_only_elsewhere() {
    let mut complaints = Vec::new();
    for term in terms() {
        if COMMON.contains(&term.name.as_str())
            || on_the_way().any(|(page, section)| is_taught(&term, page, section))
        {
            continue;
        }
        let name = regex::escape(&term.name);
        let used = Regex::new(&format!(r"(?i)\b{name}(s|ed|ing)?\b")).expect("it is a pattern");
        let explained = format!("](glossary.md#{})", term.id);
        let first = on_the_way().find_map(|(page, section)| {
            let lines = section.pieces.iter().filter(|piece| !piece.is_folded);
            lines.into_iter().find_map(|piece| match &piece.content {
                Content::Words(line) if used.is_match(&prose(line)) => {
                    Some((at(page, piece.line), line, section))
                }
                _ => None,
            })
        });
        if let Some((at, line, _)) = first
            && !line.contains(&explained)
            // As the text says itself what it means.
            && !line.to_lowercase().contains(&format!("**{}", term.name.to_lowercase()))
            && !line.to_lowercase().contains(&format!("*{}", term.name.to_lowercase()))
        {
            complaints
                .push(format!("{at}: {:?} is taught in {:?}: {line}", term.name, term.taught));
        }
    }
    none(complaints);
}

/// Terms that on the way are ordinary words, or mean something of the standard library.
const COMMON: [&str; 3] = ["promise", "span", "stream"];

/// The names that a text in Rust declares: functions, types, fields and constants.
fn declared(text: &str) -> BTreeSet<String> {
    static DECLARED: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"(?m)^[ \t]*(?:pub(?:\([a-z]+\))? )?(?:async )?(?:fn|struct|enum|trait|const|static|type|mod) (\w+)|^[ \t]+(?:pub )?([a-z_]\w*): [A-Z&\[]\S*,$",
        )
        .expect("it is a pattern")
    });
    let names = DECLARED.captures_iter(text);
    names
        .filter_map(|found| found.get(1).or(found.get(2)))
        .map(|name| name.as_str().to_owned())
        .collect()
}

/// The code that a piece shows, and the files that it is from. Of a difference, the lines that go are shown as well.
fn shown(piece: &Piece) -> (String, Vec<&Path>) {
    match &piece.content {
        Content::Code { language, text, files } if language == "rust" => {
            (text.clone(), files.iter().map(PathBuf::as_path).collect())
        }
        Content::Difference { new, removed, added, .. } => (format!("{removed}{added}"), vec![new]),
        Content::Schedule(level) => (schedule(level), Vec::new()),
        _ => (String::new(), Vec::new()),
    }
}

/// The lines that both threads of a game have.
fn schedule(level: &str) -> String {
    let text = read(format!("book/schedule/{level}.json"));
    let strings = Regex::new(r#""((?:[^"\\]|\\.)*)""#).expect("it is a pattern");
    strings.captures_iter(&text).map(|found| format!("{}\n", &found[1])).collect()
}

fn words(text: &str) -> BTreeSet<&str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_')
        .filter(|it| !it.is_empty())
        .collect()
}

/// A listing off the way that declares a name.
struct Place {
    page: &'static str,
    section: &'static str,
    /// The folders of its files.
    folders: Vec<&'static Path>,
}

fn folders<'a>(files: &[&'a Path]) -> Vec<&'a Path> {
    files.iter().filter_map(|file| file.parent()).collect()
}

/// The names that off the way are declared in a listing, and on it in none, each with the places where it is declared.
fn declared_elsewhere() -> BTreeMap<String, Vec<Place>> {
    let bound =
        Regex::new(r"\blet (?:mut )?(\w+)|\b([a-z_]\w*): |\|(\w+)\|").expect("it is a pattern");
    let mut here = BTreeSet::new();
    for (_, section) in on_the_way() {
        for (shown, _) in section.pieces.iter().map(shown) {
            here.append(&mut declared(&shown));
            // A variable of that name is meant.
            let names =
                bound.captures_iter(&shown).flat_map(|it| [it.get(1), it.get(2), it.get(3)]);
            here.extend(names.flatten().map(|name| name.as_str().to_owned()));
        }
    }
    let mut elsewhere: BTreeMap<String, Vec<Place>> = BTreeMap::new();
    for (page, section) in left_out() {
        for (shown, files) in section.pieces.iter().map(shown) {
            for name in declared(&shown) {
                let folders = folders(&files);
                let place = Place { page: &page.name, section: &section.id, folders };
                elsewhere.entry(name).or_default().push(place);
            }
        }
    }
    elsewhere.retain(|name, _| !here.contains(name) && !OF_LIBRARIES.contains(&name.as_str()));
    elsewhere
}

/// What the standard library or a crate has under a name that a listing off the way declares as well.
const OF_LIBRARIES: [&str; 9] = [
    "JoinHandle",
    "TcpListener",
    "TcpStream",
    "accept",
    "sleep",
    "spawn",
    "take",
    "time",
    "write_all",
];

/// A function, type or field of ours that a listing on the way uses is declared in a listing on the way, if the book
/// shows its declaration at all.
#[test]
fn no_listing_on_the_way_uses_what_is_declared_only_elsewhere() {
    let elsewhere = declared_elsewhere();
    let mut complaints = BTreeSet::new();
    for (page, section) in on_the_way() {
        for piece in section.pieces.iter().filter(|piece| !piece.is_folded) {
            let (code, files) = shown(piece);
            let folders = folders(&files);
            let code: Vec<&str> =
                code.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
            for name in words(&code.join("\n")) {
                let is_ours = |place: &&Place| place.folders.iter().any(|it| folders.contains(it));
                if let Some(place) = elsewhere.get(name).and_then(|it| it.iter().find(is_ours)) {
                    complaints.insert(complaint(page, piece.line, name, place));
                }
            }
        }
    }
    none(complaints.into_iter().collect());
}

/// The text of the way, and a game on it, name nothing that only a listing elsewhere declares.
#[test]
fn no_sentence_on_the_way_names_what_is_declared_only_elsewhere() {
    let elsewhere = declared_elsewhere();
    let code = Regex::new(r"`([^`]+)`").expect("it is a pattern");
    let command = Regex::new(r"^[a-z]+ [a-z]+$").expect("it is a pattern");
    let mut complaints = BTreeSet::new();
    for (page, section) in on_the_way() {
        for piece in section.pieces.iter().filter(|piece| !piece.is_folded) {
            let named: String = match &piece.content {
                Content::Words(line) => code
                    .captures_iter(line)
                    .filter(|it| !command.is_match(&it[1]))
                    .map(|it| format!("{}\n", &it[1]))
                    .collect(),
                Content::Schedule(level) => schedule(level),
                _ => continue,
            };
            for name in words(&named) {
                let Some(places) = elsewhere.get(name) else { continue };
                // A word that several things may have for their name means the one that is near.
                let is_near = places.iter().any(|place| place.page == page.name);
                let is_long =
                    name.contains('_') || name.chars().filter(|it| it.is_uppercase()).count() > 1;
                if is_near || is_long {
                    complaints.insert(complaint(page, piece.line, name, &places[0]));
                }
            }
        }
    }
    none(complaints.into_iter().collect());
}

fn complaint(page: &Page, line: usize, name: &str, place: &Place) -> String {
    format!("{}: {name} is declared in {}.md#{} only", at(page, line), place.page, place.section)
}

/// A difference is of a file that the way has shown: as a listing, or as the new file of another difference.
#[test]
fn every_difference_on_the_way_is_of_a_file_that_it_has_shown() {
    let mut shown: BTreeSet<&PathBuf> = BTreeSet::new();
    let mut complaints = Vec::new();
    for (page, section) in on_the_way() {
        for piece in &section.pieces {
            match &piece.content {
                Content::Code { files, .. } => shown.extend(files),
                Content::Difference { old, new, .. } => {
                    if !shown.contains(old) {
                        let old = old.display();
                        complaints.push(format!("{}: nobody has seen {old}", at(page, piece.line)));
                    }
                    shown.insert(new);
                }
                _ => {}
            }
        }
    }
    none(complaints);
}

/// Those tests compile the book's own builder first, which takes minutes.
#[test]
fn no_command_on_the_way_builds_the_house() {
    let mut complaints = Vec::new();
    for (page, section) in on_the_way() {
        for piece in section.pieces.iter().filter(|piece| !piece.is_folded) {
            let Content::Commands(commands) = &piece.content else { continue };
            let ours = commands.iter().filter(|command| command.contains("-p ladder_tests"));
            complaints.extend(ours.map(|command| format!("{}: {command}", at(page, piece.line))));
        }
    }
    none(complaints);
}

/// What is counted is there: the pages, the exercises, and less time than the whole book takes.
#[test]
fn the_way_has_words_lines_and_commands() {
    let count = WAY.count();
    assert!(count.words > 5000 && count.lines > 300 && count.commands > 30, "{count:?}");
    let writing: usize = WAY.stops.iter().map(|stop| stop.writing).sum();
    assert!(writing > 30, "{writing} minutes");
    let list = fs::read_to_string(root().join("book/introduction.md")).expect("it is there");
    assert!(list.contains("{{#way reading}}") && list.contains("{{#way words_per_minute}}"));
}
