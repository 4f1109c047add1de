//! The command line of an experiment.

use std::{collections::BTreeMap, env, ffi::OsString, ops::RangeInclusive, process, str::FromStr};

use lexopt::prelude::*;

/// What the command line says: `--NAME VALUE` for the names that the experiment knows, and three
/// flags that all have, `--json`, `--quick` and `--help`.
#[derive(Debug)]
pub struct Options {
    program: String,
    json: bool,
    quick: bool,
    given: BTreeMap<String, String>,
}

impl Options {
    /// Reads the command line. `usage` begins with `Usage: PROGRAM`; `names` are without hyphens.
    ///
    /// Prints the usage and ends the process on `--help`; prints one line and ends it with
    /// status 2 on anything that makes no sense.
    pub fn from_args(usage: &str, names: &[&str]) -> Options {
        let program = usage.split_whitespace().nth(1).unwrap_or("experiment");
        match parse(program, names, env::args_os().skip(1)) {
            Ok(Some(options)) => options,
            Ok(None) => {
                println!("{}", usage.trim_end());
                process::exit(0)
            }
            Err(complaint) => refuse(program, &complaint.to_string()),
        }
    }

    /// Whether to measure one variant and to print it as JSON.
    pub fn json(&self) -> bool {
        self.json
    }

    /// Whether everything is to be as short as possible: a try, and no measurement.
    pub fn quick(&self) -> bool {
        self.quick
    }

    /// The number after `--NAME`, if it was given. Ends the process if it is none in `range`.
    pub fn number<T>(&self, name: &str, range: RangeInclusive<T>) -> Option<T>
    where
        T: Copy + FromStr + PartialOrd + std::fmt::Display,
    {
        let given = self.given.get(name)?;
        let number = given.parse().ok().filter(|number| range.contains(number));
        Some(number.unwrap_or_else(|| {
            let least = range.start();
            let most = range.end();
            self.refuse(&format!("--{name} takes a number from {least} to {most}, not {given:?}"))
        }))
    }

    /// The value of the choice whose name follows `--NAME`, if one was given. Ends the
    /// process if there is no such choice.
    pub fn choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> Option<T> {
        let given = self.given.get(name)?;
        let chosen = choices.iter().find(|(choice, _)| choice == given);
        let chosen = chosen.unwrap_or_else(|| {
            let known: Vec<&str> = choices.iter().map(|(choice, _)| *choice).collect();
            self.refuse(&format!("--{name} takes one of {}, not {given:?}", known.join(", ")))
        });
        Some(chosen.1)
    }

    /// Like [`Options::choice`], where one must be given: with `--json`, one variant is measured.
    pub fn required_choice<T: Copy>(&self, name: &str, choices: &[(&str, T)]) -> T {
        self.choice(name, choices).unwrap_or_else(|| {
            self.refuse(&format!("--json measures one variant, and needs --{name} to choose it"))
        })
    }

    fn refuse(&self, complaint: &str) -> ! {
        refuse(&self.program, complaint)
    }
}

fn refuse(program: &str, complaint: &str) -> ! {
    eprintln!("{program}: {complaint}; --help lists the options");
    process::exit(2)
}

/// `None` if help is wanted.
fn parse(
    program: &str,
    names: &[&str],
    args: impl IntoIterator<Item = OsString>,
) -> Result<Option<Options>, lexopt::Error> {
    let mut options =
        Options { program: program.to_owned(), json: false, quick: false, given: BTreeMap::new() };
    let mut parser = lexopt::Parser::from_args(args);
    while let Some(argument) = parser.next()? {
        match argument {
            Long("json") => options.json = true,
            Long("quick") => options.quick = true,
            Long("help") | Short('h') => return Ok(None),
            Long(name) if names.contains(&name) => {
                let name = name.to_owned();
                options.given.insert(name, parser.value()?.string()?);
            }
            other => return Err(other.unexpected()),
        }
    }
    Ok(Some(options))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(line: &str) -> Result<Option<Options>, lexopt::Error> {
        parse("it", &["count", "case"], line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn what_is_given_is_found() {
        let given = options("--json --count 3 --case=b").unwrap().expect("no help was wanted");
        assert!(given.json() && !given.quick());
        assert_eq!(given.number("count", 1..=9), Some(3));
        assert_eq!(given.number("other", 1..=9), None);
        assert_eq!(given.choice("case", &[("a", 1), ("b", 2)]), Some(2));
        assert!(options("--count 1 --help").unwrap().is_none());
    }

    #[test]
    fn what_is_unknown_is_refused() {
        for line in ["--threads 2", "x", "--count", "--json=yes", "-c3"] {
            assert!(options(line).is_err(), "{line}");
        }
    }
}
