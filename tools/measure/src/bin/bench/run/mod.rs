//! One run of one variant: of a server with a generator, or of a program.

mod climb;
mod command;
mod pause;
mod program;
mod server;

use std::{collections::BTreeMap, time::Duration};

use anyhow::Result;
use measure::{is_stopped, origin::timestamp};
use records::{
    description::{Experiment, Setup},
    figures::Figures,
    store::RoundRun,
};

pub use self::climb::Climbing;
use crate::{
    context::Context,
    entries::{Entry, is_noisy},
    pinning::Pinning,
};

/// Runs the variants of an experiment.
pub struct Runner {
    /// The experiment as it is run here: shortened, if that was asked for.
    pub experiment: Experiment,
    /// The processors by variant.
    pub pinnings: BTreeMap<String, Pinning>,
    /// What starting and stopping a server alone counts, by its setup.
    pub idle: BTreeMap<String, String>,
    /// The process of the climb in which the last run was, if it can go on.
    pub climbing: Option<Climbing>,
}

/// What is run, and with what.
struct Run<'a> {
    context: &'a Context,
    setup: Setup,
    pinning: &'a Pinning,
}

/// What came of a run.
#[derive(Default)]
struct Outcome {
    /// The generator's command line, with the server's address.
    generator: Vec<String>,
    figures: Figures,
    /// What the generator printed, or the program.
    raw: String,
    /// Why it does not count, if it does not.
    void: Option<String>,
}

impl Outcome {
    /// Makes it void, unless it was before.
    fn void_because(&mut self, why: Option<String>) {
        self.void = self.void.take().or(why);
    }
}

impl Runner {
    /// What holds for a variant, or for the control.
    pub fn setup(&self, variant: &str) -> Setup {
        self.experiment.setup(variant).expect("an entry is one of its variants")
    }

    /// One attempt, with what the generator or the program printed. Fails on Ctrl-C, and where a file can't be written.
    pub fn attempt(
        &mut self,
        context: &Context,
        entry: &Entry,
        attempt: usize,
    ) -> Result<(RoundRun, String)> {
        let Entry { round, variant } = entry.clone();
        let setup = self.setup(&variant);
        let run = Run { context, setup, pinning: &self.pinnings[&variant] };
        let server = [vec![run.name().to_owned()], run.arguments()].concat();
        let date = timestamp();
        if run.setup.climb.is_none() {
            // The process of a climb would run on beside what is measured now.
            self.climbing = None;
        }
        let outcome = match (&run.setup.program, &run.setup.climb) {
            (Some(_), _) => run.program(&self.experiment.metric)?,
            (None, None) => run.server(&mut self.idle)?,
            (None, Some(climb)) => {
                let groups = self.experiment.groups();
                let group = groups.into_iter().find(|group| group.contains(&&*variant));
                let group = group.and_then(|group| group.first().copied()).unwrap_or_default();
                run.climb(climb, (round, group), &mut self.climbing)?
            }
        };
        let Outcome { generator, figures, raw, void } = outcome;
        let noisy = is_noisy(&figures, &run.setup);
        let run =
            RoundRun { round, variant, attempt, date, server, generator, figures, void, noisy };
        Ok((run, raw))
    }
}

impl Run<'_> {
    /// How long the generator or the program may take.
    fn time_limit(&self) -> Duration {
        Duration::from_secs_f64(self.setup.seconds.unwrap_or_default() * 5.0 + 300.0)
    }
}

/// An error becomes the reason why a run is void, unless it is Ctrl-C.
fn unless_stopped<T>(result: Result<T>, what: &str) -> Result<Result<T, String>> {
    match result {
        Err(error) if is_stopped(&error) => Err(error),
        result => Ok(result.map_err(|error| format!("{what}: {error:#}"))),
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;

    use records::{description::Profile, figures::MEASURED, store};

    use super::*;
    use crate::{entries::ATTEMPTS, executables::key, figures::get, plan::Plan, testing::World};

    /// Why the first run of an experiment is void.
    fn void_of_first(world: &World, experiment: &Experiment) -> String {
        let mut plan = Plan::new(&world.context, "pool-law", experiment, None).unwrap().unwrap();
        world.measure(&mut plan, 1).runs[0].void.clone().unwrap_or_default()
    }

    #[test]
    fn what_fails_is_void_and_tried_again() {
        let mut world = World::new(500);
        world.context.quick = false;
        let record = world.measure(&mut world.plan(&world.context).unwrap(), 1);
        assert_eq!(record.runs.len(), ATTEMPTS);
        for run in &record.runs {
            assert!(run.void.as_ref().unwrap().contains("500 errors in 1,000"), "{run:?}");
        }
        // Where errors are what is to be seen, they make no run void; and a server that does not start does.
        world.context.quick = true;
        let mut experiment = World::experiment();
        experiment.common.errors_expected = Some(true);
        world.script("ch03_threadpool", "exit 1");
        let void = void_of_first(&world, &experiment);
        assert!(void.contains("did not start"), "{void}");
    }

    #[test]
    fn a_server_is_warmed_up_by_the_generator() {
        let world = World::new(0);
        let report = r#"{"connections":4,"requests":10,"sent":10,"requests_per_second":5}"#;
        world.script(
            "load",
            &format!("echo x >> {}\nsleep 0.2\necho '{report}'", world.path("started").display()),
        );
        let mut experiment = World::experiment();
        experiment.common.warm_up = Some(2);
        let mut plan = Plan::new(&world.context, "pool-law", &experiment, None).unwrap().unwrap();
        let run = &world.measure(&mut plan, 1).runs[0];
        assert_eq!((run.void.as_deref(), world.starts()), (None, 3));
        assert!(get(&run.figures, "server_cpu_seconds").is_some());
        // What was before the run that counts is not known apart.
        assert_eq!(get(&run.figures, "server_voluntary_switches"), None);
        world.script("load", "exit 9");
        assert!(!void_of_first(&world, &experiment).is_empty());
    }

    #[test]
    fn a_program_is_measured_without_server_generator_and_wire_tests() {
        let mut world = World::new(0);
        let key = key(Profile::Release, "hardware_threads");
        world.context.executables.hashes.insert(key.clone(), "11".to_owned());
        world.program(r#"echo "{\"figures\": {\"rounds_per_second\": $2$4.5, \"waits\": null}}""#);
        let plan = |world: &World| {
            let known = world.known();
            Plan::new(&world.context, "pool-law", &World::of_programs(), known.as_ref()).unwrap()
        };
        let mut first = plan(&world).unwrap();
        assert!(first.rungs().is_empty());
        let record = world.measure(&mut first, usize::MAX);
        assert_eq!((record.runs.len(), record.wire_tests_passed.len()), (6, 0));
        assert_eq!(record.executables, [(key, "11".to_owned())].into());
        for run in &record.runs {
            assert_eq!(run.void, None, "{run:?}");
            assert!(run.generator.is_empty());
            let threads = if run.variant == "8 threads" { "8" } else { "1" };
            // A sketch is shorter.
            let line = ["hardware_threads", "--threads", threads, "--seconds", "2", "--json"];
            assert_eq!(run.server, line);
            let rate = if threads == "8" { 82.5 } else { 12.5 };
            assert_eq!(run.figures["rounds_per_second"], Some(rate));
            assert_eq!(run.figures["waits"], None);
            assert!(get(&run.figures, "program_seconds") > Some(0.0));
            for name in ["program_cpu_seconds", "program_voluntary_switches", "stall_share_percent"]
            {
                assert!(get(&run.figures, name).is_some(), "{name}");
            }
            let own = |name: &&String| name.starts_with("program_");
            let own: Vec<&String> = run.figures.keys().filter(own).collect();
            assert_eq!(own.len(), MEASURED.len());
            assert!(own.iter().all(|name| MEASURED.contains(&name.as_str())));
        }
        let raw = world.raw();
        let output = store::raw_of(&raw, 1, "8 threads", 1).unwrap();
        assert_eq!(output, "{\"figures\": {\"rounds_per_second\": 82.5, \"waits\": null}}\n");
        // Another executable makes the record stale, and the same one does not.
        assert!(plan(&world).is_none());
        world.context.executables.hashes.values_mut().for_each(|hash| *hash = "22".to_owned());
        assert_eq!((plan(&world).unwrap().entries.len(), world.starts()), (6, 6));
    }

    #[test]
    fn a_program_that_fails_or_prints_something_else_is_void() {
        let world = World::new(0);
        let good = "echo '{\"figures\": {\"rounds_per_second\": 1}}'";
        for (does, expected) in [
            ("echo 'no such option' >&2\nexit 2", &["exit status: 2", "no such option"][..]),
            ("echo 8 threads: fast", &["one JSON object", "8 threads: fast"]),
            (
                "echo '{\"figures\": {\"rounds\": 1}}'",
                &["hardware_threads printed no rounds_per_second"],
            ),
            (good, &[]),
        ] {
            world.program(does);
            let why = void_of_first(&world, &World::of_programs());
            assert!(expected.iter().all(|words| why.contains(words)), "{why}");
            assert_eq!(why.is_empty(), expected.is_empty(), "{why}");
        }
        let mut with_env = World::of_programs();
        with_env.common.env = Some([("FAILS".to_owned(), "1".to_owned())].into());
        assert!(void_of_first(&world, &with_env).contains("exit status: 3"));
        fs::remove_file(world.path("hardware_threads")).unwrap();
        let void = void_of_first(&world, &World::of_programs());
        assert!(void.contains("the program failed: cannot start"), "{void}");
    }
}
