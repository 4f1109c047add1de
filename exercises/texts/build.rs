//! Writes a module for each text of each exercise, with the exercise's check next to it.
//!
//! All texts are one crate, so each of them is compiled once, and what they depend on is linked once.

use std::{
    env,
    fmt::Write,
    fs, io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    let exercises = fs::canonicalize("..")?;
    // An exercise that is new is in the list.
    println!("cargo::rerun-if-changed=../exercises.toml");
    println!("cargo::rerun-if-changed=build.rs");
    let mut modules = String::new();
    let mut checks = String::new();
    for folder in sorted(&exercises)? {
        if folder.join("check.rs").is_file() {
            modules += &exercise(&folder, &mut checks)?;
        }
    }
    modules += &format!(
        "/// The checks with each text.\nconst CHECKS: &[&[exercise_kit::Check]] = &[\n{checks}];\n"
    );
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets it"));
    fs::write(out.join("texts.rs"), modules)
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
fn exercise(folder: &Path, checks: &mut String) -> io::Result<String> {
    let name = stem(folder);
    println!("cargo::rerun-if-changed={}", folder.join("check.rs").display());
    println!("cargo::rerun-if-changed={}", folder.join("wrong").display());
    let check = fs::read_to_string(folder.join("check.rs"))?;
    // What a file says about itself can't be inside a module.
    let check: String = check.split_inclusive('\n').filter(|it| !it.starts_with("//!")).collect();
    let mut texts = vec![("start".to_owned(), folder.join("start.rs"), "unused, clippy::all")];
    texts.push(("solution".to_owned(), folder.join("solution.rs"), "dead_code"));
    for path in sorted(&folder.join("wrong"))? {
        texts.push((format!("wrong_{}", stem(&path)), path, "unused, clippy::all"));
    }
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
