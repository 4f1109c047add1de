//! A generator's words: for which server, at which rate, and without one.

use records::description::{RATE, Setup, URL};

/// The generator's command line for the server at this address, at this rate where the description leaves that open.
pub fn words(setup: &Setup, url: &str, rate: Option<f64>) -> Vec<String> {
    let rate = rate.map_or(RATE.to_owned(), |rate| format!("{rate:.1}"));
    let words = setup.generator.iter().flatten();
    words.map(|word| word.replace(URL, url).replace(RATE, &rate)).collect()
}

/// The same without the rate: a closed loop, in which `load` asks as fast as it is answered.
pub fn without_rate(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    if let Some(at) = words.iter().position(|word| word == "--rate") {
        words.drain(at..words.len().min(at + 2));
    }
    words
}
