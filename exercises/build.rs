//! Decides which text of an exercise is compiled: the learner's own, the starting state, or the solution.

use std::{env, path::Path, process};

fn main() {
    let package = env::var("CARGO_PKG_NAME").expect("cargo sets it");
    let name = package.strip_prefix("ex_").expect("the packages of the exercises begin with ex_");
    let mine = Path::new("../mine").join(name).with_extension("rs");

    println!("cargo::rustc-check-cfg=cfg(exercise, values(\"start\", \"mine\", \"solution\"))");
    println!("cargo::rerun-if-env-changed=LADDER_EXERCISE");
    // The folder and not the file: a file that is not there yet would count as changed every time.
    println!("cargo::rerun-if-changed=../mine");
    println!("cargo::rerun-if-changed=../build.rs");

    let text = match env::var("LADDER_EXERCISE").as_deref() {
        Ok(text @ ("start" | "mine" | "solution")) => text.to_owned(),
        Ok(other) => {
            eprintln!("LADDER_EXERCISE is start, mine or solution, and not {other:?}");
            process::exit(1);
        }
        Err(_) if mine.is_file() => "mine".to_owned(),
        Err(_) => {
            println!(
                "cargo::warning=this is the starting state; `cargo xtask learn start {name}` makes your own copy"
            );
            "start".to_owned()
        }
    };
    println!("cargo::rustc-cfg=exercise=\"{text}\"");
}
