//! The runtime by hand is no crate, behind whose name another could stand. So the server on it is compiled from a copy
//! of its files, in which each task reports what it does.

use std::{env, fs, io, path::Path};

/// The expression with which the runtime spawns, and the one in the copy.
const SPAWN: (&str, &str) = (
    "Task::spawn(work, &runtime().queue)",
    "Task::spawn(observed_trace::task(work), &runtime().queue)",
);

fn main() -> io::Result<()> {
    let from = Path::new("../../../examples/own_runtime");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed={}", from.display());
    let to = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let spawns = copy(from, &Path::new(&to).join("own_runtime"))?;
    assert_eq!(spawns, 1, "the runtime spawns in one place: {}", SPAWN.0);
    Ok(())
}

/// Copies the sources of a folder, and counts the places in which they spawn.
fn copy(from: &Path, to: &Path) -> io::Result<usize> {
    fs::create_dir_all(to)?;
    let mut spawns = 0;
    for entry in fs::read_dir(from)? {
        let (path, name) = entry.map(|entry| (entry.path(), entry.file_name()))?;
        if path.is_dir() {
            spawns += copy(&path, &to.join(name))?;
        } else if path.extension().is_some_and(|it| it == "rs") {
            let source = fs::read_to_string(&path)?;
            spawns += source.matches(SPAWN.0).count();
            // `include!` takes no inner doc comment.
            let source = source.replace(SPAWN.0, SPAWN.1).replace("//!", "//");
            fs::write(to.join(name), source)?;
        }
    }
    Ok(spawns)
}
