//! What the experiments say of one server, and of several side by side; and the machine on which they were measured.

mod commands;
mod machine;
mod noise;
mod rungs;

pub use self::{
    commands::{command, server},
    machine::{machine, machine_field, machine_line},
    noise::noise,
    rungs::{BENCHMARKS, compare, of_law, rung},
};
pub use crate::text::{code, plural};
