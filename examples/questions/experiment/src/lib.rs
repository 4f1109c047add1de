//! What the experiments share: their options, what they print, and what the system counts for them.
//!
//! An experiment is a program that answers one question on the reader's machine. By default it
//! measures everything and prints a table. With `--json` it measures one variant, which its other
//! options choose, and prints `{"figures": {"name": 1.5}}`, for the tool that draws the charts.

mod counters;
mod cpus;
mod options;
mod print;

pub use counters::{Switches, cpu_time_of_this_thread, kernel_stack_kib, resident_kib};
pub use cpus::{cpus, hardware_threads, pin_this_thread, pins};
pub use options::Options;
pub use print::{fail, median, print_figures, say_if_debug, thousands};
