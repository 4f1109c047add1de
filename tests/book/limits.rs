//! How long our files and functions may be, one thought each, and how many words and figures a page may show.

use std::{fs, path::PathBuf, sync::LazyLock};

use ladder_tests::none;
use regex::{Captures, Regex};

use super::{
    build::BUILT,
    page::{Page, pages},
    repository::{files_below, read, root, short},
};

/// The most lines of a file.
const FILE: usize = 500;

/// The most lines of a function, its first and its last among them.
const FUNCTION: usize = 60;

/// The most words that a page shows before its reader unfolds anything.
const WORDS: usize = 3_500;

/// The most rows of a table of figures that a page of the ladder shows before its reader unfolds anything.
const ROWS: usize = 5;

/// A line that begins a function: what stands before `fn`.
const BEFORE: [&str; 7] =
    ["pub", "pub(crate)", "pub(super)", "const", "async", "unsafe", "default"];

/// The name of the function that begins in this line.
fn begins(line: &str) -> Option<&str> {
    let mut words = line.split_whitespace();
    words.by_ref().find(|word| !BEFORE.contains(word)).filter(|word| *word == "fn")?;
    let name = words.next()?;
    name.split(|letter: char| !letter.is_alphanumeric() && letter != '_').next()
}

/// The functions of a source that rustfmt has formatted, with their first lines, from 1, and their lengths: such a
/// function ends with the brace that is indented as its beginning is.
fn functions(source: &str) -> Vec<(&str, usize, usize)> {
    let lines: Vec<&str> = source.lines().collect();
    let mut functions = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(name) = begins(line) else { continue };
        let indent = &line[..line.len() - line.trim_start().len()];
        let ends = |line: &&str| match line.strip_prefix(indent) {
            // A body, or a declaration without one.
            Some(rest) => rest == "}" || !rest.starts_with(' ') && rest.ends_with([';', '}']),
            None => false,
        };
        let length = lines[at..].iter().position(ends).map_or(lines.len() - at, |last| last + 1);
        functions.push((name, at + 1, length));
    }
    functions
}

/// The files below these folders with one of these endings, which are nobody else's.
fn sources(folders: &[&str], endings: &[&str]) -> Vec<PathBuf> {
    let below = folders.iter().flat_map(|folder| files_below(&root().join(folder)));
    let is_ours = |path: &PathBuf| {
        let path = path.to_string_lossy();
        let ends = endings.iter().any(|ending| path.ends_with(&format!(".{ending}")));
        ends && !path.ends_with(".min.js")
    };
    below.filter(is_ours).collect()
}

/// What is too long in the sources below these folders.
fn too_long(folders: &[&str]) -> Vec<String> {
    let mut complaints = Vec::new();
    for path in sources(folders, &["rs"]) {
        let (source, path) = (read(&path), short(&path));
        for (name, line, length) in functions(&source) {
            if length > FUNCTION {
                complaints.push(format!(
                    "{path}:{line}: {name} has {length} lines, and may have {FUNCTION}"
                ));
            }
        }
    }
    complaints
}

#[test]
fn files_and_functions_are_short() {
    let folders =
        ["book", "examples", "exercises", "frameworks", "live", "tests", "tools", "xtask"];
    none(too_long(&folders));
    let files = sources(&folders, &["rs", "css", "js", "mjs"]);
    assert!(files.iter().any(|path| path.ends_with("lab/lab.css")), "style sheets are files, too");
    let lines = files.iter().map(|path| (short(path), read(path).lines().count()));
    let long = lines.filter(|(_, lines)| *lines > FILE);
    none(
        long.map(|(path, lines)| format!("{path} has {lines} lines, and may have {FILE}"))
            .collect(),
    );
}

/// The lines of code in these files: no blank lines, and none that hold a comment alone, but `use` lines and braces.
fn lines_of_code(paths: &[PathBuf]) -> usize {
    let sources = paths.iter().map(read).collect::<String>();
    sources
        .lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with("//"))
        .count()
}

/// The servers by hand are for reading: each is as long as its page says at most.
#[test]
fn the_servers_by_hand_are_short() {
    let examples = root().join("examples");
    let event_loop = ["main.rs", "clients.rs", "client.rs", "stop.rs"];
    let event_loop = event_loop.map(|file| examples.join("event_loop").join(file));
    let lines = lines_of_code(&event_loop);
    assert!(lines <= 200, "the event loop has {lines} lines of code");
    let mut runtime = files_below(&examples.join("own_runtime/runtime"));
    assert!(runtime.len() > 3, "{runtime:?}");
    runtime.push(examples.join("own_runtime/queue.rs"));
    let lines = lines_of_code(&runtime);
    assert!(lines <= 350, "the runtime by hand has {lines} lines of code");
}

/// Each difference between two steps of the servers by hand is seen on one screen, and so is the way on to rung 6.
#[test]
fn the_steps_of_the_servers_by_hand_are_small() {
    for (page, at_least) in [("event-loop.html", 11), ("own-runtime.html", 5)] {
        let html = fs::read_to_string(BUILT.join(page)).expect("the page was built");
        let blocks = html.split("<code class=\"language-diff").skip(1);
        let blocks = blocks.filter_map(|rest| rest.split("</code>").next()).map(text_of);
        let changed = blocks.map(|diff| {
            let lines =
                diff.lines().filter(|line| !line.starts_with("---") && !line.starts_with("+++"));
            lines.filter(|line| line.starts_with(['+', '-'])).count()
        });
        let changed: Vec<usize> = changed.collect();
        let small = changed.iter().all(|lines| *lines <= 60);
        assert!(changed.len() >= at_least && small, "{page}: {changed:?}");
    }
}

/// The sources of a folder of `examples/` that holds the steps to a rung.
fn steps_in(folder: &str) -> Vec<PathBuf> {
    let mut files = files_below(&root().join("examples").join(folder));
    files.retain(|path| path.extension().is_some_and(|it| it == "rs"));
    assert!(files.len() > 3, "{files:?}");
    files
}

/// A step to a rung is read on one screen, and the first server at a glance.
#[test]
fn the_steps_to_a_rung_fit_on_a_screen() {
    for path in steps_in("first_server") {
        let most = if path.ends_with("main.rs") { 20 } else { 40 };
        let lines = read(&path).lines().count();
        assert!(lines <= most, "{} has {lines} lines, and may have {most}", short(&path));
    }
    for path in steps_in("first_pool") {
        let lines = lines_of_code(std::slice::from_ref(&path));
        assert!(lines <= 40, "{} has {lines} lines of code, and may have 40", short(&path));
    }
}

/// The steps to rung 4, in lines of code: the first on one screen, and each with a future and what polls it.
#[test]
fn the_steps_to_the_fourth_rung_are_short() {
    let steps = files_below(&root().join("examples/first_task"));
    let sources: Vec<PathBuf> =
        steps.into_iter().filter(|path| path.extension().is_some_and(|it| it == "rs")).collect();
    assert!(sources.len() > 3, "{sources:?}");
    for path in sources {
        let most = if path.ends_with("main.rs") { 35 } else { 50 };
        let lines = lines_of_code(std::slice::from_ref(&path));
        assert!(lines <= most, "{} has {lines} lines of code, and may have {most}", short(&path));
    }
}

/// A tag, a comment or an entity.
static TAG: LazyLock<Regex> = LazyLock::new(|| {
    let tag = r#"(?s)<!--.*?-->|<(/?)([a-zA-Z][\w-]*)((?:[^>"']|"[^"]*"|'[^']*')*)>|&\w+;|&#\w+;"#;
    Regex::new(tag).expect("it is a pattern")
});

/// What of a built page is seen while its folds are closed: text and tags. The inside of a drawing is left out, and so is
/// what is there for a script.
fn unfolded(html: &str) -> String {
    const SILENT: [&str; 6] = ["button", "nav", "script", "style", "svg", "template"];
    let main = html.split_once("<main>").and_then(|(_, main)| main.split_once("</main>"));
    let (main, _) = main.expect("a page has a main part");
    // The folds, their summaries and the silent elements around the text, from the outermost.
    let mut around: Vec<String> = Vec::new();
    let (mut shown, mut end) = (String::new(), 0);
    for found in TAG.captures_iter(main) {
        let place = found.get(0).expect("all of it").range();
        let folded = (0..around.len()).any(|at| {
            let opens = around.get(at + 1).is_some_and(|inner| inner == "summary");
            around[at] == "details" && !opens || SILENT.contains(&around[at].as_str())
        });
        if !folded {
            shown += &main[end..place.end];
        }
        end = place.end;
        let Some(name) = found.get(2).map(|name| name.as_str().to_lowercase()) else { continue };
        if !["details", "summary"].contains(&name.as_str()) && !SILENT.contains(&name.as_str()) {
            continue;
        }
        if &found[1] == "/" {
            around.truncate(around.iter().rposition(|outer| *outer == name).unwrap_or(0));
        } else if !found[3].ends_with('/') {
            around.push(name);
        }
    }
    shown
}

/// The text between the tags.
fn text_of(html: &str) -> String {
    const INSIDE_A_WORD: [&str; 7] = ["a", "b", "code", "em", "i", "span", "strong"];
    let between = |found: &Captures| match found.get(2) {
        Some(name) if !INSIDE_A_WORD.contains(&name.as_str()) => " ",
        _ => "",
    };
    TAG.replace_all(html, between).into_owned()
}

/// How many words of a built page are seen while its folds are closed: prose, tables and code. A drawing's words don't
/// count, and neither do those that are there for a script.
fn words_shown(html: &str) -> usize {
    let text = text_of(&unfolded(html));
    text.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// What is longer is two pages, or has parts that can be folded. The glossary is looked up and not read.
#[test]
fn no_page_shows_too_many_words() {
    let mut complaints = Vec::new();
    for page in pages().into_iter().filter(|page| page.stem != "glossary") {
        let html = BUILT.join(format!("{}.html", page.stem));
        let words = words_shown(&fs::read_to_string(html).expect("the page was built"));
        println!("{words:>5}  {}", page.stem);
        if words > WORDS {
            complaints.push(format!("{} shows {words} words, and may show {WORDS}", page.stem));
        }
    }
    none(complaints);
}

/// The charts that are seen while all folds are closed; openings, recordings and diagrams have a second class.
fn charts_shown(html: &str) -> usize {
    unfolded(html).matches("<figure class=\"chart\">").count()
}

/// How many rows each table of figures has that is seen while all folds are closed: at least half of its cells, the first
/// of each row left out, begin with a digit.
fn rows_shown(html: &str) -> Vec<usize> {
    let open = unfolded(html);
    let tables = open.split("<tbody>").skip(1).filter_map(|rest| rest.split("</tbody>").next());
    let rows = tables.map(|table| table.split("<tr>").skip(1).collect::<Vec<_>>());
    let of_figures = rows.filter(|rows| {
        let cells = rows.iter().flat_map(|row| row.split("<td").skip(2));
        let cells: Vec<String> = cells.map(|cell| text_of(&format!("<td{cell}"))).collect();
        let is_number = |cell: &&String| cell.trim().starts_with(|it: char| it.is_ascii_digit());
        2 * cells.iter().filter(is_number).count() >= cells.len()
    });
    of_figures.map(|rows| rows.len()).collect()
}

/// The pages of the ladder that show figures: its chapters, and those that name an experiment.
fn pages_with_figures() -> Vec<Page> {
    let summary = read(root().join("book/SUMMARY.md"));
    let ladder = summary.split_once("# The ladder").and_then(|(_, rest)| rest.split_once("---"));
    let (ladder, _) = ladder.expect("the summary has the ladder");
    let mut pages = pages();
    pages.retain(|page| {
        let names = ["chart", "compare", "experiment"];
        let shows = page.directives().iter().any(|it| names.contains(&it.name.as_str()));
        ladder.contains(&format!("({}.md)", page.stem))
            && (shows || page.text.contains("## The figures"))
    });
    pages
}

/// The law is a sentence, one chart says the finding, and a table has at most five rows; the rest is folded.
#[test]
fn a_page_of_the_ladder_shows_one_chart_and_few_rows() {
    let pages = pages_with_figures();
    assert!(pages.len() > 10, "{pages:?}");
    let mut complaints = Vec::new();
    for page in pages {
        let html = fs::read_to_string(BUILT.join(format!("{}.html", page.stem)));
        let html = html.expect("the page was built");
        let (charts, rows) = (charts_shown(&html), rows_shown(&html));
        if charts != 1 {
            complaints.push(format!("{} shows {charts} charts, not one", page.stem));
        }
        if rows.is_empty() || rows.iter().any(|rows| *rows > ROWS) {
            complaints.push(format!(
                "{} shows tables of figures with {rows:?} rows, not one with at most {ROWS}",
                page.stem
            ));
        }
    }
    none(complaints);
}

#[test]
fn open_charts_and_rows_are_counted() {
    let chart = "<figure class=\"chart\"><svg><g/></svg></figure>";
    let table = |rows: &str| {
        format!("<table><thead><tr><th>x</th></tr></thead><tbody>{rows}</tbody></table>")
    };
    let figures =
        table(&"<tr><td>a</td><td style=\"x\"><a>1,000</a></td><td>b</td></tr>".repeat(6));
    let words = table("<tr><td>1</td><td>a</td></tr>");
    let page = format!(
        "<main><figure class=\"chart race\"></figure>{chart}<details><summary>{words}</summary>{chart}{figures}</details>\
         {figures}{words}</main>"
    );
    assert_eq!((charts_shown(&page), rows_shown(&page)), (1, vec![6]));
    assert_eq!(charts_shown(&page.replace("details>", "div>").replace("<details", "<div")), 2);
}

#[test]
fn what_is_folded_or_drawn_is_not_shown() {
    let page = "no <main><h1>One</h1><p>two<em>fold</em> &amp; <!-- no -->3</p><details class=\"a>b\">\
                <summary>four</summary><p>no</p><details><summary>no</summary>no</details></details>\
                <svg><text>no</text></svg><pre><code>let five = 6;</code></pre></main> no";
    assert_eq!(words_shown(page), 7);
}

#[test]
fn a_function_is_found_with_its_length() {
    let source = "impl A {\n    pub async fn one(\n        self,\n    ) -> Vec<u8> {\n        if true {\n        }\n    }\n\n    \
                  fn two() {}\n}\n\ntrait B {\n    fn three();\n}\n\n// fn no()\nfn four<'a>() {\n    loop {}\n}\n";
    let found = [("one", 2, 6), ("two", 9, 1), ("three", 13, 1), ("four", 17, 3)];
    assert_eq!(functions(source), found);
    for other in ["let fn_ = 1;", "// fn x() {", "type F = fn(u8);", "pub struct A;"] {
        assert_eq!(begins(other), None, "{other}");
    }
}
