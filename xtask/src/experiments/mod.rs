//! Experiments: several variants, compared round by round.
//!
//! An experiment is data, a file in `xtask/experiments` ([`description`]). Its rounds are stored
//! as they were measured ([`store`]); what follows from them is worked out whenever it is shown ([`stats`]).

pub mod compare;
pub mod count;
pub mod description;
pub mod program;
pub mod session;
pub mod stats;
pub mod store;
pub mod summary;
