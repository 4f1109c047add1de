//! The first picture of the book: how many clients wait, and what each server needs for them. At the smallest number it is
//! the race of the recordings; at the others a lane for each server, with memory as a bar from zero. A page shows one
//! number, and without a script, too, a reader chooses another.

use std::fmt::Write;

use anyhow::{Context, Result, ensure};
use pictures::{
    sign::sign,
    text::{capital, escape, figure, listed, table},
};
use records::{
    base::number,
    computed::Computed,
    description::{Experiment, Law, Setup, Variant},
    servers::Server,
};

use crate::report::{
    measured::{Measured, Named},
    replay::{about, called, sleep},
};

/// What a server did with so many clients: medians over the rounds.
struct Lane {
    server: &'static Server,
    called: String,
    process_mib: f64,
    /// Of the kernel: the stacks of its threads, and its page tables.
    kernel_mib: f64,
    threads: f64,
    answered: f64,
    turned_away: f64,
    /// When the last answer came, in seconds.
    last: f64,
    law: Law,
}

/// A number of clients, and what came of them.
struct Crowd {
    clients: u64,
    lanes: Vec<Lane>,
}

/// For how long clients try to connect, and for how long they wait for an answer, in seconds, as in the command.
struct Limits {
    connect: String,
    patience: String,
    /// The wait of the page, in milliseconds.
    page_ms: u64,
}

impl Limits {
    fn of(setup: &Setup) -> Result<Limits> {
        let words = setup.generator.as_deref().unwrap_or_default();
        let after = |option: &str| {
            let place = words.iter().position(|word| word == option);
            let value = place.and_then(|place| words.get(place + 1)).cloned();
            value.with_context(|| format!("its generator has no {option}"))
        };
        let route = words.last().and_then(|url| url.strip_prefix("{url}")).unwrap_or_default();
        Ok(Limits {
            connect: after("--together")?,
            patience: after("--timeout")?,
            page_ms: sleep(route).context("its page doesn't sleep")?,
        })
    }
}

impl Lane {
    fn of(measured: &Measured, name: &str, variant: &Variant, setup: &Setup) -> Result<Lane> {
        let server = setup.server.as_deref().and_then(Server::named);
        let server = server.with_context(|| format!("\"{}\" has no server", variant.name))?;
        let median = |figure: &str| -> Result<f64> {
            let named = Named { name, of: &variant.name, to: None, figure: Some(figure) };
            let Computed { median, .. } =
                measured.figure(named).with_context(|| variant.name.clone())?;
            Ok(*median)
        };
        Ok(Lane {
            server,
            called: called(server, setup.options.as_deref().unwrap_or_default()),
            process_mib: median("server_peak_memory_mib")?,
            kernel_mib: median("kernel_stack_mib")? + median("server_page_tables_mib")?,
            threads: median("server_peak_threads")?,
            answered: median("requests")?,
            turned_away: median("turned_away")?,
            last: median("last_answer_seconds")?,
            law: variant.law.clone().context("no law predicts it")?,
        })
    }

    fn memory(&self) -> f64 {
        self.process_mib + self.kernel_mib
    }

    /// Whether it serves only some at a time, so that others stand in line.
    fn is_limited(&self) -> bool {
        self.server.served_at_once().is_some()
    }

    fn has_answered_all(&self, clients: u64) -> bool {
        self.answered >= clients as f64
    }
}

/// Which lane has the most of something, and which the least.
fn extremes<'a>(lanes: &[&'a Lane], of: fn(&Lane) -> f64) -> Option<(&'a Lane, &'a Lane)> {
    let most = lanes.iter().max_by(|one, other| of(one).total_cmp(&of(other)))?;
    let least = lanes.iter().min_by(|one, other| of(one).total_cmp(&of(other)))?;
    Some((most, least))
}

impl Crowd {
    fn turns_away(&self) -> bool {
        self.lanes.iter().any(|lane| lane.turned_away > 0.0)
    }

    /// What is to be seen. Each part of it is taken from the lanes, so new figures make another sentence.
    fn finding(&self, limits: &Limits) -> String {
        let clients = number(self.clients as f64, 0);
        let (all, rest): (Vec<&Lane>, Vec<&Lane>) =
            self.lanes.iter().partition(|lane| lane.has_answered_all(self.clients));
        let away: Vec<String> = rest
            .iter()
            .filter(|lane| lane.turned_away > 0.0)
            .map(|lane| lane.called.clone())
            .collect();
        match (away.is_empty(), extremes(&all, Lane::memory)) {
            (false, Some((most, least))) => format!(
                "Of {clients}, {} {} most away. {} holds them all in {}, {} in {}.",
                listed(&away),
                if away.len() == 1 { "turns" } else { "turn" },
                capital(&most.called),
                mib(most.memory()),
                least.called,
                mib(least.memory()),
            ),
            _ => self.last_answers(&clients, limits),
        }
    }

    /// When the last of the clients has its answer.
    fn last_answers(&self, clients: &str, limits: &Limits) -> String {
        let (limited, free): (Vec<&Lane>, Vec<&Lane>) =
            self.lanes.iter().partition(|lane| lane.is_limited());
        let mut parts: Vec<String> = Vec::new();
        for lane in limited {
            let time = match lane.has_answered_all(self.clients) {
                true => seconds(lane.last),
                false => format!("more than {} s", limits.patience),
            };
            parts.push(format!("{time} for {}", lane.called));
        }
        if let Some((slowest, _)) = extremes(&free, |lane| lane.last) {
            parts.push(format!("at most {} for the others", seconds(slowest.last)));
        }
        format!("The last of {clients} waits {}.", listed(&parts))
    }

    /// The lanes: `most` is the memory that fills a bar, which is the same for each number of clients.
    fn drawing(&self, most: f64, limits: &Limits, next: &str) -> String {
        let finds = if self.turns_away() { "memory" } else { "time" };
        let mut rows = String::new();
        for lane in &self.lanes {
            let percent = |mib: f64| number(100.0 * mib / most, 2);
            let colour = lane.server.colour.as_deref().unwrap_or("ink");
            let _ = write!(
                rows,
                "<tr style=\"--s: var(--server-{colour})\"><th scope=\"row\">{}{}</th>\
                 <td class=\"memory\"><span class=\"bar\"><i style=\"width: {}%\"></i>\
                 <i class=\"kernel\" style=\"width: {}%\"></i></span> <b>{}</b></td>\
                 <td>{}</td><td class=\"last\">{}</td></tr>",
                sign(lane.server).trim_end(),
                escape(&lane.called),
                percent(lane.process_mib),
                percent(lane.kernel_mib),
                mib(lane.memory()),
                number(lane.threads, 0),
                self.last(lane, limits),
            );
        }
        format!(
            "<table class=\"lanes finds-{finds}\"><thead><tr><th scope=\"col\">Server</th><th scope=\"col\">Memory</th>\
             <th scope=\"col\">Threads</th><th scope=\"col\">Last answer</th></tr></thead><tbody>{rows}</tbody></table>\n\
             <div class=\"play\">{next}</div>"
        )
    }

    /// When the last answer came, or what became of the others; beside it what the law says.
    fn last(&self, lane: &Lane, limits: &Limits) -> String {
        if lane.has_answered_all(self.clients) {
            return format!("<b>{}</b>", seconds(lane.last));
        }
        let answered = number(lane.answered, 0);
        let law = format!("for all <span class=\"law\">{}</span>", long(lane.law.value));
        if lane.turned_away > 0.0 {
            let away = number(lane.turned_away, 0);
            return format!(
                "<b><span class=\"mark refused\"></span> {away} turned away</b> \
                 <small>{answered} answered in {}, {law}</small>",
                seconds(lane.last)
            );
        }
        format!("<b>{answered} in {} s</b> <small>{law}</small>", limits.patience)
    }
}

/// The block of an experiment whose variants are crowds; `race` is what stands at the smallest number, and `next` where it
/// leads, as HTML. Fails when something was not computed, or has no law.
pub fn crowd(measured: &Measured, name: &str, race: &str, next: &str) -> Result<String> {
    let described = measured.description(name)?;
    let limits = Limits::of(&described.setup(described.baseline()).unwrap_or_default())?;
    let crowds = crowds(measured, name, described)?;
    let lanes = || crowds.iter().flat_map(|crowd| &crowd.lanes);
    let most = lanes().map(Lane::memory).fold(0.0, f64::max);
    let [_, larger @ ..] = &crowds[..] else { unreachable!("there are two numbers or more") };
    let mut choices = String::new();
    for crowd in &crowds {
        let clients = number(crowd.clients as f64, 0);
        let last = if crowd.clients == crowds[crowds.len() - 1].clients { " checked" } else { "" };
        let _ = write!(
            choices,
            "<label><input type=\"radio\" name=\"{name}\"{last}><span>{clients}</span></label>"
        );
    }
    let mut panels = format!("<div class=\"at\">\n\n{race}\n\n</div>\n");
    for crowd in larger {
        let counts = format!(
            "All ask at the same moment for a page that takes {} ms. Memory: <span class=\"mark works\"></span> the process, \
             <span class=\"mark kernel\"></span> the kernel for it.",
            limits.page_ms
        );
        let drawing = crowd.drawing(most, &limits, next);
        let drawn = figure("class=\"chart crowd\"", &crowd.finding(&limits), &counts, &drawing, "");
        let _ = write!(panels, "<div class=\"at\">\n{drawn}\n</div>\n");
    }
    let conditions = conditions(measured, name, &crowds, &limits)?;
    Ok(format!(
        "<div class=\"how-many\">\n<fieldset><legend>How many clients wait?</legend>{choices}</fieldset>\n{panels}</div>\n\n{}",
        about("How this was measured, and the law", &conditions)
    ))
}

/// The crowds of an experiment, the smallest first.
fn crowds(measured: &Measured, name: &str, described: &Experiment) -> Result<Vec<Crowd>> {
    let mut crowds: Vec<Crowd> = Vec::new();
    for variant in &described.variants {
        let clients = variant.x.with_context(|| format!("\"{}\" has no `x`", variant.name))? as u64;
        let setup = described.setup(&variant.name).unwrap_or_default();
        let lane = Lane::of(measured, name, variant, &setup)?;
        match crowds.iter_mut().find(|crowd| crowd.clients == clients) {
            Some(crowd) => crowd.lanes.push(lane),
            None => crowds.push(Crowd { clients, lanes: vec![lane] }),
        }
    }
    ensure!(crowds.len() > 1, "{name} has one number of clients, and a switch needs two");
    crowds.sort_by_key(|crowd| crowd.clients);
    Ok(crowds)
}

/// How it was measured, and every number, with the law beside it.
fn conditions(
    measured: &Measured,
    name: &str,
    crowds: &[Crowd],
    limits: &Limits,
) -> Result<String> {
    let headings = [
        "Server",
        "Clients",
        "Process, MiB",
        "Kernel, MiB",
        "Threads",
        "Answered",
        "Turned away",
        "Last answer, s",
        "The law, s",
    ];
    let rows = crowds.iter().flat_map(|crowd| {
        crowd.lanes.iter().map(|lane| {
            vec![
                format!("{}{}", sign(lane.server), lane.called),
                number(crowd.clients as f64, 0),
                number(lane.process_mib, 1),
                number(lane.kernel_mib, 1),
                number(lane.threads, 0),
                number(lane.answered, 0),
                number(lane.turned_away, 0),
                number(lane.last, 2),
                number(lane.law.value, 2),
            ]
        })
    });
    let Limits { connect, patience, .. } = limits;
    let machine = escape(&measured.machine_line(&[name.to_owned()])?);
    Ok(format!(
        "`cargo xtask bench --only {name}` measures it; the numbers are medians. \
         Each server is a process of its own, built with `--release`, on one half of the CPUs; the clients are on the other.\n\n\
         First the clients connect, 5,000 in a second. Where the backlog is full, the kernel tries again each second; who has no \
         connection {connect} s after the first came is turned away, because our servers end a connection that is silent for \
         five seconds. \
         Half a second later all ask at the same moment, from which the time counts. Who has no answer after {patience} s leaves: \
         that is time enough for everybody whom the pool can have connected.\n\n\
         Memory is the most that the process had in use (`VmHWM`); the kernel's is the growth of all threads' stacks \
         (`KernelStack`, which the few threads of the clients are in) and the process's page tables (`VmPTE`). What the kernel \
         keeps for the sockets is in neither.\n\n\
         The law was written down before: as many turns of 0.1 s as it takes to serve all clients, and 50 µs of a CPU for each \
         of them. It knows no backlog that is full, so beside a server that turned clients away it stands for all of them.\n\n\
         {}\nThe machine: {machine}.",
        table(&headings, &[], rows)
    ))
}

/// Memory in words: `2.1 MiB`, `341 MiB`.
fn mib(value: f64) -> String {
    format!("{} MiB", number(value, if value < 10.0 { 1 } else { 0 }))
}

/// A time in words, in seconds: `0.11 s`, `12.5 s`.
fn seconds(value: f64) -> String {
    format!("{} s", number(value, if value < 1.0 { 2 } else { 1 }))
}

/// A long time in words: `12.6 s`, `16 min 41 s`.
fn long(value: f64) -> String {
    let whole = value.round() as u64;
    match (whole / 60, whole % 60) {
        (0, _) => seconds(value),
        (minutes, 0) => format!("{minutes} min"),
        (minutes, rest) => format!("{minutes} min {rest} s"),
    }
}
