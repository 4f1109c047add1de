//! Requests on a stage: servers beside each other on one clock, or one alone, from recordings. They move from their
//! clients into a line, to a thread or a task, and to the answers.
//!
//! The page holds what the script needs, key moments as still pictures, and the same in words; the script is in
//! `book/race`. Without it, and on paper, the still pictures are all that a reader sees.

mod drawing;
mod journey;
mod layout;
mod words;

use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use base::{number, significant};
use records::recording::Recording;
use serde_json::json;
use servers::Sign;

use self::{
    journey::{Pace, SLOW, Stage},
    layout::{Form, Layout},
    words::Frame,
};
use crate::{
    replay::numbers::{duration, ms, running},
    text::{day, escape, plural, unescaped},
};

/// What is the same for a race and for a lone server.
struct Show<'a> {
    id: &'a str,
    /// The name of its element's class.
    class: &'static str,
    stages: Vec<Stage>,
    pace: Pace,
    /// When the recording ends, and with it the clock. The last answers may still be on their way.
    last: u64,
    frames: Vec<Frame>,
    /// The frame that is shown before it plays.
    first: usize,
    finding: String,
    counts: String,
    caption: String,
}

/// Servers beside each other on one clock, with a table. `id` must be unique in the whole book.
/// Fails when there are fewer than two, when they were not asked for the same, and when the data can't be written.
pub fn race(id: &str, recordings: &[&Recording]) -> Result<String> {
    let [first, others @ ..] = recordings else { anyhow::bail!("a race has two servers or more") };
    ensure!(!others.is_empty(), "a race has two servers or more");
    for other in others {
        let asked = |it: &&Recording| (it.route.clone(), it.clients, it.requests.len());
        ensure!(
            asked(first) == asked(other),
            "{} and {} were not asked for the same",
            first.rung,
            other.rung
        );
    }
    let stages = recordings.iter().map(|it| stage(it, &SLOW)).collect::<Result<Vec<_>>>()?;
    let table = words::servers(&stages, recordings);
    let last = recordings.iter().map(|it| duration(it)).max().unwrap_or(0);
    let frames = words::frames(&stages, &SLOW, (first.clients, last));
    let counts = format!(
        "{} clients ask each server for <code>{}</code>, {} times each, on one clock. It plays {} times slower \
         than life, and each piece of work stays on screen for at least {} ms.",
        first.clients,
        escape(&first.route),
        first.requests.len() as u64 / first.clients.max(1),
        SLOW.slower,
        SLOW.held * SLOW.slower / 1000,
    );
    let caption =
        format!("From the recordings of {}, which the chapters show.", day(&first.recorded));
    let finding = words::finding(&stages);
    let (class, pace) = ("race", SLOW);
    let show = Show { id, class, stages, pace, last, frames, first: 1, finding, counts, caption };
    let table =
        format!("<details>\n<summary>The race in numbers</summary>\n\n{table}\n\n</details>");
    Ok(format!("{}\n\n{table}", show.block()?))
}

/// One server, with which a chapter opens. `id` must be unique in the whole book.
/// Fails when the server is not known, when the recording shows no defect, and when the data can't be written.
pub fn opening(id: &str, recording: &Recording) -> Result<String> {
    let last = duration(recording);
    let pace = Pace::of(last);
    let mut stage = stage(recording, &pace)?;
    stage.told = words::told(recording);
    let frames = words::frames_of_one(&stage, &pace, recording);
    let first = frames.partition_point(|frame| frame.at < words::telling(&stage, recording));
    let first = first.min(frames.len().saturating_sub(1));
    let finding = words::finding_of_one(&stage, recording)?;
    let speed = match pace.slower {
        1 => "in real time".to_owned(),
        slower => format!("{slower} times slower than life"),
    };
    let caption = format!(
        "A recording, {speed}: {}, {} ms of work in {}. Each piece of work stays on screen for at least {} ms. Repeat \
         it: <code>{}</code>",
        plural(u64::from(recording.cpus), "CPU"),
        significant(ms(running(recording))),
        words::time(last),
        number(pace.held as f64 * pace.slower as f64 / 1000.0, 0),
        escape(&recording.command)
    );
    let (class, counts, stages) = ("opening", String::new(), vec![stage]);
    Show { id, class, stages, pace, last, frames, first, finding, counts, caption }.block()
}

fn stage(recording: &Recording, pace: &Pace) -> Result<Stage> {
    let server = Sign::named(&recording.rung);
    let server = server.with_context(|| format!("there is no server {}", recording.rung))?;
    Ok(Stage::of(recording, server, pace))
}

impl Show<'_> {
    /// When the recording has ended, and the last answer has arrived.
    fn end(&self) -> u64 {
        let arrived = self.stages.iter().map(Stage::end).max().unwrap_or(0) + self.pace.moves;
        arrived.max(self.last)
    }

    fn block(&self) -> Result<String> {
        let Show { id, class, stages, pace, frames, .. } = self;
        let forms = Form::all(stages.len());
        let layouts: Vec<Layout> =
            forms.iter().map(|form| Layout::of(*form, stages, self.last)).collect();
        let first = &frames[self.first.min(frames.len() - 1)];
        let mut drawings = String::new();
        for layout in &layouts {
            let size = layout.form.sheet.class;
            let id = format!("{id}-{size}");
            // A lone one has one size for all columns.
            let size = if layouts.len() == 1 { "narrow alone" } else { size };
            let description = unescaped(&first.words);
            let title = unescaped(&self.finding);
            let words = (title.as_str(), description.as_str());
            drawings += &drawing::draw(
                &id,
                &format!("{size} stage"),
                words,
                (stages, layout),
                (pace, first.at),
            );
        }
        let data = json!({
            "pace": pace,
            "end": self.end(),
            "frames": frames.iter().map(|frame| frame.at).collect::<Vec<_>>(),
            "first": first.at,
            "names": stages.iter().map(|stage| stage.server.called).collect::<Vec<_>>(),
            "stages": stages,
            "layouts": layouts,
        });
        let data = serde_json::to_string(&data).context("cannot write the stage")?;
        // The marks are explained in the colour of a lone server.
        let colour = match &stages[..] {
            [one] => one.server.colour,
            _ => None,
        };
        let colour = colour.map(|it| format!(" style=\"--s: var(--server-{it})\""));
        let counts = match self.counts.as_str() {
            "" => String::new(),
            counts => format!("\n<p class=\"counts\">{counts}</p>"),
        };
        Ok(format!(
            "<server-race class=\"{class}\">\n<figure class=\"chart race\"{}>\n<p class=\"finding\">{}</p>{}\n{}\n{drawings}\n{}\n<figcaption>{}</figcaption>\n</figure>\n\
             <script type=\"application/json\">{}</script>\n</server-race>\n\n\
             <script defer src=\"race/race.js\"></script>",
            colour.unwrap_or_default(),
            self.finding,
            counts,
            drawing::key(stages),
            self.stills(&layouts),
            self.caption,
            data.replace('<', "\\u003c")
        ))
    }

    /// The key moments, each with its sentence.
    fn stills(&self, layouts: &[Layout]) -> String {
        let mut text = String::from("<ol class=\"frames\">");
        let Some(layout) = layouts.last() else { return text + "</ol>" };
        for (index, frame) in self.frames.iter().enumerate() {
            let id = format!("{}-frame-{}", self.id, index + 1);
            let title = format!("{}, frame {}", unescaped(&self.finding), index + 1);
            let drawing = drawing::draw(
                &id,
                "narrow",
                (&title, &unescaped(&frame.words)),
                (&self.stages, layout),
                (&self.pace, frame.at),
            );
            let _ = write!(text, "<li>{drawing}<p>{}</p></li>", frame.words);
        }
        text + "</ol>"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{books, has};

    const SIX: [&str; 6] = [
        "ch01_single_threaded",
        "ch02_thread_spawn",
        "ch03_threadpool",
        "ch04_async_std",
        "ch05_futures_executor",
        "ch06_tokio",
    ];

    #[test]
    fn the_race_of_six_is_one_block_with_four_moments() {
        let results = books();
        let recordings = SIX.map(|rung| results.recording(rung).unwrap());
        let text = race("race", &recordings).unwrap();
        let (element, table) = text.split_once("</server-race>").unwrap();
        assert!(!element.contains("\n\n"), "an empty line would end the block");
        let page = format!("{element}</server-race>");
        let page = roxmltree::Document::parse(&page).unwrap();
        let images = page.descendants().filter(|node| node.attribute("role") == Some("img"));
        assert_eq!(images.count(), 2 + 4);
        let panels = page.descendants().filter(|node| {
            node.attribute("class").is_some_and(|class| class.starts_with("panel "))
        });
        assert_eq!(panels.count(), 6 * 6);
        let script = page.descendants().find(|node| node.has_tag_name("script")).unwrap();
        let data: serde_json::Value = serde_json::from_str(script.text().unwrap()).unwrap();
        assert_eq!(data["stages"].as_array().unwrap().len(), 6);
        assert_eq!(data["frames"].as_array().unwrap().len(), 4);
        assert_eq!(data["layouts"][1]["panels"].as_array().unwrap().len(), 6);
        has(table, &["| Server |", "One thread | ", "Tokio | ", "src=\"race/race.js\""]);
        assert!(element.len() < 120_000, "{} bytes", element.len());
    }

    #[test]
    fn a_race_of_what_is_not_the_same_is_none() {
        let results = books();
        let one = results.recording(SIX[0]).unwrap();
        let mut other = results.recording(SIX[1]).unwrap().clone();
        assert!(race("race", &[one]).is_err());
        other.route = "/".to_owned();
        let error = race("race", &[one, &other]).unwrap_err().to_string();
        assert!(error.contains("not asked for the same"), "{error}");
    }

    #[test]
    fn an_opening_has_one_server_and_its_routes() {
        let results = books();
        let text = opening("opening", results.recording(SIX[0]).unwrap()).unwrap();
        has(
            &text,
            &[
                "class=\"opening\"",
                "<code>/sleep</code>",
                "2 CPUs, ",
                "Repeat it: <code>cargo xtask",
            ],
        );
        let page = text.split_once("</server-race>").unwrap().0.to_owned() + "</server-race>";
        roxmltree::Document::parse(&page).unwrap();
        has(&page, &["</svg>in line; its ring fills</span>", ">for /sleep</text>"]);
        let last = duration(results.recording(SIX[0]).unwrap());
        has(
            &page,
            &[
                &format!("\"clock\":{{\"last\":{last},"),
                &format!("<p>{}: all 12", words::time(last)),
            ],
        );
        assert!(!page.contains("</svg>waits, holds nothing</span>"), "a mark that is not there");
        has(&page, &["<figure class=\"chart race\" style=\"--s: var(--server-one)\">"]);
        assert_eq!(
            page.matches("class=\"panel of-one\"").count(),
            page.matches("<svg class=\"pic narrow").count()
        );
    }
}
