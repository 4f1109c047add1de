//! The model of a picture of time: rows of bars.

/// All rows. Times are whole microseconds since the first request was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Picture {
    pub duration: u64,
    pub groups: Vec<Group>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// With a capital letter, what the reader calls it.
    pub id: &'static str,
    /// What there is to see in it.
    pub note: String,
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub label: String,
    /// Its name where there is little room; without it, the end of its label.
    pub short: Option<String>,
    /// The page that it asks for, where that is all it does.
    pub page: Option<String>,
    /// Its states with their times; what is drawn later lies above.
    pub bars: Vec<Bar>,
}

impl Row {
    /// A row that does nothing yet.
    pub fn named(label: String) -> Row {
        Row { label, short: None, page: None, bars: Vec::new() }
    }
}

/// All that a row does in the same way for the same request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    pub kind: Kind,
    pub request: Option<usize>,
    /// From, to; in order. A moment has no length.
    pub spans: Vec<(u64, u64)>,
}

/// The states of a row: the marks of `book/theme/pictures.css`, by their class names. Later ones are drawn above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A CPU without a thread, a thread without a request, and what was not observed.
    Idle,
    /// It waits and holds a thread: the thread is asleep, with the request in hand.
    Holds,
    /// It could continue, but is queued: for a CPU, for a handler, for a thread that polls it.
    Queues,
    /// A task between two polls: it waits, and holds nothing.
    Free,
    /// On a CPU, and only then.
    Works,
    Sent,
    Woken,
    Done,
    /// A moment: the answer is an error.
    Refused,
    /// A moment: the connection ended without an answer.
    Cut,
}

const CLASSES: [&str; Kind::ALL.len()] =
    ["idle", "holds", "queues", "free", "works", "sent", "woken", "done", "refused", "refused"];

impl Kind {
    /// All of them, from the lowest to the highest in the drawing.
    pub const ALL: [Kind; 10] = {
        use Kind::*;
        [Idle, Holds, Queues, Free, Works, Sent, Woken, Done, Refused, Cut]
    };

    pub fn class(self) -> &'static str {
        CLASSES[self as usize]
    }

    pub fn is_moment(self) -> bool {
        self >= Kind::Sent
    }

    pub fn is_answer(self) -> bool {
        self >= Kind::Done
    }
}

impl Picture {
    fn bars<'a>(&'a self, group: &'a str) -> impl Iterator<Item = &'a Bar> {
        let groups = self.groups.iter().filter(move |it| it.id == group);
        groups.flat_map(|group| &group.rows).flat_map(|row| &row.bars)
    }

    /// The times of all bars of this kind in a group.
    pub fn spans(&self, group: &str, kind: Kind) -> Vec<(u64, u64)> {
        let bars = self.bars(group).filter(|bar| bar.kind == kind);
        bars.flat_map(|bar| bar.spans.clone()).collect()
    }

    /// The states of a request in the order of time, each with when it begins.
    pub fn states(&self, request: usize) -> Vec<(u64, Kind)> {
        let mut pieces = Vec::new();
        let own = self.bars("clients").filter(|bar| bar.request == Some(request));
        for bar in own.filter(|bar| bar.kind != Kind::Woken) {
            pieces.extend(bar.spans.iter().map(|&(from, to)| (from, to, bar.kind)));
        }
        pieces.sort_unstable();
        states(&pieces)
    }
}

/// The states between pieces of time: from, to, what.
fn states(pieces: &[(u64, u64, Kind)]) -> Vec<(u64, Kind)> {
    let sent = pieces.iter().find(|piece| piece.2 == Kind::Sent).map_or(0, |piece| piece.0);
    let answer = pieces.iter().find(|piece| piece.2.is_answer());
    let (answered, how) = answer.map_or((u64::MAX, Kind::Done), |piece| (piece.0, piece.2));
    let mut states = vec![(sent, Kind::Queues)];
    let mut until = sent;
    for &(from, to, kind) in pieces.iter().filter(|piece| !piece.2.is_moment()) {
        if from >= answered {
            break;
        }
        if until < from && until > sent {
            // The server has done with it, and the answer is on its way.
            add_state(&mut states, until, Kind::Free);
        }
        add_state(&mut states, from, kind);
        until = until.max(to);
    }
    if until < answered && until > sent {
        add_state(&mut states, until, Kind::Free);
    }
    add_state(&mut states, answered, how);
    states
}

/// Adds a state, unless it is the last one already; one that begins no later than the last replaces that.
fn add_state(states: &mut Vec<(u64, Kind)>, at: u64, kind: Kind) {
    match states.last_mut() {
        Some(last) if last.1 == kind => {}
        Some(last) if last.0 >= at => last.1 = kind,
        _ => states.push((at, kind)),
    }
}
