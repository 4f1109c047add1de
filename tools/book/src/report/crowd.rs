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
    computed::OF_A_CROWD,
    description::{Experiment, Law, Setup, Variant},
    servers::Server,
};

use crate::report::{
    measured::{Counted, Measured, Named},
    replay::{about, called, sleep},
};

/// A server with so many clients.
struct Lane {
    server: &'static Server,
    called: String,
    law: Law,
    /// What came of them; `None` where no run counts.
    seen: Option<Seen>,
}

/// What came of the clients: medians over the rounds.
struct Seen {
    process_mib: f64,
    /// Of the kernel: the stacks of the server's threads, and its page tables.
    kernel_mib: f64,
    threads: f64,
    answered: f64,
    turned_away: f64,
    /// When the last answer came, in seconds; and in the round in which that was latest.
    last: f64,
    latest: f64,
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
        let route = words.last().and_then(|url| url.strip_prefix("{url}")).unwrap_or_default();
        Ok(Limits {
            connect: value_of("--together", words)?,
            patience: value_of("--timeout", words)?,
            page_ms: sleep(route).context("its page doesn't sleep")?,
        })
    }
}

/// Finds the word behind an option of a generator.
fn value_of(option: &str, words: &[String]) -> Result<String> {
    let place = words.iter().position(|word| word == option);
    let value = place.and_then(|place| words.get(place + 1)).cloned();
    value.with_context(|| format!("its generator has no {option}"))
}

impl Seen {
    /// What came of the clients of a variant; `None` where nothing of it was computed, because no run counts.
    fn of(measured: &Measured, name: &str, variant: &str) -> Result<Option<Seen>> {
        let computed = |figure: &str| {
            measured.figure(Named { name, of: variant, to: None, figure: Some(figure) })
        };
        if OF_A_CROWD.iter().all(|figure| computed(figure).is_err()) {
            return Ok(None);
        }
        let median = |figure: &str| computed(figure).map(|it| it.median);
        Ok(Some(Seen {
            process_mib: median("server_peak_memory_mib")?,
            kernel_mib: median("kernel_stack_mib")? + median("server_page_tables_mib")?,
            threads: median("server_peak_threads")?,
            answered: median("requests")?,
            turned_away: median("turned_away")?,
            last: median("last_answer_seconds")?,
            latest: computed("last_answer_seconds")?.greatest,
        }))
    }

    fn memory(&self) -> f64 {
        self.process_mib + self.kernel_mib
    }

    fn has_answered_all(&self, clients: u64) -> bool {
        self.answered >= clients as f64
    }
}

impl Lane {
    fn of(measured: &Measured, name: &str, variant: &Variant, setup: &Setup) -> Result<Lane> {
        let server = setup.server.as_deref().and_then(Server::named);
        let server = server.with_context(|| format!("\"{}\" has no server", variant.name))?;
        Ok(Lane {
            server,
            called: called(server, setup.options.as_deref().unwrap_or_default()),
            law: variant.law.clone().context("no law predicts it")?,
            seen: Seen::of(measured, name, &variant.name)
                .with_context(|| format!("\"{}\"", variant.name))?,
        })
    }

    /// Whether it serves only some at a time, so that others are queued.
    fn is_limited(&self) -> bool {
        self.server.served_at_once().is_some()
    }
}

impl Crowd {
    /// The lanes of which something was seen.
    fn seen(&self) -> impl Iterator<Item = (&Lane, &Seen)> {
        self.lanes.iter().filter_map(|lane| Some((lane, lane.seen.as_ref()?)))
    }

    /// The lanes that answered everybody: that with the most memory, and that with the least.
    fn extremes(&self) -> Option<[(&Lane, &Seen); 2]> {
        let mut all: Vec<_> =
            self.seen().filter(|(_, seen)| seen.has_answered_all(self.clients)).collect();
        all.sort_by(|one, other| one.1.memory().total_cmp(&other.1.memory()));
        Some([*all.last()?, *all.first()?])
    }

    /// How those are called that turned clients away.
    fn away(&self) -> Vec<String> {
        let away = self.seen().filter(|(_, seen)| seen.turned_away > 0.0);
        away.map(|(lane, _)| lane.called.clone()).collect()
    }

    /// What is to be seen. Each part of it is taken from the lanes, so new figures make another sentence.
    fn finding(&self, limits: &Limits) -> String {
        let away = self.away();
        match (away.is_empty(), self.extremes()) {
            (false, Some([(most, much), (least, little)])) => format!(
                "{} {} most away. {} takes {}, {} {}.",
                capital(&listed(&away)),
                if away.len() == 1 { "turns" } else { "turn" },
                capital(&most.called),
                mib(much.memory()),
                least.called,
                mib(little.memory()).trim_end_matches(" MiB"),
            ),
            _ => self.last_answers(limits),
        }
    }

    /// When the last of the clients has its answer.
    fn last_answers(&self, limits: &Limits) -> String {
        let mut parts: Vec<String> = Vec::new();
        for lane in self.lanes.iter().filter(|lane| lane.is_limited()) {
            let time = match &lane.seen {
                None => format!("{}, calculated,", long(lane.law.value)),
                Some(seen) if seen.has_answered_all(self.clients) => seconds(seen.last),
                Some(_) => format!("more than {} s", limits.patience),
            };
            parts.push(format!("{time} for {}", lane.called));
        }
        let free = self.seen().filter(|(lane, _)| !lane.is_limited());
        let latest = free.map(|(_, seen)| seen.latest).fold(0.0, f64::max);
        parts.push(format!("at most {} for the others", seconds(latest)));
        format!("The last of {} waits {}.", number(self.clients as f64, 0), listed(&parts))
    }

    /// The lanes: `most` is the memory that fills a bar, which is the same for each number of clients.
    fn drawing(&self, most: f64, limits: &Limits, next: &str) -> String {
        let finds = if self.away().is_empty() { "time" } else { "memory" };
        let mut rows = String::new();
        for lane in &self.lanes {
            let colour = lane.server.colour.as_deref().unwrap_or("ink");
            let _ = write!(
                rows,
                "<tr role=\"row\" style=\"--s: var(--server-{colour})\"><th role=\"rowheader\" scope=\"row\">{}{}</th>{}</tr>",
                sign(lane.server).trim_end(),
                escape(&lane.called),
                self.cells(lane, most, limits),
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

    /// What was seen of a lane. Where that is not the answer to everybody, the law stands beside it.
    fn cells(&self, lane: &Lane, most: f64, limits: &Limits) -> String {
        let law = format!("calculated: {}", long(lane.law.value));
        let Some(seen) = &lane.seen else {
            return format!(
                "<td role=\"cell\" class=\"memory\">–</td><td role=\"cell\">–</td>\
                 <td role=\"cell\" class=\"none\"><b>not measured</b> \
                 <small>the machine was busy; {law}</small></td>"
            );
        };
        let cells = format!(
            "<td role=\"cell\" class=\"memory\"><span class=\"bar\"><i style=\"--part: {}\"></i>\
             <i class=\"kernel\" style=\"--part: {}\"></i></span> <b>{}</b></td><td role=\"cell\">{}</td>",
            number(seen.process_mib / most, 4),
            number(seen.kernel_mib / most, 4),
            mib(seen.memory()),
            number(seen.threads, 0),
        );
        let answered = number(seen.answered, 0);
        let Limits { connect, patience, .. } = limits;
        let (class, finding, rest) = if seen.has_answered_all(self.clients) {
            ("last", seconds(seen.last), String::new())
        } else if seen.turned_away > 0.0 {
            let away = number(seen.turned_away, 0);
            let finding = format!("<span class=\"mark refused\"></span> {away} turned away");
            ("lost", finding, format!("after {connect} s; {answered} answered; {law}"))
        } else {
            ("last", format!("{answered} answered in {patience} s"), law)
        };
        let rest = if rest.is_empty() { rest } else { format!(" <small>{rest}</small>") };
        format!("{cells}<td role=\"cell\" class=\"{class}\"><b>{finding}</b>{rest}</td>")
    }
}

/// The block of an experiment whose variants are crowds; `race` is what stands at the smallest number, and `next` where it
/// leads, as HTML. Fails when something was not computed, or has no law.
pub fn crowd(measured: &Measured, name: &str, race: &str, next: &str) -> Result<String> {
    let described = measured.description(name)?;
    let limits = Limits::of(&described.setup(described.baseline()).unwrap_or_default())?;
    let crowds = crowds(measured, name, described)?;
    let seen = crowds.iter().flat_map(Crowd::seen);
    let most = seen.map(|(_, seen)| seen.memory()).fold(0.0, f64::max);
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
    let headings = ["Server", "Clients", "Memory, MiB", "Last answer, s", "The law, s"];
    let mut rows = Vec::new();
    for crowd in crowds {
        for lane in &crowd.lanes {
            let mut row = vec![
                format!("{}{}", sign(lane.server), lane.called),
                number(crowd.clients as f64, 0),
            ];
            row.extend(match &lane.seen {
                None => vec!["–".to_owned(); 2],
                Some(seen) => {
                    let parts = [seen.process_mib, seen.kernel_mib].map(|mib| number(mib, 1));
                    vec![parts.join(" + "), number(seen.last, 2)]
                }
            });
            row.push(number(lane.law.value, 2));
            rows.push(row);
        }
    }
    let Limits { connect, patience, .. } = limits;
    let machine = escape(&measured.machine_line(&[name.to_owned()])?);
    let Counted { counted, all } = measured.counted(name)?;
    Ok(format!(
        "`cargo xtask bench --only {name}` measures it; of {all} runs {counted} count, and the numbers are their medians; from the others the \
         host, or another program, took [too much of the CPU](measuring.md#how-quiet-it-was). \
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
        for crowd in &crowds[1..] {
            let all = crowd.clients as f64;
            let range = |lane: &Lane, figure: &str| range(crowd.clients, lane, figure);
            let memory = |lane: &Lane| {
                let [process, stacks, tables] = [0, 1, 2].map(|at| range(lane, OF_A_CROWD[at]));
                (process.0 + stacks.0 + tables.0, process.1 + stacks.1 + tables.1)
            };
            for (lane, seen) in crowd.seen() {
                let (least, most) = range(lane, "turned_away");
                let is_plain = if seen.turned_away > 0.0 { least > all / 2.0 } else { most == 0.0 };
                assert!(is_plain, "{} of {all}: {least} to {most} turned away", lane.called);
                let (least, most) = range(lane, "requests");
                let is_plain =
                    if seen.has_answered_all(crowd.clients) { least == all } else { most < all };
                assert!(is_plain, "{} of {all}: {least} to {most} answered", lane.called);
            }
            if crowd.away().is_empty() {
                let free = crowd.seen().filter(|(lane, _)| !lane.is_limited());
                let latest = free.map(|(_, seen)| seen.latest).fold(0.0, f64::max);
                for (lane, _) in crowd.seen().filter(|(lane, _)| lane.is_limited()) {
                    let (last, _) = range(lane, "last_answer_seconds");
                    assert!(last > 2.0 * latest, "{} of {all}: {last}, {latest}", lane.called);
                }
            } else {
                let [(most, _), (least, _)] = crowd.extremes().unwrap();
                for (lane, seen) in crowd.seen().filter(|(_, seen)| seen.turned_away == 0.0) {
                    assert!(seen.has_answered_all(crowd.clients), "{}", lane.called);
                    let (from, to) = memory(lane);
                    let [is_most, is_least] = [most, least].map(|it| it.called == lane.called);
                    assert!(is_most || memory(most).0 > to, "{} of {all}: {to}", lane.called);
                    assert!(is_least || memory(least).1 < from, "{} of {all}: {from}", lane.called);
                }
            }
        }
    }

    /// A run that is left out leaves no number behind, not even in the sentence.
    #[test]
    fn where_no_run_counts_a_lane_says_so_beside_its_law() {
        let book = book();
        let described = book.description(NAME).unwrap();
        let limits = Limits::of(&described.setup(described.baseline()).unwrap()).unwrap();
        let mut all = crowds(&book, NAME, described).unwrap();
        let hundred = &mut all[1];
        hundred.lanes[0].seen = None;
        let title = hundred.finding(&limits);
        has(
            &title,
            &["The last of 100 waits 10.0 s, calculated, for one thread, 1.3 s for a pool"],
        );
        let cells = hundred.cells(&hundred.lanes[0], 100.0, &limits);
        has(&cells, &["not measured", "calculated: 10.0 s"]);
        let known = hundred.cells(&hundred.lanes[2], 100.0, &limits);
        assert!(!known.contains("calculated"), "{known}");
    }

    #[test]
    fn each_number_has_its_lanes_and_the_largest_is_shown() {
        let next = "<a href=\"n.html\">On</a>";
        let block = crowd(&book(), NAME, "<p>A race</p>", next).unwrap();
        let count = |part: &str| block.matches(part).count();
        assert_eq!((count("type=\"radio\""), count("<table role=")), (4, 3));
        assert_eq!((count("<th role=\"rowheader\""), count(next)), (18, 3));
        has(
            &block,
            &[
                "<div class=\"at\">\n\n<p>A race</p>\n\n</div>",
                "checked><span>10,000</span>",
                "turned away</b>",
                "calculated: 16 min 41 s",
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
