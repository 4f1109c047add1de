//! Runs the exercise as a server whose threads you can count.

use std::io;

fn main() -> io::Result<()> {
    let listener = exercise_kit::listen()?;
    ex_thread_leak::serve(listener, &Default::default());
    Ok(())
}
