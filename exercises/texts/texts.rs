//! Each check of an exercise, with each text of that exercise that it must refuse:
//! `answer_404::start::check::the_page_is_found`. The modules are written by build.rs.

include!(concat!(env!("OUT_DIR"), "/texts.rs"));

fn main() -> std::process::ExitCode {
    exercise_kit::main(&CHECKS.concat())
}
