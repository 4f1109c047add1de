//! What was measured on the ladder itself, in Markdown tables and sentences.

mod commands;
mod entries;
mod figures;
mod machine;
mod noise;
mod notes;
mod runs;

pub(crate) use self::commands::command_line;
pub use self::{
    commands::{command, reduced, server},
    figures::marker,
    machine::{machine, machine_field, machine_line},
    noise::noise,
    runs::{compare, rung},
};
pub use crate::text::{code, plural};
