//! What the experiments say of several servers side by side; and the machine on which they were measured.

mod compare;
mod machine;
mod named;

pub use self::{
    compare::compare,
    machine::{machine, machine_field, machine_line, tool_version},
    named::table,
};
