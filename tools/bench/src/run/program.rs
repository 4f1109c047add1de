//! A program that is measured by itself, without a server.

use anyhow::Result;
use process::Ran;
use records::figures::Figures;

use super::{
    Outcome, Runner,
    command::{command, program_arguments, time_limit},
    unless_stopped,
};
use crate::{
    context::Context,
    figures::get,
    parse::{self, last_line},
    progress::Progress,
    watched,
};

impl Runner {
    /// Runs the program of a variant.
    pub(super) fn run_program(
        &self,
        context: &Context,
        variant: &str,
        progress: &Progress,
    ) -> Result<Outcome> {
        let setup = self.setup(variant);
        let name = setup.program.as_deref().unwrap_or_default();
        let path = context.executables.path(setup.profile.unwrap_or_default(), name);
        let words = [vec![path.to_string_lossy().into_owned()], program_arguments(&setup)].concat();
        let cpus = self.pinnings[variant].server.as_deref();
        let mut command = command(words, cpus, setup.descriptors);
        command.envs(setup.env.iter().flatten());
        let tick = || progress.tick();
        let (ran, watched) =
            watched::run(&mut command, None, time_limit(&setup), &context.stop, tick);
        let mut outcome = match unless_stopped(ran, "the program failed")? {
            Err(why) => Outcome { void: Some(why), ..Outcome::default() },
            Ok(ran) => self.printed(name, ran, watched::program_figures(&watched)),
        };
        outcome.figures.extend(watched.machine);
        Ok(outcome)
    }

    /// What a program printed, with what it used.
    fn printed(&self, name: &str, (status, raw, complaints): Ran, used: Figures) -> Outcome {
        let last = || last_line(&raw, &complaints);
        let metric = &self.experiment.metric;
        let (figures, void) = match parse::output(None, &raw) {
            _ if !status.success() => {
                (Figures::new(), Some(format!("{name} ended with {status}: {}", last())))
            }
            Err(error) => (Figures::new(), Some(format!("{error:#}: {}", last()))),
            Ok(mut figures) => {
                figures.extend(used);
                let missing = get(&figures, metric).is_none();
                (figures, missing.then(|| format!("{name} printed no {metric}")))
            }
        };
        Outcome { figures, raw, void, ..Outcome::default() }
    }
}
