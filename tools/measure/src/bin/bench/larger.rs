//! `--larger`: what two hardware threads can't show. It measures the experiments in `measurements/larger`, which belong to
//! no page, on whatever machine this is, and prints a row for each variant for which that has enough hardware threads.
//!
//! The place of a variant on the horizontal axis (`x`) is there the number of hardware threads that it needs.

use std::path::{Path, PathBuf};

use records::{
    base::number,
    description::{Experiment, Variant},
    stats::median,
    store::Record,
};

use crate::show::Counted;

/// The folder of its descriptions, in `measurements`, and of its results, in `target/results`.
pub const LARGER: &str = "larger";

/// Returns the folder of its results, unless `--out` names another.
pub fn results_folder(root: &Path) -> PathBuf {
    root.join("target").join("results").join(LARGER)
}

/// Returns the reason why a variant can't be run with so many hardware threads, if there is one.
pub fn needs_more_threads(variant: &Variant, hardware_threads: Option<u64>) -> Option<String> {
    let needed = variant.x?;
    let there = hardware_threads.unwrap_or(1) as f64;
    let [needs, has] = [needed, there].map(|count| number(count, 0));
    (needed > there)
        .then(|| format!("it needs {needs} hardware threads, and this machine has {has}"))
}

/// Writes a record in rows: the median of each variant, and the least and the greatest of its rounds; and how much its
/// generator used of the processors that it may use, because one that used all of them has limited the server.
pub fn rows(name: &str, experiment: &Experiment, record: &Record) -> Vec<String> {
    let machine = &record.session.machine;
    let threads = machine.hardware_threads.unwrap_or(1);
    let cpu = machine.cpu_model.as_deref().unwrap_or("unknown CPU");
    let metric = &experiment.metric;
    let mut lines = vec![format!("{name}: {metric}, hardware threads: {threads} ({cpu})")];
    for variant in record.variants(experiment) {
        lines.push(row(variant, metric, record));
    }
    lines.push(format!("  {}", Counted::of(&record.runs).words()));
    lines.extend(record.session.skipped.iter().map(|skipped| format!("  skipped: {skipped}")));
    lines
}

/// Writes the row of a variant.
fn row(variant: &str, metric: &str, record: &Record) -> String {
    let values: Vec<f64> = record.values(variant, metric).into_values().collect();
    let least = values.iter().copied().reduce(f64::min);
    let greatest = values.iter().copied().reduce(f64::max);
    let (Some(median_value), Some(least), Some(greatest)) = (median(&values), least, greatest)
    else {
        return format!("  {variant:<20} no run counts");
    };
    let [middle, least, greatest] = [median_value, least, greatest].map(|value| number(value, 0));
    let shares: Vec<f64> =
        record.values(variant, "generator_cpu_share_percent").into_values().collect();
    let generator = match median(&shares) {
        Some(share) => format!(", generator at {}%", number(share, 0)),
        None => String::new(),
    };
    let rounds = values.len();
    format!(
        "  {variant:<20} median {middle}, least {least}, greatest {greatest}, rounds {rounds}{generator}"
    )
}

/// Says that a larger machine prints more rows, if some variant needs more hardware threads than this one has.
pub fn more_rows<'a>(
    experiments: impl IntoIterator<Item = &'a Experiment>,
    hardware_threads: Option<u64>,
) -> Option<String> {
    let mut variants = experiments.into_iter().flat_map(|experiment| &experiment.variants);
    variants.find(|variant| needs_more_threads(variant, hardware_threads).is_some())?;
    let threads = hardware_threads.unwrap_or(1);
    Some(format!(
        "This machine has {threads} hardware threads. One with more prints more rows: \
         run `cargo xtask bench --larger` there."
    ))
}

#[cfg(test)]
mod tests {
    use records::{
        base::find_root,
        descriptions,
        testing::{record, run},
    };

    use super::*;
    use crate::plan::whole_seconds;

    fn of_threads(counts: &[f64]) -> Experiment {
        let variant = |count: &f64| Variant {
            x: Some(*count),
            ..Variant::named(&format!("{count} threads"))
        };
        Experiment {
            metric: "requests_per_second".to_owned(),
            variants: counts.iter().map(variant).collect(),
            ..Experiment::default()
        }
    }

    #[test]
    fn a_variant_needs_as_many_hardware_threads_as_its_place_says() {
        let experiment = of_threads(&[1.0, 2.0, 4.0, 8.0]);
        for (threads, expected) in [
            (Some(1), &["1 threads"][..]),
            (Some(2), &["1 threads", "2 threads"]),
            (Some(6), &["1 threads", "2 threads", "4 threads"]),
            (Some(96), &["1 threads", "2 threads", "4 threads", "8 threads"]),
            (None, &["1 threads"]),
        ] {
            let mut kept = experiment.variants.clone();
            kept.retain(|variant| needs_more_threads(variant, threads).is_none());
            let names: Vec<&str> = kept.iter().map(|variant| variant.name.as_str()).collect();
            assert_eq!(names, expected);
            let more = more_rows([&experiment], threads);
            assert_eq!(more.is_some(), names.len() < 4, "{more:?}");
        }
        assert_eq!(needs_more_threads(&Variant::named("rung 1"), Some(1)), None);
        let why = needs_more_threads(&experiment.variants[3], Some(2)).unwrap();
        assert_eq!(why, "it needs 8 hardware threads, and this machine has 2");
        assert!(more_rows([&experiment], Some(2)).unwrap().contains("has 2 hardware threads"));
    }

    #[test]
    fn a_row_has_the_median_the_least_and_the_greatest() {
        let experiment = of_threads(&[1.0, 2.0, 4.0]);
        let mut measured =
            record(&[("1 threads", &[10.0, 1234.0, 30.0]), ("2 threads", &[5.0, 6.0])]);
        measured.session.machine.hardware_threads = Some(2);
        for run in &mut measured.runs {
            run.figures.insert("generator_cpu_share_percent".to_owned(), 35.0);
        }
        let mut lost = run(4, "1 threads", 9.0);
        lost.left_out = Some("9 errors".to_owned());
        measured.runs.push(lost);
        measured.session.skipped = vec!["4 threads: too few".to_owned()];
        let lines = rows("hyper", &experiment, &measured);
        assert!(lines[0].starts_with("hyper: requests_per_second, hardware threads: 2 ("));
        let words = lines[1].split_whitespace().collect::<Vec<_>>().join(" ");
        let expected = "1 threads median 30, least 10, greatest 1,234, rounds 3, generator at 35%";
        assert_eq!(words, expected);
        assert!(lines[2].contains("median 6, least 5, greatest 6, rounds 2"), "{}", lines[2]);
        assert!(lines[3].contains("5 runs count"), "{}", lines[3]);
        assert_eq!(lines[4..], ["  skipped: 4 threads: too few"]);
    }

    /// On whatever machine: with all variants, and five minutes are left for what is built and tested before.
    #[test]
    fn all_of_it_is_measured_in_five_minutes() {
        let described = descriptions::load_folder(&find_root().unwrap(), LARGER).unwrap();
        assert_eq!(described.len(), 4);
        let seconds: f64 = described.values().map(whole_seconds).sum();
        assert!((60.0..300.0).contains(&seconds), "{seconds}");
    }
}
