//! The model of the picture of a recording: rows of bars, which the still picture and the script both draw.

use serde::{Serialize, Serializer};
use serde_json::json;

/// All rows. Times are whole microseconds since the first request was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Picture {
    pub duration: u64,
    /// The names of the threads; [`Bar::thread`] is a place in this list.
    pub threads: Vec<String>,
    pub groups: Vec<Group>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Group {
    /// What the script calls it, and with a capital letter the reader.
    pub id: &'static str,
    /// What there is to see in it.
    #[serde(skip)]
    pub note: String,
    pub rows: Vec<Row>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    pub label: String,
    /// What it does, and when; what is drawn later lies above.
    pub bars: Vec<Bar>,
}

/// All that a row does in the same way for the same request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bar {
    pub kind: Kind,
    /// In the row of a processor, the thread that it runs.
    pub thread: Option<usize>,
    pub request: Option<usize>,
    /// From, to; in order. A moment has no length.
    pub spans: Vec<(u64, u64)>,
}

impl Serialize for Bar {
    /// `["works", 2, 7, from, to, from, to, …]`: short, because a page holds hundreds of them.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let head = [json!(self.kind), json!(self.thread), json!(self.request.map(|id| id + 1))];
        let spans = self.spans.iter().flat_map(|(from, to)| [json!(from), json!(to)]);
        serializer.collect_seq(head.into_iter().chain(spans))
    }
}

/// What a row does: the marks of `book/theme/pictures.css`, by their class names. What comes later is drawn above.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// A CPU without a thread, a thread without a request, and what was not observed.
    Idle,
    /// It waits and holds a thread: the thread is asleep, with the request in hand.
    Holds,
    /// It could continue, but stands in line: for a CPU, for a handler, for a thread that polls it.
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
}

const CLASSES: [&str; Kind::ALL.len()] =
    ["idle", "holds", "queues", "free", "works", "sent", "woken", "done", "refused"];

impl Kind {
    /// All of them, from the lowest to the highest in the drawing.
    pub const ALL: [Kind; 9] = {
        use Kind::*;
        [Idle, Holds, Queues, Free, Works, Sent, Woken, Done, Refused]
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
    /// The times of all bars of this kind in a group.
    pub fn spans(&self, group: &str, kind: Kind) -> Vec<(u64, u64)> {
        let groups = self.groups.iter().filter(|it| it.id == group);
        let bars = groups.flat_map(|group| &group.rows).flat_map(|row| &row.bars);
        bars.filter(|bar| bar.kind == kind).flat_map(|bar| bar.spans.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use records::testing::recording;

    use super::*;

    #[test]
    fn the_script_gets_short_lists() {
        let value = serde_json::to_value(Picture::of(&recording())).unwrap();
        let cpu = &value["groups"][2]["rows"][1];
        assert_eq!(cpu["label"], "CPU 1");
        assert_eq!(cpu["bars"][2], json!(["works", 0, 1, 12, 20]));
        let client = &value["groups"][0]["rows"][0];
        assert_eq!(client["bars"][1], json!(["free", null, 1, 20, 410]));
        for kind in Kind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.class());
        }
    }
}
