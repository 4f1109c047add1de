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
    match find_root() {
        Ok(root) if doctor::doctor(&root) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => base::end_with(Err(error)),
    }
}
