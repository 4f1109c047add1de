//! The forms that Linux uses for lists, fields and quotas.

use std::collections::BTreeSet;

/// No Linux is built for more CPUs than this. A larger number in a list is a mistake.
const MOST_CPUS: u32 = 1 << 16;

// ANCHOR: cpu_list
/// The numbers in a list such as `0-3,8`. `None` if the text is not such a list.
pub fn cpu_list(text: &str) -> Option<BTreeSet<u32>> {
    let mut cpus = BTreeSet::new();
    for part in text.trim().split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let first: u32 = first.parse().ok()?;
        let last: u32 = last.parse().ok()?;
        if first > last || last >= MOST_CPUS {
            return None;
        }
        cpus.extend(first..=last);
    }
    Some(cpus)
}
// ANCHOR_END: cpu_list

/// The value in the first line `name : value`.
pub fn field<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        (key.trim() == name).then_some(value.trim())
    })
}

/// How many CPUs `150000 100000` is: so many microseconds in each period of so many.
///
/// `None` where there is no limit (`max`, or -1 in version 1), or the text makes no sense.
pub fn quota(text: &str) -> Option<f64> {
    let mut numbers = text.split_whitespace().map(str::parse::<u64>);
    let most = numbers.next()?.ok()?;
    let period = numbers.next()?.ok()?;
    (period > 0).then(|| most as f64 / period as f64)
}

/// The fourth field of `/proc/loadavg`, `2/345`, in words.
pub fn threads(loadavg: &str) -> Option<String> {
    let (running, all) = loadavg.split_whitespace().nth(3)?.split_once('/')?;
    let running: u64 = running.parse().ok()?;
    let all: u64 = all.parse().ok()?;
    Some(format!("{all} in all processes, {running} of them running or ready to run"))
}
