//! How often was each page asked for? A list that threads share, in five parts.
//!
//! Run it as you read the page "Shared data":
//!
//!     cargo run --example hit_list

mod deadlock;
mod held;
mod lock;
mod ordering;
mod owner;

use std::{env, process};

const USAGE: &str =
    "Usage: hit_list [lock|held|deadlock|ordering|owner]; without a part, all of them";

const PARTS: [(&str, fn()); 5] = [
    ("lock", lock::run),
    ("held", held::run),
    ("deadlock", deadlock::run),
    ("ordering", ordering::run),
    ("owner", owner::run),
];

fn main() {
    let wanted = env::args().nth(1);
    let is_wanted = |name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
    let parts: Vec<_> = PARTS.into_iter().filter(|(name, _)| is_wanted(name)).collect();
    if parts.is_empty() {
        eprintln!("{USAGE}");
        process::exit(2);
    }
    for (_, run) in parts {
        run();
    }
}
