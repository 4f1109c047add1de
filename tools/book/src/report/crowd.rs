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
    /// When the last answer came, in seconds; and in the round in which that was latest.
    last: f64,
    latest: f64,
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
    /// How much of the CPU time others may take, in percent, where the experiment says it.
    may_lose: Option<f64>,
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
            may_lose: setup.may_lose,
        })
    }
}

impl Lane {
    fn of(measured: &Measured, name: &str, variant: &Variant, setup: &Setup) -> Result<Lane> {
        let server = setup.server.as_deref().and_then(Server::named);
        let server = server.with_context(|| format!("\"{}\" has no server", variant.name))?;
        let computed = |figure: &str| -> Result<&Computed> {
            let named = Named { name, of: &variant.name, to: None, figure: Some(figure) };
            measured.figure(named).with_context(|| format!("{figure} of \"{}\"", variant.name))
        };
        let median = |figure: &str| computed(figure).map(|it| it.median);
        Ok(Lane {
            server,
            called: called(server, setup.options.as_deref().unwrap_or_default()),
            process_mib: median("server_peak_memory_mib")?,
            kernel_mib: median("kernel_stack_mib")? + median("server_page_tables_mib")?,
            threads: median("server_peak_threads")?,
            answered: median("requests")?,
            turned_away: median("turned_away")?,
            last: median("last_answer_seconds")?,
            latest: computed("last_answer_seconds")?.greatest,
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
                "{} {} most away. {} takes {}, {} {}.",
                capital(&listed(&away)),
                if away.len() == 1 { "turns" } else { "turn" },
                capital(&most.called),
                mib(most.memory()),
                least.called,
                mib(least.memory()).trim_end_matches(" MiB"),
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
        if let Some((slowest, _)) = extremes(&free, |lane| lane.latest) {
            parts.push(format!("at most {} for the others", seconds(slowest.latest)));
        }
        format!("The last of {clients} waits {}.", listed(&parts))
    }

    /// The lanes: `most` is the memory that fills a bar, which is the same for each number of clients.
    fn drawing(&self, most: f64, limits: &Limits, next: &str) -> String {
        let finds = if self.turns_away() { "memory" } else { "time" };
        let mut rows = String::new();
        for lane in &self.lanes {
            let part = |mib: f64| number(mib / most, 4);
            let colour = lane.server.colour.as_deref().unwrap_or("ink");
            let _ = write!(
                rows,
                "<tr role=\"row\" style=\"--s: var(--server-{colour})\"><th role=\"rowheader\" scope=\"row\">{}{}</th>\
                 <td role=\"cell\" class=\"memory\"><span class=\"bar\"><i style=\"--part: {}\"></i>\
                 <i class=\"kernel\" style=\"--part: {}\"></i></span> <b>{}</b></td>\
                 <td role=\"cell\">{}</td>{}</tr>",
                sign(lane.server).trim_end(),
                escape(&lane.called),
                part(lane.process_mib),
                part(lane.kernel_mib),
                mib(lane.memory()),
                number(lane.threads, 0),
                self.last(lane, limits),
            );
        }
        // The style sheet lays it out anew on a phone, and a browser would forget then that it is a table.
        let headings = ["Server", "Memory", "Threads", "Last answer"]
            .map(|it| format!("<th role=\"columnheader\" scope=\"col\">{it}</th>"))
            .concat();
        format!(
            "<table role=\"table\" class=\"lanes finds-{finds}\"><thead role=\"rowgroup\"><tr role=\"row\">{headings}</tr></thead>\
             <tbody role=\"rowgroup\">{rows}</tbody></table>\n\
             <div class=\"play\">{next}</div>"
        )
    }

    /// When the last answer came, or what became of the others; beside it what the law says.
    fn last(&self, lane: &Lane, limits: &Limits) -> String {
        if lane.has_answered_all(self.clients) {
            return format!("<td role=\"cell\" class=\"last\"><b>{}</b></td>", seconds(lane.last));
        }
        let answered = number(lane.answered, 0);
        let law = format!("all, by the law: {}", long(lane.law.value));
        let Limits { connect, patience, .. } = limits;
        if lane.turned_away > 0.0 {
            let away = number(lane.turned_away, 0);
            return format!(
                "<td role=\"cell\" class=\"lost\"><b><span class=\"mark refused\"></span> {away} turned away</b> \
                 <small>after {connect} s; {answered} answered; {law}</small></td>"
            );
        }
        format!(
            "<td role=\"cell\" class=\"last\"><b>{answered} answered in {patience} s</b> <small>{law}</small></td>"
        )
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
            "All ask at once for a page that takes {} ms. Pale: the kernel's part.",
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
    let Limits { connect, patience, may_lose, .. } = limits;
    let machine = escape(&measured.machine_line(&[name.to_owned()])?);
    let quiet = may_lose.map_or_else(String::new, |most| {
        format!(", without those in which others used more than {most}% of the CPU time")
    });
    Ok(format!(
        "`cargo xtask bench --only {name}` measures it; the numbers are medians of its runs{quiet}. \
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

#[cfg(test)]
mod tests {
    use records::base::find_root;

    use super::*;
    use crate::report::testing::has;

    const NAME: &str = "how-many-wait";

    fn book() -> Measured {
        Measured::read(&find_root().unwrap()).unwrap()
    }

    /// The titles are made of medians. What they say has to be so in every round.
    #[test]
    fn what_a_title_says_was_so_in_every_round() {
        let book = book();
        let crowds = crowds(&book, NAME, book.description(NAME).unwrap()).unwrap();
        let range = |clients: u64, lane: &Lane, figure: &str| {
            let of = format!("{}, {clients}", lane.server.name);
            let named = Named { name: NAME, of: &of, to: None, figure: Some(figure) };
            let computed = book.figure(named).unwrap();
            (computed.least, computed.greatest)
        };
        for Crowd { clients, lanes } in &crowds[1..] {
            let all = *clients as f64;
            let memory = |lane: &Lane| {
                let parts = ["server_peak_memory_mib", "kernel_stack_mib", "server_page_tables_mib"];
                let parts = parts.map(|figure| range(*clients, lane, figure));
                let sum = |end: fn(&(f64, f64)) -> f64| parts.iter().map(end).sum::<f64>();
                (sum(|it| it.0), sum(|it| it.1))
            };
            let turned_away = |lane: &Lane| range(*clients, lane, "turned_away");
            let (lose, hold): (Vec<&Lane>, Vec<&Lane>) =
                lanes.iter().partition(|lane| lane.turned_away > 0.0);
            for lane in &lose {
                assert!(turned_away(lane).0 > all / 2.0, "{} of {all}", lane.called);
            }
            for lane in &hold {
                assert_eq!(turned_away(lane), (0.0, 0.0), "{} of {all}", lane.called);
            }
            if lose.is_empty() {
                let (limited, free): (Vec<&Lane>, Vec<&Lane>) =
                    lanes.iter().partition(|lane| lane.is_limited());
                for lane in limited {
                    let answered = range(*clients, lane, "requests");
                    let is_one = answered.0 == all || answered.1 < all;
                    assert!(is_one, "{} answers {answered:?} of {all}", lane.called);
                    let latest = free.iter().map(|it| it.latest).fold(0.0, f64::max);
                    let last = range(*clients, lane, "last_answer_seconds").0;
                    assert!(last > 2.0 * latest, "{}, {all}: {last}, {latest}", lane.called);
                }
                continue;
            }
            let (most, least) = extremes(&hold, Lane::memory).unwrap();
            for lane in &hold {
                assert_eq!(range(*clients, lane, "requests").0, all, "{}", lane.called);
                let (from, to) = memory(lane);
                assert!(most.called == lane.called || memory(most).0 > to, "{}", lane.called);
                assert!(least.called == lane.called || memory(least).1 < from, "{}", lane.called);
            }
        }
    }

    #[test]
    fn each_number_has_its_lanes_and_the_largest_is_shown() {
        let next = "<a href=\"n.html\">On</a>";
        let block = crowd(&book(), NAME, "<p>A race</p>", next).unwrap();
        let count = |part: &str| block.matches(part).count();
        assert_eq!((count("type=\"radio\""), count("<table role=")), (4, 3));
        assert_eq!((count("<td role=\"cell\" class=\"memory\">"), count(next)), (18, 3));
        has(
            &block,
            &[
                "<div class=\"at\">\n\n<p>A race</p>\n\n</div>",
                "checked><span>10,000</span>",
                "turned away</b>",
                "all, by the law: 16 min 41 s",
                "`cargo xtask bench --only how-many-wait`",
                "| The law, s |",
            ],
        );
        assert_eq!(count(" checked>"), 1);
    }

    #[test]
    fn an_experiment_without_crowds_is_refused() {
        let error = crowd(&book(), "wrk-sleep", "", "").unwrap_err().to_string();
        assert_eq!(error, "its generator has no --together");
    }

    #[test]
    fn amounts_have_the_digits_that_a_lane_has_room_for() {
        assert_eq!([2.13, 376.6].map(mib), ["2.1 MiB", "377 MiB"]);
        assert_eq!([0.104, 12.56].map(seconds), ["0.10 s", "12.6 s"]);
        assert_eq!([12.5, 120.0, 1000.5].map(long), ["12.5 s", "2 min", "16 min 41 s"]);
    }
}
