//! A program that is measured by itself, without a server.

use anyhow::Result;
use measure::Ran;
use records::figures::Figures;

use super::{Outcome, Run, unless_stopped};
use crate::{
    figures::get,
    parse::{self, last_line},
    watched::{self, program_figures},
};

impl Run<'_> {
    /// Runs the program.
    pub(super) fn program(&self, metric: &str) -> Result<Outcome> {
        let mut command = self.command()?;
        let (ran, watched) =
            watched::run(&mut command, None, self.time_limit(), self.pinning, self.context);
        let mut outcome = match unless_stopped(ran, "the program failed")? {
            Err(why) => Outcome { void: Some(why), ..Outcome::default() },
            Ok(ran) => self.printed(metric, ran, program_figures(&watched)),
        };
        outcome.figures.extend(watched.machine);
        outcome.leave_out(watched.left_out);
        Ok(outcome)
    }

    /// Joins the figures that a program printed with its usage.
    fn printed(&self, metric: &str, (status, raw, complaints): Ran, used: Figures) -> Outcome {
        let name = self.name();
        let last = || last_line(&raw, &complaints);
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
