//! What a page shows of what was measured and recorded: figures in words, tables, charts that were drawn before, and
//! pictures of recordings.
//!
//! It must not know the pages, the directives or mdBook.

pub mod crowd;
pub mod measured;
mod origin;
pub mod replay;
#[cfg(test)]
mod testing;
