//! Where and how an experiment was measured: the machine, the command lines, and what the generators printed.

use std::{collections::BTreeSet, fmt::Write};

use anyhow::{Context, Result};
use records::{
    base::{fenced, significant},
    description::{Experiment, Pin, Profile, Setup, Sink, URL, Variant},
    measured::Set,
    store::{self, Record, RoundRun},
    summary::Summary,
    verdict::SATURATED_PERCENT,
};

use crate::build::unsearched::AS_PRINTED;
use crate::report::{
    charts::in_table,
    disturbed::{Marks, explained},
    evidence::figures::Figures,
    origin::in_caption,
    sets::{Evidence, Sets},
    text::{code, command_line, day, escape, fold, listed, plain, plural},
};

/// Where a record comes from, in Markdown: the machine and its kernel, when, and how often.
pub fn origin(record: &Record) -> String {
    let sketch = if record.quick { ", shortened with `--quick`" } else { "" };
    let set = set_by_hand(record).map(|set| format!(", with {}", code(&set)));
    let set = set.unwrap_or_default();
    let rounds = plural(record.experiment.rounds as u64, "round");
    let machine = plain(&in_caption(&record.machine));
    let lost =
        if record.commit.is_lost { ", built from a commit that the repository lacks" } else { "" };
    format!("{machine}, {}, {rounds}{sketch}{set}{lost}", day(&record.started))
}

/// What was set by hand that changes how programs are compiled or run, if anything was.
fn set_by_hand(record: &Record) -> Option<String> {
    record.build.as_ref()?.set_by_hand()
}

/// What the signs at the figures of a chart mean, if it has any, in HTML.
pub fn signs(sets: Sets) -> String {
    let signs: String =
        sets.all().flat_map(|set| &set.summary.lines).map(|it| Marks::of(it).signs()).collect();
    explained(&signs).join(" ")
}

/// How an experiment was measured, in one line of HTML, with the command that repeats it.
pub fn origin_line(sets: Sets, name: &str) -> String {
    let rounds = |set: Set| {
        let rounds = plural(set.summary.whole_rounds as u64, "round");
        if set.summary.is_exact() { format!("exact, the same in {rounds}") } else { rounds }
    };
    let when = |Set { record, .. }: Set| {
        let sketch = if record.quick { ", a sketch" } else { "" };
        let machine = escape(&in_caption(&record.machine));
        let set = set_by_hand(record).map(|set| format!(", with {}", escape(&set)));
        format!("{machine}, {}{sketch}{}.", day(&record.started), set.unwrap_or_default())
    };
    let bound = bound(sets.ours.record);
    let mut line = format!("{}, {bound}, {}", rounds(sets.ours), when(sets.ours));
    line.extend(sets.yours.map(|yours| format!(" Yours: {}, {}", rounds(yours), when(yours))));
    line + &format!(
        " <a href=\"measuring.html#how-to-read-a-verdict\">How to read this</a>. \
         Repeat it: <code>cargo xtask bench --only {}</code>",
        escape(name)
    )
}

/// To which CPUs server and generator, or the program, were bound.
fn bound(record: &Record) -> String {
    let experiment = &record.experiment;
    let pins = experiment.variants.iter().map(|variant| variant.pin.unwrap_or(experiment.pin));
    let pins: BTreeSet<Pin> = pins.collect();
    let words = pins.into_iter().map(|pin| match pin {
        Pin::None if !experiment.is_of_programs() => "server and generator bound to no CPU",
        pin => pin_words(pin),
    });
    words.collect::<Vec<_>>().join(", or ")
}

/// Where and how an experiment was measured, with every command line.
pub fn repeat(Set { record, summary }: Set) -> String {
    let experiment = &record.experiment;
    let programs = experiment.is_of_programs();
    let mut text = format!(
        "Measured on {}, {}; the order within each round was random (seed {}). {}\n",
        origin(record),
        bound(record),
        record.seed,
        noise(summary, experiment)
    );
    let (generators, servers): (Vec<_>, Vec<_>) =
        experiment.variants.iter().map(|variant| commands(record, variant)).unzip();
    let (generator, server) = (shared(&generators), shared(&servers));
    if let Some(generator) = generator {
        let _ = writeln!(text, "Generator: {generator}.");
    }
    if let Some(server) = server {
        let what = if programs { "Program" } else { "Server" };
        let _ = writeln!(text, "{what}: {server}.");
    }
    if (generator.is_none() && !programs) || server.is_none() {
        let line = |(index, variant): (usize, &Variant)| {
            let parts = [
                servers[index].as_deref().filter(|_| server.is_none()),
                generators[index].as_deref().filter(|_| generator.is_none()),
            ];
            let parts: Vec<&str> = parts.into_iter().flatten().collect();
            format!("- *{}*: {}", plain(&variant.name), parts.join("; under "))
        };
        let lines: Vec<String> = experiment.variants.iter().enumerate().map(line).collect();
        text += &format!("\n{}", fold("The command lines", &lines.join("\n")));
    }
    text.trim_end().to_owned()
}

/// How many runs the machine disturbed, how many do not count, and where the generator was the limit.
fn noise(summary: &Summary, experiment: &Experiment) -> String {
    let runs = plural(summary.counted as u64, "run");
    let noisy = match summary.noisy {
        0 => format!("The machine stalled in none of {runs}"),
        noisy => format!("The machine stalled in {noisy} of {runs}"),
    };
    let voids = match summary.voids {
        0 => "none was void".to_owned(),
        1 => "1 more was void and does not count".to_owned(),
        voids => format!("{voids} more were void and do not count"),
    };
    let beyond = |runs: &str| {
        format!(
            " {runs} not count, because the generator would have been a part of what is measured."
        )
    };
    let beyond = match summary.beyond {
        0 => String::new(),
        1 => beyond("1 more does"),
        runs => beyond(&format!("{runs} more do")),
    };
    let stolen = match summary.stolen {
        0 => String::new(),
        1 => " The host took more than 1% of the time of one run.".to_owned(),
        stolen => format!(" The host took more than 1% of the time of {stolen} runs."),
    };
    let mut text = format!("{noisy}, and {voids}.{beyond}{stolen}");
    let limited = summary.lines.iter().filter(|line| Marks::of(line).is_generators);
    let limited = limited.map(|line| format!("*{}*", in_table(experiment, &line.name)));
    let limited: Vec<String> = limited.collect();
    if !limited.is_empty() {
        let _ = write!(
            text,
            " In most rounds of {} the generator used more than {SATURATED_PERCENT}% of its CPUs, so \
             the rate is the generator's.",
            listed(&limited)
        );
    }
    text
}

/// The command lines of a variant's generator and server, as far as it has them and was run.
fn commands(record: &Record, variant: &Variant) -> (Option<String>, Option<String>) {
    let Some(run) = record.runs.iter().find(|run| run.variant == variant.name) else {
        return (None, None);
    };
    let setup = variant.own.over(&record.experiment.common);
    let pin = variant.pin.filter(|pin| *pin != record.experiment.pin);
    let has_generator = !run.generator.is_empty();
    (has_generator.then(|| generator(run, setup.plan.as_deref())), Some(server(run, &setup, pin)))
}

/// The command line that all variants have in common, if there is one.
fn shared(all: &[Option<String>]) -> Option<&str> {
    let (first, others) = all.split_first()?;
    first.as_deref().filter(|_| others.iter().all(|other| other == first))
}

/// A run's generator as a reader would type it, with the rungs' default port; before it, what writes its plan.
fn generator(run: &RoundRun, plan: Option<&str>) -> String {
    match plan {
        None => command_line(&run.generator),
        Some(plan) => {
            let plan = plan.replace(URL, "http://127.0.0.1:8080");
            code(&format!("echo '{plan}' >plan.yml; {}", run.generator.join(" ")))
        }
    }
}

/// On which CPUs something runs, in words.
fn pin_words(pin: Pin) -> &'static str {
    match pin {
        Pin::None => "bound to no CPU",
        Pin::Apart => "the server on one half of the CPUs and the generator on the other half",
        Pin::Together => "server and generator on the same CPU",
        Pin::One => "on one CPU",
    }
}

/// A run's server, or program as a reader would start it, with what is unusual about it.
fn server(run: &RoundRun, setup: &Setup, pin: Option<Pin>) -> String {
    let debug = setup.profile == Some(Profile::Debug);
    let text = match (&setup.program, run.server.split_first()) {
        (Some(_), Some((name, arguments))) => {
            let release = if debug { "" } else { "--release " };
            let arguments = arguments.iter().map(|word| format!(" {word}")).collect::<String>();
            let dashes = if arguments.is_empty() { "" } else { " --" };
            code(&format!("cargo run {release}--example {name}{dashes}{arguments}"))
        }
        _ => code(&run.server.join(" ")),
    };
    let mut notes = Vec::new();
    notes.extend(pin.map(|pin| pin_words(pin).to_owned()));
    if debug && setup.program.is_none() {
        notes.push("built without `--release`".to_owned());
    }
    for (name, value) in setup.env.iter().flatten() {
        notes.push(format!("with {}", code(&format!("{name}={value}"))));
    }
    notes.extend(setup.descriptors.map(|count| format!("at most {count} files and sockets")));
    match setup.stderr {
        Some(Sink::File) => notes.push("standard error to a file".to_owned()),
        Some(Sink::Terminal) => notes.push("standard error to a pseudo-terminal".to_owned()),
        Some(Sink::Null) | None => {}
    }
    if let Some(pause) = &setup.pause {
        let [lasts, after] = [pause.lasts, pause.after].map(significant);
        notes.push(format!("stopped for {lasts} s after {after} s"));
    }
    if notes.is_empty() { text } else { format!("{text} ({})", notes.join(", ")) }
}

/// What the generator printed in the first round of a variant.
/// Fails when there is no such variant, or its raw output is lost.
pub fn raw(evidence: Evidence, name: &str, variant: &str) -> Result<String> {
    let figures = Figures::of(evidence, name)?;
    figures.known(variant)?;
    let run = figures.set.record.counted(variant).into_values().next();
    let run = run.with_context(|| format!("no run of {name} \"{variant}\" counts"))?;
    let again = || format!("`cargo xtask bench --only {name} --fresh` writes it again");
    let text = store::read_raw(evidence.ours.folder(), name).with_context(again)?;
    let output = store::raw_of(&text, run.round, variant, run.attempt);
    let output = output.with_context(|| {
        let RoundRun { round, attempt, .. } = run;
        format!("experiments/{name}.txt has no round {round}, attempt {attempt}; {}", again())
    })?;
    Ok(fenced(AS_PRINTED, output.trim_end()))
}

#[cfg(test)]
mod tests {
    use records::testing::pool;

    use super::*;
    use crate::report::testing::{has, lacks, with};

    #[test]
    fn what_the_host_took_and_a_lost_commit_are_said() {
        let mut record = pool();
        let told = |record: &Record| repeat(Set { record, summary: &Summary::of(record) });
        lacks(&told(&record), &["The host took", "lacks"]);
        record.commit.is_lost = true;
        let taken = [("duration_seconds", 2.0), ("steal_seconds", 0.03)];
        for run in &mut record.runs[1..3] {
            run.figures.extend(taken.map(|(name, value)| (name.to_owned(), Some(value))));
        }
        let parts =
            ["a commit that the repository lacks", "took more than 1% of the time of 2 runs."];
        has(&told(&record), &parts);
    }

    #[test]
    fn raw_output_is_that_of_the_first_round_that_counts() {
        with(&pool(), None, |evidence| {
            let text = raw(evidence, "pool-law", "pool of 1").unwrap();
            assert_eq!(text, "```text,as-printed\nRequests/sec: 9.9\n```");
            assert!(raw(evidence, "pool-law", "pool").is_err());
        });
    }
}
