//! The clients of an experiment, a lane for each, and its outcome: what a chapter opens with, and a pair of these, before
//! a change and after it.

use std::{fmt::Write, ops::RangeInclusive};

use anyhow::{Context, Result, ensure};
use records::{
    base::significant,
    opening::{Opening, Tells},
    recording::{Recording, Request},
    servers::{self, Server},
};

use pictures::{
    canvas::{NARROW, WIDE},
    sign::sign,
    text::{capital, escape, plural},
};

use crate::report::{
    origin::of_recordings,
    replay::{
        about,
        drawing::{Look, Outcome, draw, draw_between, ends},
        marks::{LEAST, explained},
        moments::moments,
        numbers::{duration, most_at_once, ms, running},
        picture::{Kind, Picture},
        playable::{Playable, pair, time},
        rows::{lasts, serving},
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
    let drawn = Drawn::of(described, recording, 0, described.tells)?;
    let counts = sign(drawn.server) + &whose(drawn.server, described.threads);
    let caption = drawn.caption(described);
    let playable =
        Playable { class: "opening closed once", ..drawn.playable(id, &counts, &caption) };
    let look = Look::Opening(&drawn.outcome);
    let block = playable.block(|canvas| draw(id, canvas, &drawn.picture, &look))?;
    Ok(format!("{block}\n\n{}", about("This recording", &conditions(&[(described, recording)]))))
}

/// The block of the same clients on two servers, with a switch between the two. `ids` are unique in the book.
/// Fails when the clients are not the same, and where each of the two could not be an opening.
pub fn before_after(
    ids: [&str; 2],
    described: [&Opening; 2],
    recordings: [&Recording; 2],
) -> Result<String> {
    let [before, after] = described;
    ensure!(
        before.asks == after.asks && before.tells == after.tells && before.stop_ms == after.stop_ms,
        "`{}` and `{}` don't have the same clients",
        recordings[0].command,
        recordings[1].command
    );
    let [one, other] = recordings;
    // One clock.
    let least = lasts(one).max(lasts(other));
    let tells = Some(before.tells.unwrap_or(Tells::Last));
    let drawn = [Drawn::of(before, one, least, tells)?, Drawn::of(after, other, least, tells)?];
    let counts = [0, 1].map(|place| {
        let when = ["Before", "After"][place];
        let server = drawn[place].server;
        let called = called(server, described[place].threads);
        format!("{}<strong>{when}</strong>: {called}", sign(server))
    });
    let playables = [0, 1].map(|place| drawn[place].playable(ids[place], &counts[place], ""));
    let looks = [0, 1].map(|place| Look::Opening(&drawn[place].outcome));
    let drawings = [0, 1].map(|place| {
        [WIDE, NARROW].map(|canvas| {
            let ends = [0, 1].map(|side| ends(canvas, &drawn[side].picture, &looks[side]));
            let ends = (ends[0].0.max(ends[1].0), ends[0].1.min(ends[1].1));
            draw_between(ids[place], canvas, &drawn[place].picture, &looks[place], ends)
        })
    });
    let rungs = drawn.iter().all(|it| it.server.kind == servers::Kind::Rung);
    let whose = if rungs { "Recordings of the whole servers" } else { "Recordings" };
    let caption = caption(|kind| drawn.iter().any(|it| it.occurs(kind)), whose, after.small);
    let heading = heading(before);
    let block = pair(&heading, playables.each_ref(), drawings, &caption)?;
    let text = conditions(&[(before, one), (after, other)]);
    Ok(format!("{block}\n\n{}", about("These recordings", &text)))
}

/// What stands above a pair before anything has played.
fn heading(described: &Opening) -> String {
    match described.clients().iter().filter(|client| !client.is_recorded).count() {
        0 => "The same clients on both servers".to_owned(),
        others => {
            format!("The same clients on both servers, with {others} others that have no lane here")
        }
    }
}

/// All that is drawn of an opening, and said of it.
struct Drawn {
    server: &'static Server,
    picture: Picture,
    outcome: Outcome,
    finding: String,
    named: String,
    description: String,
    moments: Vec<(u64, String)>,
}

impl Drawn {
    /// Its time lasts `least` microseconds or longer. Fails as [`opening`] does.
    fn of(
        described: &Opening,
        recording: &Recording,
        least: u64,
        tells: Option<Tells>,
    ) -> Result<Drawn> {
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
        let picture = Picture::opening(recording, least);
        let outcome = match tells {
            Some(tells) => told(recording, tells)?,
            None => outcome(recording, &picture)?,
        };
        let words = match &outcome {
            Outcome::Lane(_, words) => words.clone(),
            Outcome::All(number, what) => format!("{number} {what}"),
        };
        ensure!(title.matches(RESULT).count() == 1, "the title `{title}` has one {RESULT}");
        let states: Vec<_> = recording.requests.iter().map(|it| picture.states(it.id)).collect();
        let moments = moments("client", &states);
        let longest = moments.windows(2).max_by_key(|pair| pair[1].0 - pair[0].0);
        let longest = longest.map_or("", |pair| &pair[0].1);
        Ok(Drawn {
            server,
            finding: escape(&title.replace(RESULT, &words)),
            named: format!("The clients of {}, over time", called(server, described.threads)),
            description: format!("{} over {}. {longest}", server.called, time(lasts(recording))),
            picture,
            outcome,
            moments,
        })
    }

    fn playable<'b>(&'b self, id: &'b str, counts: &'b str, caption: &'b str) -> Playable<'b> {
        Playable {
            id,
            named: &self.named,
            class: "",
            figure: "opening",
            colour: self.server.colour.as_deref(),
            // Beside the name of the server, since what was found waits.
            sign: "",
            finding: &self.finding,
            counts,
            description: &self.description,
            caption,
            next: "",
            moments: &self.moments,
        }
    }

    /// Tells whether a mark is seen in the picture.
    fn occurs(&self, kind: Kind) -> bool {
        let groups = self.picture.groups.iter();
        let mut spans = groups.flat_map(|group| self.picture.spans(group.id, kind));
        spans.any(|span| kind.is_moment() || is_longer_than_a_part(&span, &self.picture, SEEN))
    }

    fn caption(&self, described: &Opening) -> String {
        let is_rung = self.server.kind == servers::Kind::Rung;
        let whose = if is_rung { "A recording of the whole server" } else { "A recording" };
        caption(|kind| self.occurs(kind), whose, described.small)
    }
}

/// Explains the marks, and whose recording it is.
fn caption(occurs: impl Fn(Kind) -> bool, whose: &str, is_beside_small: bool) -> String {
    let beside = if is_beside_small { "; your terminal shows the small one" } else { "" };
    format!("{}. {whose}{beside}.", explained("A client", occurs))
}

/// Where these were recorded, and how they are repeated, as Markdown.
fn conditions(recorded: &[(&Opening, &Recording)]) -> String {
    let recordings: Vec<&Recording> = recorded.iter().map(|it| it.1).collect();
    let mut text = format!(
        "On {}. A bar of work is drawn at least {LEAST} px wide.",
        escape(&of_recordings(&recordings))
    );
    for (described, recording) in recorded {
        let options = match described.options.is_empty() {
            true => String::new(),
            false => format!(" with `{}`", described.options.join(" ")),
        };
        let _ = write!(
            text,
            " `{}`{options}: {}, {} ms of work in {}; to repeat it: `{}`.",
            recording.rung,
            plural(u64::from(recording.cpus), "CPU"),
            significant(ms(running(recording))),
            time(duration(recording)),
            recording.command
        );
    }
    text
}

/// Names the chapter of the server, because another chapter may open with it; without one, the server.
fn whose(server: &Server, threads: Option<u64>) -> String {
    let chapter = server.page.strip_prefix("ch").and_then(|page| page.split('-').next());
    let Some(chapter) = chapter.and_then(|number| number.parse::<u64>().ok()) else {
        return capital(&called(server, threads));
    };
    match threads {
        Some(threads) => {
            format!("The server of chapter {chapter} with {}.", plural(threads, "thread"))
        }
        None => format!("The server of chapter {chapter}."),
    }
}

/// The name of a server, with the size of its pool if that was chosen.
fn called(server: &Server, threads: Option<u64>) -> String {
    match threads {
        Some(threads) => format!("{} with {}", server.called, plural(threads, "thread")),
        None => server.called.clone(),
    }
}

/// Counts the outcome: how many clients were cut off; how long who came last was queued; or how many threads waited, where
/// each request has its own. Fails where it is none of these: that is nothing to open with.
fn outcome(recording: &Recording, picture: &Picture) -> Result<Outcome> {
    let cut = picture.spans("clients", Kind::Cut).len();
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

/// What the description wants to be told of.
fn told(recording: &Recording, tells: Tells) -> Result<Outcome> {
    match tells {
        Tells::Threads => Ok(Outcome::All(serving(recording).len().to_string(), "threads")),
        Tells::Last => lane(recording.requests.iter().max_by_key(|it| it.sent)),
        Tells::Slowest => lane(recording.requests.iter().max_by_key(|it| it.answered - it.sent)),
    }
}

/// How long a request took, at the end of its lane.
fn lane(request: Option<&Request>) -> Result<Outcome> {
    let request = request.context("nobody asked")?;
    Ok(Outcome::Lane(request.id, time(request.answered - request.sent)))
}

/// The request that was sent last, and how long it was queued, if that is what most of its time was.
fn newcomer(recording: &Recording) -> Option<(&Request, u64)> {
    let last = recording.requests.iter().max_by_key(|it| it.sent)?;
    let begun = last.handled.as_ref()?.first()?.0.max(last.sent);
    let is_most = (begun - last.sent) * 2 > last.answered - last.sent;
    is_most.then_some((last, begun - last.sent))
}
