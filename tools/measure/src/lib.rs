//! Programs that we start and that end with us; what tools and what machine there are. The programs `bench` and `observe`
//! (`src/bin`) measure and record with it.
//!
//! It must not know what is measured with them, nor why.

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
pub use server::{Complaints, ServerProcess};
pub use stop::{StopFlag, is_stopped};
