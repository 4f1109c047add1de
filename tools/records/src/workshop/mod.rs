//! Knows what is taught: the exercises, and the lessons with their minutes.
//!
//! It must not know how an exercise is compiled, nor how a page is built.

pub mod exercises;
pub mod lessons;
pub mod page;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
pub mod texts;
