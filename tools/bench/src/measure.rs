//! Measures what an experiment's plan lacks, run by run, and writes the record after each.

use anyhow::Result;
use base::number;
use process::origin::timestamp;
use records::store::{self, Continued, RoundRun};

use crate::{
    context::Context,
    entries::{ATTEMPTS, Entry},
    figures::get,
    plan::{Plan, run_seconds},
    wire::WireTests,
};

impl Plan {
    /// Measures what is missing, and writes the record after every run. `false` if a server fails its wire tests.
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
        let missing = std::mem::take(&mut self.missing);
        for (entry, number) in missing.iter().zip(1..) {
            let all = missing.len();
            let name = &self.name;
            let Entry { round, variant } = entry;
            let title = format!("[{number}/{all}] {name}, round {round}: {variant}");
            self.settle(context, entry, &title)?;
        }
        self.replace(context)?;
        Ok(true)
    }

    /// Tries a run until it counts, or has been tried often enough.
    fn settle(&mut self, context: &Context, entry: &Entry, title: &str) -> Result<()> {
        let progress = &context.progress;
        let seconds = run_seconds(&self.runner.setup(&entry.variant));
        // What was tried in an earlier call has its budget again: what was wrong then may be right now.
        let budget = if context.quick { 1 } else { ATTEMPTS };
        let before = entry.attempts(&self.record.runs);
        while !entry.is_settled(&self.record.runs, before + budget) {
            context.stop.check()?;
            let so_far = entry.attempts(&self.record.runs);
            if so_far > before {
                progress.add(seconds);
            }
            progress.start(title, seconds);
            let (run, raw) = self.runner.attempt(context, entry, so_far + 1)?;
            self.keep(context, run, &raw);
            if entry.is_settled(&self.record.runs, before + budget) {
                entry.settle(&mut self.record.runs);
            }
            self.record.finished = timestamp();
            store::write(&context.records(), &self.stored_as(), &self.record, &self.raw)?;
            progress.done(seconds);
        }
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
        let last = self.record.continued.last().map(|continued| &continued.commit);
        if !self.added && *last.unwrap_or(&self.record.commit) != context.commit {
            let commit = context.commit.clone();
            self.record.continued.push(Continued { started: run.date.clone(), commit });
        }
        self.added = true;
        self.record.runs.push(run);
    }

    /// Puts the record in the place of that from before, if this is what it is for, and it is whole.
    fn replace(&mut self, context: &Context) -> Result<()> {
        if !self.replaces {
            return Ok(());
        }
        let without = self.entries.iter().filter(|entry| !entry.counts(&self.record.runs)).count();
        if without > 0 {
            context.progress.say(&format!(
                "{}: {without} of {} runs do not count, so the record from before stays; the next call tries them again",
                self.name,
                self.entries.len()
            ));
            return Ok(());
        }
        store::write(&context.records(), &self.name, &self.record, &self.raw)?;
        store::remove(&context.records(), &self.stored_as())?;
        self.replaces = false;
        Ok(())
    }
}

#[cfg(unix)]
#[cfg(test)]
mod tests {
    use std::fs;

    use process::{StopFlag, is_stopped};
    use records::{
        figures::FIGURES,
        machine::Commit,
        store::{self, Record},
    };

    use crate::{
        context::Context, entries::Entry, figures::get, plan::Plan, show::summary, testing::World,
    };

    const ALL: usize = usize::MAX;

    #[test]
    fn an_experiment_is_measured() {
        let world = World::new(0);
        let mut plan = world.plan(&world.context);
        assert_eq!((plan.missing.len(), plan.stale), (6, None));
        let record = world.measure(&mut plan, ALL);
        assert_eq!(record, plan.record);
        assert_eq!((record.runs.len(), &record.experiment), (6, &World::experiment()));
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
    fn only_what_is_missing_is_measured() {
        let world = World::new(0);
        let context = &world.context;
        world.measure(&mut world.plan(context), ALL);
        assert!(world.plan(context).missing.is_empty());
        let mut known = world.known().unwrap();
        let gone = known.runs.remove(2);
        let mut plan = Plan::new(context, "pool-law", &World::experiment(), Some(known)).unwrap();
        assert_eq!(plan.missing, [Entry { round: gone.round, variant: gone.variant }]);
        world.measure(&mut plan, ALL);
        assert_eq!(plan.record.runs.len(), 6);
        assert_eq!(world.plan(&world.fresh()).missing.len(), 6);
        let whole = world.plan(&Context { quick: false, ..context.clone() });
        assert_eq!((whole.missing.len(), whole.stale.is_some()), (15, true));
        fs::remove_file(context.records().join("pool-law.txt")).unwrap();
        assert_eq!(world.plan(context).missing.len(), 6);
    }

    #[test]
    fn what_is_measured_again_takes_its_place_when_it_is_whole() {
        let world = World::new(0);
        let part = store::part_of("pool-law");
        let records = world.context.records();
        let before = world.measure(&mut world.plan(&world.context), ALL);
        let raw_before = world.raw();

        // Measured again, and stopped after two runs: the record is there as it was.
        let mut again = world.plan(&world.fresh());
        assert!(again.replaces && again.stale == Some("--fresh"));
        assert_eq!(world.measure(&mut again, 2), before);
        assert_eq!(world.raw(), raw_before);
        assert_eq!(store::read(&records, &part).unwrap().unwrap().runs.len(), 2);

        // The next call goes on with the four others, unless it is to begin anew.
        assert_eq!(world.plan(&world.fresh()).missing.len(), 6);
        let mut rest = world.plan(&world.context);
        assert_eq!((rest.missing.len(), rest.replaces, rest.stale), (4, true, None));
        let stopped = Context { stop: StopFlag::default(), ..world.context.clone() };
        stopped.stop.set();
        assert!(is_stopped(&world.try_to_measure(&mut rest, &stopped).unwrap_err()));
        assert_eq!(world.known(), Some(before));
        let mut rest = world.plan(&world.context);
        let after = world.measure(&mut rest, ALL);
        assert_eq!(store::read(&records, &part).unwrap(), None);
        assert_eq!((after.runs.len(), &after, rest.replaces), (6, &rest.record, false));
        assert!(store::raw_of_all(&world.raw(), &after.runs).is_some());
        assert!(world.plan(&world.context).missing.is_empty());

        // What was whole, and could not take its place, does so in the next call.
        store::write(&records, &part, &Record { seed: 8, ..after }, &world.raw()).unwrap();
        let mut whole = world.plan(&world.context);
        assert!(whole.missing.is_empty() && whole.replaces);
        assert_eq!(world.measure(&mut whole, ALL).seed, 8);
    }

    #[test]
    fn what_did_not_count_is_tried_again_in_the_next_call() {
        let world = World::new(500);
        let context = &world.context;
        assert_eq!(world.measure(&mut world.plan(context), ALL).runs.len(), 6);
        let mut again = world.plan(context);
        assert_eq!((again.missing.len(), again.tried(), again.stale), (6, 6, None));
        let record = world.measure(&mut again, 1);
        let second = record.runs.iter().filter(|run| run.attempt == 2).count();
        assert_eq!((record.runs.len(), second), (7, 1));
        assert!(record.runs.iter().all(|run| run.void.is_some()));
        assert_eq!(world.plan(context).missing.len(), 6);
        // A record is not given up for one of which a part does not count.
        let old = Record { quick: false, ..record };
        store::write(&context.records(), "pool-law", &old, "").unwrap();
        assert_eq!(world.measure(&mut world.plan(context), ALL), old);
        assert_eq!(world.plan(context).tried(), 6);
    }

    #[test]
    fn a_continued_record_says_from_which_sources_and_has_no_lost_run() {
        let mut world = World::new(0);
        let one_more = |world: &World| world.measure(&mut world.plan(&world.context), 1);
        one_more(&world);
        // The text of a run whose record could not be written any more.
        let variant = &world.plan(&world.context).missing[0].variant;
        let lost = format!("{}=== round 1, {variant}, attempt 1\nlost\n", world.raw());
        fs::write(world.context.records().join("pool-law.txt"), lost).unwrap();
        let record = one_more(&world);
        assert_eq!((record.runs.len(), record.continued.len()), (2, 0));
        assert_eq!(record.started, record.runs[0].date);
        let text = world.raw();
        assert!(!text.contains("lost") && text.matches("=== round").count() == 2, "{text}");
        let first = world.context.commit.clone();
        let second = Commit { head: Some("def".to_owned()), ..first.clone() };
        world.context.commit = second.clone();
        one_more(&world);
        let record = one_more(&world);
        assert_eq!(record.commit, first);
        let [later] = &record.continued[..] else { panic!("{:?}", record.continued) };
        assert_eq!((&later.commit, &later.started), (&second, &record.runs[2].date));
        // Where a program may have more files open, something else is measured.
        let more = Context { descriptor_limit: Some(4096), ..world.context.clone() };
        assert!(world.plan(&more).stale.unwrap().contains("files and sockets"));
    }

    #[test]
    fn ctrl_c_keeps_what_was_measured() {
        let world = World::new(0);
        world.measure(&mut world.plan(&world.context), 2);
        world.context.stop.set();
        let mut plan = world.plan(&world.context);
        assert_eq!(plan.missing.len(), 4);
        let error = world.try_to_measure(&mut plan, &world.context).unwrap_err();
        assert!(is_stopped(&error), "{error:#}");
        assert_eq!(world.known().unwrap().runs.len(), 2);
    }
}
