//! Runs the exercise as a server that takes requests in pieces.

fn main() {
    let listener = exercise_kit::listen();
    ex_lost_in_select::serve(listener);
}
