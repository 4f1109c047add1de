//! Each check of an exercise, with each text of that exercise: `answer_404::solution::check::the_page_is_found`.
//!
//! Most of them fail, as they should; `cargo test --test exercises` lists those that may. The modules are written by
//! build.rs.

include!(concat!(env!("OUT_DIR"), "/texts.rs"));

fn main() -> std::process::ExitCode {
    exercise_kit::main(&CHECKS.concat())
}
