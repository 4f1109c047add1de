//! Exercise: a 503 for a client that gets no permit while it is patient. Which text this is, ../build.rs says.
#![cfg_attr(exercise = "start", allow(unused, clippy::all))]
#![cfg_attr(exercise = "mine", allow(dead_code, unused_imports, unused_mut, unused_variables))]

#[cfg_attr(exercise = "start", path = "start.rs")]
#[cfg_attr(exercise = "mine", path = "../mine/say_no_in_time.rs")]
mod exercise;

pub use exercise::*;
