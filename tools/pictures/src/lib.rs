//! Shared by all pictures of pages: canvases in two sizes, the signs of servers, and how words, numbers and tables
//! are written so that nothing in them means anything else.
//!
//! It must not know what a picture shows.

pub mod canvas;
pub mod sign;
pub mod text;
