//! A program that is measured by itself, without a server.

use anyhow::Result;
use measure::Finished;
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
        let (finished, watched) =
            watched::run(&mut command, None, self.time_limit(), self.pinning, self.context);
        let mut outcome = match unless_stopped(finished, "the program failed")? {
            Err(why) => Outcome { left_out: Some(why), ..Outcome::default() },
            Ok(finished) => self.printed(metric, finished, program_figures(&watched)),
        };
        outcome.figures.extend(watched.machine);
        outcome.leave_out(watched.left_out);
        Ok(outcome)
    }

    /// Joins the figures that a program printed with its usage.
    fn printed(&self, metric: &str, finished: Finished, used: Figures) -> Outcome {
        let name = self.name();
        let Finished { status, stdout: raw, stderr } = finished;
        let last = last_line(&raw, &stderr);
        let (figures, left_out) = match parse::output(None, &raw) {
            _ if !status.success() => {
                (Figures::new(), Some(format!("{name} ended with {status}: {last}")))
            }
            Err(error) => (Figures::new(), Some(format!("{error:#}: {last}"))),
            Ok(mut figures) => {
                figures.extend(used);
                let missing = get(&figures, metric).is_none();
                (figures, missing.then(|| format!("{name} printed no {metric}")))
            }
        };
        Outcome { figures, raw, left_out, ..Outcome::default() }
    }
}
