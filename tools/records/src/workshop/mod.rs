//! Knows what is taught: the exercises, the parts that the notes for teachers name, the agendas, and their minutes.
//!
//! It must not know how an exercise is compiled, nor how a page is built.

pub mod agenda;
pub mod exercises;
pub mod notes;
pub mod page;
#[cfg(any(test, feature = "testing"))]
pub mod testing;
