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
mod playable;
mod race;
mod rows;
#[cfg(test)]
mod tests;
mod words;

use anyhow::Result;
use records::{recording::Recording, servers::Server};

use self::{
    drawing::{Look, draw},
    moments::moments,
    picture::Picture,
    playable::Playable,
};
pub use self::{
    jobs::jobs,
    numbers::{recorded, sleep},
    opening::{before_after, opening},
    race::{Title, called, race},
};
use pictures::sign::sign;

/// Conditions, numbers and commands, for who asks for them.
pub(crate) fn about(what: &str, body: &str) -> String {
    format!("<details class=\"about\">\n<summary>{what}</summary>\n\n{body}\n\n</details>")
}

/// The block of one recording, as a part of a page. `id` is unique in the book; `yours` says that it is the reader's own.
/// Fails when the moments can't be written as JSON.
pub fn block(id: &str, recording: &Recording, yours: bool) -> Result<String> {
    let picture = Picture::of(recording);
    let finding = words::finding(recording, &picture);
    let server = Server::named(&recording.rung);
    let states: Vec<_> = recording.requests.iter().map(|it| picture.states(it.id)).collect();
    let playable = Playable {
        id,
        named: &finding,
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
    let block = playable.block(|canvas| draw(id, canvas, &picture, &Look::Recording))?;
    Ok(format!("{block}\n\n{}", words::conditions(recording, yours)))
}
