//! Measures an experiment, run by run, and writes its record when all are done.

use anyhow::Result;
use measure::{is_stopped, origin::timestamp};
use records::{
    base::number,
    disturbance::is_left_out,
    store::{self, Record, RoundRun},
};

use crate::{
    context::Context,
    figures::get,
    plan::{Plan, capacity_seconds, run_seconds, variants_with_a_capacity},
    rounds::Entry,
    run::server_of,
    wire::WireTests,
};

impl Plan {
    /// Measures the experiment, and writes its record. `false` if it was not measured, because a server fails its wire
    /// tests or can't be loaded, or if the record from before is better.
    pub fn measure(&mut self, context: &Context, wire: &mut WireTests) -> Result<bool> {
        let progress = &context.progress;
        for server in self.tested_servers() {
            if !wire.passes(&server, context)? {
                progress.done(self.seconds());
                progress.say(&format!("{}: not measured, because {server} failed", self.name));
                return Ok(false);
            }
            if let Some(passed) = wire.passed[&server] {
                self.record.session.wire_tests_passed.insert(server, passed);
            }
        }
        let entries = self.entries.clone();
        let mut left = self.seconds();
        // Rounds are counted from 1.
        let mut round_before = 0;
        for (entry, number) in entries.iter().zip(1..) {
            let all = entries.len();
            let Entry { round, variant } = entry;
            if *round != round_before {
                if !self.find_capacities(context, *round)? {
                    progress.done(left);
                    return Ok(false);
                }
                left -= capacity_seconds(&self.runner.experiment);
                round_before = *round;
            }
            let name = &self.name;
            let title = format!("[{number}/{all}] {name}, round {round}: {variant}");
            let seconds = run_seconds(&self.runner.experiment, variant);
            context.stop.check()?;
            progress.start(&title, seconds);
            let (run, raw) = self.runner.run(context, entry)?;
            self.keep(context, run, &raw);
            progress.done(seconds);
            left -= seconds;
        }
        self.record.session.finished = timestamp();
        let without = entries.iter().find(|entry| !has_a_run_that_counts(&self.record, entry));
        if let (Some(_), Some(Entry { variant, .. })) = (self.why_again, without) {
            progress.say(&format!(
                "{}: no run of {variant} counts, so the record from before stays",
                self.name
            ));
            return Ok(false);
        }
        store::write(&context.records(), &self.name, &self.record, &self.raw)?;
        Ok(true)
    }

    /// Measures, at the beginning of a round, the capacity of each server whose rates are shares of it: a machine is not
    /// equally fast in all rounds. `false` where one can't be measured.
    fn find_capacities(&mut self, context: &Context, round: usize) -> Result<bool> {
        let progress = &context.progress;
        let experiment = self.runner.experiment.clone();
        for variant in variants_with_a_capacity(&experiment) {
            let seconds = run_seconds(&experiment, variant);
            if !self.runner.pinnings.contains_key(variant) {
                // It can't be run here, and so nothing asks for its capacity.
                progress.done(seconds);
                continue;
            }
            context.stop.check()?;
            let name = &self.name;
            progress.start(&format!("{name}, round {round}: capacity for {variant}"), seconds);
            let setup = self.runner.setup(variant);
            let capacity = match self.runner.prepare(context, variant).capacity() {
                Err(error) if is_stopped(&error) => return Err(error),
                Err(error) => {
                    progress.say(&format!("{name}: no capacity for {variant}: {error:#}"));
                    return Ok(false);
                }
                Ok(capacity) => capacity,
            };
            let server = setup.server.as_deref().unwrap_or_default();
            let per_second = number(capacity.per_second, 1);
            progress.say(&format!("{name}: {server} answers {per_second} per second"));
            store::add_raw(&mut self.raw, round, &format!("capacity of {server}"), &capacity.raw);
            self.runner.capacities.insert(server_of(&setup), capacity.per_second);
            progress.done(seconds);
        }
        Ok(true)
    }

    /// Adds a run to the record, and prints its result, but not that of a run which is left out.
    fn keep(&mut self, context: &Context, run: RoundRun, raw: &str) {
        store::add_raw(&mut self.raw, run.round, &run.variant, raw);
        let metric = &self.runner.experiment.metric;
        let value = get(&run.figures, metric).map_or("-".to_owned(), |value| number(value, 3));
        let result = match &run.left_out {
            Some(why) if is_left_out(&run) => why.clone(),
            Some(why) => format!("void: {why}"),
            None => format!("{metric} {value}"),
        };
        context.progress.say(&format!("{}, {}: {result}", self.name, run.variant));
        if self.record.runs.is_empty() {
            self.record.session.started.clone_from(&run.began);
        }
        self.record.runs.push(run);
    }
}

/// Tells whether the variant of an entry has one in any round.
fn has_a_run_that_counts(record: &Record, entry: &Entry) -> bool {
    record.runs.iter().any(|run| run.variant == entry.variant && run.left_out.is_none())
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::{thread, time::Duration};

    use measure::is_stopped;
    use records::{figures::FIGURES, store};

    use crate::{
        context::Context,
        figures::get,
        show::summary,
        testing::{World, starts},
    };

    const ALL: usize = usize::MAX;

    #[test]
    fn an_experiment_is_measured() {
        let world = World::new(0);
        let mut plan = world.plan(&world.context).unwrap();
        assert_eq!((plan.entries.len(), plan.why_again), (6, None));
        let record = world.measure(&mut plan, ALL);
        assert_eq!(record, plan.record);
        assert_eq!(record.runs.len(), 6);
        assert_eq!(record.session.started, record.runs[0].began);
        assert!(record.session.wire_tests_passed.is_empty());
        assert_eq!(record.session.tools["load"], env!("CARGO_PKG_VERSION"));
        for run in &record.runs {
            assert_eq!(run.left_out, None, "{run:?}");
            assert_eq!(get(&run.figures, "requests_per_second"), Some(40.5));
            assert!(get(&run.figures, "server_cpu_seconds").is_some());
            assert_eq!(run.generator[..2], ["load", "--json"]);
            assert!(run.generator[2].ends_with("/sleep"), "{run:?}");
            let expected = if run.variant == "pool of 4" { "4" } else { "1" };
            assert_eq!(run.server, ["ch03_threadpool", "--port", "0", "--threads", expected]);
            for name in run.figures.keys() {
                assert!(FIGURES.contains(&name.as_str()), "{name}");
            }
        }
        let raw = world.raw();
        let output = store::raw_of(&raw, 2, "control").unwrap();
        assert!(output.starts_with("{\"connections\":4"), "{output}");
        let shown = summary("pool-law", &World::experiment(), &record, None).join("\n");
        assert!(shown.contains("pool of 4") && shown.contains("6 runs count"), "{shown}");
    }

    #[test]
    fn what_is_done_stays_and_what_has_changed_is_measured_again() {
        let world = World::new(0);
        let context = &world.context;
        world.measure(&mut world.plan(context).unwrap(), ALL);
        assert!(world.plan(context).is_none());
        assert_eq!(why_again(&world, &world.fresh()), "--fresh");
        let more = Context { descriptor_limit: Some(4096), ..context.clone() };
        assert!(why_again(&world, &more).contains("files and sockets"));
        let mut part = world.known().unwrap();
        part.runs.remove(2);
        store::write(&context.records(), "pool-law", &part, "").unwrap();
        assert!(why_again(&world, context).contains("are missing"));
    }

    fn why_again(world: &World, context: &Context) -> &'static str {
        world.plan(context).unwrap().why_again.unwrap()
    }

    /// Measures, and stops in the second run or later.
    fn stop_while_measuring(world: &World, context: &Context) {
        let mut plan = world.plan(context).unwrap();
        let stop = context.stop.clone();
        let started = world.path("started");
        let before = starts(&started);
        let error = thread::scope(|scope| {
            scope.spawn(|| {
                // The third start comes after the end of a run.
                while starts(&started) < before + 3 {
                    thread::sleep(Duration::from_millis(10));
                }
                stop.set();
            });
            world.try_to_measure(&mut plan, context).unwrap_err()
        });
        assert!(is_stopped(&error), "{error:#}");
        assert!((1..6).contains(&plan.record.runs.len()), "{}", plan.record.runs.len());
    }

    #[test]
    fn an_experiment_that_is_stopped_leaves_what_was_there() {
        let world = World::new(0);
        stop_while_measuring(&world, &world.unstopped());
        assert_eq!(world.known(), None);
        let before = world.measure(&mut world.plan(&world.context).unwrap(), ALL);
        stop_while_measuring(&world, &Context { fresh: true, ..world.unstopped() });
        assert_eq!(world.known(), Some(before.clone()));
        assert!(world.plan(&world.context).is_none());
        let mut again = world.plan(&world.fresh()).unwrap();
        assert_ne!(world.measure(&mut again, ALL).runs[0].began, before.runs[0].began);
    }

    #[test]
    fn a_record_does_not_give_way_to_one_in_which_a_variant_has_no_run_that_counts() {
        let world = World::new(500);
        let context = &world.context;
        let record = world.measure(&mut world.plan(context).unwrap(), ALL);
        assert!(record.runs.len() == 6 && record.runs.iter().all(|run| run.left_out.is_some()));
        // What doesn't count isn't measured again for that.
        assert!(world.plan(context).is_none());
        let mut again = world.plan(&world.fresh()).unwrap();
        assert!(!world.try_to_measure(&mut again, context).unwrap());
        assert_eq!(world.known(), Some(record));
    }
}
