//! One run of one variant: of a server with a generator, or of a program.

mod capacity;
mod command;
mod generator;
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

use crate::{context::Context, pinning::Pinning, rounds::Entry};

/// Runs the variants of an experiment.
pub struct Runner {
    /// The experiment as it is run here.
    pub experiment: Experiment,
    /// The processors by variant.
    pub pinnings: BTreeMap<String, Pinning>,
    /// The capacities in this round in answers per second, by [`server_of`], if rates are shares of them.
    pub capacities: BTreeMap<String, f64>,
}

/// A run: a variant with all that surrounds it.
pub struct Run<'a> {
    context: &'a Context,
    setup: Setup,
    pinning: &'a Pinning,
    /// The capacity of the server in answers per second, if its rate is a share of it.
    capacity: Option<f64>,
}

/// The outcome of a run.
#[derive(Default)]
struct Outcome {
    /// The generator's command line, with the server's address.
    generator: Vec<String>,
    figures: Figures,
    /// The output of the generator, or of the program.
    raw: String,
    /// The reason why it does not count, if it does not.
    left_out: Option<String>,
}

impl Outcome {
    /// Leaves it out for an error, unless there was one before.
    fn invalidate(&mut self, why: Option<String>) {
        self.left_out = self.left_out.take().or(why);
    }

    /// Leaves it out for a disturbance, whatever its own errors are.
    fn leave_out(&mut self, why: Option<String>) {
        self.left_out = why.or(self.left_out.take());
    }
}

/// Identifies the server of a variant by everything on which its capacity depends: its setup without share and law.
pub fn server_of(setup: &Setup) -> String {
    let alike = Setup { share: None, ..setup.clone() };
    serde_json::to_string(&alike).expect("a setup is text and numbers")
}

impl Runner {
    /// Returns the setup of a variant, or of the control.
    pub fn setup(&self, variant: &str) -> Setup {
        self.experiment.setup(variant).expect("an entry is one of its variants")
    }

    /// Prepares the run of a variant.
    pub fn prepare<'a>(&'a self, context: &'a Context, variant: &str) -> Run<'a> {
        let setup = self.setup(variant);
        let shared = setup.share.is_some().then(|| server_of(&setup));
        let capacity = shared.and_then(|server| self.capacities.get(&server)).copied();
        Run { context, setup, pinning: &self.pinnings[variant], capacity }
    }

    /// Runs an entry, and returns the output of the generator or the program, too. Fails on Ctrl-C, and where a file
    /// can't be written.
    pub fn run(&self, context: &Context, entry: &Entry) -> Result<(RoundRun, String)> {
        let Entry { round, variant } = entry.clone();
        let run = self.prepare(context, &variant);
        let server = [vec![run.name().to_owned()], run.arguments()].concat();
        let began = timestamp();
        let outcome = match &run.setup.program {
            Some(_) => run.program(&self.experiment.metric)?,
            None => run.server()?,
        };
        let Outcome { generator, figures, raw, left_out } = outcome;
        let run = RoundRun { round, variant, began, server, generator, figures, left_out };
        Ok((run, raw))
    }
}

impl Run<'_> {
    /// Returns the time limit of the generator or the program.
    fn time_limit(&self) -> Duration {
        Duration::from_secs_f64(self.setup.seconds.unwrap_or_default() * 5.0 + 300.0)
    }
}

/// Turns an error into the reason why a run is left out, unless it is Ctrl-C.
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

    use records::{
        description::{Count, Profile},
        figures::MEASURED,
        store,
        testing::POOL,
    };

    use super::*;
    use crate::{
        executables::key,
        figures::get,
        plan::Plan,
        testing::{World, described},
    };

    /// Returns the reason why the first run of an experiment is left out.
    fn why_first_is_left_out(world: &World, experiment: &Experiment) -> String {
        let mut plan = Plan::new(&world.context, "pool-law", experiment, None).unwrap().unwrap();
        world.measure(&mut plan, 1).runs[0].left_out.clone().unwrap_or_default()
    }

    #[test]
    fn what_fails_is_void_and_not_tried_again() {
        let world = World::new(500);
        let record = world.measure(&mut world.plan(&world.context).unwrap(), 1);
        assert_eq!(record.runs.len(), 1);
        let why = record.runs[0].left_out.as_ref().unwrap();
        assert!(why.contains("500 errors in 1,000"), "{why}");
        // Where errors are what is to be seen, they invalidate no run; and a server that does not start does.
        let mut experiment = World::experiment();
        experiment.common.errors_expected = Some(true);
        world.script("ch03_threadpool", "exit 1");
        let why = why_first_is_left_out(&world, &experiment);
        assert!(why.contains("did not start"), "{why}");
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
        assert_eq!((run.left_out.as_deref(), world.starts()), (None, 3));
        assert!(get(&run.figures, "server_cpu_seconds").is_some());
        // What was before the run that counts is not known apart.
        for name in ["server_voluntary_switches", "server_cpu_user_seconds"] {
            assert_eq!(get(&run.figures, name), None);
        }
        world.script("load", "exit 9");
        assert!(!why_first_is_left_out(&world, &experiment).is_empty());
    }

    /// The fake generator prints how fast it was asked to be, and without a rate 400 a second in the first round and 600 in
    /// the second.
    #[test]
    fn each_share_of_the_capacity_gets_a_process_of_its_own() {
        let world = World::new(0);
        let script = format!(
            r#"echo "$*" >> {}
sleep 0.1
rate=400
[ "$(wc -l < {})" -gt 4 ] && rate=600
[ "$1" = --rate ] && rate=$2
echo "{{\"connections\":4,\"requests\":1000,\"sent\":1000,\"requests_per_second\":$rate}}""#,
            world.path("started").display(),
            world.path("servers").display()
        );
        world.script("load", &script);
        let server = fs::read_to_string(world.path("ch03_threadpool")).unwrap();
        let counted = format!("echo x >> {}\n", world.path("servers").display());
        world.script("ch03_threadpool", &(counted + server.split_once('\n').unwrap().1));
        let wrk = r#"generator = ["wrk", "-t1", "-c64", "-d4s", "{url}/sleep"]"#;
        let load = r#"generator = ["load", "--rate", "{rate}", "--duration", "4", "--json", "{url}/"]
warm_up = 1"#;
        let text = POOL
            .replace(wrk, load)
            .replace("\"apart\"", "\"none\"")
            .replace("options = [\"--threads\", \"4\"]\n    descriptors = 200", "share = 110")
            .replace("options = [\"--threads\", \"1\"]", "share = 50")
            .replace("[variants.env]\n    LIMITED = \"1\"", "");
        let shares = described(&text);
        let mut plan = Plan::new(&world.context, "pool-law", &shares, None).unwrap().unwrap();
        let record = world.measure(&mut plan, usize::MAX);
        let started = fs::read_to_string(world.path("servers")).unwrap();
        // In each round one process for the capacity, and one for each run.
        assert_eq!((record.runs.len(), started.lines().count()), (6, 8));
        for run in &record.runs {
            assert_eq!(run.left_out, None);
            let (capacity, shares) = match run.round {
                1 => (400.0, ["440.0", "200.0"]),
                _ => (600.0, ["660.0", "300.0"]),
            };
            let rate = shares[usize::from(run.variant != "pool of 4")];
            assert_eq!(run.generator[1..3], ["--rate", rate]);
            assert_eq!(run.figures["capacity_per_second"], capacity);
            assert!(get(&run.figures, "server_cpu_share_percent").is_some());
        }
        // Each process is warmed up without a rate.
        let asked = fs::read_to_string(world.path("started")).unwrap();
        let without = asked.lines().filter(|line| !line.contains("--rate")).count();
        assert_eq!((without, asked.lines().count()), (8 + 2, 2 * 8));
        let raw = world.raw();
        for (heading, rate) in [
            ("capacity of ch03_threadpool", ["400", "600"]),
            ("pool of 4", ["440.0", "660.0"]),
            ("pool of 1", ["200.0", "300.0"]),
        ] {
            for (round, rate) in [1, 2].into_iter().zip(rate) {
                let printed = store::raw_of(&raw, round, heading).unwrap();
                assert_eq!(printed.lines().count(), 1, "{printed}");
                let expected = format!("\"requests_per_second\":{rate}}}");
                assert!(printed.contains(&expected), "{heading}: {printed}");
            }
        }
    }

    #[test]
    fn a_server_that_can_not_be_run_here_needs_no_capacity() {
        let world = World::new(0);
        let mut experiment = World::experiment();
        experiment.variants[1].own.share = Some(50.0);
        // perf isn't among this world's tools.
        experiment.variants[1].own.count = Some(Count::Syscalls);
        let mut plan = Plan::new(&world.context, "pool-law", &experiment, None).unwrap().unwrap();
        let record = world.measure(&mut plan, usize::MAX);
        assert_eq!(record.runs.len(), 4);
        assert!(!world.raw().contains("capacity of"));
    }

    #[test]
    fn without_a_capacity_nothing_is_measured() {
        let world = World::new(0);
        let mut experiment = World::experiment();
        experiment.common.share = Some(50.0);
        world.script("load", "exit 9");
        let mut plan = Plan::new(&world.context, "pool-law", &experiment, None).unwrap().unwrap();
        assert!(!world.try_to_measure(&mut plan, &world.context).unwrap());
        assert_eq!((plan.record.runs.len(), world.known()), (0, None));
    }

    #[test]
    fn a_program_is_measured_without_server_generator_and_wire_tests() {
        let mut world = World::new(0);
        let key = key(Profile::Release, "hardware_threads");
        world.context.executables.hashes.insert(key.clone(), "11".to_owned());
        world.program(r#"echo "{\"figures\": {\"rounds_per_second\": $2$4.5, \"waits\": null}}""#);
        let mut first = plan_of_programs(&world).unwrap();
        assert!(first.tested_servers().is_empty());
        let record = world.measure(&mut first, usize::MAX);
        assert_eq!((record.runs.len(), record.session.wire_tests_passed.len()), (6, 0));
        assert_eq!(record.session.executables, [(key, "11".to_owned())].into());
        for run in &record.runs {
            assert_eq!(run.left_out, None, "{run:?}");
            assert!(run.generator.is_empty());
            let threads = if run.variant == "8 threads" { "8" } else { "1" };
            let line = ["hardware_threads", "--threads", threads, "--seconds", "4", "--json"];
            assert_eq!(run.server, line);
            let rate = if threads == "8" { 84.5 } else { 14.5 };
            assert_eq!(run.figures["rounds_per_second"], rate);
            assert_eq!(run.figures.get("waits"), None);
            assert!(get(&run.figures, "program_seconds") > Some(0.0));
            for name in ["program_cpu_seconds", "program_voluntary_switches", "spin_before_ns"] {
                assert!(get(&run.figures, name).is_some(), "{name}");
            }
            let own: Vec<&str> = run
                .figures
                .keys()
                .map(String::as_str)
                .filter(|it| it.starts_with("program_"))
                .collect();
            // A program that ends so soon may have no sample of its peaks.
            assert!((6..=MEASURED.len()).contains(&own.len()), "{own:?}");
            assert!(own.iter().all(|name| MEASURED.contains(name)));
        }
        let raw = world.raw();
        let output = store::raw_of(&raw, 1, "8 threads").unwrap();
        assert_eq!(output, "{\"figures\": {\"rounds_per_second\": 84.5, \"waits\": null}}\n");
        // Another executable makes the record stale, and the same one does not.
        assert!(plan_of_programs(&world).is_none());
        world.context.executables.hashes.values_mut().for_each(|hash| *hash = "22".to_owned());
        assert_eq!((plan_of_programs(&world).unwrap().entries.len(), world.starts()), (6, 6));
    }

    fn plan_of_programs(world: &World) -> Option<Plan> {
        let known = world.known();
        Plan::new(&world.context, "pool-law", &World::of_programs(), known.as_ref()).unwrap()
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
            let why = why_first_is_left_out(&world, &World::of_programs());
            assert!(expected.iter().all(|words| why.contains(words)), "{why}");
            assert_eq!(why.is_empty(), expected.is_empty(), "{why}");
        }
        let mut with_env = World::of_programs();
        with_env.common.env = Some([("FAILS".to_owned(), "1".to_owned())].into());
        assert!(why_first_is_left_out(&world, &with_env).contains("exit status: 3"));
        fs::remove_file(world.path("hardware_threads")).unwrap();
        let why = why_first_is_left_out(&world, &World::of_programs());
        assert!(why.contains("the program failed: cannot start"), "{why}");
    }
}
