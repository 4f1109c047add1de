//! The session log: which sessions there were, and how far each agrees with the book's.

use std::collections::BTreeMap;

use anyhow::Result;
use records::{
    description::Experiment,
    log::{Conclusions, Session},
};

use crate::{
    compare::{self, Comparison, Total, controls, told},
    text::{code, day, plain, table},
};

/// Every session in a row, the book's own last, and below it what contradicts the book.
/// Fails when a session has no experiment in common with the book's.
pub fn sessions(
    log: &[(String, Session)],
    ours: &Session,
    described: &BTreeMap<String, Experiment>,
) -> Result<String> {
    let mut rows = Vec::new();
    let mut contradictions = Vec::new();
    for (name, session) in log {
        let compared = compare::compare(ours, session, described)?;
        let Total { compared: all, same, contradictions: against } = Total::of(&compared);
        let counts = [all, same, all - same - against, against];
        rows.push(row(name, session, described, Some(counts)));
        contradictions.extend(against_us(name, &compared));
    }
    rows.push(row("this book", ours, described, None));
    let headings = [
        "Session",
        "Days",
        "Machine",
        "Experiments",
        "By other margins",
        "In both",
        "The same",
        "Overlap",
        "Contradict",
        "Controls that differ",
    ];
    let mut text = table(&headings, &["Days", "Machine"], rows).trim_end().to_owned();
    for (name, session) in log.iter().filter(|(_, session)| !session.note.is_empty()) {
        text += &format!("\n\n{}: {}", code(name), session.note);
    }
    if !contradictions.is_empty() {
        let headings = ["Session", "Experiment", "Contrast", "This book", "That session"];
        text += "\n\n";
        text += table(&headings, &headings, contradictions).trim_end();
    }
    Ok(text)
}

/// A session in the table; with how many contrasts are in both, agree, differ with overlapping intervals, contradict.
fn row(
    name: &str,
    session: &Session,
    described: &BTreeMap<String, Experiment>,
    counts: Option<[usize; 4]>,
) -> Vec<String> {
    let [all, differing] = controls(session);
    let days = match (day(&session.started), day(&session.finished)) {
        (first, last) if first == last => first.to_owned(),
        (first, last) => format!("{first} to {last}"),
    };
    let machines: Vec<String> = session
        .machines
        .iter()
        .map(|machine| {
            plain(&format!("{}, {}", machine.name(), machine.kernel.as_deref().unwrap_or("")))
        })
        .collect();
    let has_other_margin = |(name, it): &(&String, &Conclusions)| {
        described.get(*name).is_some_and(|now| now.margin.percent != it.margin_percent)
    };
    let other_margins = session.experiments.iter().filter(has_other_margin).count();
    let mut row = vec![
        code(name),
        days,
        machines.join("; "),
        session.experiments.len().to_string(),
        other_margins.to_string(),
    ];
    match counts {
        Some(counts) => row.extend(counts.map(|count| count.to_string())),
        None => row.extend(std::array::from_fn::<_, 4, _>(|_| crate::text::ABSENT.to_owned())),
    }
    row.push(format!("{differing} of {all}"));
    row
}

/// A row for each contrast that this session sees otherwise, with an interval that has nothing in common with ours.
fn against_us(session: &str, compared: &[Comparison]) -> Vec<Vec<String>> {
    let rows = compared.iter().flat_map(|it| {
        let against = it.differences.iter().filter(|difference| difference.contradicts());
        against.map(|found| {
            vec![
                code(session),
                code(&it.name),
                format!("{} / {}", plain(&found.first.of), plain(&found.first.to)),
                told(&found.first, found.margin),
                told(&found.second, found.margin),
            ]
        })
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use records::{
        sessions::Records,
        testing::{pool, write},
    };

    use super::*;
    use crate::testing::has;

    fn session(of_four: f64) -> Session {
        let mut record = pool();
        for run in record.runs.iter_mut().filter(|run| run.variant == "pool of 4") {
            let rate = run.figures["requests_per_second"].unwrap() * of_four;
            run.figures.insert("requests_per_second".to_owned(), Some(rate));
        }
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "pool-law", &record);
        Session::of(&Records::read(folder.path()).unwrap(), &BTreeMap::new())
    }

    #[test]
    fn a_session_that_dissents_is_counted_and_shown() {
        let mut other = session(0.25);
        other.note = "It ran elsewhere.".to_owned();
        let log = [("same".to_owned(), session(1.0)), ("other".to_owned(), other)];
        let text = sessions(&log, &session(1.0), &BTreeMap::new()).unwrap();
        has(
            &text,
            &[
                "| `same` | 2025-01-02 | A \\<Processor\\> \\& Co, Linux 6 | 1 | 0 | 1 | 1 | 0 | 0 | 0 of 1 |",
                "| 1 | 0 | 1 | 0 | 0 | 1 | 0 of 1 |",
                "`other`: It ran elsewhere.",
                "| `other` | `pool-law` | pool of 4 / pool of 1 | differs (3.99 times, ",
                "| equal within 5% (",
            ],
        );
    }
}
