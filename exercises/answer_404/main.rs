//! Runs the exercise as a server for curl.

fn main() {
    let listener = exercise_kit::listen();
    ex_answer_404::serve(listener);
}
