//! Fills in a generator's command line: the server's address, and the rate.

use records::description::{RATE, Setup, URL};

/// Makes the generator's command line for the server at this address, at this rate where the description leaves that open.
pub fn command_line(setup: &Setup, url: &str, rate: Option<f64>) -> Vec<String> {
    let rate = rate.map_or(RATE.to_owned(), |rate| format!("{rate:.1}"));
    let words = setup.generator.iter().flatten();
    words.map(|word| word.replace(URL, url).replace(RATE, &rate)).collect()
}

/// Removes the rate: without it `load` is a closed loop, and sends as fast as it is answered.
pub fn without_rate(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    for option in ["--rate", "--arrivals", "--seed"] {
        if let Some(at) = words.iter().position(|word| word == option) {
            words.drain(at..words.len().min(at + 2));
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_becomes_a_rate_and_a_closed_loop_has_none() {
        let generator = "load --arrivals poisson --seed 7 --rate {rate} --duration 3 {url}/work";
        let generator = Some(generator.split(' ').map(str::to_owned).collect());
        let setup = Setup { generator, ..Setup::default() };
        let at = command_line(&setup, "http://h:1", Some(1234.56));
        let line = "load --arrivals poisson --seed 7 --rate 1234.6 --duration 3 http://h:1/work";
        assert_eq!(at.join(" "), line);
        assert_eq!(without_rate(&at).join(" "), "load --duration 3 http://h:1/work");
        let open = command_line(&setup, "http://h:1", None);
        assert!(open.contains(&RATE.to_owned()));
        assert_eq!(without_rate(&open), without_rate(&at));
    }
}
