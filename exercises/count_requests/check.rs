//! Many clients ask at once; together they must have every number once.

use std::thread;

use ex_count_requests::serve;
use exercise_kit::{Server, check};

const THREADS: usize = 8;
const EACH: usize = 25;

#[test]
fn every_number_is_given_once() {
    let server = Server::start(serve);
    let asking: Vec<_> = (0..THREADS)
        .map(|_| {
            let server = server.clone();
            thread::spawn(move || {
                let ask = |_| {
                    let mut client = server.connect();
                    client.get("/");
                    client.response("an answer with a number").body.trim().parse::<usize>()
                };
                (0..EACH).map(ask).collect::<Vec<_>>()
            })
        })
        .collect();
    let mut numbers = Vec::new();
    for asked in asking {
        for number in asked.join().expect("the clients of a check do not panic") {
            numbers.push(number.expect("a number in the answer"));
        }
    }
    numbers.sort_unstable();
    let expected: Vec<usize> = (1..=THREADS * EACH).collect();
    let twice = numbers.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0]);
    let missing = expected.iter().find(|number| !numbers.contains(number));
    check(
        numbers == expected,
        format_args!("given twice: {twice:?}; missing: {missing:?}"),
        format_args!("the numbers from 1 to {}, each once", THREADS * EACH),
    );
}
