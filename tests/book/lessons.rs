//! The lessons: what they show, type and ask is there, and stands in an order in which it can be held.
//!
//! That their minutes add up, that nothing comes before what it needs, and that they have their slack, the build of the
//! book holds: `records::workshop::lessons` refuses others.

use std::{fs, sync::LazyLock};

use ladder_tests::none;
use records::workshop::lessons::{Kind, Lesson, Part, lessons, script};
use regex::Regex;

use super::{
    build::BUILT,
    commands::{LINUX, check},
    console::Command,
    repository::{read, root},
};

static ALL: LazyLock<Vec<Lesson>> =
    LazyLock::new(|| lessons(root()).unwrap_or_else(|error| panic!("{error:#}")));

/// The name of a lesson and of a part in it, as a message begins.
fn at(lesson: &Lesson, part: &Part) -> String {
    format!("{}, {}", lesson.name, part.name)
}

/// A page of the built book.
fn html(page: &str) -> String {
    fs::read_to_string(BUILT.join(page).with_extension("html")).unwrap_or_default()
}

/// Where on its page the element of this name is.
fn place_of(id: &str, html: &str) -> Option<usize> {
    html.find(&format!("id=\"{id}\""))
}

/// Where on its page a part begins.
fn begins(part: &Part, html: &str) -> Option<usize> {
    place_of(part.id.as_ref()?, html)
}

#[test]
fn all_that_is_on_the_wall_and_typed_is_there() {
    let mut complaints = Vec::new();
    for lesson in ALL.iter() {
        for part in lesson.parts() {
            let at = at(lesson, part);
            if let (Some(wall), Some(page)) = (part.wall(), &part.page)
                && begins(part, &html(page)).is_none()
            {
                complaints.push(format!("{at}: there is no place {wall}"));
            }
            if let (Some(through), Some(page)) = (&part.through, &part.page) {
                let html = html(page);
                // The part's own section may be its last.
                let is_there = place_of(through, &html)
                    .is_some_and(|last| begins(part, &html).is_some_and(|begins| begins <= last));
                if !is_there {
                    complaints.push(format!("{at}: {page}.html has no #{through} from there on"));
                }
            }
            for typed in part.commands() {
                match Command::of(&at, typed) {
                    Some(command) => {
                        let wrong = check(&command).err();
                        complaints.extend(wrong.map(|it| format!("{at}: {it}: {typed}")));
                    }
                    None => complaints.push(format!("{at}: a quote never ends: {typed}")),
                }
                let all = part.lines.typed.concat();
                let is_linux = LINUX.iter().any(|(command, _)| command.is_match(typed));
                if is_linux && !all.contains("macOS") {
                    complaints.push(format!("{at}: what is typed on macOS for {typed}?"));
                }
            }
        }
    }
    none(complaints);
}

/// A question of the page has its answer folded below it, and an opening is closed until it is asked for. What the page
/// explains below the question tells the answer too: no part before the vote shows that.
///
/// It can't find an answer that stands above the question, nor one on another page.
#[test]
fn a_prediction_stands_before_its_answer() {
    let heading = Regex::new("<h[123]").expect("it is a pattern");
    let opening = Regex::new("class=\"[^\"]*\\bopening\\b").expect("it is a pattern");
    let mut complaints = Vec::new();
    let mut asked = 0;
    for lesson in ALL.iter() {
        let parts: Vec<&Part> = lesson.parts().collect();
        for (index, part) in parts.iter().enumerate() {
            let (Kind::Prediction, Some(page)) = (part.kind, &part.page) else { continue };
            let at = at(lesson, part);
            asked += 1;
            let html = html(page);
            let Some(question) = begins(part, &html) else { continue };
            let section = &html[question..];
            // From within the heading's own tag to the next heading.
            let section = &section[..heading.find(section).map_or(section.len(), |it| it.start())];
            if !section.contains("<summary>Answer</summary>") && !opening.is_match(section) {
                complaints
                    .push(format!("{at}: no answer is folded there, and no opening is closed"));
            }
            for before in &parts[..index] {
                let is_below = begins(before, &html).is_some_and(|begins| begins > question);
                if before.kind == Kind::Part && before.page == part.page && is_below {
                    let wall = before.wall().unwrap_or_default();
                    complaints
                        .push(format!("{at}: {wall} was on the wall before, which is below it"));
                }
            }
        }
    }
    none(complaints);
    assert!(asked > 10, "only {asked} predictions");
}

#[test]
fn teach_mode_has_them_and_each_page_that_is_taught_has_its_parts() {
    let written = fs::read_to_string(BUILT.join("teach/lessons.js")).expect("it is built");
    assert_eq!(written, script(root()).expect("they are right"));
    let notes = read("book/teachers-notes.md");
    let mut complaints = Vec::new();
    // The window with the notes marks the part that is taught among the links of this line.
    for sheet in notes.split("<section class=\"sheet\">").skip(1) {
        let page = sheet.split("{#").nth(1).and_then(|rest| rest.split('}').next());
        let page = page.expect("a sheet has the name of its page");
        if !sheet.contains("**Parts:** [") || !sheet.contains(&format!("]({page}.md#")) {
            complaints.push(format!("book/teachers-notes.md: {page} has no parts"));
        }
    }
    none(complaints);
}
