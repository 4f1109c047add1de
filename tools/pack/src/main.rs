//! `cargo xtask pack`: everything for a room without a network, in one archive.
//!
//! It must not know what is in a page, nor what is measured.

mod pack;

use std::{fs, path::PathBuf, process::ExitCode};

use anyhow::Result;
use base::{find_root, say};
use clap::Parser;

/// Make one archive of the book, the sources and all packages, for a room without a network
#[derive(Parser)]
#[command(name = "cargo xtask pack", bin_name = "cargo xtask pack")]
struct Cli {
    /// The archive's name, which ends with .tar.gz; without this, it goes to target/pack
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

fn main() -> ExitCode {
    base::end_with(run(&Cli::parse()))
}

fn run(Cli { out }: &Cli) -> Result<()> {
    let archive = pack::pack(&find_root()?, out.as_deref())?;
    let size = fs::metadata(&archive).map_or(0, |file| file.len());
    say(format_args!(
        "The archive is {}, {:.0} MB. Unpack it with `tar -xzf`, and read {}.",
        archive.display(),
        size as f64 / 1e6,
        pack::START
    ));
    Ok(())
}
