//! Turns records into what a page shows: words, Markdown tables and SVG, by pure functions.
//!
//! It must not know the pages, the directives or mdBook.

pub mod charts;
pub mod compare;
pub mod evidence;
pub mod models;
pub mod replay;
pub mod tables;
