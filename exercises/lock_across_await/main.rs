//! Runs the exercise as a server, before a database that takes three seconds for each question.

use std::io;

fn main() -> io::Result<()> {
    let listener = exercise_kit::listen();
    ex_lock_across_await::serve(listener, exercise_kit::slow_database()?);
    Ok(())
}
