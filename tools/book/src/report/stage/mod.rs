//! Requests on a stage: servers beside each other on one clock, or one alone, from recordings. They move from their
//! clients into a line, to a thread or a task, and to the answers.
//!
//! The page holds what the script needs, key moments as still pictures, and the same in words; the script is in
//! `book/race`. Without it, and on paper, the still pictures are all that a reader sees.

mod drawing;
mod journey;
mod layout;
mod words;

use anyhow::{Context, Result, bail, ensure};
use records::{
    base::{number, significant},
    recording::Recording,
    servers::Server,
};
use serde_json::json;

use self::{
    journey::{Pace, SLOW, Stage},
    layout::{Form, Layout},
    words::Frame,
};
use crate::report::{
    origin::of_recordings,
    replay::numbers::{duration, ms, running},
    text::{self, escape, figure, fold, plural, unescaped},
};

/// What is the same for a race and for a lone server.
struct Show<'a> {
    id: &'a str,
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
    let [first, _, ..] = recordings else { bail!("a race has two servers or more") };
    for other in recordings {
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
    let made = escape(&of_recordings(recordings));
    let caption = format!("From the recordings that the chapters show: {made}.");
    let finding = words::finding(&stages);
    let class = "race";
    let pace = SLOW;
    let show = Show { id, class, stages, pace, last, frames, first: 1, finding, counts, caption };
    Ok(format!("{}\n\n{}", show.block()?, fold("The race in numbers", &table)))
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
    let finding = words::finding_of_one(&stage, recording)?;
    let speed = match pace.slower {
        1 => "in real time".to_owned(),
        slower => format!("{slower} times slower than life"),
    };
    let caption = format!(
        "A recording of {}, {speed}: {}, {} ms of work in {}. Each piece of work stays on screen for at least {} ms. Repeat \
         it: <code>{}</code>",
        escape(&of_recordings(&[recording])),
        plural(u64::from(recording.cpus), "CPU"),
        significant(ms(running(recording))),
        words::time(last),
        number(pace.held as f64 * pace.slower as f64 / 1000.0, 0),
        escape(&recording.command)
    );
    let class = "opening";
    let counts = String::new();
    let stages = vec![stage];
    Show { id, class, stages, pace, last, frames, first, finding, counts, caption }.block()
}

fn stage(recording: &Recording, pace: &Pace) -> Result<Stage> {
    let server = Server::named(&recording.rung);
    let server = server.with_context(|| format!("there is no server {}", recording.rung))?;
    Ok(Stage::of(recording, server, pace))
}

impl Show<'_> {
    fn block(&self) -> Result<String> {
        let Show { stages, pace, frames, .. } = self;
        let forms = Form::all(stages.len());
        let layouts: Vec<Layout> =
            forms.iter().map(|form| Layout::of(*form, stages, self.last)).collect();
        let first = &frames[self.first.min(frames.len() - 1)];
        let drawings = layouts.iter().map(|layout| {
            let size = layout.form.sheet.class;
            let id = format!("{}-{size}", self.id);
            // A lone one has one size for all columns.
            let size = if layouts.len() == 1 { "narrow alone" } else { size };
            self.draw(&id, &format!("{size} stage"), &self.finding, layout, first)
        });
        let parts =
            [drawing::key(stages), drawings.collect(), self.stills(&layouts[layouts.len() - 1])];
        let arrived = stages.iter().map(Stage::end).max().unwrap_or(0) + pace.moves;
        let data = json!({
            "pace": pace,
            "end": arrived.max(self.last),
            "frames": frames.iter().map(|frame| frame.at).collect::<Vec<_>>(),
            "first": first.at,
            "names": stages.iter().map(|stage| &stage.server.called).collect::<Vec<_>>(),
            "stages": stages,
            "layouts": layouts,
        });
        // The marks are explained in the colour of a lone server.
        let colour = if let [one] = &stages[..] { one.server.colour.as_deref() } else { None };
        let colour = colour.map(|it| format!(" style=\"--s: var(--server-{it})\""));
        let attributes = format!("class=\"chart race\"{}", colour.unwrap_or_default());
        Ok(format!(
            "<server-race class=\"{}\">\n{}\n{}\n</server-race>",
            self.class,
            figure(&attributes, &self.finding, &self.counts, &parts.join("\n"), &self.caption),
            text::data(&data)?
        ))
    }

    fn draw(&self, id: &str, class: &str, title: &str, layout: &Layout, frame: &Frame) -> String {
        let title = unescaped(title);
        let description = unescaped(&frame.words);
        let moment = (&self.pace, frame.at);
        drawing::draw(id, class, (&title, &description), (&self.stages, layout), moment)
    }

    /// The key moments, each with its sentence.
    fn stills(&self, layout: &Layout) -> String {
        let still = |(number, frame): (usize, &Frame)| {
            let id = format!("{}-frame-{number}", self.id);
            let title = format!("{}, frame {number}", self.finding);
            let drawing = self.draw(&id, "narrow", &title, layout, frame);
            format!("<li>{drawing}<p>{}</p></li>", frame.words)
        };
        let stills: String = (1..).zip(&self.frames).map(still).collect();
        format!("<ol class=\"frames\">{stills}</ol>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::{has, lacks, look_at, recorded};

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
        let text = race("race", &SIX.map(recorded)).unwrap();
        let (element, table) = text.split_once("</server-race>").unwrap();
        look_at(&format!("{element}</server-race>"), |page| {
            let count = |is: fn(&str) -> bool, name: &str| {
                let values = page.descendants().filter_map(|node| node.attribute(name));
                values.filter(|value| is(value)).count()
            };
            assert_eq!(count(|role| role == "img", "role"), 2 + 4);
            assert_eq!(count(|class| class.starts_with("panel "), "class"), 6 * 6);
            let script = page.descendants().find(|node| node.has_tag_name("script")).unwrap();
            let data: serde_json::Value = serde_json::from_str(script.text().unwrap()).unwrap();
            let panels = &data["layouts"][1]["panels"];
            let lists = [&data["stages"], &data["frames"], panels];
            assert_eq!(lists.map(|list| list.as_array().unwrap().len()), [6, 4, 6]);
        });
        has(table, &["| Server |", "One thread | ", "Tokio | "]);
        assert!(element.len() < 120_000, "{} bytes", element.len());
    }

    #[test]
    fn a_race_of_what_is_not_the_same_is_none() {
        let one = recorded(SIX[0]);
        let mut other = recorded(SIX[1]).clone();
        assert!(race("race", &[one]).is_err());
        other.route = "/".to_owned();
        let error = race("race", &[one, &other]).unwrap_err().to_string();
        has(&error, &["not asked for the same"]);
    }

    #[test]
    fn an_opening_has_one_server_and_its_routes() {
        let recording = recorded(SIX[0]);
        let text = opening("opening", recording).unwrap();
        let page = text.split_once("</server-race>").unwrap().0.to_owned() + "</server-race>";
        look_at(&page, |_| ());
        let last = duration(recording);
        let parts: [&str; 9] = [
            "class=\"opening\"",
            "<code>/sleep</code>",
            "2 CPUs, ",
            "Repeat it: <code>cargo xtask",
            "</svg>in line; its ring fills</span>",
            ">for /sleep</text>",
            "<figure class=\"chart race\" style=\"--s: var(--server-one)\">",
            &format!("\"clock\":{{\"last\":{last},"),
            &format!("<p>{}: all 12", words::time(last)),
        ];
        has(&page, &parts);
        // A mark that is not there isn't explained.
        lacks(&page, &["</svg>waits, holds nothing</span>"]);
        let [panels, drawings] = ["class=\"panel of-one\"", "<svg class=\"pic narrow"];
        assert_eq!(page.matches(panels).count(), page.matches(drawings).count());
    }
}
