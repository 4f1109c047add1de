//! What the contrasts of an experiment say: a picture and a table of ratios and verdicts, with the control.

use base::shortest;
use records::{
    description::{CONTROL, Contrast, Experiment},
    sessions::Set,
    verdict::{Finding, Verdict},
};

use crate::{
    charts,
    figure_names::words,
    sets::Sets,
    text::{ABSENT, capital, escape, plain, ratio_words, table},
};

/// The ratios of the book's machine as a picture, in HTML without an empty line; empty where there are fewer than two.
/// `id` is unique in the book.
pub fn picture(sets: Sets, id: &str) -> String {
    let experiment = sets.experiment();
    let Some((finding, svg)) = charts::draw_verdicts(&format!("{id}-verdicts"), sets) else {
        return String::new();
    };
    let ratios = match charts::compared_with(sets) {
        Some(to) => format!("relative to <em>{}</em>", escape(to)),
        None => "one relative to the other".to_owned(),
    };
    format!(
        "<figure class=\"chart\">\n<p class=\"finding\">{}</p>\n<p class=\"counts\">{}: {ratios}, in the same round.</p>\n{svg}\n\
         <figcaption>Grey: within {}%, which would not matter here. A full dot is a difference, an open one less \
         or none, and a broken one can't be told. The thin bar is the interval.</figcaption>\n</figure>",
        escape(&capital(&finding)),
        escape(&capital(&words(&experiment.metric))),
        shortest(experiment.margin.percent)
    )
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
    let text = table(&headings, &left, rows);
    format!("{}\n\n{}", text.trim_end(), basis(sets.ours))
}

fn row(whose: &str, finding: &Finding, experiment: &Experiment) -> Vec<String> {
    let name = |name: &str| match name {
        CONTROL => format!("*{CONTROL}*"),
        name => plain(name),
    };
    let verdict = finding.verdict(experiment.margin.part());
    let verdict = match verdict {
        Verdict::CantTell(why) => format!("{}: {}", verdict.words(), why.words()),
        verdict => verdict.words(),
    };
    let ratio = finding.ratio.as_ref().map(ratio_words);
    let (ratio, interval) = match ratio {
        Some([median, low, high]) => (median, format!("{low} to {high}")),
        None => (ABSENT.to_owned(), ABSENT.to_owned()),
    };
    vec![
        format!("{whose}{}", name(&finding.of)),
        name(&finding.to),
        words(&finding.figure).to_owned(),
        ratio,
        interval,
        verdict,
    ]
}

/// The margin and its reason, and what of the rules is younger than the session.
fn basis(set: Set) -> String {
    let experiment = &set.record.experiment;
    let margin = &experiment.margin;
    let mut text =
        format!("The margin is {}%: {}.", shortest(margin.percent), plain(&margin.because));
    let (margin_then, metric_then) = (set.record.margin_then(), set.record.metric_then());
    if margin_then.is_some() || metric_then.is_some() {
        text += &format!(
            " **It is younger than the session**, which was measured when the margin was {}%{}.",
            shortest(margin_then.unwrap_or(margin.percent)),
            metric_then.map_or_else(String::new, |metric| format!(" of *{}*", words(metric)))
        );
    }
    let is_younger = |contrast: &&Contrast| set.record.is_younger(contrast);
    match experiment.contrasts.iter().filter(is_younger).count() {
        0 => {}
        younger => {
            text += &format!(
                " {younger} of {} contrasts were declared after the session.",
                experiment.contrasts.len()
            );
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use records::{
        store::Rules,
        testing::{pool, record},
    };

    use super::*;
    use crate::testing::{has, with};

    #[test]
    fn each_contrast_has_a_row_and_the_control_has_one() {
        let told = |record: &_, yours: Option<&_>| {
            with(record, yours, |evidence| verdicts(evidence.sets("pool-law").unwrap()))
        };
        let mut ours = pool();
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
        // What was chosen later is told.
        let rules = Rules { margin_percent: 50.0, metric: None, contrasts: Vec::new() };
        ours.rules = Some(rules.clone());
        let text = told(&ours, None);
        has(&text, &["**It is younger than the session**", "the margin was 50%."]);
        let metric = Some("server_cpu_us_per_request".to_owned());
        ours.rules = Some(Rules { margin_percent: 5.0, metric, ..rules });
        let text = told(&ours, None);
        has(&text, &["**It is younger than", "was 5% of *server CPU time, µs per request*."]);
        assert!(text.ends_with("1 of 1 contrasts were declared after the session."), "{text}");
        has(&told(&ours, Some(&pool())), &["| *yours:* pool of 4 | pool of 1 |"]);
        let picture = with(&ours, None, |it| picture(it.sets("pool-law").unwrap(), "c"));
        has(
            &picture,
            &[
                "<p class=\"finding\">Pool of 4 to pool of 1: 3.99 times</p>",
                "id=\"c-verdicts-narrow-title\"",
                "Requests per second: relative to <em>pool of 1</em>, in the same round.",
                "Grey: within 5%",
            ],
        );
        assert!(!picture.contains("\n\n"), "{picture}");
        let few = record(&[("a", &[1.0]), ("b", &[2.0])]);
        has(&told(&few, None), &["| 2.00 | 2.00 to 2.00 | can't tell: too few rounds |"]);
    }
}
