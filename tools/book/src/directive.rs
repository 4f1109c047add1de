//! Declares the directives that we fill in, each once: parser, usage and help are made of that declaration.

use anyhow::{Context, Result, bail};

use crate::{
    arguments::{Argument, Arguments, Parameter},
    scan::Found,
};

/// The form of a directive.
struct Form {
    name: &'static str,
    parameters: &'static [Parameter],
    /// The text that it becomes, in words.
    help: &'static str,
    place: Place,
    read: fn(&mut Arguments) -> Result<Directive>,
}

/// The place of a directive in a page.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Alone on its line.
    Block,
    /// Within a sentence.
    Inline,
}

macro_rules! place {
    (block) => {
        Place::Block
    };
    (inline) => {
        Place::Inline
    };
}

/// Makes the enum and its forms of declarations: `block` or `inline`, then `Variant = name(parameter: type);`, below the
/// text that it becomes.
macro_rules! directives {
    ($($(#[doc = $help:literal])+ $place:ident $variant:ident = $name:ident($($parameter:ident: $type:ty),*);)*) => {
        /// A directive with its arguments.
        #[derive(Clone, Debug, PartialEq)]
        pub(crate) enum Directive {
            $($(#[doc = $help])+ $variant { $($parameter: $type),* },)*
        }

        const FORMS: &[Form] = &[$(Form {
            name: stringify!($name),
            parameters: &[$(Parameter { name: stringify!($parameter), words: <$type as Argument>::WORDS }),*],
            help: concat!($($help),+),
            place: place!($place),
            read: |_left| Ok(Directive::$variant { $($parameter: _left.take()?),* }),
        }),*];
    };
}

directives! {
    /// the difference of two files, paths from the repository's root
    block Diff = diff(old: String, new: String);
    /// a table of variants of an experiment: the metric, and what the law predicts
    block Compare = compare(name: String, variants: Vec<String>);
    /// the table of the machine; in a sentence, with `line`, half a sentence on the machines of these experiments, or of all
    block Machine = machine(field: Option<String>, names: Vec<String>);
    /// how the repository is had: by git from the address in book.toml, or in words as long as there is none
    block Clone = clone();
    /// the chart of an experiment, which `cargo xtask charts` has drawn, under what was found
    block Chart = chart(name: String);
    /// what the generator printed in the first round
    block EvidenceRaw = evidence_raw(name: String, variant: String);
    /// a question to the reader, with the list and the `<details>` below it; the answer is its place in the list or, where
    /// there is none, a number, how far an estimate may be off, such as `5%`, and the number's unit
    block Predict = predict(name: String, answer: String, tolerance: Option<String>, unit: Option<String>);
    /// what was recorded of a rung: the picture, which can be played, and tables
    block Replay = replay(rung: String);
    /// servers beside each other on one clock, from their recordings, and a table; first the link of the button that leads on
    block Race = race(next: String, rungs: Vec<String>);
    /// how many clients wait: the crowds of an experiment, with the link that leads on; at the smallest number the race of these
    /// servers, from their recordings
    block Crowd = crowd(name: String, next: String, rungs: Vec<String>);
    /// a recording of `measurements/openings` under its title: a lane for each client
    block Opening = opening(name: String);
    /// two recordings of `measurements/openings` that have the same clients, before a change and after it, with a switch
    block BeforeAfter = before_after(before: String, after: String);
    /// how many lines of code these files have, paths from the repository's root: without empty ones and comments
    inline Lines = lines(paths: Vec<String>);
    /// a recording of `measurements/programs` under its title: a row for each job, each thread and each CPU
    block Jobs = jobs(name: String);
    /// a level of "You are the scheduler" from `book/schedule`; without a script, its losing schedule
    block Schedule = schedule(level: String);
    /// the exercises of a chapter, such as `ch03`, with everything folded; without one, the table of all exercises;
    /// in a sentence, how many there are (`count`), how many of them `diagnose`, or their `minutes`
    block Exercises = exercises(what: Option<String>);
    /// a lesson of `book/lessons.toml`: what is shown, typed, asked and done in it, and when
    block Lesson = lesson(name: String);
    /// the list of the short way with its minutes, from `book/way.toml`; in a sentence, a number of it, such as `words`:
    /// a wrong name is answered with all of them
    block Way = way(what: Option<String>);
    /// the median over an experiment's rounds, of its metric where no other figure is named
    inline Median = median(name: String, variant: String, figure: Option<String>, decimals: usize);
    /// the least and the greatest: `810 to 836`
    inline Spread = spread(name: String, variant: String, figure: Option<String>, decimals: usize);
    /// how many times as much one variant has as another, which is the baseline where no other is named: the median of
    /// the ratios of the rounds, by the metric where no other figure is named
    inline Times = times(name: String, of: String, to: Option<String>, figure: Option<String>, decimals: usize);
    /// the least and the greatest of these ratios: `1.9 to 2.3`
    inline Range = range(name: String, of: String, to: Option<String>, figure: Option<String>, decimals: usize);
    /// what was expected of an experiment before it was measured
    inline Expected = expected(name: String);
    /// the law with its outcome
    inline LawOf = law_of(name: String, variant: String);
    /// a server of `examples/servers.toml` by its sign and its short name
    inline Server = server(name: String);
    /// a number of a recording, such as `threads`; a wrong name is answered with all of them
    inline Recorded = recorded(rung: String, what: String);
}

impl Directive {
    /// Reads a directive that was found.
    pub(crate) fn of(found: &Found) -> Result<Directive> {
        let words = shlex::split(found.rest).context("a quote is not closed")?;
        let form = FORMS.iter().find(|form| form.name == found.name).with_context(|| {
            let name = found.name;
            format!("there is no directive `{name}`; `cargo xtask preprocess --help` lists them")
        })?;
        let Some(mut arguments) = Arguments::of(&words, form.parameters) else {
            let hint = match form.parameters.iter().any(|it| ["variant", "of"].contains(&it.name)) {
                true => "; a name with spaces stands in double quotes",
                false => "",
            };
            bail!("this directive is written {}{hint}", form.usage());
        };
        (form.read)(&mut arguments)
    }
}

impl Form {
    fn usage(&self) -> String {
        let parameters: String =
            self.parameters.iter().map(|parameter| format!(" {}", parameter.usage())).collect();
        format!("{{{{#{}{parameters}}}}}", self.name)
    }
}

/// Lists the directives of this place with their parameters and the text that they become.
fn list(place: Place) -> String {
    let mut list = String::new();
    for form in FORMS.iter().filter(|form| form.place == place) {
        list += &format!("  {}\n      {}\n", form.usage(), form.help.trim());
    }
    list
}

/// Lists all directives with their parameters and the text that they become.
pub(crate) fn help() -> String {
    format!(
        "Directives that stand alone on their line, with an empty line before and after, and become a block:\n{}\n\
         Directives within a sentence:\n{}\n\
         A name that holds spaces stands in double quotes: {{{{#median pool-law \"pool of 4\" 0}}}}.\n\
         Whatever is missing, unknown or malformed fails the build. Behind a backslash a directive stays as it is.",
        list(Place::Block),
        list(Place::Inline)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::directives;

    fn read(text: &str) -> Result<Directive> {
        Directive::of(&directives(text).next().expect("it is one"))
    }

    fn median(figure: Option<&str>, decimals: usize) -> Directive {
        Directive::Median {
            name: "pool-law".to_owned(),
            variant: "pool of 1".to_owned(),
            figure: figure.map(str::to_owned),
            decimals,
        }
    }

    #[test]
    fn words_go_first_to_what_must_be_there() {
        for (text, directive) in [
            ("{{#median pool-law \"pool of 1\" 0}}", median(None, 0)),
            ("{{ # median pool-law  \"pool of 1\" cpu 9 }}", median(Some("cpu"), 9)),
            ("{{#machine}}", Directive::Machine { field: None, names: Vec::new() }),
            (
                "{{#compare a b c}}",
                Directive::Compare {
                    name: "a".to_owned(),
                    variants: vec!["b".to_owned(), "c".to_owned()],
                },
            ),
        ] {
            assert_eq!(read(text).unwrap(), directive, "{text}");
        }
    }

    #[test]
    fn what_is_malformed_is_an_error_that_says_what_is_right() {
        for (text, complaint) in [
            ("{{#reslts ch06_tokio}}", "there is no directive `reslts`; `cargo xtask preprocess"),
            ("{{#}}", "there is no directive ``"),
            ("{{#law_of wrk-sleep}}", "this directive is written {{#law_of NAME VARIANT}}"),
            ("{{#replay}}", "this directive is written {{#replay RUNG}}"),
            ("{{#compare}}", "this directive is written {{#compare NAME [VARIANTS...]}}"),
            ("{{#median a b x}}", "the number of decimals is a digit from 0 to 9, not `x`"),
            ("{{#range a}}", "NAME OF [TO] [FIGURE] DECIMALS}}; a name with spaces stands in"),
            ("{{#median a pool of 4 0}}", "{{#median NAME VARIANT [FIGURE] DECIMALS}}; a name"),
            ("{{#median a \"pool of 4 0}}", "a quote is not closed"),
        ] {
            let error = format!("{:#}", read(text).unwrap_err());
            assert!(error.contains(complaint), "{text}: {error}");
        }
    }

    #[test]
    fn the_help_shows_every_form() {
        let help = help();
        assert!(
            help.contains("\n  {{#diff OLD NEW}}\n      the difference of two files"),
            "{help}"
        );
        assert_eq!(help.matches("\n  {{#").count(), FORMS.len());
    }
}
