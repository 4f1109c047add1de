//! Runs the exercise as a server that takes requests in pieces.

use std::io;

fn main() -> io::Result<()> {
    let listener = exercise_kit::listen()?;
    ex_lost_in_select::serve(listener);
    Ok(())
}
