//! Measures an experiment, run by run, and writes its record when all are done.

use anyhow::Result;
use measure::origin::timestamp;
use records::{
    base::number,
    store::{self, RoundRun},
};

use crate::{
    context::Context,
    entries::{ATTEMPTS, Entry},
    figures::get,
    plan::{Plan, run_seconds},
    wire::WireTests,
};

impl Plan {
    /// Measures the experiment, and writes its record. `false` if it was not measured, because a server fails its wire
    /// tests, or the record from before is better.
    pub fn measure(&mut self, context: &Context, wire: &mut WireTests) -> Result<bool> {
        let progress = &context.progress;
        for rung in self.rungs() {
            if !wire.passes(&rung, context)? {
                progress.done(self.seconds());
                progress.say(&format!("{}: not measured, because {rung} failed", self.name));
                return Ok(false);
            }
            self.record.wire_tests_passed.insert(rung.clone(), wire.passed[&rung]);
        }
        let entries = self.entries.clone();
        for (entry, number) in entries.iter().zip(1..) {
            let all = entries.len();
            let name = &self.name;
            let Entry { round, variant } = entry;
            let title = format!("[{number}/{all}] {name}, round {round}: {variant}");
            self.settle(context, entry, &title)?;
        }
        // The last process of a climb would run on beside what is measured next.
        self.runner.climbing = None;
        self.record.finished = timestamp();
        let without = entries.iter().filter(|entry| !entry.is_done(&self.record.runs)).count();
        if self.again.is_some() && without > 0 {
            progress.say(&format!(
                "{}: {without} of {} runs do not count, so the record from before stays",
                self.name,
                entries.len()
            ));
            return Ok(false);
        }
        store::write(&context.records(), &self.name, &self.record, &self.raw)?;
        Ok(true)
    }

    /// Tries a run until it counts, or has been tried often enough.
    fn settle(&mut self, context: &Context, entry: &Entry, title: &str) -> Result<()> {
        let progress = &context.progress;
        let seconds = run_seconds(&self.runner.experiment, &entry.variant);
        let budget = if context.quick { 1 } else { ATTEMPTS };
        while !entry.is_settled(&self.record.runs, budget) {
            context.stop.check()?;
            let so_far = entry.attempts(&self.record.runs);
            if so_far > 0 {
                progress.add(seconds);
            }
            progress.start(title, seconds);
            let (run, raw) = self.runner.attempt(context, entry, so_far + 1)?;
            self.keep(context, run, &raw);
            progress.done(seconds);
        }
        entry.settle(&mut self.record.runs);
        Ok(())
    }

    /// Adds an attempt to the record, and says what came of it.
    fn keep(&mut self, context: &Context, run: RoundRun, raw: &str) {
        store::add_raw(&mut self.raw, run.round, &run.variant, run.attempt, raw);
        let metric = &self.runner.experiment.metric;
        let value = get(&run.figures, metric).map_or("-".to_owned(), |value| number(value, 3));
        let remark = match &run.void {
            Some(why) => format!(": void: {why}"),
            None => format!(": {metric} {value}"),
        };
        context.progress.say(&format!("{}, {}{remark}", self.name, run.variant));
        if self.record.runs.is_empty() {
            self.record.started.clone_from(&run.date);
        }
        self.record.runs.push(run);
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::{thread, time::Duration};

    use measure::is_stopped;
    use records::{
        figures::FIGURES,
        store::{self, Record},
    };

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
        assert_eq!((plan.entries.len(), plan.again), (6, None));
        let record = world.measure(&mut plan, ALL);
        assert_eq!(record, plan.record);
        assert_eq!((record.runs.len(), &record.experiment), (6, &World::experiment()));
        assert_eq!(record.started, record.runs[0].date);
        assert_eq!(record.wire_tests_passed, [("ch03_threadpool".to_owned(), None)].into());
        assert_eq!(record.tools["load"], env!("CARGO_PKG_VERSION"));
        for run in &record.runs {
            assert_eq!((run.void.as_deref(), run.attempt), (None, 1), "{run:?}");
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
        let output = store::raw_of(&raw, 2, "control", 1).unwrap();
        assert!(output.starts_with("{\"connections\":4"), "{output}");
        let shown = summary("pool-law", &record).join("\n");
        assert!(shown.contains("pool of 4") && shown.contains("can't tell"), "{shown}");
    }

    #[test]
    fn what_is_done_stays_and_what_has_changed_is_measured_again() {
        let world = World::new(0);
        let context = &world.context;
        world.measure(&mut world.plan(context).unwrap(), ALL);
        assert!(world.plan(context).is_none());
        let again = |context: &Context| world.plan(context).unwrap().again.unwrap();
        assert_eq!(again(&world.fresh()), "--fresh");
        let more = Context { descriptor_limit: Some(4096), ..context.clone() };
        assert!(again(&more).contains("files and sockets"));
        let mut part = world.known().unwrap();
        part.runs.remove(2);
        store::write(&context.records(), "pool-law", &part, "").unwrap();
        assert!(again(context).contains("do not count"));
    }

    #[test]
    fn an_experiment_that_is_stopped_leaves_what_was_there() {
        let world = World::new(0);
        let stopped = |context: Context| {
            let mut plan = world.plan(&context).unwrap();
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
                world.try_to_measure(&mut plan, &context).unwrap_err()
            });
            assert!(is_stopped(&error), "{error:#}");
            assert!((1..6).contains(&plan.record.runs.len()), "{}", plan.record.runs.len());
        };
        stopped(world.unstopped());
        assert_eq!(world.known(), None);
        let before = world.measure(&mut world.plan(&world.context).unwrap(), ALL);
        stopped(Context { fresh: true, ..world.unstopped() });
        assert_eq!(world.known(), Some(before.clone()));
        assert!(world.plan(&world.context).is_none());
        let mut again = world.plan(&world.fresh()).unwrap();
        assert_ne!(world.measure(&mut again, ALL).runs[0].date, before.runs[0].date);
    }

    #[test]
    fn a_record_does_not_give_way_to_one_of_which_a_part_does_not_count() {
        let world = World::new(500);
        let context = &world.context;
        let record = world.measure(&mut world.plan(context).unwrap(), ALL);
        assert!(record.runs.len() == 6 && record.runs.iter().all(|run| run.void.is_some()));
        assert!(world.plan(context).unwrap().again.unwrap().contains("do not count"));
        let old = Record { quick: false, ..record };
        store::write(&context.records(), "pool-law", &old, "").unwrap();
        let mut plan = world.plan(context).unwrap();
        assert!(!world.try_to_measure(&mut plan, context).unwrap());
        assert_eq!(world.known(), Some(old));
    }
}
