//! Runs the exercise as a server of two workers: `curl` it three times at once.

use std::{io, sync::Arc};

fn main() -> io::Result<()> {
    let listener = exercise_kit::listen()?;
    let pool = Arc::new(ex_waiting_inside::ThreadPool::new(2));
    for stream in listener.incoming().flatten() {
        let inner = Arc::clone(&pool);
        pool.execute(move || {
            exercise_kit::target(&stream);
            let page = ex_waiting_inside::page(&inner, &["head\n", "body\n", "foot\n"]);
            exercise_kit::answer_now(&stream, &page);
        });
    }
    Ok(())
}
