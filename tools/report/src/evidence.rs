//! What a page shows of the stored experiments: charts, tables, and figures in sentences.
//!
//! Figures in sentences are always the book's. In charts and tables the reader's own may stand beside them.

use std::{collections::BTreeSet, fmt::Write};

use anyhow::{Context, Result, bail};
use base::{fenced, number, significant};
use records::{
    description::{CONTROL, MARGIN, Pin, Profile, Sink, URL, Variant},
    sessions::{Records, Set},
    store::{self, Record, RoundRun, machine_name},
    summary::{Interval, LEAST_ROUNDS, Line, SATURATED_PERCENT, Spread, Summary, Verdict, judge},
};

use crate::{
    charts::{self, NOISY, escape},
    compare::{self, Difference, Total},
    tables::{self, Column, code, day, plural},
};

/// The book's records and, where they are shown too, the reader's.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The book's.
    pub ours: &'a Records,
    /// The reader's.
    pub yours: Option<&'a Records>,
}

impl<'a> Evidence<'a> {
    fn sets(self, name: &str) -> Result<(Set<'a>, Option<Set<'a>>)> {
        let ours = self.ours.record(name)?;
        let yours = self.yours.and_then(|yours| yours.get(name));
        // Measured by another description, it is another experiment.
        Ok((ours, yours.filter(|yours| yours.record.experiment == ours.record.experiment)))
    }
}

// ---------------------------------------------------------------------------------------------
// Words

/// The unit of a figure, which is a part of its name; empty for a count.
pub fn unit(figure: &str) -> String {
    split(figure).1
}

/// A figure's name without its unit, and the unit.
fn split(figure: &str) -> (&str, String) {
    const UNITS: [(&str, &str); 10] = [
        ("requests_per_second", "requests/s"),
        ("bytes_per_second", "bytes/s"),
        ("_ns", "ns"),
        ("_us", "µs"),
        ("_ms", "ms"),
        ("_seconds", "s"),
        ("_kib", "KiB"),
        ("_mib", "MiB"),
        ("_bytes", "bytes"),
        ("_percent", "%"),
    ];
    let found = UNITS.iter().find_map(|(end, unit)| Some((figure.strip_suffix(end)?, *unit)));
    if let Some((name, unit)) = found {
        return (name, unit.to_owned());
    }
    match figure.split_once("_per_") {
        None => (figure, String::new()),
        Some((name, one)) => {
            let (name, unit) = split(name);
            let one = one.replace('_', " ");
            (name, format!("{unit} per {one}").trim_start().to_owned())
        }
    }
}

/// A figure's name as people say it, with its unit: `latency, 99 % below, ms`.
pub fn words(figure: &str) -> String {
    if figure == "requests_per_second" {
        return "requests per second".to_owned();
    }
    let (name, unit) = split(figure);
    let mut text = String::new();
    for word in name.split('_').filter(|word| !word.is_empty()) {
        let digits = word.strip_prefix('p').filter(|digits| digits.parse::<u32>().is_ok());
        match (word, digits) {
            (_, Some("50")) => text += ", median",
            (_, Some("100")) => text += ", highest",
            (_, Some(digits)) => {
                // p999 is 99.9 %.
                let (whole, fraction) = digits.split_at(digits.len().min(2));
                let point = if fraction.is_empty() { "" } else { "." };
                let _ = write!(text, ", {whole}{point}{fraction} % below");
            }
            ("mean", None) => text += ", mean",
            ("max", None) => text += ", highest",
            ("cpu", None) => text += " CPU time",
            ("non", None) => text += " answers that are not",
            (word, None) => {
                text.push(' ');
                text += word;
            }
        }
    }
    let text = text.trim_start_matches([',', ' ']);
    match unit.as_str() {
        "" => text.to_owned(),
        unit if unit.starts_with("per ") => format!("{text} {unit}"),
        unit => format!("{text}, {unit}"),
    }
}

/// A name in Markdown, where its characters mean nothing else.
fn plain(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for letter in text.chars() {
        if "\\`*_{}[]<>|#$~&".contains(letter) {
            safe.push('\\');
        }
        safe.push(letter);
    }
    safe
}

/// How noisy the runs were, and how many do not count.
fn noise(summary: &Summary) -> String {
    let runs = plural(summary.counted as u64, "run");
    let noisy = match summary.noisy {
        0 => format!("None of {runs} was noisy"),
        1 => format!("1 of {runs} was noisy"),
        noisy => format!("{noisy} of {runs} were noisy"),
    };
    let voids = match summary.voids {
        0 => "none was void".to_owned(),
        1 => "1 more was void and does not count".to_owned(),
        voids => format!("{voids} more were void and do not count"),
    };
    format!("{noisy}, and {voids}.")
}

/// Where a record comes from, in Markdown: the machine and its kernel, when, and how often.
fn origin(record: &Record) -> String {
    let sketch = if record.quick { ", shortened with `--quick`" } else { "" };
    let rounds = plural(record.experiment.rounds as u64, "round");
    let kernel = record.machine.kernel.as_deref().map(|kernel| format!(", {}", plain(kernel)));
    let machine = plain(&machine_name(record)) + &kernel.unwrap_or_default();
    format!("{machine}, {}, {rounds}{sketch}", day(&record.started))
}

// ---------------------------------------------------------------------------------------------
// Blocks

/// An experiment as a page shows it: question, chart, verdict, folded table, command lines.
///
/// # Errors
/// When it was not measured, or its chart can't be drawn.
pub fn experiment(evidence: Evidence, id: &str, name: &str) -> Result<String> {
    let (ours, _) = evidence.sets(name)?;
    Ok(format!(
        "**The question:** {}\n\n{}\n\n{}\n\n<details>\n<summary>The figures of “{}”</summary>\n\n{}\n\n</details>\n\n{}",
        ours.record.experiment.question,
        chart(evidence, id, name)?,
        verdicts(ours),
        escape(&ours.record.experiment.title),
        table(evidence, name)?,
        repeat(evidence, name)?
    ))
}

/// What another session of the same experiments found: how many conclusions are the same, and a row for each other one.
///
/// # Errors
/// When the two have no experiment in common.
pub fn sessions(evidence: Evidence, second: &Records) -> Result<String> {
    if second.is_empty() {
        return Ok("These results hold no second session.".to_owned());
    }
    let compared = compare::compare(evidence.ours, second)?;
    let Total { compared: all, same, contradictions } = Total::of(&compared);
    let experiments = compared.iter().filter(|it| it.compared > 0).count();
    let (conclusions, experiments) =
        (plural(all as u64, "conclusion"), plural(experiments as u64, "experiment"));
    let mut text = match all - same {
        0 => format!("All {conclusions} of {experiments} are the same in both sessions."),
        _ => format!(
            "{} of {conclusions} of {experiments} are the same in both sessions, and {} of the others contradict \
             each other. Where the intervals *overlap*, one of the two sessions was probably too restless to see \
             what the other saw; where they have *nothing in common*, the two contradict each other.\
             \n\n| Experiment | Variant | These pages | The other session | Intervals |\n|---|---|---|---|---|",
            number(same as f64, 0),
            if contradictions == 0 { "none".to_owned() } else { contradictions.to_string() },
        ),
    };
    for it in &compared {
        for Difference { variant, first, second, contradicts } in &it.differences {
            let intervals = if *contradicts { "nothing in common" } else { "overlap" };
            let (name, variant) = (code(&it.name), plain(variant));
            let _ = write!(text, "\n| {name} | {variant} | {first} | {second} | {intervals} |");
        }
    }
    let sessions = [evidence.ours, second];
    let controls: Vec<[Verdict; 2]> =
        sessions.iter().flat_map(|session| session.all()).filter_map(control_verdicts).collect();
    let found = |margin: usize| {
        let count = controls.iter().filter(|it| it[margin] == Verdict::Difference).count();
        if count == 0 { "none".to_owned() } else { count.to_string() }
    };
    let _ = write!(
        text,
        "\n\nThe controls are counted too: of {} in both sessions, {} found a difference between equals. A wide \
         margin is kind to them: with {} % everywhere it would be {}.",
        controls.len(),
        found(0),
        number(100.0 * MARGIN, 0),
        found(1),
    );
    for (words, names) in compare::unlike_by_words(&compared) {
        let _ = write!(
            text,
            "\n\nIn {} of {} {}.",
            names.len(),
            plural(compared.len() as u64, "experiment"),
            plain(words)
        );
    }
    Ok(text)
}

/// What an experiment's control found, by its own margin and by [`MARGIN`]; `None` where it has no verdict.
fn control_verdicts((_, set): (&str, Set)) -> Option<[Verdict; 2]> {
    let own = set.summary.line(CONTROL)?.verdict;
    let experiment = &set.record.experiment;
    let ratios = set.record.ratios(CONTROL, experiment.baseline(), &experiment.metric);
    let (_, usual) = judge(&ratios, None, MARGIN);
    matches!(own, Verdict::Difference | Verdict::NoDifference).then_some([own, usual])
}

/// The chart of an experiment with its caption, as HTML without an empty line. `id` is unique in the book.
///
/// # Errors
/// When it was not measured, or has no place for a point.
pub fn chart(evidence: Evidence, id: &str, name: &str) -> Result<String> {
    let (ours, yours) = evidence.sets(name)?;
    let svg = charts::draw(id, ours, yours)
        .with_context(|| format!("cannot draw the experiment {name}"))?;
    let experiment = &ours.record.experiment;
    let mut caption = format!("<strong>{}.</strong> ", escape(&experiment.title));
    let shows = match ours.summary.whole_rounds {
        1 => "One round.".to_owned(),
        rounds => format!(
            "Medians of {rounds} rounds; the thin lines reach from the least to the greatest of them."
        ),
    };
    caption += &shows;
    let _ = write!(caption, " {}", noise(ours.summary));
    let sets = || [Some(ours), yours].into_iter().flatten();
    if sets().any(|set| set.summary.lines.iter().any(|line| line.noisy > 0)) {
        let _ =
            write!(caption, " {}: the machine stalled in one of its rounds or more.", NOISY.trim());
    }
    let limited = ours.summary.lines.iter().filter(|line| 2 * line.saturated > line.counted);
    let limited: Vec<String> = limited.map(|line| escape(&line.name)).collect();
    if !limited.is_empty() {
        let _ = write!(
            caption,
            " In most rounds of {} the generator used more than {SATURATED_PERCENT} % of its processors: \
             the server may be able to do more.",
            listed(&limited)
        );
    }
    if ours.record.quick {
        caption += " A sketch, shortened with <code>--quick</code>.";
    }
    if let Some(yours) = yours {
        let rounds = plural(yours.summary.whole_rounds as u64, "whole round");
        let sketch = if yours.record.quick { ", shortened with <code>--quick</code>" } else { "" };
        let _ = write!(caption, " Yours: {rounds}{sketch}.");
    }
    let _ =
        write!(caption, " To repeat it: <code>cargo xtask bench --only {}</code>", escape(name));
    Ok(format!("<figure class=\"chart\">\n{svg}\n<figcaption>{caption}</figcaption>\n</figure>"))
}

/// With more variants than this a sentence names only those that do not differ.
const MOST_NAMED: usize = 6;

/// What the ratios say, in sentences.
fn verdicts(set: Set) -> String {
    let base = plain(set.record.experiment.baseline());
    let lines = set.summary.lines.iter();
    let others = || lines.clone().filter(|line| line.name != CONTROL);
    let compared = others().filter(|line| line.verdict != Verdict::Baseline).count();
    let of = |verdict: Verdict| -> Vec<String> {
        let lines = others().filter(|line| line.verdict == verdict);
        lines
            .map(|line| match &line.ratio {
                Some(ratio) => {
                    let [median, low, high] = ratio_words(ratio);
                    format!("*{}* ({median} times, {low} to {high})", plain(&line.name))
                }
                None => format!("*{}*", plain(&line.name)),
            })
            .collect()
    };
    let mut text = String::new();
    let too_few = others().filter(|line| line.verdict == Verdict::TooFewRounds).count();
    if compared > 0 && too_few == compared {
        return format!(
            "{} are too few to say whether there is a difference; that takes {LEAST_ROUNDS}.",
            plural(set.summary.whole_rounds as u64, "round")
        )
        .replace("1 round are", "1 round is");
    }
    for (verdict, words) in [
        (Verdict::Difference, "there is **a difference** for"),
        (Verdict::NoDifference, "**no difference was found** for"),
        (Verdict::TooFewRounds, "there are too few rounds to tell for"),
        (Verdict::NoRatio, "there is no ratio, as that is 0, for"),
    ] {
        let found = of(verdict);
        if found.is_empty() {
            continue;
        }
        let named = match verdict {
            Verdict::Difference if compared > MOST_NAMED => {
                format!("{} of {compared} variants", found.len())
            }
            _ => listed(&found),
        };
        let start = if text.is_empty() {
            format!("Compared with *{base}* round by round, ")
        } else {
            "; ".to_owned()
        };
        let _ = write!(text, "{start}{words} {named}");
    }
    if text.contains(" times, ") {
        text += ". In brackets: the median of the ratios, and its interval.";
    } else if !text.is_empty() {
        text += ". The ratios are in the table.";
    }
    let control = set.summary.line(CONTROL).and_then(|line| line.ratio);
    if let Some(control) = control {
        let [median, low, high] = ratio_words(&control);
        let _ = write!(
            text,
            " The control, which is *{base}* a second time in each round, came to {median} times as much \
             ({low} to {high})."
        );
    }
    if text.contains("difference") {
        let margin = set.record.experiment.margin();
        let rounded = |margin: f64| (100.0 * margin).round() / 100.0;
        let apart = match margin {
            ..1.0 => format!("more than {} % away", rounded(100.0 * margin)),
            _ => format!("away by more than a factor of {}", rounded(1.0 + margin)),
        };
        let and_control = if control.is_some() {
            ", and further than the control's interval reaches"
        } else {
            ""
        };
        // Up to seven rounds, chance alone is too often the reason unless all of them agree.
        let sides = match set.record.experiment.rounds {
            ..=7 => "every round",
            _ => "so many rounds that chance alone would do it in 2 % of cases at most",
        };
        let _ = write!(
            text,
            " What counts as a difference is on the same side in {sides}, and in the median \
             {apart}{and_control}."
        );
    }
    text.trim_start().to_owned()
}

/// `a`, `a and b`, `a, b and c`.
fn listed(words: &[String]) -> String {
    match words {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// The table of an experiment: a row for each variant, and one more for the reader's.
///
/// # Errors
/// When it was not measured.
pub fn table(evidence: Evidence, name: &str) -> Result<String> {
    let (ours, yours) = evidence.sets(name)?;
    let experiment = &ours.record.experiment;
    let has_law = experiment.variants.iter().any(|variant| variant.law.is_some());
    let unit = unit(&experiment.metric);
    let mut columns = vec![
        match unit.as_str() {
            "" => format!("Median, {}", words(&experiment.metric)),
            unit => format!("Median, {unit}"),
        },
        "Least".to_owned(),
        "Greatest".to_owned(),
        format!("Times *{}*", plain(experiment.baseline())),
        "Interval".to_owned(),
    ];
    if has_law {
        columns.extend(["Law".to_owned(), "In % of the law".to_owned()]);
    }
    columns.push("Verdict".to_owned());
    let mut rows = Vec::new();
    for line in &ours.summary.lines {
        let label = match line.name.as_str() {
            CONTROL => format!("{CONTROL}: *{}* again", plain(experiment.baseline())),
            name => plain(name),
        };
        let own = yours.and_then(|yours| yours.summary.line(&line.name));
        let own = own.map(|own| (format!("*yours:* {label}"), own));
        rows.extend([Some((label, line)), own].into_iter().flatten());
    }
    let lines: Vec<&Line> = rows.iter().map(|(_, line)| *line).collect();
    let (trouble, zeros) = trouble(&lines);
    columns.extend(trouble.iter().map(|(name, _)| (*name).to_owned()));
    let mut text = String::new();
    if let Some(yours) = yours {
        let _ = writeln!(
            text,
            "This book's machine: {}. Yours: {}. Each row that begins with *yours* belongs to the row above it.\n",
            origin(ours.record),
            origin(yours.record)
        );
    }
    let _ = writeln!(text, "| Variant | {} |", columns.join(" | "));
    text += "|---|";
    for column in &columns {
        text += if column == "Verdict" { "---|" } else { "---:|" };
    }
    text.push('\n');
    for (index, (label, line)) in rows.iter().enumerate() {
        let mut cells = cells(line, has_law);
        cells.extend(trouble.iter().map(|(_, cells)| cells[index].clone()));
        let _ = writeln!(text, "| {label} | {} |", cells.join(" | "));
    }
    if let Some(sentence) = tables::zeros_sentence(&zeros) {
        let _ = write!(text, "\n{sentence}");
    }
    Ok(text.trim_end().to_owned())
}

/// What went wrong in the runs of these lines, as columns; apart, the names of what never did.
fn trouble(lines: &[&Line]) -> (Vec<Column>, Vec<&'static str>) {
    let of = |some: usize, all: usize| match some {
        0 => "0".to_owned(),
        some => format!("{some} of {all}"),
    };
    let column = |cell: &dyn Fn(&Line) -> String| lines.iter().map(|line| cell(line)).collect();
    let mut columns = vec![
        ("Void runs", column(&|line| line.voids.to_string())),
        ("Noisy rounds", column(&|line| of(line.noisy, line.counted))),
    ];
    // A program has no generator, and a generator with room to spare is nothing to speak of.
    if lines.iter().any(|line| line.saturated > 0) {
        columns.push(("Generator at its limit", column(&|line| of(line.saturated, line.counted))));
    }
    tables::without_zeros(columns)
}

/// A ratio, with as many digits as it takes to tell its parts from 1, up to four.
fn ratio_words(ratio: &Interval) -> [String; 3] {
    let values = [ratio.median, ratio.low, ratio.high];
    if values.iter().any(|value| !(0.5..2.0).contains(value)) {
        return values.map(significant);
    }
    let tells = |decimals: &usize| {
        let one = number(1.0, *decimals);
        values.iter().all(|value| *value == 1.0 || number(*value, *decimals) != one)
    };
    let decimals = (2..4).find(tells).unwrap_or(4);
    values.map(|value| number(value, decimals))
}

fn cells(line: &Line, has_law: bool) -> Vec<String> {
    let absent = || tables::ABSENT.to_owned();
    let metric = |pick: fn(&Spread) -> f64| {
        line.metric.as_ref().map_or_else(absent, |spread| significant(pick(spread)))
    };
    let mut cells = vec![
        metric(|spread| spread.median),
        metric(|spread| spread.least),
        metric(|spread| spread.greatest),
    ];
    let [median, interval] = match line.ratio.as_ref().map(ratio_words) {
        Some([median, low, high]) => [median, format!("{low} to {high}")],
        None => [absent(), absent()],
    };
    cells.extend([median, interval]);
    if has_law {
        cells.push(line.law.as_ref().map_or_else(absent, |law| significant(law.value)));
        let share = line.law.as_ref().filter(|law| law.value != 0.0).zip(line.metric);
        cells.push(
            share.map_or_else(absent, |(law, spread)| number(100.0 * spread.median / law.value, 1)),
        );
    }
    cells.push(line.verdict.words().to_owned());
    cells
}

/// Where and how an experiment was measured, and the line that repeats it.
///
/// # Errors
/// When it was not measured.
pub fn repeat(evidence: Evidence, name: &str) -> Result<String> {
    let (ours, _) = evidence.sets(name)?;
    let record = ours.record;
    let experiment = &record.experiment;
    let programs = experiment.is_of_programs();
    let pin = match experiment.pin {
        Pin::None if programs => "bound to no processor",
        Pin::None => "server and generator bound to no processor",
        _ => pin_words(experiment.pin),
    };
    let mut text = format!(
        "Measured on {}, {pin}; the order within each round was drawn by lot (seed {}).\n",
        origin(record),
        record.seed
    );
    let lines: Vec<(&Variant, Option<String>, Option<String>)> = experiment
        .variants
        .iter()
        .map(|variant| {
            let run = record.runs.iter().find(|run| run.variant == variant.name);
            let run_generator = run.filter(|run| !run.generator.is_empty());
            let plan = variant.own.over(&experiment.common).plan;
            let generator = run_generator.map(|run| generator(run, plan.as_deref()));
            (variant, generator, run.map(|run| server(record, variant, run)))
        })
        .collect();
    let one = |commands: BTreeSet<&Option<String>>| match commands.into_iter().collect::<Vec<_>>()[..]
    {
        [command] => command.clone(),
        _ => None,
    };
    let generator = one(lines.iter().map(|(_, generator, _)| generator).collect());
    let server = one(lines.iter().map(|(.., server)| server).collect());
    if let Some(generator) = &generator {
        let _ = writeln!(text, "Generator: {generator}.");
    }
    if let Some(server) = &server {
        let what = if programs { "Program" } else { "Server" };
        let _ = writeln!(text, "{what}: {server}.");
    }
    if (generator.is_none() && !programs) || server.is_none() {
        text += "\n<details>\n<summary>The command lines</summary>\n\n";
        for (variant, own_generator, own_server) in &lines {
            let parts = [
                own_server.as_ref().filter(|_| server.is_none()),
                own_generator.as_ref().filter(|_| generator.is_none()),
            ];
            let parts: Vec<&str> = parts.into_iter().flatten().map(String::as_str).collect();
            let _ = writeln!(text, "- *{}*: {}", plain(&variant.name), parts.join("; under "));
        }
        text += "\n</details>\n";
    }
    let _ = write!(
        text,
        "\nTo repeat it:\n\n{}",
        fenced("sh", &format!("cargo xtask bench --only {name}"))
    );
    Ok(text)
}

/// A run's generator as a reader would type it, with the rungs' default port; before it, what writes its plan.
fn generator(run: &RoundRun, plan: Option<&str>) -> String {
    match plan {
        None => tables::command_line(&run.generator),
        Some(plan) => {
            let plan = plan.replace(URL, "http://127.0.0.1:8080");
            code(&format!("echo '{plan}' >plan.yml; {}", run.generator.join(" ")))
        }
    }
}

/// On which processors something runs, in words.
fn pin_words(pin: Pin) -> &'static str {
    match pin {
        Pin::None => "bound to no processor",
        Pin::Apart => "the server on one half of the processors and the generator on the other",
        Pin::Together => "server and generator on one and the same processor",
        Pin::One => "on one processor",
    }
}

/// A run's server, or program as a reader would start it, with what is unusual about it.
fn server(record: &Record, variant: &Variant, run: &RoundRun) -> String {
    let setup = variant.own.over(&record.experiment.common);
    let debug = setup.profile == Some(Profile::Debug);
    let mut text = match (&setup.program, run.server.split_first()) {
        (Some(_), Some((name, arguments))) => {
            let release = if debug { "" } else { "--release " };
            let arguments = arguments.iter().map(|word| format!(" {word}")).collect::<String>();
            let dashes = if arguments.is_empty() { "" } else { " --" };
            code(&format!("cargo run {release}--example {name}{dashes}{arguments}"))
        }
        _ => code(&run.server.join(" ")),
    };
    let mut notes = Vec::new();
    if let Some(pin) = variant.pin.filter(|pin| *pin != record.experiment.pin) {
        notes.push(pin_words(pin).to_owned());
    }
    if debug && setup.program.is_none() {
        notes.push("built without `--release`".to_owned());
    }
    for (name, value) in setup.env.iter().flatten() {
        notes.push(format!("with {}", code(&format!("{name}={value}"))));
    }
    if let Some(descriptors) = setup.descriptors {
        notes.push(format!("at most {descriptors} files and sockets"));
    }
    match setup.stderr {
        Some(Sink::File) => notes.push("standard error to a file".to_owned()),
        Some(Sink::Pipe) => notes.push("standard error to a pipe".to_owned()),
        Some(Sink::Null) | None => {}
    }
    if let Some(pause) = &setup.pause {
        notes.push(format!(
            "stopped for {} s after {} s",
            significant(pause.lasts),
            significant(pause.after)
        ));
    }
    if !notes.is_empty() {
        let _ = write!(text, " ({})", notes.join(", "));
    }
    text
}

/// What the generator printed in the first round of a variant.
///
/// # Errors
/// When there is no such variant, or its raw output is lost.
pub fn raw(evidence: Evidence, name: &str, variant: &str) -> Result<String> {
    let (ours, _) = evidence.sets(name)?;
    known(name, ours, variant)?;
    let run = ours.record.counted(variant).into_values().next();
    let run = run.with_context(|| format!("no run of {name} \"{variant}\" counts"))?;
    let again = || format!("`cargo xtask bench --only {name} --fresh` writes it again");
    let text = store::read_raw(&evidence.ours.folder(), name).with_context(again)?;
    let output = store::raw_of(&text, run.round, variant, run.attempt);
    let output = output.with_context(|| {
        let RoundRun { round, attempt, .. } = run;
        format!("experiments/{name}.txt has no round {round}, attempt {attempt}; {}", again())
    })?;
    Ok(fenced("text", output.trim_end()))
}

// ---------------------------------------------------------------------------------------------
// Figures in sentences

fn known(name: &str, set: Set, variant: &str) -> Result<()> {
    let names = set.record.names();
    if names.contains(&variant) {
        return Ok(());
    }
    bail!(
        "the experiment {name} has no variant \"{variant}\"; there are \"{}\"; \
         a name with spaces stands in double quotes",
        names.join("\", \"")
    );
}

/// The values of a figure in the rounds of a variant; of the metric, if no figure is named.
fn spread_of(
    evidence: Evidence,
    name: &str,
    variant: &str,
    figure: Option<&str>,
) -> Result<Spread> {
    let (ours, _) = evidence.sets(name)?;
    known(name, ours, variant)?;
    let figure = figure.unwrap_or(&ours.record.experiment.metric);
    let values: Vec<f64> = ours.record.values(variant, figure).into_values().collect();
    Spread::of(&values).with_context(|| {
        let runs = ours.record.counted(variant).into_values();
        let there: BTreeSet<&str> = runs
            .flat_map(|run| run.figures.iter())
            .filter(|(_, value)| value.is_some())
            .map(|(name, _)| name.as_str())
            .collect();
        match there.is_empty() {
            true => format!(
                "no run of {name} \"{variant}\" counts; `cargo xtask bench --only {name} --fresh` measures it again"
            ),
            false => format!(
                "no run of {name} \"{variant}\" has the figure `{figure}`; there are {}",
                there.into_iter().collect::<Vec<_>>().join(", ")
            ),
        }
    })
}

/// What stands behind a figure in a sentence or a table that the machine may have disturbed.
pub const MARK: &str = "[†](measuring.md#what-our-machine-did-to-our-figures \"the machine stalled in a round of this\")";

/// The mark behind a figure of these variants, if a run that it comes from was disturbed.
fn mark(set: Set, variants: &[&str], figure: &str) -> &'static str {
    let has = |run: &&RoundRun| run.figures.get(figure).is_some_and(Option::is_some);
    let disturbed =
        |variant: &&str| set.record.counted(variant).into_values().filter(has).any(|run| run.noisy);
    if variants.iter().any(disturbed) { MARK } else { "" }
}

/// The same for one variant, and its metric if no figure is named.
fn mark_of(
    evidence: Evidence,
    name: &str,
    variant: &str,
    figure: Option<&str>,
) -> Result<&'static str> {
    let (ours, _) = evidence.sets(name)?;
    Ok(mark(ours, &[variant], figure.unwrap_or(&ours.record.experiment.metric)))
}

/// The median of a figure over the rounds. It is marked where the machine disturbed a run.
///
/// # Errors
/// When there is no such experiment, variant or figure.
pub fn median(
    evidence: Evidence,
    name: &str,
    variant: &str,
    figure: Option<&str>,
    decimals: usize,
) -> Result<String> {
    let median = number(spread_of(evidence, name, variant, figure)?.median, decimals);
    Ok(median + mark_of(evidence, name, variant, figure)?)
}

/// The least and the greatest value of a figure over the rounds: `810 to 836`.
///
/// # Errors
/// When there is no such experiment, variant or figure.
pub fn spread(
    evidence: Evidence,
    name: &str,
    variant: &str,
    figure: Option<&str>,
    decimals: usize,
) -> Result<String> {
    let spread = spread_of(evidence, name, variant, figure)?;
    let mark = mark_of(evidence, name, variant, figure)?;
    Ok(format!("{} to {}{mark}", number(spread.least, decimals), number(spread.greatest, decimals)))
}

/// The median of the ratios to another variant within the rounds; to the baseline, if none is named.
///
/// # Errors
/// When there is no such experiment or variant, or no round with both.
pub fn times(
    evidence: Evidence,
    name: &str,
    variant: &str,
    base: Option<&str>,
    decimals: usize,
) -> Result<String> {
    let (ours, _) = evidence.sets(name)?;
    let experiment = &ours.record.experiment;
    let base = base.unwrap_or(experiment.baseline());
    known(name, ours, variant)?;
    known(name, ours, base)?;
    let ratios = ours.record.ratios(variant, base, &experiment.metric);
    let spread = Spread::of(&ratios).with_context(|| {
        format!(
            "no round of {name} has a run of \"{variant}\" and one of \"{base}\" above 0 that count"
        )
    })?;
    let mark = mark(ours, &[variant, base], &experiment.metric);
    Ok(number(spread.median, decimals) + mark)
}

fn line<'a>(evidence: Evidence<'a>, name: &str, variant: &str) -> Result<&'a Line> {
    let (ours, _) = evidence.sets(name)?;
    known(name, ours, variant)?;
    ours.summary.line(variant).with_context(|| format!("{name} has no \"{variant}\""))
}

/// The 95 % interval of the ratio to the baseline: `1.9 to 2.3`.
///
/// # Errors
/// When there is no such experiment or variant, or it has no ratio.
pub fn interval(evidence: Evidence, name: &str, variant: &str, decimals: usize) -> Result<String> {
    let line = line(evidence, name, variant)?;
    let ratio = line.ratio.with_context(|| {
        format!("{name} \"{variant}\" has no ratio to the baseline: {}", line.verdict.words())
    })?;
    let (ours, _) = evidence.sets(name)?;
    let experiment = &ours.record.experiment;
    let mark = mark(ours, &[variant, experiment.baseline()], &experiment.metric);
    Ok(format!("{} to {}{mark}", number(ratio.low, decimals), number(ratio.high, decimals)))
}

/// `a difference`, `no difference found` or `too few rounds`.
///
/// # Errors
/// When there is no such experiment or variant, or it is the baseline itself.
pub fn verdict(evidence: Evidence, name: &str, variant: &str) -> Result<String> {
    match line(evidence, name, variant)?.verdict {
        Verdict::Baseline => bail!(
            "\"{variant}\" is the baseline of {name}, with which the others are compared; name another variant"
        ),
        verdict => Ok(verdict.words().to_owned()),
    }
}

/// How many rounds were measured whole.
///
/// # Errors
/// When there is no such experiment.
pub fn rounds(evidence: Evidence, name: &str) -> Result<String> {
    Ok(evidence.ours.record(name)?.summary.whole_rounds.to_string())
}

/// How many runs do not count.
///
/// # Errors
/// When there is no such experiment.
pub fn voids(evidence: Evidence, name: &str) -> Result<String> {
    Ok(evidence.ours.record(name)?.summary.voids.to_string())
}

/// `2 of 30 runs were noisy`, for a sentence.
///
/// # Errors
/// When there is no such experiment.
pub fn noisy_runs(evidence: Evidence, name: &str) -> Result<String> {
    let summary = evidence.ours.record(name)?.summary;
    let were = if summary.noisy == 1 { "was" } else { "were" };
    Ok(format!("{} of {} {were} noisy", summary.noisy, plural(summary.counted as u64, "run")))
}

/// The law of a variant with its outcome: `4 / 0.1 s = 40 requests/s`.
///
/// # Errors
/// When there is no such experiment or variant, or no law predicts it.
pub fn law_of(evidence: Evidence, name: &str, variant: &str) -> Result<String> {
    let law = line(evidence, name, variant)?.law.clone();
    let law = law.with_context(|| {
        format!("no law predicts {name} \"{variant}\"; xtask/experiments/{name}.toml may give one")
    })?;
    let unit = unit(&evidence.ours.record(name)?.record.experiment.metric);
    let value = number(law.value, 6);
    let value = value.trim_end_matches('0').trim_end_matches('.');
    // The descriptions are written by hand, in ASCII.
    let words = law.words.replace(" x ", " × ");
    Ok(format!("{words} = {value} {unit}").trim_end().to_owned())
}

/// How much a figure grows with x along a series: the slope of the straight line that fits the medians best
/// (least squares), times `factor`.
///
/// # Errors
/// When there is no such experiment, series or figure, or the series has fewer than two places.
pub fn slope(
    evidence: Evidence,
    name: &str,
    series: &str,
    figure: &str,
    factor: f64,
    decimals: usize,
) -> Result<String> {
    let (ours, _) = evidence.sets(name)?;
    let variants = ours.record.experiment.variants.iter();
    let points = variants
        .filter(|variant| variant.series.as_deref() == Some(series))
        .filter_map(|variant| Some((variant.x?, &variant.name)))
        .map(|(x, variant)| Ok((x, spread_of(evidence, name, variant, Some(figure))?.median)))
        .collect::<Result<Vec<(f64, f64)>>>()?;
    let slope = fitted_slope(&points).with_context(|| {
        format!("the experiment {name} has no series \"{series}\" with two places or more")
    })?;
    let along = ours.record.experiment.variants.iter();
    let along = along.filter(|variant| variant.series.as_deref() == Some(series));
    let along: Vec<&str> = along.map(|variant| variant.name.as_str()).collect();
    Ok(number(slope * factor, decimals) + mark(ours, &along, figure))
}

/// The slope of the least-squares line; `None` where all points have the same x.
fn fitted_slope(points: &[(f64, f64)]) -> Option<f64> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (mean_x, mean_y) = (mean(|point| point.0), mean(|point| point.1));
    let across: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    let along: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    (across > 0.0).then(|| along / across)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use records::{
        store::SECOND_SESSION,
        testing::{pool, record, write},
    };

    use super::*;

    fn with<T>(record: &Record, yours: Option<&Record>, look: impl FnOnce(Evidence) -> T) -> T {
        let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
        write(folders[0].path(), "pool-law", record);
        let ours = Records::read(folders[0].path()).unwrap();
        let yours = yours.map(|yours| {
            write(folders[1].path(), "pool-law", yours);
            Records::read(folders[1].path()).unwrap()
        });
        look(Evidence { ours: &ours, yours: yours.as_ref() })
    }

    #[test]
    fn figures_have_names_for_people() {
        for (figure, name) in [
            ("requests_per_second", "requests per second"),
            ("latency_p50_ms", "latency, median, ms"),
            ("latency_p99_ms", "latency, 99 % below, ms"),
            ("latency_p999_ms", "latency, 99.9 % below, ms"),
            ("latency_max_ms", "latency, highest, ms"),
            ("server_peak_memory_mib", "server peak memory, MiB"),
            ("server_cpu_us_per_request", "server CPU time, µs per request"),
            ("server_switches_per_request", "server switches per request"),
            ("errors_read", "errors read"),
            ("rounds_per_second", "rounds per second"),
            ("memory_kib_per_thread", "memory, KiB per thread"),
            ("switch_ns", "switch, ns"),
        ] {
            assert_eq!(words(figure), name);
        }
        assert_eq!(unit("errors"), "");
    }

    #[test]
    fn figures_stand_in_sentences() {
        with(&pool(), None, |evidence| {
            let four = "pool of 4";
            let one = "pool of 1";
            assert_eq!(median(evidence, "pool-law", one, None, 1).unwrap(), "9.9");
            assert_eq!(spread(evidence, "pool-law", one, None, 1).unwrap(), "9.8 to 10.0");
            // Of 39.6 / 9.9, 39 / 9.8, 39.9 / 10 and so on.
            let marked = |text: &str| format!("{text}{MARK}");
            assert_eq!(times(evidence, "pool-law", four, None, 3).unwrap(), marked("3.990"));
            assert_eq!(times(evidence, "pool-law", one, Some(four), 2).unwrap(), marked("0.25"));
            assert_eq!(times(evidence, "pool-law", CONTROL, None, 2).unwrap(), "1.00");
            assert_eq!(interval(evidence, "pool-law", four, 2).unwrap(), marked("3.98 to 4.00"));
            // One run of the four was disturbed.
            assert_eq!(median(evidence, "pool-law", four, None, 1).unwrap(), marked("39.5"));
            assert_eq!(spread(evidence, "pool-law", four, None, 0).unwrap(), marked("39 to 40"));
            assert_eq!(verdict(evidence, "pool-law", four).unwrap(), "a difference");
            assert_eq!(rounds(evidence, "pool-law").unwrap(), "5");
            assert_eq!(voids(evidence, "pool-law").unwrap(), "1");
            assert_eq!(noisy_runs(evidence, "pool-law").unwrap(), "1 of 15 runs was noisy");
            let law = law_of(evidence, "pool-law", four).unwrap();
            assert_eq!(law, "4 / 0.1 s = 40 requests/s");
        });
    }

    #[test]
    fn errors_name_what_is_missing_and_the_remedy() {
        with(&pool(), None, |evidence| {
            let error = |result: Result<String>| format!("{:#}", result.unwrap_err());
            let message = error(median(evidence, "no-such", "x", None, 0));
            assert!(message.contains("no result experiments/no-such.json"), "{message}");
            assert!(message.contains("`cargo xtask bench --only no-such`"), "{message}");
            assert!(message.contains("there are pool-law"), "{message}");
            let message = error(median(evidence, "pool-law", "pool", None, 0));
            assert!(message.contains("\"pool of 1\", \"pool of 4\", \"control\""), "{message}");
            assert!(message.contains("double quotes"), "{message}");
            let message = error(median(evidence, "pool-law", "pool of 1", Some("speed"), 0));
            assert!(message.contains("`speed`; there are requests_per_second"), "{message}");
            assert!(error(verdict(evidence, "pool-law", "pool of 1")).contains("the baseline"));
            assert!(error(interval(evidence, "pool-law", "pool of 1", 1)).contains("no ratio"));
            assert!(error(law_of(evidence, "pool-law", "pool of 1")).contains("no law"));
        });
        let folder = tempfile::tempdir().unwrap();
        let none = Records::read(folder.path()).unwrap();
        assert!(none.is_empty());
        let evidence = Evidence { ours: &none, yours: None };
        let message = format!("{:#}", chart(evidence, "x", "pool-law").unwrap_err());
        assert!(message.contains("there are none yet"), "{message}");
        fs::create_dir(folder.path().join("experiments")).unwrap();
        fs::write(folder.path().join("experiments/a.json"), "{").unwrap();
        let message = format!("{:#}", Records::read(folder.path()).unwrap_err());
        assert!(message.contains("a.json is not a result"), "{message}");
    }

    #[test]
    fn a_block_has_question_chart_verdict_table_and_command() {
        let text = with(&pool(), None, |evidence| experiment(evidence, "c", "pool-law").unwrap());
        for part in [
            "**The question:** How many requests",
            "<figure class=\"chart\">",
            "1 of 15 runs was noisy, and 1 more was void and does not count.",
            "<code>cargo xtask bench --only pool-law</code>",
            "Compared with *pool of 1* round by round, there is **a difference** for \
             *pool of 4* (3.99 times, 3.98 to 4.00).",
            "The control, which is *pool of 1* a second time in each round, came to 1.00 times as much (0.99 to 1.01). \
             What counts as a difference is on the same side in every round, and in the median more than 5 % away, \
             and further than the control's interval reaches.",
            "| pool of 4 | 39.5 | 39.0 | 39.9 | 3.99 | 3.98 to 4.00 | 40.0 | 98.8 | a difference | 0 | 1 of 5 |",
            "| pool of 1 | 9.90 | 9.80 | 10.0 | – | – | – | – | the baseline | 1 | 0 |",
            "| control: *pool of 1* again |",
            "Generator: `wrk -t1 http://127.0.0.1:8080/sleep`.",
            "- *pool of 4*: `ch03_threadpool --port 0 pool of 4`",
            "```sh\ncargo xtask bench --only pool-law\n```",
        ] {
            assert!(text.contains(part), "no {part} in:\n{text}");
        }
        // An empty line would end the HTML block, and the rest would be Markdown.
        let figure = &text[text.find("<figure").unwrap()..text.find("</figure>").unwrap()];
        assert!(!figure.contains("\n\n") && !figure.contains("{{"), "{figure}");
        assert!(!text.contains("yours"), "{text}");
    }

    #[test]
    fn a_column_of_zeros_is_named_and_left_out() {
        let quiet = record(&[("a", &[1.0; 5]), ("b", &[2.0; 5])]);
        let text = with(&quiet, None, |evidence| table(evidence, "pool-law").unwrap());
        assert!(text.contains("| Verdict |\n"), "{text}");
        let zeros = "\n\nLeft out, because they are 0 throughout: *Void runs* and *Noisy rounds*.";
        assert!(text.ends_with(zeros), "{text}");
        // The reader's own may have what the book's have not.
        let mut yours = quiet.clone();
        yours.runs[0].noisy = true;
        let text = with(&quiet, Some(&yours), |evidence| table(evidence, "pool-law").unwrap());
        assert!(text.contains("| Verdict | Noisy rounds |\n"), "{text}");
        assert!(text.contains("| *yours:* a | ") && text.contains("| 1 of 5 |"), "{text}");
    }

    #[test]
    fn a_program_is_named_as_it_is_started() {
        let mut rounds = record(&[("1 thread", &[1.0; 3]), ("8 threads", &[2.0; 3])]);
        rounds.experiment.metric = "rounds_per_second".to_owned();
        rounds.experiment.pin = Pin::None;
        rounds.experiment.common.program = Some("compute_or_wait".to_owned());
        rounds.experiment.variants[1].pin = Some(Pin::One);
        for run in &mut rounds.runs {
            let threads = &run.variant[..1];
            run.server = ["compute_or_wait", "--threads", threads].map(str::to_owned).to_vec();
            run.generator.clear();
            let rate = run.figures["requests_per_second"];
            run.figures = [("rounds_per_second".to_owned(), rate)].into();
        }
        let folder = tempfile::tempdir().unwrap();
        store::write(&folder.path().join("experiments"), "rounds", &rounds, "").unwrap();
        let ours = Records::read(folder.path()).unwrap();
        let text = experiment(Evidence { ours: &ours, yours: None }, "c", "rounds").unwrap();
        for part in [
            "| Variant | Median, per second |",
            "rounds per second",
            "bound to no processor; the order",
            "- *1 thread*: `cargo run --release --example compute_or_wait -- --threads 1`\n",
            "- *8 threads*: `cargo run --release --example compute_or_wait -- --threads 8` (on one processor)\n",
            "```sh\ncargo xtask bench --only rounds\n```",
        ] {
            assert!(text.contains(part), "no {part} in:\n{text}");
        }
        assert!(!text.contains("enerator") && !text.contains("erver"), "{text}");
    }

    #[test]
    fn many_variants_are_counted_and_not_named() {
        let names: Vec<String> = (0..9).map(|index| format!("v{index}")).collect();
        let rates: Vec<[f64; 5]> = (0..9).map(|index| [1.0 + f64::from(index); 5]).collect();
        let mut all: Vec<(&str, &[f64])> =
            names.iter().zip(&rates).map(|(name, rates)| (name.as_str(), &rates[..])).collect();
        all[8].1 = &[1.0, 1.1, 0.9, 1.0, 1.0];
        let mut all = record(&all);
        all.experiment.margin = Some(0.125);
        let text = with(&all, None, |evidence| verdicts(evidence.ours.record("pool-law").unwrap()));
        assert_eq!(
            text,
            "Compared with *v0* round by round, there is **a difference** for 7 of 8 variants; \
             **no difference was found** for *v8* (1.00 times, 0.90 to 1.10). \
             In brackets: the median of the ratios, and its interval. What counts as a difference is on the same \
             side in every round, and in the median more than 12.5 % away."
        );
        all.experiment.margin = Some(1.0);
        let text = with(&all, None, |evidence| verdicts(evidence.ours.record("pool-law").unwrap()));
        assert!(text.ends_with("in the median away by more than a factor of 2."), "{text}");
        let few = record(&[("a", &[1.0]), ("b", &[2.0])]);
        let text = with(&few, None, |evidence| verdicts(evidence.ours.record("pool-law").unwrap()));
        let words = "1 round is too few to say whether there is a difference; that takes 5.";
        assert_eq!(text, words);
    }

    #[test]
    fn yours_stands_beside_the_books() {
        let mut yours = pool();
        yours.machine.cpu_model = Some("Another|Processor".to_owned());
        yours.quick = true;
        for run in &mut yours.runs {
            run.figures.insert("requests_per_second".to_owned(), Some(5.0));
        }
        with(&pool(), Some(&yours), |evidence| {
            let text = experiment(evidence, "c", "pool-law").unwrap();
            for part in [
                "Yours: Another\\|Processor, Linux 6, 2025-01-02, 5 rounds, shortened with `--quick`.",
                "| *yours:* pool of 1 | 5.00 | 5.00 |",
                "yours: Another|Processor",
                "this book&apos;s machine: A &lt;Processor&gt; &amp; Co",
                "Yours: 5 whole rounds, shortened with <code>--quick</code>.",
            ] {
                assert!(text.contains(part), "no {part} in:\n{text}");
            }
            // A sentence speaks of the book's.
            assert_eq!(median(evidence, "pool-law", "pool of 1", None, 1).unwrap(), "9.9");
        });
        // By another description it is another experiment.
        yours.experiment.metric = "latency_p99_ms".to_owned();
        with(&pool(), Some(&yours), |evidence| {
            let text = experiment(evidence, "c", "pool-law").unwrap();
            assert!(!text.to_lowercase().contains("yours"), "{text}");
        });
    }

    #[test]
    fn a_second_session_is_counted_and_what_differs_is_named() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "pool-law", &pool());
        let told = || {
            let ours = Records::read(folder.path()).unwrap();
            sessions(Evidence { ours: &ours, yours: None }, &ours.second_session().unwrap())
                .unwrap()
        };
        assert_eq!(told(), "These results hold no second session.");
        let mut second = pool();
        let other = folder.path().join(SECOND_SESSION);
        write(&other, "pool-law", &second);
        let text = told();
        assert!(text.starts_with("All 2 conclusions of 1 experiment are the same"), "{text}");
        assert!(
            text.ends_with("none found a difference between equals. A wide margin is kind to them: with 5 % everywhere it would be none."),
            "{text}"
        );
        for run in &mut second.runs {
            run.figures.insert("requests_per_second".to_owned(), Some(10.0));
        }
        write(&other, "pool-law", &second);
        let text = told();
        assert!(text.contains("| `pool-law` | pool of 4 | a difference ("), "{text}");
        assert!(
            text.contains(" | no difference found (") && text.contains(" | nothing in common |"),
            "{text}"
        );
        for run in second.runs.iter_mut().filter(|run| run.variant == CONTROL) {
            run.figures.insert("requests_per_second".to_owned(), Some(30.0));
        }
        write(&other, "pool-law", &second);
        let text = told();
        assert!(
            text.ends_with("1 found a difference between equals. A wide margin is kind to them: with 5 % everywhere it would be 1."),
            "{text}"
        );
    }

    #[test]
    fn a_control_is_held_to_the_usual_margin_too() {
        let mut wide = record(&[("a", &[1.0; 5]), ("control", &[1.5; 5])]);
        wide.experiment.margin = Some(1.0);
        let summary = Summary::of(&wide);
        let found = control_verdicts(("x", Set { record: &wide, summary: &summary }));
        assert_eq!(found, Some([Verdict::NoDifference, Verdict::Difference]));
    }

    #[test]
    fn a_ratio_has_the_digits_that_tell_it_from_1() {
        let words = |median, low, high| ratio_words(&Interval { median, low, high });
        assert_eq!(words(4.0, 3.9, 4.1), ["4.00", "3.90", "4.10"]);
        assert_eq!(words(1.0, 0.9, 1.1), ["1.00", "0.90", "1.10"]);
        assert_eq!(words(1.0019, 1.0008, 1.0020), ["1.002", "1.001", "1.002"]);
        assert_eq!(words(0.99997, 0.9995, 1.00001), ["1.0000", "0.9995", "1.0000"]);
    }

    #[test]
    fn raw_output_is_that_of_the_first_round_that_counts() {
        with(&pool(), None, |evidence| {
            let text = raw(evidence, "pool-law", "pool of 1").unwrap();
            assert_eq!(text, "```text\nRequests/sec: 9.9\n```");
            assert!(raw(evidence, "pool-law", "pool").is_err());
        });
    }
}
