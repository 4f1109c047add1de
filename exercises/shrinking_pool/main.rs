//! Runs the exercise as a server of four workers, whose page `/panic` panics.

use std::{io, net::TcpListener};

fn main() -> io::Result<()> {
    let listener = exercise_kit::listen()?;
    serve(&listener);
    Ok(())
}

fn serve(listener: &TcpListener) {
    let pool = ex_shrinking_pool::ThreadPool::new(4);
    for stream in listener.incoming().flatten() {
        pool.execute(move || {
            let target = exercise_kit::target(&stream);
            assert_ne!(target, "/panic", "the page that panics");
            exercise_kit::answer_now(&stream, "still here\n");
        });
    }
}
