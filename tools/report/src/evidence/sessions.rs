//! What another session of the same experiments found.

use std::fmt::Write;

use anyhow::Result;
use base::number;
use records::{
    description::{CONTROL, MARGIN},
    sessions::{Records, Set},
    summary::{Verdict, judge},
};

use crate::{
    compare::{self, Comparison, Difference, Total},
    sets::Evidence,
    text::{code, plain, plural, table},
};

/// What another session of the same experiments found: how many conclusions are the same, and a row for each other one.
///
/// # Errors
/// When the two have no experiment in common.
pub fn sessions(evidence: Evidence, second: &Records) -> Result<String> {
    if second.is_empty() {
        return Ok("These results hold no second session.".to_owned());
    }
    let compared = compare::compare(evidence.ours, second)?;
    let mut text = conclusions(&compared) + "\n\n" + &controls([evidence.ours, second]);
    for (words, names) in compare::unlike_by_words(&compared) {
        let all = plural(compared.len() as u64, "experiment");
        let _ = write!(text, "\n\nIn {} of {all} {}.", names.len(), plain(words));
    }
    Ok(text)
}

/// How many conclusions are the same, and a table of the others.
fn conclusions(compared: &[Comparison]) -> String {
    let Total { compared: all, same, contradictions } = Total::of(compared);
    let experiments = compared.iter().filter(|it| it.compared > 0).count();
    let (conclusions, experiments) =
        (plural(all as u64, "conclusion"), plural(experiments as u64, "experiment"));
    if all == same {
        return format!("All {conclusions} of {experiments} are the same in both sessions.");
    }
    let row = |name: &str, it: &Difference| {
        let intervals = if it.contradicts { "nothing in common" } else { "overlap" };
        let (first, second) = (it.first.clone(), it.second.clone());
        vec![code(name), plain(&it.variant), first, second, intervals.to_owned()]
    };
    let rows =
        compared.iter().flat_map(|it| it.differences.iter().map(|found| row(&it.name, found)));
    let headings = ["Experiment", "Variant", "These pages", "The other session", "Intervals"];
    format!(
        "{} of {conclusions} of {experiments} are the same in both sessions, and {} of the others contradict \
         each other. Where the intervals *overlap*, one of the two sessions was probably too restless to see \
         what the other saw; where they have *nothing in common*, the two contradict each other.\n\n{}",
        number(same as f64, 0),
        none_or(contradictions),
        table(&headings, &headings, rows).trim_end()
    )
}

/// What the controls of the sessions found.
fn controls(sessions: [&Records; 2]) -> String {
    let controls: Vec<[Verdict; 2]> =
        sessions.into_iter().flat_map(Records::all).filter_map(control_verdicts).collect();
    let found = |margin: usize| {
        none_or(controls.iter().filter(|it| it[margin] == Verdict::Difference).count())
    };
    format!(
        "The controls are counted too: of {} in both sessions, {} found a difference between equals. A wide \
         margin is kind to them: with {} % everywhere it would be {}.",
        controls.len(),
        found(0),
        number(100.0 * MARGIN, 0),
        found(1),
    )
}

fn none_or(count: usize) -> String {
    if count == 0 { "none".to_owned() } else { count.to_string() }
}

/// What an experiment's control found, by its own margin and by [`MARGIN`]; `None` where it has no verdict.
fn control_verdicts((_, set): (&str, Set)) -> Option<[Verdict; 2]> {
    let own = set.summary.line(CONTROL)?.verdict;
    let experiment = &set.record.experiment;
    let ratios = set.record.ratios(CONTROL, experiment.baseline(), &experiment.metric);
    let (_, usual) = judge(&ratios, None, MARGIN);
    matches!(own, Verdict::Difference | Verdict::NoDifference).then_some([own, usual])
}

#[cfg(test)]
mod tests {
    use records::{
        store::SECOND_SESSION,
        summary::Summary,
        testing::{pool, record, write},
    };

    use super::*;
    use crate::testing::has;

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
        has(&text, &["| `pool-law` | pool of 4 | a difference ("]);
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
}
