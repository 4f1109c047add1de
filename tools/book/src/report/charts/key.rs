//! What stands below a chart, in words that wrap: whose figures are whose, if there are both, and the law. What a bar or a
//! line is stands beside it.

use records::{
    base::shortest,
    description::{ChartKind, Experiment, Law},
    store::machine_name,
};

use crate::report::{
    charts::{
        drawing::{Drawing, mark_of},
        is_logarithmic,
        named::{Named, Tone},
    },
    sets::Sets,
    text::{escape, plural},
};

const WIDE: i32 = 24;

/// The key of a chart as HTML; empty where there is nothing to say.
pub fn key(sets: Sets) -> String {
    let is_lines = sets.experiment().chart.kind == ChartKind::Lines;
    let mut entries: Vec<(String, String)> = Vec::new();
    if let Some(reader) = sets.yours {
        let ours = format!("this book's machine: {}", machine_name(sets.ours.record));
        let yours = format!("yours: {}", machine_name(reader.record));
        for (words, is_yours) in [(ours, false), (yours, true)] {
            entries.push((machine(sets, is_yours), words));
        }
    }
    entries.extend(law(sets.experiment()).map(|words| {
        let diamond = drawn(|it| it.law((WIDE / 2, 10), is_lines || is_logarithmic(sets)));
        (diamond, words)
    }));
    if entries.is_empty() {
        return String::new();
    }
    let entries: Vec<String> = entries
        .iter()
        .map(|(sample, words)| format!("<span>{sample}{}</span>", escape(words)))
        .collect();
    format!("\n<p class=\"marks\">{}</p>", entries.join(" "))
}

fn drawn(draw: impl FnOnce(&mut Drawing)) -> String {
    let mut drawing = Drawing::default();
    draw(&mut drawing);
    format!(
        "<svg class=\"pic\" width=\"{WIDE}\" height=\"20\" viewBox=\"0 0 {WIDE} 20\" \
         aria-hidden=\"true\">{}</svg>",
        drawing.body
    )
}

/// How the figures of one of the two machines look.
fn machine(sets: Sets, is_yours: bool) -> String {
    let any = Named { words: String::new(), server: None, tone: Tone::Plain };
    drawn(|it| match sets.experiment().chart.kind {
        ChartKind::Lines => it.line(&any.class("series", is_yours), &[(0, 10), (WIDE, 10)]),
        ChartKind::Bars if is_logarithmic(sets) => {
            it.mark(&any.class("point", is_yours), (WIDE / 2, 10), mark_of(None, 0));
        }
        ChartKind::Bars => it.bar(&any.class("bar", is_yours), (1, 4), (WIDE - 2, 12)),
    })
}

/// What a law says, and the formula that most variants have; what it predicts for each stands at its bar.
fn law(experiment: &Experiment) -> Option<String> {
    let laws = experiment.variants.iter().filter_map(|it| Some((it, it.law.as_ref()?)));
    let often = |words: &str| laws.clone().filter(|(_, law)| law.words == words).count();
    // Of several, one of many threads, in which both numbers count; and of these the first.
    let chosen = |law: &Law| (often(&law.words), threads(law).is_some_and(|it| it > 1));
    let (variant, law) = laws.clone().rev().max_by_key(|(_, law)| chosen(law))?;
    let name = Named::of(experiment, variant, &variant.name).words;
    let what = match experiment.metric.ends_with("_per_second") {
        true => "the most that the law allows",
        false => "what the law predicts",
    };
    Some(format!("{what}: {} = {} for {name}", spelled(law), shortest(law.value)))
}

/// The clients and the threads of a law that takes the fewer of them, `min(492, 8) / 0.1 s`, and what is behind them.
fn fewer(words: &str) -> Option<(u64, u64, &str)> {
    let (both, rest) = words.strip_prefix("min(")?.split_once(')')?;
    let (clients, threads) = both.split_once(", ")?;
    Some((clients.parse().ok()?, threads.parse().ok()?, rest))
}

/// So many threads bound it, if they do.
fn threads(law: &Law) -> Option<u64> {
    let (clients, threads, _) = fewer(&law.words)?;
    (threads < clients).then_some(threads)
}

/// The formula: `8 threads / 0.1 s`.
fn spelled(law: &Law) -> String {
    match fewer(&law.words) {
        Some((clients, threads, rest)) if threads < clients => plural(threads, "thread") + rest,
        Some((clients, _, rest)) => plural(clients, "client") + rest,
        None => law.words.replace(" x ", " × "),
    }
}
