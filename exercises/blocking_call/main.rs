//! Runs the exercise on one thread, before a database that is slow: a question takes three seconds.

use std::io;

fn main() -> io::Result<()> {
    let listener = exercise_kit::listen();
    ex_blocking_call::serve(listener, exercise_kit::slow_database()?);
    Ok(())
}
