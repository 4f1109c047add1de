//! A description shortened to a sketch, for `--quick`.

use std::sync::LazyLock;

use regex::{Captures, Regex};

use crate::description::{Experiment, SECONDS, Setup, Variant};

/// The rounds of a sketch.
const QUICK_ROUNDS: usize = 2;

/// About how long a run of a sketch takes at most, in seconds.
const QUICK_SECONDS: f64 = 2.0;

/// The requests of a run of a sketch, where their number is given.
const QUICK_REQUESTS: u64 = 200;

/// For how long requests are sent whose rate a law predicts and whose number is given, in seconds: long enough for
/// several waits, so that the law holds for the sketch as well.
const QUICK_LAW_SECONDS: f64 = 6.0;

/// The options with which a generator is told for how long to send requests.
fn time_options(generator: &str) -> &'static [&'static str] {
    match generator {
        "wrk" => &["-d", "--duration"],
        "ab" => &["-t"],
        "load" => &["--duration"],
        "oha" => &["-z"],
        _ => &[],
    }
}

/// For how long a generator's command line lets it send requests, in seconds. ab ends earlier, when it has sent all.
pub fn seconds_asked(words: &[String]) -> Option<f64> {
    let generator = words.first().filter(|name| *name != "ab")?;
    let written = option(words, time_options(generator))?;
    let digits = written.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let unit = match &written[digits.len()..] {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    digits.parse::<f64>().ok().map(|value| value * unit)
}

/// A generator's command line with a shorter time or fewer requests.
fn shorter(words: &[String]) -> Vec<String> {
    let generator = words.first().map(String::as_str).unwrap_or_default();
    let time = time_options(generator);
    let count: &[&str] = if matches!(generator, "ab" | "oha") { &["-n"] } else { &[] };
    // ab wants at least as many requests as connections.
    let connections = option(words, &["-c", "--connections"]).and_then(|text| text.parse().ok());
    let requests = QUICK_REQUESTS.max(connections.unwrap_or(0));
    let least =
        |old: &str| old.parse().map_or(old.to_owned(), |all: u64| all.min(requests).to_string());
    // A time without a unit is in seconds for all of them; oha alone wants the unit.
    let second = |old: &str| match old.strip_suffix('s').unwrap_or(old).parse::<f64>() {
        Ok(seconds) if seconds <= 1.0 => old.to_owned(),
        _ if old.ends_with(|letter: char| letter.is_ascii_digit()) => "1".to_owned(),
        _ => "1s".to_owned(),
    };
    let mut words = words.to_vec();
    replace_option(&mut words, time, second);
    replace_option(&mut words, count, least);
    words
}

/// What a variant has of its own in a sketch, where a law predicts its rate and ab counts its requests: as many as
/// that takes a few seconds for. ab wants at least as many as connections.
fn shortened_by_law(variant: &Variant, common: &Setup) -> Option<Setup> {
    let law = variant.law.as_ref()?;
    let mut generator = variant.own.over(common).generator.filter(|words| words[0] == "ab")?;
    let number = |name| option(&generator, &[name]).and_then(|text| text.parse::<f64>().ok());
    let (all, least) = number("-n").zip(number("-c"))?;
    let requests = (QUICK_LAW_SECONDS * law.value).round().max(least).min(all);
    replace_option(&mut generator, &["-n"], |_| requests.to_string());
    let seconds = Some(requests / law.value);
    Some(Setup { generator: Some(generator), seconds, ..variant.own.clone() })
}

/// drill's plan with fewer requests.
fn shorter_plan(plan: &str) -> String {
    static COUNT: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"iterations: *(\d+)").expect("a correct expression"));
    COUNT
        .replace(plan, |found: &Captures| {
            let count = found[1].parse().map_or(QUICK_REQUESTS, |all: u64| all.min(QUICK_REQUESTS));
            format!("iterations: {count}")
        })
        .into_owned()
}

/// The value of an option, under one of its names: `-c 4`, `-c4` or `--connections=4`.
fn option<'a>(words: &'a [String], names: &[&str]) -> Option<&'a str> {
    let (index, start) = find_option(words, names)?;
    words.get(index).map(|word| &word[start..])
}

/// The word that holds an option's value, and where in it the value starts.
fn find_option(words: &[String], names: &[&str]) -> Option<(usize, usize)> {
    words.iter().enumerate().skip(1).find_map(|(index, word)| {
        names.iter().find_map(|name| match word.strip_prefix(name)? {
            "" => Some((index + 1, 0)),
            rest if name.starts_with("--") => {
                rest.starts_with('=').then_some((index, name.len() + 1))
            }
            _ => Some((index, name.len())),
        })
    })
}

fn replace_option(words: &mut [String], names: &[&str], new: impl Fn(&str) -> String) {
    let Some((index, start)) = find_option(words, names) else { return };
    let Some(word) = words.get_mut(index) else { return };
    let value = new(&word[start..]);
    word.replace_range(start.., &value);
}

impl Experiment {
    /// The same, shortened to a sketch: two rounds, runs of a second or of 200 requests.
    ///
    /// A run during which the server is paused keeps its length: it would end before the pause. So does a program
    /// without [`SECONDS`] among its arguments.
    pub fn shortened(&self) -> Experiment {
        let shorten = |setup: &Setup| Setup {
            generator: setup.generator.as_deref().map(shorter),
            plan: setup.plan.as_deref().map(shorter_plan),
            seconds: setup.seconds.map(|seconds| seconds.min(QUICK_SECONDS)),
            ..setup.clone()
        };
        let keeps_its_length = |setup: &Setup| {
            let timed = setup.arguments.iter().flatten().any(|word| word.contains(SECONDS));
            setup.pause.is_some() || (setup.program.is_some() && !timed)
        };
        let pauses = self.setups().any(|(_, setup)| keeps_its_length(&setup));
        let mut quick = Experiment { rounds: self.rounds.min(QUICK_ROUNDS), ..self.clone() };
        if !pauses {
            quick.common = shorten(&quick.common);
            let has_rate = self.metric == "requests_per_second";
            for variant in &mut quick.variants {
                let by_law = shortened_by_law(variant, &self.common).filter(|_| has_rate);
                variant.own = by_law.unwrap_or_else(|| shorten(&variant.own));
            }
        }
        quick
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Result;

    use super::*;
    use crate::{
        descriptions::parse,
        testing::{POOL, PROGRAM, repository},
    };

    fn read(text: &str) -> Result<Experiment> {
        parse("pool-law", text, repository().path())
    }

    #[test]
    fn a_sketch_of_a_program_is_short_where_its_seconds_can_be_said() {
        let quick = read(PROGRAM).unwrap().shortened();
        assert_eq!((quick.rounds, quick.setup("8 threads").unwrap().seconds), (2, Some(2.0)));
        let fixed = PROGRAM.replacen("\"{seconds}\"", "\"4\"", 1);
        let quick = read(&fixed).unwrap().shortened();
        assert_eq!((quick.rounds, quick.setup("8 threads").unwrap().seconds), (2, Some(4.0)));
    }

    #[test]
    fn a_sketch_is_short() {
        let quick = read(POOL).unwrap().shortened();
        let setup = quick.setup("pool of 4").unwrap();
        assert_eq!((quick.rounds, setup.seconds), (2, Some(2.0)));
        assert_eq!(setup.generator.unwrap()[3], "-d1s");
        let short = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            shorter(&words).join(" ")
        };
        assert_eq!(short("wrk -t 1 -d 30s {url}/"), "wrk -t 1 -d 1s {url}/");
        assert_eq!(short("wrk --duration=2m {url}/"), "wrk --duration=1s {url}/");
        assert_eq!(short("ab -c 100 -n 10000 {url}/"), "ab -c 100 -n 200 {url}/");
        assert_eq!(short("ab -c 500 -n10000 {url}/"), "ab -c 500 -n500 {url}/");
        assert_eq!(short("load --json --duration 5 {url}/"), "load --json --duration 1 {url}/");
        assert_eq!(short("load --json --duration 0.5 {url}/"), "load --json --duration 0.5 {url}/");
        assert_eq!(short("oha -z 10s -q 100 {url}/"), "oha -z 1s -q 100 {url}/");
        let plan = "{concurrency: 50, iterations: 2000, plan: [{request: {url: '{url}/'}}]}";
        assert_eq!(shorter_plan(plan), plan.replace("2000", "200"));
        assert_eq!(shorter_plan("iterations: 20"), "iterations: 20");
        // A law holds for a sketch as well, which so has more requests.
        let wrk = r#"["wrk", "-t1", "-c64", "-d4s", "{url}/sleep"]"#;
        let ab = r#"["ab", "-c", "20", "-n", "9000", "{url}/sleep"]"#;
        let quick = read(&POOL.replace(wrk, ab)).unwrap().shortened();
        let setup = quick.setup("pool of 1").unwrap();
        assert_eq!((&setup.generator.unwrap()[4], setup.seconds), (&"60".to_owned(), Some(6.0)));
        assert_eq!(quick.setup("pool of 4").unwrap().generator.unwrap()[4], "200");
        let paused = POOL.replace("seconds = 4", "seconds = 4\npause = { after = 1, lasts = 1 }");
        let setup = read(&paused).unwrap().shortened().setup("pool of 1").unwrap();
        assert_eq!(setup.generator.unwrap()[3], "-d4s");
    }
}
