//! A climb: one process of a server gets one rate after the other.
//!
//! It is warmed up without a rate, as fast as it answers; where the rates are shares of what it can answer, that is
//! measured then, on the same process. Each rate lasts for a while before the run at this rate that counts.

use std::process::Command;

use anyhow::{Context as _, Result};
use measure::{ServerProcess, usage};
use records::{
    base::number,
    description::{Climb, RATE, URL},
    figures::Figures,
    stats::rounded,
    store::TOO_FAR,
};

use super::{Outcome, Run, unless_stopped};
use crate::{
    figures::{get, or_zero, set},
    parse,
    watched::{self, answered_figures},
};

/// The line before what the generator printed when it found out what the process can answer.
const CAPACITY: &str = "--- without a rate, before\n";

/// A process that climbs.
pub struct Climbing {
    /// The round, and the first variant of the climb.
    of: (usize, String),
    server: ServerProcess,
    /// What it answers a second without a rate, where its rates are shares of that.
    capacity: Option<f64>,
    /// What the generator printed then, until a run has it.
    printed: String,
    /// Why it goes no further.
    ended: Option<String>,
}

impl Run<'_> {
    /// Runs a rate on the process of this climb, which is started where it isn't the last run's.
    pub(super) fn climb(
        &self,
        climb: &Climb,
        (round, group): (usize, &str),
        climbing: &mut Option<Climbing>,
    ) -> Result<Outcome> {
        let of = (round, group.to_owned());
        if climbing.as_ref().is_none_or(|it| it.of != of) {
            // One process at a time: the one before ends before the next starts.
            *climbing = None;
            match unless_stopped(self.begin(of), "the climb did not start")? {
                Ok(begun) => *climbing = Some(begun),
                Err(why) => return Ok(Outcome { void: Some(why), ..Outcome::default() }),
            }
        }
        let process = climbing.as_mut().context("a climb has a process")?;
        let generator = self.words(&process.server, process.capacity);
        if let Some(why) = &process.ended {
            let void = Some(format!("{TOO_FAR}{why}"));
            return Ok(Outcome { generator, void, ..Outcome::default() });
        }
        let mut outcome = self.rate(climb, generator, process)?;
        if let Some(why) = too_far(climb, &outcome.figures) {
            outcome.void_because(Some(format!("{TOO_FAR}{why}")));
            process.ended = Some(why);
        } else if outcome.void.is_some() {
            // The next attempt gets a process that nothing has happened to.
            *climbing = None;
        }
        Ok(outcome)
    }

    /// Starts a process, warms it up, and finds out what it can answer, where that is needed.
    fn begin(&self, of: (usize, String)) -> Result<Climbing> {
        let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
        let (server, _) = self.start(&folder.path().join("sums"))?;
        let words = without_rate(&self.words(&server, None));
        for _ in 0..self.setup.warm_up.unwrap_or(0) {
            self.load(&words)?;
        }
        let mut begun =
            Climbing { of, server, capacity: None, printed: String::new(), ended: None };
        if self.setup.share.is_some() {
            let printed = self.load(&words)?;
            let figures = parse::output(Some("load"), &printed)?;
            let capacity = get(&figures, "requests_per_second").filter(|rate| *rate > 0.0);
            begun.capacity = Some(capacity.context("nothing was answered without a rate")?);
            begun.printed = CAPACITY.to_owned() + &printed;
        }
        Ok(begun)
    }

    /// The generator's words for this server, at this variant's share of what it can answer.
    fn words(&self, server: &ServerProcess, capacity: Option<f64>) -> Vec<String> {
        let rate = capacity.zip(self.setup.share).map(|(all, share)| all * share / 100.0);
        let rate = rate.map_or(RATE.to_owned(), |rate| format!("{rate:.1}"));
        let url = format!("http://{}", server.address);
        let generator = self.setup.generator.iter().flatten();
        generator.map(|word| word.replace(URL, &url).replace(RATE, &rate)).collect()
    }

    /// Runs the generator, and gives what it printed.
    fn load(&self, words: &[String]) -> Result<String> {
        let mut command: Command = self.generator(words)?;
        let tick = |_| self.context.progress.tick();
        let (_, printed, _) =
            measure::run(&mut command, self.time_limit(), &self.context.stop, tick)?;
        Ok(printed)
    }

    /// Lets a rate settle, and runs it.
    fn rate(
        &self,
        climb: &Climb,
        generator: Vec<String>,
        process: &mut Climbing,
    ) -> Result<Outcome> {
        let id = process.server.program.id();
        let settled = self.load(&lasting(&generator, climb.settle)).map(drop);
        let before = usage::exact_seconds_so_far(id);
        let mut command = self.generator(&generator)?;
        let (ran, watched) =
            watched::run(&mut command, Some(id), self.time_limit(), self.pinning, self.context);
        let now = usage::exact_seconds_so_far(id);
        let used = now.zip(before).map(|(now, before)| now - before);
        let still_running = process.server.program.is_running();
        let (figures, raw, void) = match unless_stopped(settled.and(ran), "the generator failed")? {
            Ok(ran) => parse::run(&generator[0], ran, self.setup.errors_expected.unwrap_or(false)),
            Err(why) => (Figures::new(), String::new(), Some(why)),
        };
        let mut outcome = Outcome { generator, figures, raw, void };
        self.judge(&mut outcome, &watched, still_running);
        let answers =
            or_zero(&outcome.figures, "requests") + or_zero(&outcome.figures, "requests_late");
        outcome.figures.extend(answered_figures(used, &watched.peaks, answers));
        set(&mut outcome.figures, "capacity_per_second", process.capacity.map(rounded));
        if !process.printed.is_empty() {
            outcome.raw = format!("{}\n{}", outcome.raw.trim_end(), process.printed);
            process.printed.clear();
        }
        Ok(outcome)
    }
}

/// Why a climb goes no further than this run, if it does not.
fn too_far(climb: &Climb, figures: &Figures) -> Option<String> {
    let most = climb.generator_most?;
    let share = get(figures, "generator_cpu_share_percent").filter(|share| *share > most)?;
    let [share, most] = [share, most].map(|percent| number(percent, 0));
    Some(format!("the generator used {share}% of its CPUs, and may use {most}%"))
}

/// The words of `load` without the rate: it then asks as fast as it is answered.
fn without_rate(words: &[String]) -> Vec<String> {
    let mut words = words.to_vec();
    if let Some(at) = words.iter().position(|word| word == "--rate") {
        words.drain(at..words.len().min(at + 2));
    }
    words
}

/// The words of `load` for this many seconds.
fn lasting(words: &[String], seconds: f64) -> Vec<String> {
    let mut words = words.to_vec();
    let at = words.iter().position(|word| word == "--duration").map(|at| at + 1);
    if let Some(word) = at.and_then(|at| words.get_mut(at)) {
        *word = seconds.to_string();
    }
    words
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use records::{description::Experiment, store, testing::POOL};

    use super::*;
    use crate::{
        entries::Entry,
        plan::Plan,
        testing::{World, described},
    };

    /// Two shares on one process; the fake generator prints how fast it was asked to be, and 400 a second without a rate.
    fn climb(most: &str) -> Experiment {
        let wrk = r#"generator = ["wrk", "-t1", "-c64", "-d4s", "{url}/sleep"]"#;
        let load = format!(
            "generator = [\"load\", \"--rate\", \"{{rate}}\", \"--duration\", \"4\", \"--json\", \"{{url}}/\"]\n\
             climb = {{ settle = 0.1{most} }}\nwarm_up = 1"
        );
        let text = POOL.replace(wrk, &load).replace("\"apart\"", "\"none\"");
        let text = text
            .replace("name = \"pool of 1\"", "name = \"pool of 1\"\nseries = \"a\"\nshare = 50");
        described(
            &text.replace(
                "name = \"pool of 4\"",
                "name = \"pool of 4\"\nseries = \"a\"\nshare = 110",
            ),
        )
    }

    fn world() -> World {
        let world = World::new(0);
        let script = format!(
            r#"echo "$*" >> {}
sleep 0.1
rate=400
[ "$1" = --rate ] && rate=$2
echo "{{\"connections\":4,\"requests\":1000,\"sent\":1000,\"requests_per_second\":$rate}}""#,
            world.path("started").display()
        );
        world.script("load", &script);
        let server = std::fs::read_to_string(world.path("ch03_threadpool")).unwrap();
        let counted = format!("echo x >> {}\n", world.path("servers").display());
        world.script("ch03_threadpool", &(counted + server.split_once('\n').unwrap().1));
        world
    }

    #[test]
    fn one_process_gets_a_share_of_its_own_capacity_after_the_other() {
        let world = world();
        let mut plan = Plan::new(&world.context, "pool-law", &climb(""), None).unwrap().unwrap();
        // The control's own process, and that of both shares, in each of the two rounds of a sketch.
        let record = world.measure(&mut plan, usize::MAX);
        let started = std::fs::read_to_string(world.path("servers")).unwrap();
        assert_eq!((record.runs.len(), started.lines().count()), (6, 4));
        for run in &record.runs {
            assert_eq!(run.void, None);
            let rate = if run.variant == "pool of 4" { "440.0" } else { "200.0" };
            assert_eq!(run.generator[1..3], ["--rate", rate]);
            assert_eq!(run.figures["capacity_per_second"], Some(400.0));
            assert!(get(&run.figures, "server_cpu_us_per_request").is_some());
            // Nobody knows how it was switched for this rate, nor how its CPU time divides.
            for name in ["server_switches_per_request", "server_cpu_user_seconds"] {
                assert_eq!(get(&run.figures, name), None);
            }
        }
        // Of each process: a warm-up, the capacity, and each rate for a while before it counts.
        let asked = std::fs::read_to_string(world.path("started")).unwrap();
        let without = asked.lines().filter(|line| !line.contains("--rate")).count();
        let settling = asked.lines().filter(|line| line.contains("--duration 0.1")).count();
        assert_eq!((without, settling), (4 * 2, 6));
        let raw = world.raw();
        let first = record.runs.iter().find(|run| run.variant == "pool of 1").unwrap();
        let printed = store::raw_of(&raw, first.round, "pool of 1", 1).unwrap();
        assert!(
            printed.contains(CAPACITY) && printed.starts_with("{\"connections\":4"),
            "{printed}"
        );
        assert_eq!(raw.matches(CAPACITY).count(), 4);
    }

    #[test]
    fn the_process_of_a_climb_ends_before_a_variant_without_one_begins() {
        let world = world();
        let mut experiment = climb("");
        let alone = &mut experiment.variants[1];
        alone.own.climb = None;
        alone.own.share = None;
        let climb = experiment.common.climb.take();
        experiment.variants[0].own.climb = climb;
        let mut plan = Plan::new(&world.context, "pool-law", &experiment, None).unwrap().unwrap();
        let mut is_left = |variant: &str| {
            let entry = Entry { round: 1, variant: variant.to_owned() };
            plan.runner.attempt(&world.context, &entry, 1).unwrap();
            plan.runner.climbing.is_some()
        };
        assert_eq!((is_left("pool of 1"), is_left("pool of 4")), (true, false));
    }

    #[test]
    fn a_climb_ends_where_the_generator_would_be_measured() {
        let world = world();
        let most = climb(", generator_most = 0.001");
        let mut plan = Plan::new(&world.context, "pool-law", &most, None).unwrap().unwrap();
        let record = world.measure(&mut plan, usize::MAX);
        assert_eq!(record.runs.len(), 6, "none is tried again");
        assert!(record.runs.iter().all(store::RoundRun::is_too_far));
        // What was printed for the capacity is kept with the run that was made.
        assert_eq!(world.raw().matches(CAPACITY).count(), 4);
        // That is all that can be measured here.
        let known = Some(&record);
        assert!(Plan::new(&world.context, "pool-law", &most, known).unwrap().is_none());
        // The higher rate was not even run.
        let higher = record.runs.iter().filter(|run| run.variant == "pool of 4");
        assert!(higher.into_iter().all(|run| run.figures.is_empty()));
    }
}
