//! Pictures of time: recordings, what chapters open with, and the race. They are drawn here, once; `book/playing` opens
//! and closes a curtain before them. Without that the whole picture is what a reader sees.
//!
//! `cargo xtask observe` makes the recordings.

mod drawing;
mod jobs;
pub(crate) mod marks;
mod moments;
pub(crate) mod numbers;
mod opening;
mod picture;
mod race;
mod rows;
mod sheet;
mod words;

use anyhow::Result;
use records::{recording::Recording, servers::Server};

use self::{
    drawing::{Look, draw},
    moments::moments,
    picture::Picture,
    sheet::Shown,
};
pub use self::{jobs::jobs, numbers::recorded, opening::opening, race::race};
use pictures::sign::sign;

/// Conditions, numbers and commands, for who asks for them.
fn about(what: &str, body: &str) -> String {
    format!("<details class=\"about\">\n<summary>{what}</summary>\n\n{body}\n\n</details>")
}

/// The block of one recording, as a part of a page. `id` is unique in the book; `yours` says that it is the reader's own.
/// Fails when the moments can't be written as JSON.
pub fn block(id: &str, recording: &Recording, yours: bool) -> Result<String> {
    let picture = Picture::of(recording);
    let finding = words::finding(recording, &picture);
    let server = Server::named(&recording.rung);
    let states: Vec<_> = recording.requests.iter().map(|it| picture.states(it.id)).collect();
    let shown = Shown {
        id,
        class: "recording",
        figure: "recording",
        colour: server.and_then(|server| server.colour.as_deref()),
        sign: &server.map(sign).unwrap_or_default(),
        finding: &finding,
        counts: &words::counts(recording, &picture),
        description: &words::summary(recording),
        caption: &words::caption(&picture, yours),
        next: "",
        moments: &moments("request", &states),
    };
    let block = shown.block(|sheet| draw(id, sheet, &picture, &Look::Recording))?;
    Ok(format!("{block}\n\n{}", words::tables(recording, yours)))
}

#[cfg(test)]
mod tests {
    use records::opening::Opening;

    use super::{picture::Kind, *};
    use crate::report::testing::{both_sizes, has, is_in_the_theme, look_at, openings, recorded};

    #[test]
    fn every_recording_of_the_book_has_its_picture() {
        for rung in records::servers::MEASURED.iter() {
            let recording = recorded(rung);
            let text = block("replay", recording, false).unwrap();
            assert!(text.len() < 110_000, "{rung}: {} bytes", text.len());
            let (element, tables) = text.split_once("</rung-replay>").unwrap();
            look_at(&format!("{element}</rung-replay>"), |page| {
                let images = page.descendants().filter(|it| it.attribute("role") == Some("img"));
                assert_eq!(images.count(), 2, "{rung}");
                let script = page.descendants().find(|node| node.has_tag_name("script")).unwrap();
                let data: serde_json::Value = serde_json::from_str(script.text().unwrap()).unwrap();
                assert_eq!(data["end"], numbers::duration(recording));
            });
            let drawn = element.split_once("axis: ").unwrap().1.split_once('>').unwrap().1;
            let drawn = drawn.split_once("</div>").unwrap().0;
            is_in_the_theme(drawn);
            both_sizes(drawn, &words::finding(recording, &Picture::of(recording)), |_| ());
            has(tables, &["| request 12 |"]);
        }
    }

    /// The times that each drawing has as work, before anything is widened: solid means a CPU, and nothing else.
    fn worked(block: &str) -> [Vec<u64>; 2] {
        let mut drawn = block.split("data-worked=\"").skip(1).map(|rest| {
            let times = rest.split('"').next().unwrap().split(' ');
            times.map(|time| time.parse().unwrap()).collect()
        });
        [drawn.next().unwrap(), drawn.next().unwrap()]
    }

    #[test]
    fn what_is_solid_was_on_a_cpu() {
        for rung in records::servers::MEASURED.iter() {
            let recording = recorded(rung);
            let running = numbers::running(recording);
            let [wide, narrow] = worked(&block("r", recording, false).unwrap());
            assert_eq!(wide, narrow, "{rung}");
            let [clients, threads, cpus] = wide[..] else { panic!("{rung}: {wide:?}") };
            assert_eq!((threads, cpus), (running, running), "{rung}");
            assert!(0 < clients && clients <= running, "{rung}: {clients} of {running}");
        }
        for (name, recording) in openings() {
            let described = Opening {
                title: "{result}".to_owned(),
                small: false,
                server: recording.rung.clone(),
                threads: None,
                stop_ms: None,
                asks: Vec::new(),
            };
            let [wide, narrow] = worked(&opening("o", &described, recording).unwrap());
            assert_eq!(wide, narrow, "{name}");
            let running = numbers::running(recording);
            assert!(0 < wide[0] && wide[0] <= running, "{name}: {wide:?} of {running}");
            // Of the threads, those are drawn that serve.
            if let Some(threads) = wide.get(1) {
                assert!(wide[0] <= *threads && *threads <= running, "{name}: {wide:?}, {running}");
            }
        }
    }

    /// At ten moments, and whenever a sentence begins: what it says of each request is what the recording has, and
    /// never do more of them work than there are CPUs.
    #[test]
    fn what_is_said_of_a_moment_is_what_was_recorded() {
        let observed = records::servers::MEASURED.iter().map(|rung| {
            let recording = recorded(rung);
            (*rung, recording, Picture::of(recording))
        });
        let openings = openings()
            .iter()
            .map(|(name, recording)| (name.as_str(), recording, Picture::opening(recording)));
        for (name, recording, picture) in observed.chain(openings) {
            let states: Vec<_> =
                recording.requests.iter().map(|it| picture.states(it.id)).collect();
            let said = moments("request", &states);
            let end = picture.duration;
            let zero = numbers::started(recording);
            let times = (0..=10).map(|tenth| end * tenth / 10).chain(said.iter().map(|it| it.0));
            for at in times {
                let (_, words) = said.iter().rfind(|moment| moment.0 <= at).unwrap();
                let count = |kind| {
                    let own = states.iter().filter(|it| moments::state(it, at) == Some(kind));
                    own.count()
                };
                assert!(count(Kind::Works) <= recording.cpus as usize, "{name} at {at}: {words}");
                let answered = recording.requests.iter().filter(|it| it.answered <= at + zero);
                assert_eq!(
                    count(Kind::Done) + count(Kind::Refused),
                    answered.count(),
                    "{name} at {at}"
                );
                let sent = recording.requests.iter().filter(|it| it.sent <= at + zero);
                let all = states.iter().filter(|it| moments::state(it, at).is_some());
                assert_eq!(all.count(), sent.count(), "{name} at {at}");
                let verbs =
                    [(Kind::Works, "work"), (Kind::Queues, "in line"), (Kind::Done, "answered")];
                for (kind, verb) in verbs {
                    assert_eq!(words.contains(verb), count(kind) > 0, "{name} at {at}: {words}");
                }
            }
        }
    }
}
