//! A small repository with exercises, for the tests of this crate and of those above it.

use std::{fmt::Write, fs};

/// A repository with two small exercises.
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

/// A page with notes for teachers, which has these minutes.
pub fn page(minutes: &str) -> String {
    format!(
        "# One thread\n\nText.\n\n<details>\n<summary>For teachers</summary>\n\n**Minutes:** {minutes}\n\n\
         **Type live:**\n\n1. This.\n\n**Ask before the reveal:** Why?\n\n**Answers that come:** \"No.\"\n\n\
         **What goes wrong:** All, see [there](#x).\n\n**Leads on:** \"And now?\"\n\n</details>\n"
    )
}

/// A repository with three pages, and two exercises for the page `one`.
pub fn book(agenda: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for name in ["book", "exercises"] {
        fs::create_dir(folder.path().join(name)).unwrap();
    }
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    write("book/SUMMARY.md", "- [One](one.md)\n- [Two](two.md)\n- [Three](three.md)\n");
    write(
        "book/one.md",
        &page("[the experiment](#a) 10, [the server](#b-c) 15, [exercise `easy`](#your-turn)."),
    );
    write("book/two.md", &page("[all of it](#a) 20. With less, skip it."));
    write("book/three.md", "# Three\n\nNo notes.\n");
    write("book/workshop.toml", agenda);
    let mut list = String::new();
    for (name, minutes) in [("easy", 15), ("hard", 20)] {
        let _ = write!(
            list,
            "[[exercise]]\nname = \"{name}\"\nchapter = \"one\"\ntitle = \"T\"\nminutes = {minutes}\n\
             kind = \"write\"\nidea = \"I.\"\n"
        );
    }
    write("exercises/exercises.toml", &list);
    folder
}

/// The agendas of [`book`]: one, with these slots.
pub fn with_slots(slots: &str) -> String {
    format!(
        "[[agenda]]\nname = \"short\"\ntitle = \"An hour\"\npromised = 60\n[[agenda.day]]\nstart = \"09:30\"\nslots = [{slots}]\n"
    )
}
