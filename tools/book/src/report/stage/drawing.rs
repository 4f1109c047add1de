//! The stage at one moment. `book/pictures/stage.js` draws all other moments in its place, in the same way: what is
//! drawn follows from the time alone, and a test in a browser holds the two together.

use std::{f64::consts::PI, fmt::Write};

use records::{base::number, servers::Schedule};

use crate::report::{
    charts::sheet::element,
    replay::{
        drawing::step,
        marks::{explained, hatch, sample, tenth},
        picture::Kind,
    },
    sign,
    stage::{
        journey::{Journey, Pace, Stage},
        layout::{Form, Layout, Panel},
    },
    text::escape,
};

/// What moves in a panel, by its class, from the lowest to the highest.
const CLASSES: [&str; 10] =
    ["open", "done", "refused", "idle", "holds", "free", "works", "moves", "waits", "aged"];

/// How far a sign's box reaches beyond the radius of a request.
const EDGE: f64 = 1.0;

type Point = (f64, f64);

#[derive(Debug, Default)]
struct Marks {
    paths: [String; CLASSES.len()],
    numbers: String,
}

impl Marks {
    fn add(&mut self, class: &str) -> &mut String {
        let place = CLASSES.iter().position(|known| *known == class).unwrap_or_default();
        &mut self.paths[place]
    }

    /// `class` says what it stands on: what is solid, or a ring.
    fn number(&mut self, (x, y): Point, words: &str, class: &str) {
        let (x, y, words) = (tenth(x), tenth(y + 4.3), escape(words));
        let _ = write!(self.numbers, "<text {class}x=\"{x}\" y=\"{y}\">{words}</text>");
    }

    fn circle(&mut self, class: &str, (x, y): Point, radius: f64) {
        let (left, y, wide) = (tenth(x - radius), tenth(y), 2.0 * radius);
        let arc = format!("a{radius} {radius} 0 1 1");
        let _ = write!(self.add(class), "M{left} {y}{arc} {wide} 0{arc} -{wide} 0z");
    }

    fn square(&mut self, class: &str, (x, y): Point, half: f64) {
        let (left, top, side) = (tenth(x - half), tenth(y - half), 2.0 * half);
        let _ = write!(self.add(class), "M{left} {top}h{side}v{side}h-{side}z");
    }

    /// A full dot, or a cross where there is no answer.
    fn answer(&mut self, (x, y): Point, kind: Kind) {
        let _ = match kind {
            Kind::Refused => {
                let (left, top) = (tenth(x - 4.0), tenth(y - 4.0));
                write!(self.add("refused"), "M{left} {top}l8 8m0-8l-8 8")
            }
            _ => write!(self.add("done"), "M{} {}h0", tenth(x), tenth(y)),
        };
    }

    /// The part of a ring, clockwise from its top.
    fn arc(&mut self, (x, y): Point, radius: f64, share: f64) {
        let turn = 2.0 * PI * share.min(0.999);
        let (end_x, end_y) = (x + radius * turn.sin(), y - radius * turn.cos());
        let large = i32::from(turn > PI);
        let (x, top) = (tenth(x), tenth(y - radius));
        let (end_x, end_y) = (tenth(end_x), tenth(end_y));
        let _ =
            write!(self.add("aged"), "M{x} {top}A{radius} {radius} 0 {large} 1 {end_x} {end_y}");
    }
}

/// How much of a move is done, when it begins and ends softly.
fn ease(share: f64) -> f64 {
    share * share * (3.0 - 2.0 * share)
}

struct Moment<'a> {
    stage: &'a Stage,
    panel: &'a Panel,
    form: &'a Form,
    pace: &'a Pace,
    time: u64,
}

impl Moment<'_> {
    /// How much of the move to a step is done.
    fn moved(&self, journey: &Journey, step: usize) -> f64 {
        let passed = self.time.saturating_sub(journey.steps[step].at);
        (passed as f64 / self.pace.moves as f64).min(1.0)
    }

    /// How many requests stand before one that is in line: what leaves the line makes room little by little.
    fn before(&self, index: usize) -> f64 {
        let earlier = self.stage.journeys[..index].iter();
        let takes = earlier.map(|other| match other.now(self.time) {
            Some(0) => 1.0,
            Some(1) => 1.0 - ease(self.moved(other, 1)),
            _ => 0.0,
        });
        takes.sum()
    }

    /// Where a request is in a step, once it has arrived.
    fn place(&self, index: usize, step: usize) -> Point {
        let journey = &self.stage.journeys[index];
        let own = &journey.steps[step];
        let places = if self.stage.square { &self.panel.boxes } else { &self.panel.tasks };
        match (own.kind, own.slot.and_then(|slot| places.get(slot))) {
            (Kind::Done | Kind::Refused, _) => {
                let ends = self.stage.journeys.iter().map(Journey::end);
                let first =
                    ends.enumerate().filter(|(other, end)| (*end, *other) < (journey.end(), index));
                (6.0 + first.count() as f64 * self.panel.answers, f64::from(self.form.foot))
            }
            (_, Some((x, y))) => (f64::from(*x), *y),
            (_, None) => {
                // What leaves the line leaves it from its head.
                let has_left = journey.now(self.time) > Some(step);
                let before = if has_left { 0.0 } else { self.before(index) };
                let x = f64::from(self.panel.head) - before * f64::from(self.form.step);
                (x, self.form.middle)
            }
        }
    }

    fn draw(&self) -> Marks {
        let mut marks = Marks::default();
        let mut busy = vec![false; self.panel.boxes.len()];
        let mut arrived = 0;
        for index in 0..self.stage.journeys.len() {
            arrived += usize::from(self.request(&mut marks, &mut busy, index));
        }
        let half = f64::from(self.form.radius) + EDGE;
        for (place, &(x, y)) in self.panel.boxes.iter().enumerate().take(self.stage.kept) {
            if !busy[place] {
                marks.square("idle", (f64::from(x), y), half);
            }
        }
        for place in arrived..self.stage.journeys.len() {
            let at = (6.0 + place as f64 * self.panel.answers, f64::from(self.form.foot));
            marks.circle("open", at, 3.0);
        }
        marks
    }

    /// Draws a request, and notes a box that it fills; whether it has arrived among the answers.
    fn request(&self, marks: &mut Marks, busy: &mut [bool], index: usize) -> bool {
        let journey = &self.stage.journeys[index];
        let Some(now) = journey.now(self.time) else { return false };
        let step = journey.steps[now];
        let to = self.place(index, now);
        let from = match now {
            0 => {
                let (x, y) = self.panel.clients[journey.client];
                (f64::from(x), f64::from(y))
            }
            _ => self.place(index, now - 1),
        };
        let share = if from == to { 1.0 } else { self.moved(journey, now) };
        let gone = ease(share);
        let at = (from.0 + (to.0 - from.0) * gone, from.1 + (to.1 - from.1) * gone);
        let radius = f64::from(self.form.radius);
        if step.kind == Kind::Queues {
            let age = (self.time - step.at) as f64 / self.pace.patience as f64;
            marks.circle("waits", at, radius);
            marks.arc(at, radius - 0.5, age);
        } else if share < 1.0 {
            marks.circle("moves", at, radius);
        } else {
            match (step.kind, self.stage.square) {
                (Kind::Holds, _) => marks.square("holds", at, radius + EDGE),
                (Kind::Works, true) => marks.square("works", at, radius + EDGE),
                (Kind::Works, false) => marks.circle("works", at, radius),
                (Kind::Free, _) => marks.circle("free", at, radius - 0.5),
                _ => {
                    marks.answer(at, step.kind);
                    return true;
                }
            }
            let place = step.slot.filter(|_| self.stage.square).or(step.thread);
            let place = place.filter(|place| *place < busy.len());
            if let Some(place) = place {
                let (x, y) = self.panel.boxes[place];
                if !busy[place] && !self.stage.square {
                    marks.square("works", (f64::from(x), y), radius + EDGE);
                }
                busy[place] = true;
            }
        }
        let class = match step.kind {
            Kind::Works if share == 1.0 => "class=\"on\" ",
            Kind::Holds if share == 1.0 => "",
            _ => "class=\"rim\" ",
        };
        marks.number(at, &journey.request.to_string(), class);
        if let Some((request, route)) = &self.stage.told
            && (*request, step.kind, step.slot) == (journey.request, Kind::Queues, None)
        {
            marks.number((at.0, at.1 - radius - 9.0), &format!("for {route}"), "class=\"rim\" ");
        }
        false
    }
}

/// One of the two drawings, at a moment; `words` are its title and its description. `id` is unique in the book.
pub fn draw(
    id: &str,
    class: &str,
    words: (&str, &str),
    (stages, layout): (&[Stage], &Layout),
    (pace, time): (&Pace, u64),
) -> String {
    let Layout { form, clock, height, .. } = layout;
    let mut body = hatch(&format!("{id}-hatch"));
    for (stage, panel) in stages.iter().zip(&layout.panels) {
        let marks = Moment { stage, panel, form, pace, time }.draw();
        body += &panel_of(id, stage, panel, form, time);
        body += "<g class=\"moving\">";
        for (class, path) in CLASSES.iter().zip(&marks.paths) {
            let _ = write!(body, "<path class=\"{class}\" d=\"{path}\"/>");
        }
        let _ = write!(
            body,
            "<g class=\"number\" text-anchor=\"middle\">{}</g></g></g>",
            marks.numbers
        );
    }
    body += &clock_of(stages, layout, time);
    let _ = write!(
        body,
        "<path class=\"passed\" d=\"M{} {}H{}\"/>",
        clock.left,
        clock.y,
        tenth(clock.place(time))
    );
    element(id, (class, ""), (form.sheet.width, *height), words, &body)
}

fn person((x, y): (i32, i32)) -> String {
    let (x, y) = (f64::from(x), f64::from(y));
    let [left, top, shoulder, foot] = [x - 0.1, y - 4.8, x - 4.0, y + 4.5].map(tenth);
    format!("M{left} {top}a2.2 2.2 0 1 0 .2 0zM{shoulder} {foot}a4 4 0 0 1 8 0z")
}

/// What stands still in a panel: the sign and the name of its server, the floor of the line, and the clients. It is
/// left open.
fn panel_of(id: &str, stage: &Stage, panel: &Panel, form: &Form, time: u64) -> String {
    let server = stage.server;
    let long = panel.head + form.radius - 2;
    let floor = form.middle + f64::from(form.radius) + 3.0;
    let line = line_name(server.schedule).map_or(String::new(), |name| {
        let y = form.middle as i32 - form.radius - 8;
        format!("<text class=\"soft\" x=\"2\" y=\"{y}\">{name}</text>")
    });
    format!(
        "<g class=\"panel of-{}\" transform=\"translate({} {})\">{}\
         <text x=\"{}\" y=\"15\">{}</text><text class=\"state soft\" x=\"{}\" y=\"15\" text-anchor=\"end\">{}</text>\
         <path fill=\"url(#{id}-hatch)\" d=\"M2 {floor}h{long}v5h-{long}z\"/>\
         {line}<path class=\"client\" d=\"{}\"/><path class=\"grid\" d=\"M0 {}H{}\"/>",
        server.colour.as_deref().unwrap_or("ink"),
        panel.x,
        panel.y,
        sign::mark(server, (0, 1)),
        sign::wide(server) + 6,
        escape(&server.called),
        form.wide,
        state(stage, time),
        panel.clients.iter().copied().map(person).collect::<String>(),
        form.tall + 1,
        form.wide
    )
}

/// Where a request stands in line, if the server makes it wait there.
fn line_name(schedule: Schedule) -> Option<&'static str> {
    match schedule {
        Schedule::OneThread => Some("backlog"),
        Schedule::Pool => Some("queue"),
        Schedule::ThreadPerConnection | Schedule::EventLoop | Schedule::Tasks => None,
    }
}

/// How far a server is: `4 of 12`, or when it was done.
fn state(stage: &Stage, time: u64) -> String {
    let answered = stage.answered(time);
    let all = stage.journeys.len();
    match answered == all {
        true => format!("{} ms", number(stage.end() as f64 / 1000.0, 0)),
        false => format!("{answered} of {all}"),
    }
}

/// The clock with its numbers, and the signs of those who are done.
fn clock_of(stages: &[Stage], layout: &Layout, time: u64) -> String {
    let Layout { form, clock, panels, .. } = layout;
    let (left, right, y) = (clock.left, clock.right, clock.y);
    let mut text = format!("<path class=\"axis\" d=\"M{left} {y}H{right}\"/>");
    for at in (0..=clock.last).step_by(step(clock.last, form.sheet.ticks) as usize) {
        let edge = f64::from(form.sheet.width);
        let (x, anchor) = match clock.place(at) {
            _ if at == 0 => (0.0, "start"),
            x if x > edge - 24.0 => (edge, "end"),
            x => (x, "middle"),
        };
        let unit = if at == 0 { " ms" } else { "" };
        let _ = write!(
            text,
            "<text class=\"soft\" x=\"{}\" y=\"{}\" text-anchor=\"{anchor}\">{}{unit}</text>",
            tenth(x),
            y + form.sheet.text + 6,
            number(at as f64 / 1000.0, 0)
        );
    }
    for (stage, panel) in stages.iter().zip(panels) {
        let seen = if stage.end() <= time { "" } else { " visibility=\"hidden\"" };
        let sign = sign::mark(stage.server, panel.landing);
        let _ = write!(text, "<g class=\"landing\"{seen}>{sign}</g>");
    }
    text
}

/// What the marks mean that occur here, as HTML.
pub fn key(stages: &[Stage]) -> String {
    const BOX: &str = "M2 2h16v16h-16z";
    const DISC: &str = "M3 10a7 7 0 1 1 14 0a7 7 0 1 1 -14 0z";
    const RING: &str = "<path class=\"aged\" d=\"M10 3.5A6.5 6.5 0 0 1 15.6 13.3\"/>";
    let journeys = stages.iter().flat_map(|stage| &stage.journeys);
    let kinds: Vec<Kind> = journeys.flat_map(|it| it.steps.iter().map(|step| step.kind)).collect();
    let occurs = |kind| match kind {
        Kind::Idle => stages.iter().any(|stage| stage.kept > 0),
        kind => kinds.contains(&kind),
    };
    // A task at work is a disc, beside the box of its thread.
    let works: &[&str] = if stages.iter().all(|it| it.square) { &[BOX] } else { &[BOX, DISC] };
    let entries: [(Kind, &[&str], &str); 7] = [
        (Kind::Queues, &[DISC], "in line; its ring fills"),
        (Kind::Works, works, "works on a CPU"),
        (Kind::Holds, &[BOX], "waits, holds a thread"),
        (Kind::Free, &[DISC], "waits, holds nothing"),
        (Kind::Idle, &[BOX], "idle thread"),
        (Kind::Done, &["M10 10h0"], "answered"),
        (Kind::Refused, &["M6 6l8 8m0-8l-8 8"], "cut off"),
    ];
    let shown = entries.into_iter().filter(|it| occurs(it.0)).map(|(kind, shapes, words)| {
        let (class, ring) = match kind {
            Kind::Queues => ("waits", RING),
            kind => (kind.class(), ""),
        };
        let shapes = shapes.iter().map(|shape| {
            let path = format!("<path class=\"{class}\" d=\"{shape}\"/>{ring}");
            sample(20, &format!("<g class=\"moving\">{path}</g>"))
        });
        (shapes.collect::<String>(), words)
    });
    let client = format!("<path class=\"client\" d=\"{}\"/>", person((6, 10)));
    explained([(sample(12, &client), "client")].into_iter().chain(shown))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{
        stage::journey::SLOW,
        testing::{has, is_in_the_theme, lacks, look_at},
    };

    fn drawn(rung: &str, time: u64) -> String {
        let stages = [Stage::recorded(rung)];
        let layout = Layout::of(Form::all(1)[0], &stages, 1_300_000);
        draw("s", "narrow", ("A <title>", "words"), (&stages, &layout), (&SLOW, time))
    }

    /// What one path of the drawing is.
    fn path(svg: &str, class: &str) -> String {
        look_at(svg, |page| {
            let moving = page.descendants().find(|node| node.attribute("class") == Some("moving"));
            let mut paths = moving.unwrap().children();
            let own = paths.find(|node| node.attribute("class") == Some(class)).unwrap();
            own.attribute("d").unwrap().to_owned()
        })
    }

    /// How many marks the drawing has of each of these classes.
    fn count<const N: usize>(svg: &str, classes: [&str; N]) -> [usize; N] {
        classes.map(|class| path(svg, class).matches('M').count())
    }

    #[test]
    fn a_stage_is_well_formed_and_in_the_theme() {
        for time in [0, 60_000, 112_000, 1_240_000] {
            let svg = drawn("ch01_single_threaded", time);
            is_in_the_theme(&svg);
            has(&svg, &["A &lt;title&gt;", "class=\"panel of-one\"", ">one thread</text>"]);
            has(&svg, &[">backlog</text>"]);
        }
    }

    #[test]
    fn each_request_has_the_mark_of_what_it_does() {
        // What waits is in line, and its ring fills.
        let svg = drawn("ch01_single_threaded", 60_000);
        let classes = ["waits", "aged", "holds", "idle", "done", "open"];
        assert_eq!(count(&svg, classes), [5, 5, 1, 0, 0, 12]);
        has(&svg, &[">0 of 12</text>", "<g class=\"landing\" visibility=\"hidden\">"]);
        // The last of them has waited half as long as it takes to fill its ring.
        let full = drawn("ch01_single_threaded", 300_000);
        assert!(path(&full, "aged").contains(" 0 1 1 "), "a large arc");
        let end = drawn("ch01_single_threaded", 1_300_000);
        assert_eq!(count(&end, ["done", "open"]), [12, 0]);
        lacks(&end, &["visibility"]);
        // Tasks hold nothing, and the threads are idle.
        let tasks = drawn("ch06_tokio", 60_000);
        assert_eq!(count(&tasks, ["free", "idle", "waits"]), [6, 2, 0]);
    }

    #[test]
    fn what_moves_is_between_two_places() {
        // The first request leaves the first client at 0.
        let place = |time| -> (f64, f64) {
            let path = path(&drawn("ch01_single_threaded", time), "waits");
            let mut numbers = path.split([' ', 'M', 'a']).skip(1).map(|it| it.parse().unwrap());
            (numbers.next().unwrap(), numbers.next().unwrap())
        };
        assert_eq!(place(0), (0.0, 74.0));
        // The second is on its way.
        let (x, y) = place(10_000);
        assert!(x > 12.0 && y < 74.0 && y > 50.5, "{x} {y}");
        assert_eq!((ease(0.0), ease(0.5), ease(1.0)), (0.0, 0.5, 1.0));
    }
}
