//! Decides which text of an exercise is compiled: the learner's own, or as long as there is none the starting state.
//!
//! What was compiled is written into the program as a fingerprint of the texts. Cargo compares the times of files, and
//! a file that was moved or copied may keep an older time; so the check compares the texts before it begins.

#[path = "kit/fingerprint.rs"]
mod fingerprint;

use std::{env, io};

fn main() -> io::Result<()> {
    let package = env::var("CARGO_PKG_NAME").expect("cargo sets it");
    let mine = fingerprint::mine(&package);

    println!("cargo::rustc-check-cfg=cfg(exercise, values(\"start\", \"mine\"))");
    println!("cargo::rustc-env=EXERCISE_FINGERPRINT={}", fingerprint::fingerprint(&package)?);
    println!("cargo::rerun-if-changed=check.rs");
    if mine.is_file() {
        // The file and not its folder, which changes with every exercise that is begun.
        println!("cargo::rerun-if-changed={}", mine.display());
        println!("cargo::rustc-cfg=exercise=\"mine\"");
    } else {
        // The folder: a file that is not there would count as changed every time.
        println!("cargo::rerun-if-changed=../mine");
        println!("cargo::rerun-if-changed=start.rs");
        println!("cargo::rustc-cfg=exercise=\"start\"");
        let name = package.trim_start_matches("ex_");
        println!(
            "cargo::warning=this is the starting state; `cargo xtask learn start {name}` makes your own copy"
        );
    }
    Ok(())
}
