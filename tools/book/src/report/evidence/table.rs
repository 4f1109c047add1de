//! The tables of an experiment: a row for each variant, and one for each ratio.

use anyhow::{Result, ensure};
use records::{
    base::{number, shortest, significant},
    description::{CONTROL, Experiment},
    measured::Set,
    summary::{Line, Spread},
    verdict::{Finding, Verdict},
};

use crate::report::{
    charts::in_table,
    evidence::{commands::origin, figures::Figures},
    sets::{Evidence, Sets},
    text::{self, ABSENT, figure_words, listed, plain, ratio_words, unit},
};

/// The most rows of a table that a page shows before anything is unfolded.
const OPEN_ROWS: usize = 5;
/// The columns of such a table, among [`headings`]: the variant, its median and its law.
const OPEN_COLUMNS: [usize; 3] = [0, 1, 4];

/// Fails unless the experiment has all of these variants, and a page may show a table of them open.
pub(crate) fn ensure_may_stand_open(
    evidence: Evidence,
    name: &str,
    chosen: &[String],
) -> Result<()> {
    let figures = Figures::of(evidence, name)?;
    chosen.iter().try_for_each(|variant| figures.known(variant))?;
    let many = chosen.len();
    ensure!(many <= OPEN_ROWS, "an open table has {many} rows, and may have {OPEN_ROWS}");
    Ok(())
}

/// Where [`headings`] has the least and the greatest.
const SPREAD: std::ops::Range<usize> = 2..4;

/// The medians of these variants, and their laws, as a table that stands open.
pub(crate) fn medians(sets: Sets, chosen: &[String]) -> String {
    let mut rows = rows(sets);
    rows.retain(|(_, line)| chosen.contains(&line.name));
    let has_law = rows.iter().any(|(_, line)| line.law.is_some());
    let pick = |row: Vec<String>| -> Vec<String> {
        OPEN_COLUMNS.iter().filter_map(|at| row.get(*at).cloned()).collect()
    };
    let cells = |(label, line)| pick([label].into_iter().chain(cells(line, has_law)).collect());
    let headings = pick(headings(&sets.experiment().metric, has_law));
    text::table(&headings, &[], rows.into_iter().map(cells))
}

/// The lines of an experiment with their names, the reader's below the book's.
fn rows(sets: Sets<'_>) -> Vec<(String, &Line)> {
    let experiment = sets.experiment();
    let baseline = in_table(experiment, experiment.baseline());
    let mut rows = Vec::new();
    for line in &sets.ours.summary.lines {
        let label = match line.name.as_str() {
            CONTROL => format!("{CONTROL}: *{baseline}* again"),
            name => in_table(experiment, name),
        };
        let own = sets.yours.and_then(|yours| yours.summary.line(&line.name));
        let own = own.map(|own| (format!("*yours:* {label}"), own));
        rows.extend([Some((label, line)), own].into_iter().flatten());
    }
    rows
}

/// The table of an experiment: a row for each variant, and one more for the reader's.
pub fn table(sets: Sets) -> String {
    let experiment = sets.experiment();
    let rows = rows(sets);
    let lines: Vec<&Line> = rows.iter().map(|(_, line)| *line).collect();
    let (trouble, zeros) = trouble(&lines);
    let has_law = experiment.variants.iter().any(|variant| variant.law.is_some());
    let is_exact = lines.iter().all(|line| line.exact);
    let without_spread = |mut row: Vec<String>| {
        if is_exact {
            row.drain(SPREAD);
        }
        row
    };
    let mut headings = without_spread(headings(&experiment.metric, has_law));
    headings.extend(trouble.iter().map(|(name, _)| (*name).to_owned()));
    let rows = rows.into_iter().enumerate().map(|(index, (label, line))| {
        let mut row = without_spread([vec![label], cells(line, has_law)].concat());
        row.extend(trouble.iter().map(|(_, cells)| cells[index].clone()));
        row
    });
    let mut text = origins(sets) + &text::table(&headings, &[], rows);
    if is_exact {
        text += "\nThese are exact: the same in all rounds.";
    }
    text.extend(zeros.map(|sentence| format!("\n{sentence}")));
    text.trim_end().to_owned()
}

/// The sentence on top that says whose figures are whose; nothing if all are the book's.
fn origins(sets: Sets) -> String {
    let Some(yours) = sets.yours else { return String::new() };
    format!(
        "This book's machine: {}. Yours: {}. Each row that begins with *yours* belongs to the row above it.\n\n",
        origin(sets.ours.record),
        origin(yours.record)
    )
}

/// The headings of a variant's name and of its [`cells`].
fn headings(metric: &str, has_law: bool) -> Vec<String> {
    let unit = unit(metric);
    let what = if unit.is_empty() { figure_words(metric) } else { unit };
    let mut headings = vec!["Variant".to_owned(), format!("Median, {what}")];
    headings.extend(["Least", "Greatest"].map(str::to_owned));
    if has_law {
        headings.extend(["Law", "In % of the law"].map(str::to_owned));
    }
    headings
}

/// What went wrong in the runs of these lines, as columns; and a sentence on what never did.
fn trouble(lines: &[&Line]) -> (Vec<(&'static str, Vec<String>)>, Option<String>) {
    let of = |some: usize, all: usize| match some {
        0 => "0".to_owned(),
        some => format!("{some} of {all}"),
    };
    let column = |cell: &dyn Fn(&Line) -> String| lines.iter().map(|line| cell(line)).collect();
    let mut columns: Vec<(&str, Vec<String>)> = vec![
        ("Void runs", column(&|line| line.voids.to_string())),
        ("Rounds with stalls", column(&|line| of(line.noisy, line.counted))),
        ("Rounds with steal", column(&|line| of(line.stolen, line.counted))),
    ];
    // A program has no generator, and a generator with room to spare is nothing to speak of.
    if lines.iter().any(|line| line.beyond > 0) {
        columns.push(("Beyond the generator", column(&|line| line.beyond.to_string())));
    }
    if lines.iter().any(|line| line.saturated > 0) {
        columns.push(("Generator at its limit", column(&|line| of(line.saturated, line.counted))));
    }
    let (kept, zeros): (Vec<_>, Vec<_>) =
        columns.into_iter().partition(|(_, cells)| cells.iter().any(|cell| cell != "0"));
    let zeros: Vec<String> = zeros.iter().map(|(name, _)| format!("*{name}*")).collect();
    let are = if zeros.len() == 1 { "it is" } else { "they are" };
    let sentence = format!("Left out, because {are} 0 throughout: {}.", listed(&zeros));
    (kept, (!zeros.is_empty()).then_some(sentence))
}

fn cells(line: &Line, has_law: bool) -> Vec<String> {
    let or_absent = |cell: Option<String>| cell.unwrap_or_else(|| ABSENT.to_owned());
    let metric = |pick: fn(&Spread) -> f64| {
        or_absent(line.metric.as_ref().map(|spread| significant(pick(spread))))
    };
    let mut cells = vec![
        metric(|spread| spread.median),
        metric(|spread| spread.least),
        metric(|spread| spread.greatest),
    ];
    if has_law {
        let law = line.law.as_ref().map(|law| law.value);
        let share = law.filter(|law| *law != 0.0).zip(line.metric);
        let share = share.map(|(law, spread)| number(100.0 * spread.median / law, 1));
        cells.extend([or_absent(law.map(significant)), or_absent(share)]);
    }
    cells
}

/// The contrasts in a table, the reader's own below the book's, and what the verdicts rest on.
pub fn verdicts(sets: Sets) -> String {
    let experiment = sets.experiment();
    let mut rows = Vec::new();
    let ours = &sets.ours.summary;
    for (index, finding) in ours.findings.iter().chain(&ours.control).enumerate() {
        rows.push(row("", finding, experiment));
        let own = sets.yours.and_then(|yours| {
            let mut all = yours.summary.findings.iter().chain(&yours.summary.control);
            all.nth(index)
        });
        rows.extend(own.map(|own| row("*yours:* ", own, experiment)));
    }
    if rows.is_empty() {
        return String::new();
    }
    let headings = ["Of", "To", "Figure", "Ratio", "Interval", "Verdict"];
    let left = ["To", "Figure", "Verdict"];
    format!("{}\n{}", text::table(&headings, &left, rows), basis(sets.ours))
}

fn row(whose: &str, finding: &Finding, experiment: &Experiment) -> Vec<String> {
    let name = |name: &str| match name {
        CONTROL => format!("*{CONTROL}*"),
        name => in_table(experiment, name),
    };
    let verdict = match finding.verdict(experiment.margin.part()) {
        _ if finding.exact => "exact: the same in all rounds".to_owned(),
        verdict @ Verdict::CantTell(why) => format!("{}: {}", verdict.words(), why.words()),
        verdict => verdict.words(),
    };
    let (ratio, interval) = match finding.ratio.as_ref().map(ratio_words) {
        // What was counted has neither an interval nor a margin.
        Some([median, ..]) if finding.exact => (median, ABSENT.to_owned()),
        Some([median, low, high]) => (median, format!("{low} to {high}")),
        None => (ABSENT.to_owned(), ABSENT.to_owned()),
    };
    vec![
        format!("{whose}{}", name(&finding.of)),
        name(&finding.to),
        figure_words(&finding.figure),
        ratio,
        interval,
        verdict,
    ]
}

/// The margin and its reason.
fn basis(set: Set) -> String {
    let margin = &set.record.experiment.margin;
    format!("The margin is {}%: {}.", shortest(margin.percent), plain(&margin.because))
}

#[cfg(test)]
mod tests {
    use records::testing::{pool, record};

    use super::*;
    use crate::report::{
        evidence::commands::{origin_line, repeat},
        testing::{has, with},
    };

    #[test]
    fn a_column_of_zeros_is_named_and_left_out() {
        let quiet = record(&[("a", &[1.0, 1.1]), ("b", &[2.0; 2])]);
        let of = |yours| with(&quiet, yours, |it| table(it.sets("pool-law").unwrap()));
        let text = of(None);
        has(&text, &["| Greatest |\n"]);
        let zeros = "\n\nLeft out, because they are 0 throughout: *Void runs*, *Rounds with stalls* and *Rounds with steal*.";
        assert!(text.ends_with(zeros), "{text}");
        // The reader's own may have what the book's have not.
        let mut yours = quiet.clone();
        yours.runs[0].noisy = true;
        let parts = ["| Greatest | Rounds with stalls |\n", "| *yours:* a | ", "| 1 of 2 |"];
        has(&of(Some(&yours)), &parts);
    }

    #[test]
    fn the_control_is_called_as_its_server_is() {
        let mut twice =
            record(&[("ch06_tokio", &[1.0; 5]), ("b", &[2.0; 5]), ("control", &[1.0; 5])]);
        twice.experiment.common.server = Some("ch06_tokio".to_owned());
        let text = with(&twice, None, |it| table(it.sets("pool-law").unwrap()));
        has(&text, &["| control: *<svg ", ">6</text></svg> Tokio* again |"]);
    }

    #[test]
    fn what_is_exact_has_neither_a_spread_nor_an_interval() {
        let mut counted = record(&[("a", &[3.0; 5]), ("b", &[6.0; 5])]);
        with(&counted, None, |evidence| {
            let sets = evidence.sets("pool-law").unwrap();
            has(&table(sets), &["| 3.00 | 3.00 | 3.00 |"]);
            has(&verdicts(sets), &["| 2.00 | 2.00 to 2.00 | differs |"]);
        });
        counted.experiment.exact = true;
        with(&counted, None, |evidence| {
            let sets = evidence.sets("pool-law").unwrap();
            let parts = ["| Variant | Median, requests/s |\n", "| a | 3.00 |\n", "These are exact"];
            has(&table(sets), &parts);
            has(&verdicts(sets), &["| 2.00 | – | exact: the same in all rounds |"]);
            has(&origin_line(sets, "pool-law"), &["exact, the same in 5 rounds, "]);
        });
    }

    #[test]
    fn runs_beyond_the_generator_are_no_void_ones() {
        let mut ended = record(&[("a", &[1.0, 1.1]), ("b", &[2.0; 2])]);
        ended.runs[2].void = Some(format!("{}the generator used 71%", records::store::TOO_FAR));
        with(&ended, None, |evidence| {
            let sets = evidence.sets("pool-law").unwrap();
            let text = table(sets);
            has(&text, &["| Beyond the generator |\n", "are 0 throughout: *Void runs*"]);
            has(&origin_line(sets, "pool-law"), &["2 rounds, "]);
            let told = repeat(sets.ours);
            has(
                &told,
                &["none was void. 1 more does not count, because", "part of what is measured"],
            );
        });
    }

    #[test]
    fn each_contrast_has_a_row_and_the_control_has_one() {
        let told = |record: &_, yours: Option<&_>| {
            with(record, yours, |evidence| verdicts(evidence.sets("pool-law").unwrap()))
        };
        let ours = pool();
        let text = told(&ours, None);
        has(
            &text,
            &[
                "| Of | To | Figure | Ratio | Interval | Verdict |",
                "| pool of 4 | pool of 1 | requests per second | 3.99 | 3.98 to 4.00 | differs |",
                "| *control* | pool of 1 | requests per second | 1.00 | 0.99 to 1.01 | equal within 5% |",
            ],
        );
        assert!(text.ends_with("The margin is 5%: it is an example."), "{text}");
        has(&told(&ours, Some(&pool())), &["| *yours:* pool of 4 | pool of 1 |"]);
        let few = record(&[("a", &[1.0]), ("b", &[2.0])]);
        has(&told(&few, None), &["| 2.00 | 2.00 to 2.00 | can't tell: too few rounds |"]);
    }
}
