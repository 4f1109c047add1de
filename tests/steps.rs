//! The smaller programs of the pages: the steps to the servers, the servers that look like ours and are wrong, and what a
//! page claims of a program that it runs.
//!
//! They are one test program, because each program has to be linked, and because most of these tests wait for seconds,
//! and those of one program wait at the same time.

mod behind_a_proxy;
mod compiler;
mod executor_of_many;
mod first_pool;
mod first_server;
mod first_task;
mod five_ways;
mod frameworks;
mod lent;
mod libraries;
mod own_runtime;
mod own_service;
mod shared_data;
mod small;
mod sync_border;
mod tokio_steps;
mod two_directions;
mod wrong_servers;
