//! Helpers for all pictures of pages: canvases in two sizes, the signs of servers, and words, numbers and tables with
//! everything escaped that would be markup.
//!
//! It must not know what a picture shows.

pub mod canvas;
pub mod sign;
pub mod text;
