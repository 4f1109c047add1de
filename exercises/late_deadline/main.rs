//! Runs the exercise as a server, with a limit of five seconds.

fn main() {
    let listener = exercise_kit::listen();
    ex_late_deadline::serve(listener, std::time::Duration::from_secs(5));
}
