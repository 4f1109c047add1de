//! Runs the exercise as a server whose every answer takes three seconds.

use std::io;

fn main() -> io::Result<()> {
    let listener = exercise_kit::listen()?;
    ex_overlap::serve(listener, exercise_kit::sleepy);
    Ok(())
}
