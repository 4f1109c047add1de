//! For comparison, on Linux: step 2 of the event loop on epoll itself, *level-triggered*.
//!
//! The system says in each wait, rather than only once, that there is something to do:
//!
//!     cargo run --example event_loop_levels

#[cfg(target_os = "linux")]
mod linux;

#[cfg(target_os = "linux")]
fn main() -> std::io::Result<()> {
    linux::main()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    site::complain("epoll is Linux's: run event_loop_ready instead");
    std::process::exit(1);
}
