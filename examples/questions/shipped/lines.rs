//! The lines of code in the sources of a server.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The endings of the sources, in the four languages of the servers.
const ENDINGS: [&str; 4] = ["rs", "go", "java", "mjs"];

/// The texts of these sources; for a folder, of all sources in it.
///
/// # Errors
/// In words, when one can't be read or a folder has none.
pub fn sources(paths: &[PathBuf]) -> Result<Vec<String>, String> {
    let root = root()?;
    let mut texts = Vec::new();
    for path in paths {
        let found = read(&root.join(path)).map_err(|why| format!("{}: {why}", path.display()))?;
        if found.is_empty() {
            return Err(format!("{}: there are no sources in it", path.display()));
        }
        texts.extend(found);
    }
    Ok(texts)
}

/// The repository's root, from the current folder upwards: the checkout may have been moved since this was compiled.
fn root() -> Result<PathBuf, String> {
    let here = std::env::current_dir().map_err(|why| format!("the current folder: {why}"))?;
    let root = here.ancestors().find(|folder| folder.join("book.toml").is_file());
    root.map(Path::to_path_buf).ok_or("run this inside the repository".to_owned())
}

fn read(path: &Path) -> io::Result<Vec<String>> {
    if !path.is_dir() {
        return Ok(vec![fs::read_to_string(path)?]);
    }
    let mut texts = Vec::new();
    for entry in fs::read_dir(path)? {
        let file = entry?.path();
        let ending = file.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        if ENDINGS.contains(&ending) {
            texts.push(fs::read_to_string(file)?);
        }
    }
    Ok(texts)
}

/// The lines that hold more than blanks, a comment or a part of one, up to the tests at the end of a file.
///
/// All four languages write comments as `//` and `/* */`. No line of our sources holds code next to the beginning
/// or the end of `/* */`.
pub fn of_code(source: &str) -> usize {
    let mut lines = 0;
    let mut in_comment = false;
    let shipped = source.lines().map(str::trim).take_while(|line| *line != "#[cfg(test)]");
    for line in shipped {
        if in_comment || line.starts_with("/*") {
            in_comment = !line.contains("*/");
        } else if !line.is_empty() && !line.starts_with("//") {
            lines += 1;
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_comments_and_tests_do_not_count() {
        for (source, lines) in [
            ("", 0),
            ("//! A header.\n\nfn main() {\n    // why\n    run(); // and how\n}\n", 3),
            ("/** One line. */\nint a;\n/**\n * More.\n\n * of it\n */\nint b;\n", 2),
            ("let glob = \"*/*\";\nlet a = 1;\n", 2),
            ("fn a() {}\n\n#[cfg(test)]\nmod tests {\n    fn b() {}\n}\n", 1),
        ] {
            assert_eq!(of_code(source), lines, "{source}");
        }
    }

    #[test]
    fn a_folder_stands_for_its_sources_and_what_is_missing_is_named() {
        let folder = sources(&["examples/questions/shipped".into()]).expect("it is there");
        let files = ["main.rs", "lines.rs", "sizes.rs"]
            .map(|it| format!("examples/questions/shipped/{it}"));
        assert_eq!(folder.len(), sources(&files.map(PathBuf::from)).expect("they are").len());
        for path in ["examples/none.rs", "examples/elsewhere/java/none", "book/theme"] {
            let complaint = sources(&[path.into()]).expect_err("it has no sources");
            assert!(complaint.starts_with(path), "{complaint}");
        }
    }
}
