//! Builds, checks and serves the book: its directives, its questions, what mdBook passes over in silence, and how records
//! become words, tables and pictures.
//!
//! It must not know how anything is measured.

mod anchors;
mod arguments;
pub mod build;
mod check;
mod diagrams;
mod difference;
mod directive;
mod files;
mod filler;
mod ids;
mod percent;
pub mod preprocessor;
mod problem;
mod published;
mod questions;
pub mod report;
mod scan;
mod schedule;
pub mod serve;
mod settings;
mod terms;
#[cfg(test)]
mod testing;

pub use problem::Problem;
