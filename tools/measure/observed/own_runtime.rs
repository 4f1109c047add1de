//! The server on the runtime by hand, whose tasks report: see build.rs.

include!(concat!(env!("OUT_DIR"), "/own_runtime/main.rs"));
