//! Runs the exercise as a server that gives a client five seconds.

fn main() {
    let listener = exercise_kit::listen();
    ex_silent_client::serve(listener, std::time::Duration::from_secs(5));
}
