//! What a reader must know to read the figures of a table right, as a list below it.

use records::ladder::Run;

use crate::{
    tables::{commands::reduced, entries::Entry},
    text::zeros_sentence,
};

/// What the tools count otherwise than a reader would expect.
const COUNTED: [(&str, &str); 2] = [
    (
        "timeouts",
        "wrk calls an answer that takes longer than 2 s a timeout. It counts among the requests, \
         but wrk leaves it out of its latency figures.",
    ),
    (
        "failed_length",
        "ab takes the length of its first answer for the length of all, and counts others as failed. \
         The answers of `/tenth` differ in length, so these are no errors.",
    ),
];

/// What a system may keep to itself.
const UNTOLD: [(&str, &str); 2] = [
    ("server_cpu_seconds", "the server's CPU time and context switches"),
    ("server_peak_memory_mib", "its memory and threads"),
];

/// The notes below a table of these runs, from which `zeros` were left out; nothing if there is nothing to say.
pub fn notes(entries: &[Entry], zeros: &[&str], name: impl Fn(&Run) -> String) -> String {
    let mut notes: Vec<String> = zeros_sentence(zeros).into_iter().collect();
    for entry in entries {
        notes.extend(of_run(entry.run, &entry.named(&name(entry.run))));
    }
    let has = |entry: &Entry, figure| entry.run.figure(figure).is_some_and(|count| count > 0.0);
    let counted =
        COUNTED.iter().filter(|(figure, _)| entries.iter().any(|entry| has(entry, figure)));
    notes.extend(counted.map(|(_, note)| (*note).to_owned()));
    for is_yours in [false, true] {
        if entries.iter().any(|entry| entry.run.quick && entry.is_yours == is_yours) {
            let whose = if is_yours { "Yours were measured" } else { "Measured" };
            notes.push(format!("{whose} with `--quick`: shorter than the sources' command lines."));
        }
    }
    if entries.iter().any(|entry| entry.run.wire_tests_passed.is_none()) {
        notes.push("Measured without running the wire tests first.".to_owned());
    }
    for (figure, what) in UNTOLD {
        if entries.iter().all(|entry| entry.run.figure(figure).is_none()) {
            notes.push(format!("This system did not tell {what}."));
        }
    }
    let start = if notes.is_empty() { "" } else { "\n" };
    notes.iter().fold(start.to_owned(), |text, note| text + "- " + note + "\n")
}

/// What is unusual about one run.
fn of_run(run: &Run, name: &str) -> Vec<String> {
    let mut notes: Vec<String> =
        reduced(run).map(|sentence| format!("{name}: {sentence}")).into_iter().collect();
    if run.void {
        let last = run.void_attempts.last();
        let reason = last.map_or("too many errors", |attempt| &attempt.reason);
        notes.push(format!(
            "{name} (void): every attempt had too many errors, the last one {reason}; \
             these figures prove nothing."
        ));
    } else if let [first, ..] = &run.void_attempts[..] {
        let count = run.void_attempts.len();
        let times = if count == 1 { "attempt was" } else { "attempts were" };
        let reason = &first.reason;
        notes.push(format!("{name}: {count} earlier {times} void ({reason}), and measured again."));
    }
    if run.noisy {
        notes.push(format!("{name} is a noisy run: {}.", run.noisy_reason));
    }
    notes
}
