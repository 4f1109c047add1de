//! How many system calls does a request cost the event loop when several clients are ready at once?
//!
//! Run it on Linux, with `strace` installed; it starts the event loop itself:
//!
//!     cargo run --example ready_together

#[path = "../../event_loop/client.rs"]
mod client;
#[path = "../../event_loop/clients.rs"]
mod clients;
mod counted;
mod server;

use std::io;

use experiment::{Options, fail, print_figures};

const USAGE: &str = "\
Usage: ready_together [OPTIONS]

Counts the system calls of the event loop for a request, when K clients are ready at the same
time: its only thread computes for one client more until all K have asked. Needs strace.

  --clients K   count for this K only, 1 to 1000; with --json
  --json        print what was counted as JSON
  --quick       a few requests only: a try, and no measurement
  -h, --help    print this
";

/// The numbers of clients in the table.
const CLIENTS: [usize; 5] = [1, 2, 5, 20, 100];

fn main() -> io::Result<()> {
    if server::is_wanted() {
        return server::serve();
    }
    let options = Options::from_args(USAGE, &["clients"]);
    let count = |clients: usize| {
        // Enough requests that a call more or less, now and then, doesn't show.
        let rounds = if options.quick() { 8.max(20 / clients) } else { 20.max(200 / clients) };
        let counted = counted::calls_per_request(clients, rounds);
        counted.unwrap_or_else(|error| fail("ready_together", error))
    };
    let chosen = options.number("clients", 1..=1000);
    if options.json() {
        let clients = chosen.unwrap_or_else(|| fail("ready_together", "--json needs --clients"));
        print_figures(&[("calls_per_request", Some(count(clients)))]);
        return Ok(());
    }
    println!("How many system calls does a request cost the event loop?\n");
    println!("clients ready at once  counted  2 + 1/k");
    for clients in CLIENTS {
        let law = 2.0 + 1.0 / clients as f64;
        println!("{clients:>21} {:>8.2} {law:>8.2}", count(clients));
    }
    Ok(())
}
