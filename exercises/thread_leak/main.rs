//! Runs the exercise as a server whose threads you can count.

fn main() {
    let listener = exercise_kit::listen();
    ex_thread_leak::serve(listener, &Default::default());
}
