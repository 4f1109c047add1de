//! Writes a module for each text of each exercise, with the exercise's check next to it.
//!
//! The solutions are one crate and what must be refused is another, so each text is compiled once, what they depend on is
//! linked twice, and whoever checks the solutions compiles nothing else.

use std::{
    env,
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

/// The name of its module, its file, and what it may be allowed.
type Text = (String, PathBuf, &'static str);

fn main() -> io::Result<()> {
    let exercises = fs::canonicalize("..")?;
    // An exercise that is new is in the list.
    println!("cargo::rerun-if-changed=../exercises.toml");
    println!("cargo::rerun-if-changed=build.rs");
    let mut folders = sorted(&exercises)?;
    folders.retain(|folder| folder.join("check.rs").is_file());
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("solutions.rs"), crate_of(&folders, solution)?)?;
    fs::write(out.join("texts.rs"), crate_of(&folders, refused)?)
}

/// The modules of these texts of all exercises, and the list of their checks.
fn crate_of(
    folders: &[PathBuf],
    texts_of: fn(&Path) -> io::Result<Vec<Text>>,
) -> io::Result<String> {
    let mut modules = String::new();
    let mut checks = String::new();
    for folder in folders {
        modules += &exercise(folder, texts_of(folder)?, &mut checks)?;
    }
    modules += &format!(
        "/// The checks with each text.\nconst CHECKS: &[&[exercise_kit::Check]] = &[\n{checks}];\n"
    );
    Ok(modules)
}

/// The text that a check must let pass.
fn solution(folder: &Path) -> io::Result<Vec<Text>> {
    Ok(vec![("solution".to_owned(), folder.join("solution.rs"), "dead_code")])
}

/// The texts that a check must refuse.
fn refused(folder: &Path) -> io::Result<Vec<Text>> {
    let allowed = "unused, clippy::all";
    let mut texts = vec![("start".to_owned(), folder.join("start.rs"), allowed)];
    for path in sorted(&folder.join("wrong"))? {
        texts.push((format!("wrong_{}", stem(&path)), path, allowed));
    }
    Ok(texts)
}

fn sorted(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = fs::read_dir(folder)?
        .map(|entry| entry.map(|entry| entry.path()))
        .collect::<io::Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}

fn stem(path: &Path) -> &str {
    path.file_stem().and_then(|stem| stem.to_str()).expect("the names are words")
}

/// The modules of an exercise. Their checks are added to the list of all.
fn exercise(folder: &Path, texts: Vec<Text>, checks: &mut String) -> io::Result<String> {
    let name = stem(folder);
    println!("cargo::rerun-if-changed={}", folder.join("check.rs").display());
    println!("cargo::rerun-if-changed={}", folder.join("wrong").display());
    let check = fs::read_to_string(folder.join("check.rs"))?;
    // What a file says about itself can't be inside a module.
    let check: String = check.split_inclusive('\n').filter(|it| !it.starts_with("//!")).collect();
    let mut module = format!("mod {name} {{\n");
    for (text, path, allowed) in texts {
        let _ = write!(
            module,
            "pub mod {text} {{\n\
             #[allow({allowed})]\n#[path = {path:?}]\nmod exercise;\n\
             pub mod check {{\nuse super::exercise as ex_{name};\n{check}}}\n}}\n"
        );
        let _ = writeln!(checks, "{name}::{text}::check::CHECKS,");
    }
    Ok(module + "}\n")
}
