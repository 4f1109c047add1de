//! A small repository with exercises, for the tests of this crate and of those above it.

use std::fs;

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

/// The lesson that [`with_lessons`] changes.
pub const LESSON: &str = r##"
[[lesson]]
name = "short"
title = "Short"
minutes = 45

[[lesson.day]]
start = "09:30"
parts = ["welcome", "vote", "spawn", "one_idea", { pause = 5 }, { slack = 5 }]

[[part]]
name = "welcome"
title = "Welcome"
minutes = 5
class = "Sits down."

[[prediction]]
name = "vote"
title = "The vote"
minutes = 3
wall = "one.html#predict__one__first"
ask = "Who waits?"

[[part]]
name = "spawn"
title = "The `spawn`"
minutes = 7
wall = "one.html#the-change"
through = "and-more"
type = ["$ cargo run --example small", "`move ||` in front", "$ curl -s http://127.0.0.1:8080/"]
needs = ["vote"]

[[exercise]]
name = "one_idea"
needs = ["spawn"]
"##;

/// Makes a repository with two small exercises and these lessons.
pub fn with_lessons(text: &str) -> tempfile::TempDir {
    let folder = repository();
    fs::create_dir(folder.path().join("book")).unwrap();
    fs::write(folder.path().join("book/lessons.toml"), text).unwrap();
    folder
}
