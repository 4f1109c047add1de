//! Describes each moment of a recording in a sentence, from true times.

use pictures::text::{capital, listed};

use crate::report::replay::picture::Kind;

/// From when on somebody does what.
pub type States = Vec<(u64, Kind)>;

/// The sentences on these requests, which the sentence calls so, each with the moment from which on it holds.
pub fn moments(whom: &str, requests: &[States]) -> Vec<(u64, String)> {
    let mut times: Vec<u64> = requests.iter().flatten().map(|state| state.0).collect();
    times.sort_unstable();
    times.dedup();
    let mut moments: Vec<(u64, String)> =
        times.into_iter().map(|at| (at, sentence(whom, requests, at))).collect();
    moments.dedup_by(|later, earlier| later.1 == earlier.1);
    moments
}

/// The state of a request at a time, if it has been sent.
pub fn state(states: &States, at: u64) -> Option<Kind> {
    states.iter().rfind(|state| state.0 <= at).map(|state| state.1)
}

fn sentence(whom: &str, requests: &[States], at: u64) -> String {
    let parts = [
        (Kind::Queues, "is queued", "are queued"),
        (Kind::Holds, "waits and holds a thread", "wait and hold a thread each"),
        (Kind::Free, "waits and holds nothing", "wait and hold nothing"),
        (Kind::Works, "works on a CPU", "work on a CPU"),
        (Kind::Idle, "is with the server", "are with the server"),
        (Kind::Done, "has been answered", "have been answered"),
        (Kind::Refused, "has been refused", "have been refused"),
        (Kind::Cut, "has been cut off", "have been cut off"),
    ];
    let all = requests.len();
    let parts = parts.into_iter().filter_map(|(kind, one, many)| {
        let own = (1..).zip(requests).filter(|(_, it)| state(it, at) == Some(kind));
        let own: Vec<String> = own.map(|(number, _)| number.to_string()).collect();
        match own.len() {
            0 => None,
            1 => Some(format!("{whom} {} {one}", own[0])),
            2 if all == 2 => Some(format!("both {whom}s {many}")),
            count if count == all => Some(format!("all {all} {whom}s {many}")),
            _ => Some(format!("{whom}s {} {many}", listed(&own))),
        }
    });
    let parts: Vec<String> = parts.collect();
    capital(&parts.join("; ")) + "."
}
