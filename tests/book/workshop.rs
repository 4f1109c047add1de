//! The notes for teachers, and the agendas that are made of their minutes.
//!
//! What is wrong with a single page or agenda already fails the build (`tools/workshop`, and
//! [`build`](super::build)). Here the sums are made a second time, from the files, and held against the built page.

use std::{collections::BTreeMap, fs};

use regex::Regex;

use super::{
    build::BUILT,
    page::{Page, chapters, pages},
    repository::read,
};

/// The pages beside the ladder's that have something for teachers.
const OTHERS: [&str; 17] = [
    "introduction",
    "hardware-threads",
    "threads-measured",
    "threads-and-tasks",
    "shared-data",
    "ending-well",
    "recap",
    "measuring",
    "coordinated-omission",
    "setups",
    "scale",
    "load",
    "articles",
    "frameworks",
    "other-languages",
    "languages-measured",
    "source-002-again",
];

const BOX: &str = "<details>\n<summary>For teachers</summary>\n";

/// The paragraphs of a page's notes by the words in bold with which they begin.
fn notes(page: &Page) -> Option<Vec<(String, String)>> {
    let notes = page.text.split_once(BOX)?.1.split_once("</details>")?.0;
    let lead = Regex::new(r"(?m)^\*\*([^*]+:)\*\*").expect("it is a pattern");
    let starts: Vec<_> = lead.captures_iter(notes).collect();
    let ends = starts.iter().skip(1).map(|next| next.get(0).expect("all of it").start());
    let ends = ends.chain([notes.len()]);
    let parts = starts.iter().zip(ends).map(|(start, end)| {
        let text = &notes[start.get(0).expect("all of it").end()..end];
        (start[1].to_owned(), text.trim().to_owned())
    });
    Some(parts.collect())
}

/// The minutes of a page's parts, as its notes say them. Each part is a link to one of the page's headings.
fn minutes(page: &Page) -> BTreeMap<String, u32> {
    let notes = notes(page).unwrap_or_else(|| panic!("{}: nothing for teachers", page.at(1)));
    let sentence = notes[0].1.split('.').next().expect("there is always a first part").to_owned();
    let (_, parts) = sentence.split_once(": ").expect("the sum, a colon, the parts");
    let part = Regex::new(r"^\[(.+)\]\(#[\w-]+\) (\d+)$").expect("it is a pattern");
    let parts = parts.split(", ").map(|text| {
        let found = part.captures(text).unwrap_or_else(|| panic!("{}: {text}", page.at(1)));
        (found[1].replace('`', ""), found[2].parse().expect("a number"))
    });
    parts.collect()
}

/// The minutes of all exercises, by their page and their name.
fn minutes_of_exercises() -> BTreeMap<(String, String), u32> {
    let all: toml::Value = toml::from_str(&read("exercises/exercises.toml")).expect("it is TOML");
    let exercises = list(&all, "exercise").iter().map(|exercise| {
        let text = |name: &str| exercise[name].as_str().expect("a text").to_owned();
        let place = (text("chapter"), text("name"));
        (place, number(exercise, "minutes").expect("a number"))
    });
    exercises.collect()
}

/// The part that an agenda means: `exercise` alone is the one that the page's notes name.
fn minutes_of_part(page: &Page, part: &str) -> u32 {
    let own = minutes(page);
    let named = own.get(part).copied();
    let other = || {
        let name = part.strip_prefix("exercise ")?.to_owned();
        minutes_of_exercises().get(&(page.stem.clone(), name)).copied()
    };
    let planned = || own.iter().find(|(name, _)| name.starts_with("exercise ")).map(|it| *it.1);
    let found = if part == "exercise" { planned() } else { named.or_else(other) };
    found.unwrap_or_else(|| panic!("{}: no part {part}", page.at(1)))
}

#[test]
fn the_notes_of_all_pages_have_the_same_form() {
    let taught: Vec<Page> = pages().into_iter().filter(|page| notes(page).is_some()).collect();
    let mut expected: Vec<String> = chapters().into_iter().map(|page| page.stem).collect();
    expected.extend(OTHERS.map(str::to_owned));
    expected.sort();
    let mut found: Vec<String> = taught.iter().map(|page| page.stem.clone()).collect();
    found.sort();
    assert_eq!(found, expected, "left: the pages with notes, right: those that should have them");
    let answer = Regex::new(r"\?\s*\([A-Z0-9]").expect("it is a pattern");
    for page in &taught {
        let notes = notes(page).expect("those with notes were chosen");
        let leads: Vec<&str> = notes.iter().map(|(lead, _)| lead.as_str()).collect();
        assert_eq!(
            leads,
            [
                "Minutes:",
                "Type live:",
                "Ask before the reveal:",
                "Answers that come:",
                "What goes wrong:",
                "Leads on:"
            ],
            "{}",
            page.at(1)
        );
        for (lead, text) in &notes {
            assert!(text.len() > 20, "{}: {lead} says nothing", page.at(1));
        }
        // What comes first, and what next.
        assert!(notes[1].1.contains("1. "), "{}: what is typed live has no order", page.at(1));
        assert!(notes[1].1.contains("2. "), "{}: what is typed live is one thing", page.at(1));
        assert!(answer.is_match(&notes[2].1), "{}: no question has its answer", page.at(1));
        assert!(notes[3].1.contains('"'), "{}: no answer is quoted", page.at(1));
    }
}

#[test]
fn each_rung_plans_its_exercise() {
    let exercises = minutes_of_exercises();
    for page in chapters() {
        let minutes = minutes(&page);
        let planned: Vec<_> = minutes
            .iter()
            .filter_map(|(name, it)| Some((name.strip_prefix("exercise ")?, it)))
            .collect();
        assert!(!planned.is_empty(), "{}: {minutes:?}", page.at(1));
        for (name, minutes) in planned {
            let listed = exercises.get(&(page.stem.clone(), name.to_owned()));
            assert_eq!(listed, Some(minutes), "{}: {name}", page.at(1));
        }
    }
}

fn list<'a>(table: &'a toml::Value, name: &str) -> &'a Vec<toml::Value> {
    table
        .get(name)
        .and_then(toml::Value::as_array)
        .unwrap_or_else(|| panic!("no list {name}: {table:?}"))
}

fn number(table: &toml::Value, name: &str) -> Option<u32> {
    table.get(name)?.as_integer()?.try_into().ok()
}

#[test]
fn the_agendas_add_up_and_are_those_of_the_page() {
    let by_stem: BTreeMap<String, Page> =
        pages().into_iter().map(|page| (page.stem.clone(), page)).collect();
    let agendas: toml::Value = toml::from_str(&read("book/workshop.toml")).expect("it is TOML");
    let workshop = &by_stem["workshop"].text;
    let html = fs::read_to_string(BUILT.join("workshop.html")).expect("the page was built");
    let row = Regex::new(
        r"<tr><td>(?:<strong>)?(\d\d):(\d\d)(?:</strong>)?</td><td[^>]*>(?:<strong>)?(\d+)(?:</strong>)?</td>",
    )
    .expect("it is a pattern");
    let shown: Vec<[u32; 2]> = row
        .captures_iter(&html)
        .map(|row| {
            let number = |index: usize| row[index].parse::<u32>().expect("digits");
            [number(1) * 60 + number(2), number(3)]
        })
        .collect();
    let mut expected = Vec::new();
    let mut titles = Vec::new();
    for agenda in list(&agendas, "agenda") {
        let text = |name: &str| agenda[name].as_str().expect("a text");
        titles.push(text("title"));
        let place = format!("### {}\n", text("title"));
        let below = workshop.split_once(&place).unwrap_or_else(|| panic!("no heading {place}")).1;
        let section = below.split("\n### ").next().expect("there is always a first part");
        let directive = format!("{{{{#agenda {}}}}}", text("name"));
        assert!(section.contains(&directive), "{directive} is not below {place}");
        let promised = number(agenda, "promised").expect("a number");
        for day in list(agenda, "day") {
            let (hours, rest) =
                day["start"].as_str().and_then(|start| start.split_once(':')).expect("a time");
            let start: u32 =
                hours.parse::<u32>().expect("hours") * 60 + rest.parse::<u32>().expect("minutes");
            let mut now = start;
            for slot in list(day, "slots") {
                let took = match slot.get("page").and_then(toml::Value::as_str) {
                    Some(page) => {
                        let page = &by_stem[page];
                        let parts = list(slot, "parts").iter();
                        parts
                            .map(|part| minutes_of_part(page, part.as_str().expect("a name")))
                            .sum()
                    }
                    None => {
                        number(slot, "pause").or_else(|| number(slot, "minutes")).expect("minutes")
                    }
                };
                expected.push([now, took]);
                now += took;
            }
            assert!(now - start <= promised, "{}: {} minutes", text("title"), now - start);
            // No more than an eighth of what is promised stays unused, or the title is wrong.
            assert!((now - start) * 8 >= promised * 7, "{}: only {}", text("title"), now - start);
            expected.push([now, now - start]);
        }
    }
    assert_eq!(shown, expected, "left: the page, right: the sums");
    assert_eq!(titles, ["90 minutes", "Half a day", "Two days"]);
}

#[test]
fn all_notes_stand_on_one_page() {
    let html = fs::read_to_string(BUILT.join("teachers-notes.html")).expect("the page was built");
    for page in pages() {
        if notes(&page).is_none() {
            continue;
        }
        let title = page.headings().into_iter().find(|heading| heading.level == 1);
        let title = title.expect("every page has one").text;
        let link = format!("<a href=\"{}.html\">The page</a>", page.stem);
        assert!(html.contains(&link), "{title} is missing");
    }
    let leads = html.matches("<strong>Leads on:</strong>").count();
    assert_eq!(leads, chapters().len() + OTHERS.len());
}
