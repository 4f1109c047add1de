//! The steps to the servers, and what goes wrong in servers that look like ours. They are one program, because most of these tests wait for seconds, and those of one program wait at the same time.

mod compiler;
mod first_pool;
mod first_server;
mod first_task;
mod own_runtime;
mod shared_data;
mod wrong_servers;
