//! Exercise: ask about many items, a few at a time. Which text this is, ../build.rs says.
#![cfg_attr(exercise = "start", allow(unused, clippy::all))]
#![cfg_attr(exercise = "mine", allow(dead_code, unused_imports, unused_mut, unused_variables))]

#[cfg_attr(exercise = "start", path = "start.rs")]
#[cfg_attr(exercise = "mine", path = "../mine/bounded_items.rs")]
mod exercise;

pub use exercise::*;
