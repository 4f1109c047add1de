//! A recording in the page: a still picture, what its script needs to replay it, and the same in words and tables.
//!
//! `cargo xtask observe` makes the recordings. The script and its style are in `book/replay`; without
//! them the still picture is all that a reader sees.

pub(crate) mod drawing;
pub(crate) mod marks;
pub(crate) mod numbers;
pub(crate) mod picture;
mod rows;
mod words;

use anyhow::Result;
use records::{recording::Recording, servers::Server};

pub use self::numbers::recorded;
use self::picture::{Kind, Picture};
use crate::report::{
    sign::sign,
    text::{data, figure},
};

/// What is no longer than this part of a picture is less than two pixels wide in it, and not explained.
const SEEN: u64 = 300;

/// The block of one recording, as a part of a page. `id` is unique in the book; `yours` says that it is the reader's own.
/// Fails when the recording can't be written as JSON.
pub fn block(id: &str, recording: &Recording, yours: bool) -> Result<String> {
    let picture = Picture::of(recording);
    let finding = words::finding(recording, &picture);
    let svg = drawing::draw(id, &finding, &words::summary(recording), &picture);
    let server = Server::named(&recording.rung);
    let colour = server.and_then(|server| server.colour.as_ref());
    let colour = colour.map_or("soft".to_owned(), |colour| format!("server-{colour}"));
    let occurs = |kind: Kind| {
        let seen = |span: &(u64, u64)| (span.1 - span.0) * SEEN > picture.duration;
        let always = kind.is_moment() || kind == Kind::Works;
        let mut spans = picture.groups.iter().flat_map(|group| picture.spans(group.id, kind));
        spans.any(|span| always || seen(&span))
    };
    let figure = figure(
        &format!("class=\"chart replay\" style=\"--s: var(--{colour})\""),
        &(server.map(sign).unwrap_or_default() + &finding),
        &words::counts(recording),
        &format!("{}\n{svg}", marks::key(occurs)),
        &words::caption(recording, yours),
    );
    Ok(format!(
        "<rung-replay>\n{figure}\n{}\n</rung-replay>\n\n{}",
        data(&picture)?,
        words::tables(recording, yours)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{has, look_at, recorded};

    #[test]
    fn every_recording_of_the_book_has_its_picture() {
        for rung in records::servers::MEASURED.iter() {
            let recording = recorded(rung);
            let text = block("replay", recording, false).unwrap();
            assert!(text.len() < 150_000, "{rung}: {} bytes", text.len());
            let (element, tables) = text.split_once("</rung-replay>").unwrap();
            look_at(&format!("{element}</rung-replay>"), |page| {
                let images = page.descendants().filter(|it| it.attribute("role") == Some("img"));
                assert_eq!(images.count(), 2, "{rung}");
                let script = page.descendants().find(|node| node.has_tag_name("script")).unwrap();
                let model: serde_json::Value =
                    serde_json::from_str(script.text().unwrap()).unwrap();
                assert_eq!(model["duration"], numbers::duration(recording));
            });
            has(tables, &["| request 12 |"]);
        }
    }
}
