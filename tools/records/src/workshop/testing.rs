//! A small repository with exercises, for the tests of this crate and of those above it.

use std::{fmt::Write, fs};

/// Makes a repository with two small exercises.
pub fn repository() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let list = folder.path().join("exercises");
    fs::create_dir_all(list.join("mine")).unwrap();
    let mut text = String::new();
    for (name, title) in [("one_idea", "One idea"), ("two_ideas", "Two ideas")] {
        text += &format!(
            "[[exercise]]\nname = \"{name}\"\nchapter = \"ch01-single-threaded\"\ntitle = \"{title}\"\n\
             minutes = 10\nkind = \"write\"\nidea = \"What it is about.\"\n"
        );
        let folder = list.join(name);
        fs::create_dir(&folder).unwrap();
        for (file, text) in [
            ("README.md", format!("# {title}\n\nDo it.\n\n## Going further\n\n- More.\n")),
            ("hints.md", "## First\n\nLook.\n\n## Second\n\nLook again.\n".to_owned()),
            ("start.rs", format!("// {title}.\n\nlet it = \"the start\";\n")),
            ("solution.rs", format!("// {title}.\n\nlet it = \"the solution\";\n")),
            ("solution.md", "Because.\n".to_owned()),
        ] {
            fs::write(folder.join(file), text).unwrap();
        }
    }
    fs::write(list.join("exercises.toml"), text).unwrap();
    folder
}

/// Writes the notes for a page, which have these minutes.
fn notes(title: &str, page: &str, minutes: &str) -> String {
    format!(
        "\n## {title} {{#{page}}}\n\n[The page]({page}.md)\n\n**Minutes:** {minutes}\n\n**Type live:**\n\n1. This.\n\n\
         **Leads on:** \"And now?\"\n"
    )
}

/// Makes a repository with the notes for two pages, and two exercises for the page `one`.
pub fn book(agenda: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["book", "exercises"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    let one = "[the experiment](one.md#a) 10, [the server](one.md#b-c) 15, [exercise `easy`](one.md#your-turn).";
    let two = "[all of it](two.md#a) 20. With less, skip it.";
    let both = notes("One thread", "one", one) + &notes("Two threads", "two", two);
    let mut list = String::new();
    for (name, minutes) in [("easy", 15), ("hard", 20)] {
        let _ = write!(
            list,
            "[[exercise]]\nname = \"{name}\"\nchapter = \"one\"\ntitle = \"T\"\nminutes = {minutes}\n\
             kind = \"write\"\nidea = \"I.\"\n"
        );
    }
    for (file, text) in [
        ("book/teachers-notes.md", format!("# All notes\n{both}")),
        ("book/workshop.toml", agenda.to_owned()),
        ("exercises/exercises.toml", list),
    ] {
        fs::write(folder.path().join(file), text).unwrap();
    }
    folder
}

/// Writes the agendas of [`book`]: one, with these slots.
pub fn with_slots(slots: &str) -> String {
    format!(
        "[[agenda]]\nname = \"short\"\ntitle = \"An hour\"\npromised = 60\n[[agenda.day]]\nstart = \"09:30\"\nslots = [{slots}]\n"
    )
}
