//! Data that all other crates read: servers, exercises, descriptions of experiments, records, recordings, and whether two
//! of the things that were measured differ.
//!
//! It must not know how a figure is measured, nor how one is shown.

#[cfg(feature = "pages")]
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
pub mod judged;
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
#[cfg(feature = "pages")]
pub mod way;
pub mod workshop;
