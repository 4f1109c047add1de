//! Writes what a page shows of measurements and recordings: figures in words, tables, charts that were drawn before, and
//! pictures of recordings.
//!
//! It must not know the pages, the directives or mdBook.

pub mod crowd;
pub mod measured;
mod origin;
pub mod replay;
#[cfg(test)]
mod testing;
