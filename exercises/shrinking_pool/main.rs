//! Runs the exercise as a server of four workers, whose page `/share/12/3` shares 12 among 3.

use std::net::TcpListener;

fn main() {
    let listener = exercise_kit::listen();
    serve(&listener);
}

fn serve(listener: &TcpListener) {
    let pool = ex_shrinking_pool::ThreadPool::new(4);
    for stream in listener.incoming().flatten() {
        pool.execute(move || {
            let body = page(&exercise_kit::target(&stream));
            exercise_kit::answer_now(&stream, &body);
        });
    }
}

fn page(target: &str) -> String {
    let mut words = target.split('/').skip(1);
    let mut number = || words.next().and_then(|word| word.parse::<u64>().ok());
    match (target.starts_with("/share/"), number(), number(), number()) {
        (true, _, Some(all), Some(among)) => format!("{} for each\n", all / among),
        _ => "still here\n".to_owned(),
    }
}
