//! `cargo xtask doctor`: says what this machine has and lacks for the book, the workshop and the measurements.
//!
//! It must not know what is done with what it finds.

mod doctor;
mod finding;
mod machine;
mod programs;
mod system;

use std::process::ExitCode;

use base::find_root;

fn main() -> ExitCode {
    base::end_with(find_root().map(|root| doctor::doctor(&root)))
}
