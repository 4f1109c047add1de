//! Each check of an exercise, with that exercise's solution: `answer_404::solution::check::the_page_is_found`. The modules
//! are written by build.rs.

include!(concat!(env!("OUT_DIR"), "/solutions.rs"));

fn main() -> std::process::ExitCode {
    exercise_kit::main(&CHECKS.concat())
}
