//! Turns records into what a page shows: words, Markdown tables and SVG, by pure functions.
//!
//! It must not know the pages, the directives or mdBook.

pub mod charts;
pub mod disturbed;
pub mod evidence;
mod origin;
pub mod quantity;
pub mod replay;
mod sets;
pub mod sign;
pub mod tables;
#[cfg(test)]
mod testing;
pub mod text;
