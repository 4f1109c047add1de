//! Writes a level of "You are the scheduler" for readers without JavaScript and for paper: the lines of its threads, and
//! a losing schedule. The script reads the same file.

use std::{fs, path::Path};

use anyhow::{Context, Result};
use serde::Deserialize;

use pictures::text::escape;

/// The folder of the levels, from the repository's root.
const LEVELS: &str = "book/schedule";

#[derive(Deserialize)]
struct Level {
    title: String,
    goal: String,
    fails: String,
    threads: [String; 2],
    /// The wrong one is first.
    versions: Vec<Version>,
}

#[derive(Deserialize)]
struct Version {
    lines: [Vec<String>; 2],
    names: Vec<String>,
    schedules: usize,
    losing: usize,
    found: Vec<usize>,
    states: Vec<State>,
}

#[derive(Deserialize)]
struct State {
    at: [Option<usize>; 2],
    says: [String; 2],
    values: Vec<String>,
    next: [Option<usize>; 2],
}

/// Writes the block of a level, in which there is no empty line: that would end it.
pub(crate) fn level(root: &Path, name: &str) -> Result<String> {
    let path = format!("{LEVELS}/{name}.json");
    let text = fs::read_to_string(root.join(&path))
        .with_context(|| format!("cannot read {path}: there is no level `{name}`"))?;
    let level: Level =
        serde_json::from_str(&text).with_context(|| format!("{path} does not hold a level"))?;
    let wrong = level.versions.first().with_context(|| format!("{path} has no version"))?;
    let threads: String = level.threads.iter().zip(&wrong.lines).map(thread).collect();
    let steps = steps(&level, wrong).with_context(|| format!("{path} leads nowhere"))?;
    let all = wrong.schedules;
    let losing = match wrong.losing {
        1 => format!("1 of {all} schedules goes wrong. This is it:"),
        more => format!("{more} of {all} schedules go wrong. This is one of them:"),
    };
    Ok(format!(
        "<schedule-game data-level=\"{name}\">\n<p class=\"finding\">{}</p>\n<p class=\"goal\">{}</p>\n\
         <div class=\"threads\">{threads}</div>\n\
         <div class=\"found\"><p>{losing}</p>\n\
         <ol>{}</ol>\n<p>{}</p></div>\n</schedule-game>",
        escape(&level.title),
        escape(&level.goal),
        steps.concat(),
        escape(&level.fails)
    ))
}

/// Writes a thread with its lines, and an empty paragraph for its state.
fn thread((name, lines): (&String, &Vec<String>)) -> String {
    let mut code = String::new();
    for line in lines {
        let words = line.trim_start();
        let indent = line.len() - words.len();
        code += &format!("<span style=\"--indent:{indent}\">{}</span>", escape(words));
    }
    let name = escape(name);
    format!("<div><p class=\"who\">{name}</p><pre>{code}</pre><p class=\"says\"></p></div>")
}

/// Writes for each step of the schedule the line that it runs, and the values that change.
fn steps(level: &Level, version: &Version) -> Option<Vec<String>> {
    let mut state = version.states.first()?;
    let mut steps = Vec::new();
    for thread in &version.found {
        let after = version.states.get(state.next[*thread]?)?;
        let line = version.lines[*thread].get(state.at[*thread]?)?;
        let values = version.names.iter().zip(&state.values).zip(&after.values);
        let changed = values.filter(|((_, old), new)| old != new);
        let mut changes: Vec<String> =
            changed.map(|((name, _), new)| format!("{name}: {new}")).collect();
        let name = &level.threads[*thread];
        let says = &after.says[*thread];
        if !says.is_empty() {
            changes.push(format!("{name}: {says}"));
        }
        let mut step = format!("<li>{} runs <code>{}</code>", escape(name), escape(line.trim()));
        if !changes.is_empty() {
            step += &format!(" ({})", escape(&changes.join("; ")));
        }
        steps.push(step + "</li>");
        state = after;
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::write;

    #[test]
    fn without_a_script_a_level_is_its_lines_and_a_schedule_that_loses() {
        let root = tempfile::tempdir().unwrap();
        let states = r#"[
            {"at": [0, 1], "says": ["", ""], "values": ["0", "1"], "next": [null, 1]},
            {"at": [0, null], "says": ["", "has ended"], "values": ["0", "2"], "next": [2, null]},
            {"at": [null, null], "says": ["has ended", "has ended"], "values": ["0", "2"], "next": [null, null]}
        ]"#;
        let version = format!(
            r#"{{"lines": [["a < b"], ["", "  c"]], "names": ["x", "y"], "schedules": 6, "losing": 4, "found": [1, 0], "states": {states}}}"#
        );
        let text = format!(
            r#"{{"title": "T", "goal": "G", "fails": "F", "well": "W", "threads": ["A", "B"], "versions": [{version}]}}"#
        );
        write(root.path(), &[("book/schedule/one.json", &text)]);
        let block = level(root.path(), "one").unwrap();
        assert!(!block.contains("\n\n"), "{block}");
        for part in [
            "<p class=\"who\">A</p><pre><span style=\"--indent:0\">a &lt; b</span></pre>",
            "<pre><span style=\"--indent:0\"></span><span style=\"--indent:2\">c</span></pre>",
            "<p>4 of 6 schedules go wrong. This is one of them:</p>",
            "<ol><li>B runs <code>c</code> (y: 2; B: has ended)</li>\
             <li>A runs <code>a &lt; b</code> (A: has ended)</li></ol>\n<p>F</p>",
        ] {
            assert!(block.contains(part), "{part}: {block}");
        }
        let error = level(root.path(), "two").unwrap_err().to_string();
        assert_eq!(error, "cannot read book/schedule/two.json: there is no level `two`");
    }
}
