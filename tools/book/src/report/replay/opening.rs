//! The picture that opens a chapter: a lane for each client of an experiment, and its outcome.

use std::ops::RangeInclusive;

use anyhow::{Context, Result, ensure};
use records::{
    base::significant,
    opening::Opening,
    recording::{Recording, Request},
    servers::{self, Server},
};

use pictures::{
    sign::sign,
    text::{escape, plural},
};

use crate::report::{
    origin::of_recordings,
    replay::{
        about,
        drawing::{Look, Outcome, draw},
        marks::{LEAST, explained},
        moments::moments,
        numbers::{duration, most_at_once, ms, running},
        picture::{Kind, Picture},
        playable::{Playable, time},
        words::is_longer_than_a_part,
    },
};

/// The place of the outcome in a title.
const RESULT: &str = "{result}";
/// The number of lanes that are seen at a glance.
const LANES: RangeInclusive<usize> = 2..=8;
/// A state that is no longer than this part of a picture isn't seen in it.
const SEEN: u64 = 300;

/// The block. `id` is unique in the book, and in the title of the description [`RESULT`] is what came of it.
/// Fails when nothing came of it, when the title has no room for that, and when the moments can't be written.
pub fn opening(id: &str, described: &Opening, recording: &Recording) -> Result<String> {
    let title = described.title.as_str();
    let server = Server::named(&recording.rung);
    let server = server.with_context(|| format!("there is no server {}", recording.rung))?;
    ensure!(
        recording.requests.len() as u64 == recording.clients,
        "each client of an opening asks once, and that is not so in `{}`",
        recording.command
    );
    ensure!(
        LANES.contains(&recording.requests.len()),
        "an opening has {} to {} lanes, and `{}` has {}",
        LANES.start(),
        LANES.end(),
        recording.command,
        recording.requests.len()
    );
    let picture = Picture::opening(recording);
    let outcome = outcome(recording, &picture)?;
    let words = match &outcome {
        Outcome::Lane(_, words) => words.clone(),
        Outcome::All(number, what) => format!("{number} {what}"),
    };
    ensure!(title.matches(RESULT).count() == 1, "the title `{title}` has one {RESULT}");
    let finding = escape(&title.replace(RESULT, &words));
    let states: Vec<_> = recording.requests.iter().map(|it| picture.states(it.id)).collect();
    let moments = moments("client", &states);
    let occurs = |kind: Kind| {
        let mut spans = picture.groups.iter().flat_map(|group| picture.spans(group.id, kind));
        spans.any(|span| kind.is_moment() || is_longer_than_a_part(&span, &picture, SEEN))
    };
    let of = if server.kind == servers::Kind::Rung { " of the whole server" } else { "" };
    let beside = if described.small { "; your terminal shows the small one" } else { "" };
    let caption = format!("{}. A recording{of}{beside}.", explained("A client", occurs));
    let longest = moments.windows(2).max_by_key(|pair| pair[1].0 - pair[0].0);
    let longest = longest.map_or("", |pair| &pair[0].1);
    let playable = Playable {
        id,
        class: "opening once",
        figure: "opening",
        colour: server.colour.as_deref(),
        sign: &sign(server),
        finding: &finding,
        counts: &whose(server, described.threads),
        description: &format!("{} over {}. {longest}", server.called, time(duration(recording))),
        caption: &caption,
        next: "",
        moments: &moments,
    };
    let text = format!(
        "`{}`, on {}. {}, {} ms of work in {}; a bar of work is drawn at least {LEAST} px wide. To repeat it: `{}`",
        recording.rung,
        escape(&of_recordings(&[recording])),
        plural(u64::from(recording.cpus), "CPU"),
        significant(ms(running(recording))),
        time(duration(recording)),
        recording.command
    );
    let block = playable.block(|canvas| draw(id, canvas, &picture, &Look::Opening(&outcome)))?;
    Ok(format!("{block}\n\n{}", about("This recording", &text)))
}

/// Names the chapter of the server, because another chapter may open with it; empty where it has none.
fn whose(server: &Server, threads: Option<u64>) -> String {
    let chapter = server.page.strip_prefix("ch").and_then(|page| page.split('-').next());
    let Some(chapter) = chapter.and_then(|number| number.parse::<u64>().ok()) else {
        return String::new();
    };
    match threads {
        Some(threads) => {
            format!("The server of chapter {chapter} with {}.", plural(threads, "thread"))
        }
        None => format!("The server of chapter {chapter}."),
    }
}

/// Counts the outcome: how many clients were cut off; how long who came last was in line; or how many threads waited, where
/// each request has its own. Fails where it is none of these: that is nothing to open with.
fn outcome(recording: &Recording, picture: &Picture) -> Result<Outcome> {
    let cut = picture.spans("clients", Kind::Refused).len();
    if cut > 0 {
        return Ok(Outcome::All(cut.to_string(), if cut == 1 { "cut off" } else { "clients" }));
    }
    if let Some((request, waits)) = newcomer(recording) {
        return Ok(Outcome::Lane(request.id, time(waits)));
    }
    let threads = most_at_once(&picture.spans("clients", Kind::Holds));
    ensure!(
        threads == recording.requests.len(),
        "nobody waits in `{}`, and not each of its requests holds a thread",
        recording.command
    );
    Ok(Outcome::All(threads.to_string(), "threads"))
}

/// The request that was sent last, and how long it stood in line, if that is what most of its time was.
fn newcomer(recording: &Recording) -> Option<(&Request, u64)> {
    let last = recording.requests.iter().max_by_key(|it| it.sent)?;
    let begun = last.handled.as_ref()?.first()?.0.max(last.sent);
    let is_most = (begun - last.sent) * 2 > last.answered - last.sent;
    is_most.then_some((last, begun - last.sent))
}
