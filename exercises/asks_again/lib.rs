//! Exercise: repeat what may be repeated. Which text this is, ../build.rs says.
#![cfg_attr(exercise = "start", allow(unused, clippy::all))]
#![cfg_attr(exercise = "mine", allow(dead_code, unused_imports, unused_mut, unused_variables))]

#[cfg_attr(exercise = "start", path = "start.rs")]
#[cfg_attr(exercise = "mine", path = "../mine/asks_again.rs")]
mod exercise;

pub use exercise::*;
