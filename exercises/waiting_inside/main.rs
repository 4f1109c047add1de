//! Runs the exercise as a server of two workers: `curl` it three times at the same time.

use std::{sync::Arc, thread, time::Duration};

use ex_waiting_inside::{Part, ThreadPool, page};

fn main() {
    let listener = exercise_kit::listen();
    let pool = Arc::new(ThreadPool::new(2));
    for stream in listener.incoming().flatten() {
        let inner = Arc::clone(&pool);
        pool.execute(move || {
            exercise_kit::target(&stream);
            // Long enough for a second visitor from another terminal.
            thread::sleep(Duration::from_secs(3));
            let parts: [Part; 3] = [|| "head\n".into(), || "body\n".into(), || "foot\n".into()];
            let page = page(&inner, &parts);
            exercise_kit::answer_now(&stream, &page);
        });
    }
}
