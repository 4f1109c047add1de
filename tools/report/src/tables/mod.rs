//! What was measured on the ladder itself, in Markdown tables and sentences.

mod commands;
mod entries;
mod figures;
mod machine;
mod noise;
mod notes;
mod runs;
mod zeros;

pub(crate) use self::{
    commands::command_line,
    zeros::{Column, without_zeros, zeros_sentence},
};
pub use self::{
    commands::{command, reduced, server},
    figures::marker,
    machine::{machine, machine_field, machine_line},
    noise::noise,
    runs::{compare, rung},
};
pub use crate::text::{code, plural};
