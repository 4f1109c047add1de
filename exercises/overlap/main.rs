//! Runs the exercise as a server whose every answer takes three seconds.

fn main() {
    let listener = exercise_kit::listen();
    ex_overlap::serve(listener, exercise_kit::sleepy);
}
