//! What everything else reads: which servers there are, what is taught, what is measured, what came of it, and whether two
//! of the things that were measured differ.
//!
//! It must not know how a figure is measured, nor how one is shown.

pub mod anchors;
pub mod base;
pub mod computed;
pub mod description;
pub mod descriptions;
pub mod difference;
pub mod disturbance;
mod expansion;
pub mod figures;
pub mod files;
pub mod machine;
pub mod opening;
pub mod program;
pub mod recording;
pub mod results;
pub mod servers;
pub mod stats;
pub mod store;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod way;
pub mod workshop;
