//! On which machines something was measured, and when: always those of the records that are shown.

use records::{base::number, machine::Machine, recording::Recording, store::Record};

use crate::report::{
    sets::Sets,
    text::{day, plain, plural},
};

/// Records of one machine. Another kernel is another machine.
struct Group<'a> {
    machine: &'a Machine,
    records: Vec<&'a Record>,
}

/// The machines in half a sentence, with their kernels and days. Where there are several, each with the number of its
/// records.
pub(crate) fn machines(records: &[&Record]) -> String {
    let groups = groups(records);
    let fields: Vec<Vec<String>> = groups.iter().map(|group| fields(group.machine)).collect();
    let days = |group: &Group| period(&group.records, |moment| day(moment).to_owned());
    let [one] = &groups[..] else {
        // What is the same for all is told once.
        let is_shared = |field: &&String| fields.iter().all(|own| own.contains(field));
        let shared: Vec<&String> = fields.iter().take(1).flatten().filter(is_shared).collect();
        let own = groups.iter().zip(&fields).map(|(group, fields)| {
            let own = fields.iter().filter(|field| !shared.contains(field));
            let own: Vec<String> = own.cloned().chain([days(group)]).collect();
            format!("{} ({})", own.join(", "), plural(group.records.len() as u64, "record"))
        });
        let own = own.collect::<Vec<_>>().join("; ");
        return match &*shared.into_iter().cloned().collect::<Vec<_>>().join(", ") {
            "" => own,
            shared => format!("{shared}; {own}"),
        };
    };
    let days = days(one);
    fields.concat().into_iter().chain([days]).collect::<Vec<_>>().join(", ")
}

/// The line below a table that says where and when its records, and the reader's, were measured.
pub(crate) fn measured_on(sets: &[Sets]) -> String {
    let ours: Vec<&Record> = sets.iter().map(|sets| sets.ours.record).collect();
    let yours: Vec<&Record> = sets.iter().filter_map(|sets| Some(sets.yours?.record)).collect();
    let mut text = format!("Measured on {}.", plain(&machines(&ours)));
    if !yours.is_empty() {
        text += &format!(" Yours on {}.", plain(&machines(&yours)));
    }
    text
}

/// A machine in a caption: the processor and the kernel.
pub(crate) fn in_caption(machine: &Machine) -> String {
    let kernel = machine.kernel.as_ref().map(|kernel| format!(", {kernel}"));
    machine.name().to_owned() + &kernel.unwrap_or_default()
}

/// Where and when recordings were made, in a caption.
pub(crate) fn of_recordings(recordings: &[&Recording]) -> String {
    let of = |recording: &&Recording| {
        let set = recording.build.as_ref().and_then(|build| build.set_by_hand());
        let set = set.map(|set| format!(", with {set}")).unwrap_or_default();
        format!("{}, {}{set}", in_caption(&recording.machine), day(&recording.recorded))
    };
    let mut all: Vec<String> = recordings.iter().map(of).collect();
    all.sort();
    all.dedup();
    all.join("; ")
}

/// When the first run began and the last one ended, as these parts of the moments.
pub(crate) fn period(records: &[&Record], part: fn(&str) -> String) -> String {
    let first = records.iter().map(|record| record.started.as_str()).min();
    let last = records.iter().map(|record| record.finished.as_str()).max();
    let mut ends: Vec<String> = first.into_iter().chain(last).map(part).collect();
    ends.dedup();
    ends.join(" to ")
}

/// The different values that records have of something, in the order in which they were measured; those of each.
pub(crate) fn values<'a, T: PartialEq>(
    records: &[&'a Record],
    value: impl Fn(&'a Record) -> T,
) -> Vec<(T, Vec<&'a Record>)> {
    let mut sorted = records.to_vec();
    sorted.sort_by(|one, other| one.started.cmp(&other.started));
    let mut found: Vec<(T, Vec<&Record>)> = Vec::new();
    for record in sorted {
        let own = value(record);
        match found.iter_mut().find(|(known, _)| *known == own) {
            Some((_, records)) => records.push(record),
            None => found.push((own, vec![record])),
        }
    }
    found
}

fn groups<'a>(records: &[&'a Record]) -> Vec<Group<'a>> {
    let groups = values(records, |record| &record.machine).into_iter();
    groups.map(|(machine, records)| Group { machine, records }).collect()
}

/// What a machine is, as far as it is known.
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
    use records::testing::pool;

    use super::*;

    #[test]
    fn each_machine_is_told_with_its_days_and_records() {
        let first = pool();
        let mut second = pool();
        second.machine.kernel = Some("Linux 7".to_owned());
        second.started = "2025-01-03T03:04:05Z".to_owned();
        second.finished = "2025-01-04T03:04:05Z".to_owned();
        let one = "A <Processor> & Co, 1 core, 2 hardware threads, 2.0 GiB of memory";
        assert_eq!(machines(&[&first, &first]), format!("{one}, Linux 6, 2025-01-02"));
        let both = "Linux 6, 2025-01-02 (2 records); Linux 7, 2025-01-03 to 2025-01-04 (1 record)";
        assert_eq!(machines(&[&second, &first, &first]), format!("{one}; {both}"));
        second.machine.cpu_model = Some("Another".to_owned());
        let text = machines(&[&first, &second]);
        assert!(
            text.starts_with("1 core, 2 hardware threads, 2.0 GiB of memory; A <Pro"),
            "{text}"
        );
        assert!(text.contains("; Another, Linux 7, "), "{text}");
    }
}
