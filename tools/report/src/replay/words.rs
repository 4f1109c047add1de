//! A recording in sentences: what its picture shows, how it was made, and what its caption says.

use std::fmt::Write;

use base::{number, significant};
use records::recording::Recording;

use crate::{
    replay::numbers::{at_once, moved, ms, polls, running, took},
    text::{day, escape, plural},
};

/// The processor that it was recorded on.
pub fn machine_name(recording: &Recording) -> String {
    recording.machine.cpu_model.clone().unwrap_or_else(|| "an unnamed processor".to_owned())
}

/// The picture in a few sentences.
pub fn summary(recording: &Recording) -> String {
    let mut text = format!(
        "{} of {} to {} in {} ms. The server has {}; together they were on a CPU for {} ms. At most {} at a time \
         {} with a handler. The fastest answer took {} ms, the slowest {} ms.",
        plural(recording.requests.len() as u64, "request"),
        plural(recording.clients, "client"),
        recording.route,
        number(ms(recording.duration_us), 0),
        plural(recording.threads.len() as u64, "thread"),
        significant(ms(running(recording))),
        plural(at_once(recording) as u64, "request"),
        if at_once(recording) == 1 { "was" } else { "were" },
        number(ms(took(recording).min().unwrap_or(0)), 0),
        number(ms(took(recording).max().unwrap_or(0)), 0),
    );
    if !recording.tasks.is_empty() {
        let _ = write!(
            text,
            " {} were polled {}; {} of them by more than one thread.",
            plural(recording.tasks.len() as u64, "task"),
            plural(polls(recording) as u64, "time"),
            moved(recording)
        );
    }
    text
}

/// How the threads were observed, and how finely.
pub fn method(recording: &Recording) -> String {
    let sampling = &recording.sampling;
    let mut text = format!("How the threads were observed: {}.", sampling.method);
    if sampling.interval_us > 0 {
        let _ = write!(
            text,
            " There were {} samples; between two of them were about {} ms, and at most {} ms.",
            number(sampling.samples as f64, 0),
            significant(ms(sampling.interval_us)),
            significant(ms(sampling.longest_gap_us))
        );
    } else {
        let _ = write!(text, " There were {} of them.", number(sampling.samples as f64, 0));
    }
    text
}

/// What the picture has below it.
pub fn caption(recording: &Recording, yours: bool) -> String {
    format!(
        "<strong>{}<code>{}</code>, {} of {}.</strong> Only what is solid was on a CPU; it is drawn at least 2 pixels wide, \
         however short it was. {}{}, {}. To make {}: <code>{}</code>",
        if yours { "Yours: " } else { "" },
        escape(&recording.rung),
        plural(recording.requests.len() as u64, "request"),
        plural(recording.clients, "client"),
        if yours { "Your machine: " } else { "Recorded on " },
        escape(&machine_name(recording)),
        escape(day(&recording.recorded)),
        if yours { "another" } else { "your own, on Linux" },
        escape(&recording.command),
    )
}

#[cfg(test)]
mod tests {
    use records::testing::recording;

    use super::*;
    use crate::testing::has;

    #[test]
    fn the_caption_names_the_machine_and_the_command() {
        let ours = caption(&recording(), false);
        let parts = [
            "<code>ch06_tokio</code>, 2 requests of 2 clients.",
            "Recorded on Some &lt;CPU&gt; | R, 2026-11-21.",
            "Only what is solid was on a CPU",
            "<code>cargo xtask observe ch06_tokio --clients 2</code>",
        ];
        has(&ours, &parts);
        assert!(caption(&recording(), true).contains("Yours: "));
    }
}
