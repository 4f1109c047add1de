//! Writes on which machines something was measured, and when.

use pictures::text::{day, plural};
use records::{base::number, machine::Machine, recording::Recording, store::Session};

/// Sessions of one machine. Another kernel is another machine.
struct Group<'a> {
    machine: &'a Machine,
    sessions: Vec<&'a Session>,
}

impl Group<'_> {
    fn days(&self) -> String {
        period(&self.sessions, |moment| day(moment).to_owned())
    }
}

/// Names the machines in half a sentence, with their kernels and days. Where there are several, each with the number of
/// its records.
pub(crate) fn machines(sessions: &[&Session]) -> String {
    let groups = groups(sessions);
    if let [one] = &groups[..] {
        let mut words = fields(one.machine);
        words.push(one.days());
        return words.join(", ");
    }
    // A field that all have is written once, before the others.
    let mut shared = groups.first().map(|group| fields(group.machine)).unwrap_or_default();
    for group in &groups {
        let fields = fields(group.machine);
        shared.retain(|field| fields.contains(field));
    }
    let mut own = Vec::new();
    for group in &groups {
        let mut words = fields(group.machine);
        words.retain(|field| !shared.contains(field));
        words.push(group.days());
        let count = plural(group.sessions.len() as u64, "experiment");
        own.push(format!("{} ({count})", words.join(", ")));
    }
    match &*shared.join(", ") {
        "" => own.join("; "),
        shared => format!("{shared}; {}", own.join("; ")),
    }
}

/// Names a machine in a caption: the processor and the kernel.
pub(crate) fn in_caption(machine: &Machine) -> String {
    let kernel = machine.kernel.as_ref().map(|kernel| format!(", {kernel}"));
    machine.name().to_owned() + &kernel.unwrap_or_default()
}

/// Writes for a caption where and when recordings were made.
pub(crate) fn of_recordings(recordings: &[&Recording]) -> String {
    let mut all = Vec::new();
    for recording in recordings {
        let set = recording.build.as_ref().and_then(|build| build.set_by_hand());
        let set = set.map(|set| format!(", with {set}")).unwrap_or_default();
        let machine = in_caption(&recording.machine);
        all.push(format!("{machine}, {}{set}", day(&recording.recorded)));
    }
    all.sort();
    all.dedup();
    all.join("; ")
}

/// Writes when the first run began and the last one ended, by these parts of the moments.
pub(crate) fn period(sessions: &[&Session], part: fn(&str) -> String) -> String {
    let first = sessions.iter().map(|session| session.started.as_str()).min();
    let last = sessions.iter().map(|session| session.finished.as_str()).max();
    let mut ends: Vec<String> = first.into_iter().chain(last).map(part).collect();
    ends.dedup();
    ends.join(" to ")
}

/// Groups sessions by a value of theirs, in the order in which they were measured.
pub(crate) fn values<'a, T: PartialEq>(
    sessions: &[&'a Session],
    value: impl Fn(&'a Session) -> T,
) -> Vec<(T, Vec<&'a Session>)> {
    let mut sorted = sessions.to_vec();
    sorted.sort_by(|one, other| one.started.cmp(&other.started));
    let mut found: Vec<(T, Vec<&Session>)> = Vec::new();
    for session in sorted {
        let own = value(session);
        match found.iter_mut().find(|(known, _)| *known == own) {
            Some((_, sessions)) => sessions.push(session),
            None => found.push((own, vec![session])),
        }
    }
    found
}

fn groups<'a>(sessions: &[&'a Session]) -> Vec<Group<'a>> {
    let groups = values(sessions, |session| &session.machine).into_iter();
    groups.map(|(machine, sessions)| Group { machine, sessions }).collect()
}

/// Describes a machine, as far as it is known.
fn fields(machine: &Machine) -> Vec<String> {
    let mut fields = vec![machine.name().to_owned()];
    fields.extend(machine.physical_cores.map(|count| plural(count, "core")));
    fields.extend(machine.hardware_threads.map(|count| plural(count, "hardware thread")));
    fields.extend(machine.memory_mib.map(|mib| format!("{} of memory", gib(mib))));
    fields.extend(machine.kernel.clone());
    fields
}

pub(crate) fn gib(mib: u64) -> String {
    format!("{} GiB", number(mib as f64 / 1024.0, 1))
}

#[cfg(test)]
mod tests {
    use records::testing::session;

    use super::*;

    #[test]
    fn each_machine_is_told_with_its_days_and_experiments() {
        let first = session();
        let mut second = session();
        second.machine.kernel = Some("Linux 7".to_owned());
        second.started = "2025-01-03T03:04:05Z".to_owned();
        second.finished = "2025-01-04T03:04:05Z".to_owned();
        let one = "A <Processor> & Co, 1 core, 2 hardware threads, 2.0 GiB of memory";
        assert_eq!(machines(&[&first, &first]), format!("{one}, Linux 6, 2025-01-02"));
        let both =
            "Linux 6, 2025-01-02 (2 experiments); Linux 7, 2025-01-03 to 2025-01-04 (1 experiment)";
        assert_eq!(machines(&[&second, &first, &first]), format!("{one}; {both}"));
    }
}
