//! Servers beside each other on one clock: a lane for each, with a dot for each answer, and at its end the result.

use std::fmt::Write;

use anyhow::{Context, Result, bail, ensure};
use records::{
    base::{number, significant},
    recording::Recording,
    servers::{self, Schedule, Server},
};

use pictures::{
    canvas::{Canvas, NARROW, widest, width},
    sign::{self, sign},
    text::{capital, escape, plural, table},
};

use crate::report::{
    origin::of_recordings,
    replay::{
        about,
        marks::{mark, tenth},
        numbers::{ms, queued, running, sleep, started},
        picture::Kind,
        playable::{Band, Drawing, Playable},
    },
};

/// Answers that are no farther from the one before are stacked, in microseconds.
const TOGETHER: u64 = 40_000;

/// The numbers as words.
const WORDS: [&str; 11] =
    ["no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"];

struct Lane {
    server: &'static Server,
    called: String,
    /// The times of the answers, in order.
    answers: Vec<u64>,
}

fn word(count: u64) -> String {
    WORDS.get(count as usize).map_or_else(|| number(count as f64, 0), |word| (*word).to_owned())
}

/// How a picture calls a server that was started with these options: of a pool it says the size.
pub fn called(server: &Server, options: &[String]) -> String {
    let size = options.iter().skip_while(|option| *option != "--threads").nth(1);
    match (server.schedule, size.and_then(|size| size.parse().ok())) {
        (Schedule::Pool, Some(size)) => format!("{} of {}", server.called, word(size)),
        _ => server.called.clone(),
    }
}

impl Lane {
    fn of(recording: &Recording) -> Result<Lane> {
        let server = Server::named(&recording.rung);
        let server = server.with_context(|| format!("there is no server {}", recording.rung))?;
        let called = called(server, &recording.server_options);
        let zero = started(recording);
        let mut answers: Vec<u64> =
            recording.requests.iter().map(|request| request.answered - zero).collect();
        answers.sort_unstable();
        Ok(Lane { server, called, answers })
    }

    fn end(&self) -> u64 {
        self.answers.last().copied().unwrap_or(0)
    }

    /// Each answer with its place in its stack, and how high that is.
    fn stacked(&self) -> Vec<(u64, usize, usize)> {
        let mut stacks: Vec<Vec<u64>> = Vec::new();
        for answer in &self.answers {
            match stacks.last_mut() {
                Some(stack) if answer - stack[stack.len() - 1] < TOGETHER => stack.push(*answer),
                _ => stacks.push(vec![*answer]),
            }
        }
        let places = stacks.into_iter().flat_map(|stack| {
            let high = stack.len();
            stack.into_iter().enumerate().map(move |(place, at)| (at, place, high))
        });
        places.collect()
    }

    fn result(&self) -> String {
        format!("{} ms", number(ms(self.end()), 0))
    }
}

/// What stands above a race.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Title {
    /// How many servers there are.
    Servers,
    /// Which is the slowest, and how fast the others are.
    Slowest,
}

/// Says which server was the last to be ready, and between which times the others were.
fn slowest(lanes: &[Lane]) -> String {
    let mut sorted: Vec<&Lane> = lanes.iter().collect();
    sorted.sort_by_key(|lane| lane.end());
    let [first, .., second, last] = &sorted[..] else { return String::new() };
    format!(
        "{} needs {}, the others {} to {}.",
        capital(&last.called),
        last.result(),
        number(ms(first.end()), 0),
        second.result()
    )
}

/// The block, with a table; `next` is where it leads, as HTML, and `id` is unique in the whole book.
/// Fails when there are fewer than two, when they were not asked for the same, and when the data can't be written.
pub fn race(id: &str, title: Title, next: &str, recordings: &[&Recording]) -> Result<String> {
    let [first, _, ..] = recordings else { bail!("a race has two servers or more") };
    for other in recordings {
        let is_same = first.route == other.route
            && first.clients == other.clients
            && first.requests.len() == other.requests.len();
        ensure!(is_same, "{} and {} were not asked for the same", first.rung, other.rung);
    }
    let lanes = recordings.iter().map(|it| Lane::of(it)).collect::<Result<Vec<_>>>()?;
    let in_rust = lanes.iter().all(|lane| !matches!(lane.server.kind, servers::Kind::Language(_)));
    let language = if in_rust { " in Rust" } else { "" };
    let finding = match title {
        Title::Servers => {
            format!("Same requests. {} servers{language}.", capital(&word(lanes.len() as u64)))
        }
        Title::Slowest => slowest(&lanes),
    };
    let each = first.requests.len() as u64 / first.clients.max(1);
    let times = match each {
        1 => "once".to_owned(),
        2 => "twice".to_owned(),
        each => format!("{} times", word(each)),
    };
    let clients = plural(first.clients, "client");
    let clients = clients.replacen(&first.clients.to_string(), &capital(&word(first.clients)), 1);
    let sleep = sleep(&first.route).context("the page of a race sleeps")?;
    let counts = format!(
        "{clients} ask {times} for a page that takes {sleep} ms. Each {} is an answer.",
        mark(Kind::Done)
    );
    let results: Vec<String> =
        lanes.iter().map(|lane| format!("{}: {}", lane.called, lane.result())).collect();
    let playable = Playable {
        id,
        named: &finding,
        class: "race once",
        figure: "race",
        colour: None,
        sign: "",
        finding: &finding,
        counts: &counts,
        description: &format!("When each had sent its last answer: {}.", results.join("; ")),
        caption: "",
        next,
        moments: &moments(&lanes),
    };
    let text = format!(
        "{}\n\nThese are the recordings that the chapters show, on one clock: {}.",
        servers(&lanes, recordings),
        escape(&of_recordings(recordings))
    );
    let block = playable.block(|canvas| draw(&lanes, canvas))?;
    Ok(format!("{block}\n\n{}", about("The race in numbers", &text)))
}

fn moments(lanes: &[Lane]) -> Vec<(u64, String)> {
    let mut times: Vec<u64> = lanes.iter().flat_map(|lane| &lane.answers).copied().collect();
    times.push(0);
    times.sort_unstable();
    times.dedup();
    times.into_iter().map(|at| (at, sentence(lanes, at))).collect()
}

/// How many answers each server has sent until then.
fn sentence(lanes: &[Lane], at: u64) -> String {
    let mut clauses = Vec::new();
    for lane in lanes {
        let answered = lane.answers.iter().filter(|answer| **answer <= at).count();
        let done =
            if lane.end() <= at { format!(", after {}", lane.result()) } else { String::new() };
        clauses.push(format!(
            "{}: {answered} of {} answered{done}",
            lane.called,
            lane.answers.len()
        ));
    }
    capital(&clauses.join("; ")) + "."
}

fn draw(lanes: &[Lane], canvas: Canvas) -> Drawing {
    let narrow = canvas.class == NARROW.class;
    // The diameter of a dot as the style sheet has it, and how far those of a stack are from each other.
    let (dot, apart) = if narrow { (5.0, 5.2) } else { (7.0, 7.4) };
    let names = widest(lanes.iter().map(|lane| &lane.called), canvas);
    let signs = lanes.iter().map(|lane| sign::wide(lane.server)).max().unwrap_or(0);
    let left = if narrow { 6 } else { signs + 8 + names + 18 };
    // Without room for names beside the lanes they stand above.
    let above = if narrow { 22 } else { 0 };
    let end = lanes.iter().map(Lane::end).max().unwrap_or(0);
    let mut right = f64::from(canvas.width - 12);
    for lane in lanes {
        let share = lane.end() as f64 / end.max(1) as f64;
        let result = f64::from(width(&lane.result(), canvas)) * 1.4 + dot + 10.0;
        let room = f64::from(canvas.width - left) - result;
        right = right.min(f64::from(left) + room / share.max(0.1));
    }
    let right = right as i32;
    let highest = lanes.iter().flat_map(Lane::stacked).map(|dot| dot.2).max().unwrap_or(1);
    let high = ((highest - 1) as f64 * apart + dot + 8.0).ceil().max(26.0) as i32;
    let scale = f64::from(right - left);
    let mut below = String::new();
    let mut names = String::new();
    let mut bands = Vec::new();
    let mut y = 0;
    for lane in lanes {
        let middle = f64::from(y + above) + f64::from(high) / 2.0;
        let mut dots = String::new();
        for (at, index, count) in lane.stacked() {
            let down = (index as f64 - (count as f64 - 1.0) / 2.0) * apart;
            let x = f64::from(left) + at as f64 / end.max(1) as f64 * scale;
            let _ = write!(dots, "M{} {}h0", tenth(x), tenth(middle + down));
        }
        let finish = f64::from(left) + lane.end() as f64 / end.max(1) as f64 * scale;
        let _ = write!(
            below,
            "<g class=\"of-{}\"><path class=\"lane\" d=\"M{left} {}H{}\"/>\
             <path class=\"answers\" d=\"{dots}\"/>\
             <text class=\"result\" x=\"{}\" y=\"{}\">{}</text></g>",
            lane.server.colour.as_deref().unwrap_or("ink"),
            tenth(middle),
            tenth(finish),
            tenth(finish + dot / 2.0 + 9.0),
            tenth(middle + 6.5),
            lane.result()
        );
        let top = if narrow { y } else { y + high / 2 - sign::HIGH / 2 };
        names += &sign::mark(lane.server, (0, top));
        let _ = write!(
            names,
            "<text x=\"{}\" y=\"{}\">{}</text>",
            sign::wide(lane.server) + 8,
            top + 14,
            escape(&lane.called)
        );
        bands.push(Band { top: y + above, bottom: y + above + high, until: lane.end() });
        y += above + high + if narrow { 4 } else { 2 };
    }
    Drawing {
        canvas,
        left,
        right,
        end,
        bands,
        below,
        above: names,
        class: "",
        veil: "future closed",
    }
}

fn servers(lanes: &[Lane], recordings: &[&Recording]) -> String {
    let headings = [
        "Server",
        "Last response, ms",
        "Longest time queued, ms",
        "Threads that served",
        "CPU time, ms",
    ];
    let rows = lanes.iter().zip(recordings).map(|(lane, recording)| {
        vec![
            format!("{}{}", sign(lane.server), capital(&lane.called)),
            number(ms(lane.end()), 0),
            significant(ms(queued(recording).max().unwrap_or(0))),
            recording.serving_threads().to_string(),
            significant(ms(running(recording))),
        ]
    });
    table(&headings, &[], rows)
}
