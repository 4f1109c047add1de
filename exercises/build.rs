//! Decides which text of an exercise is compiled: the learner's own, or as long as there is none the starting state.

use std::{env, path::Path};

fn main() {
    let package = env::var("CARGO_PKG_NAME").expect("cargo sets it");
    let name = package.strip_prefix("ex_").expect("the packages of the exercises begin with ex_");
    let mine = Path::new("../mine").join(name).with_extension("rs");

    println!("cargo::rustc-check-cfg=cfg(exercise, values(\"start\", \"mine\"))");
    if mine.is_file() {
        // The file and not its folder, which changes with every exercise that is begun.
        println!("cargo::rerun-if-changed={}", mine.display());
        println!("cargo::rustc-cfg=exercise=\"mine\"");
    } else {
        // The folder: a file that is not there would count as changed every time.
        println!("cargo::rerun-if-changed=../mine");
        println!("cargo::rustc-cfg=exercise=\"start\"");
        println!(
            "cargo::warning=this is the starting state; `cargo xtask learn start {name}` makes your own copy"
        );
    }
}
