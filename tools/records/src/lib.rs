//! Knows what is measured and how it is stored: descriptions, records, recordings, and what follows from them by
//! statistics.
//!
//! It must not know how a figure is measured, nor how one is shown.

pub mod count;
pub mod description;
pub mod descriptions;
mod expansion;
pub mod figures;
pub mod files;
pub mod machine;
pub mod measured;
pub mod opening;
pub mod ran;
pub mod recording;
pub mod results;
pub mod sketch;
pub mod stats;
pub mod store;
pub mod summary;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod verdict;
