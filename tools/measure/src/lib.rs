//! Starts programs that end with us, and finds out which tools and which machine there are. The programs `bench` and
//! `observe` (`src/bin`) measure and record with it.
//!
//! It must not know what they measure, nor why.

pub mod cargo;
pub mod machine;
pub mod origin;
mod program;
mod server;
pub mod settings;
mod stop;
pub mod tools;
pub mod usage;

pub use program::{Finished, Program, run};
pub use server::{ServerProcess, Stderr};
pub use stop::{StopFlag, is_stopped};
