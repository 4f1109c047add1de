//! A small repository with exercises, for the tests of this crate and of those above it.

use std::fs;

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

