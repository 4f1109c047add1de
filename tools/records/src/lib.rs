//! What everything else reads: which servers there are, what is taught, what is measured, what came of it, and what follows
//! from that by statistics.
//!
//! It must not know how a figure is measured, nor how one is shown.

pub mod base;
pub mod description;
pub mod descriptions;
pub mod disturbance;
mod expansion;
pub mod figures;
pub mod files;
pub mod machine;
pub mod measured;
pub mod opening;
pub mod program;
pub mod ran;
pub mod recording;
pub mod results;
pub mod servers;
pub mod stats;
pub mod store;
pub mod summary;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod verdict;
pub mod workshop;
