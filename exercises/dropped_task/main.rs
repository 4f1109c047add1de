//! Runs the exercise as a server for curl.

use std::io;

fn main() -> io::Result<()> {
    let listener = exercise_kit::listen()?;
    ex_dropped_task::serve(listener);
    Ok(())
}
