//! What the experiments say of one server, and of several side by side; and the machine on which they were measured.

mod machine;
mod rungs;

use anyhow::{Context, Result};
use records::store::RoundRun;

pub use self::{
    machine::{machine, machine_field, machine_line, noise},
    rungs::{compare, of_law, rung},
};
use crate::{
    evidence::{Evidence, Figures},
    text::{code, command_line},
};

/// The generator's command line for a variant, as a reader would type it: with the rungs' default port.
/// Fails when there is no such experiment or variant, or it was not run.
pub fn command(evidence: Evidence, name: &str, variant: &str) -> Result<String> {
    Ok(command_line(&first_run(evidence, name, variant)?.generator))
}

/// The server's command line for a variant. Fails when there is no such experiment or variant, or it was not run.
pub fn server(evidence: Evidence, name: &str, variant: &str) -> Result<String> {
    Ok(code(&first_run(evidence, name, variant)?.server.join(" ")))
}

fn first_run<'a>(evidence: Evidence<'a>, name: &'a str, variant: &str) -> Result<&'a RoundRun> {
    let figures = Figures::of(evidence, name)?;
    figures.known(variant)?;
    let run = figures.set.record.runs.iter().find(|run| run.variant == variant);
    run.with_context(|| format!("{name} \"{variant}\" was not run"))
}
