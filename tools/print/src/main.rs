//! `cargo xtask print`: the whole book as a PDF and as an EPUB.
//!
//! It must not know how a page is made: it prints the book that was built.

mod print;

use std::{path::PathBuf, process::ExitCode};

use anyhow::Result;
use base::{find_root, say};
use clap::Parser;
use print::Form;

/// Make a PDF and an EPUB of the book, with Chromium and pandoc; they go to target/print
#[derive(Parser)]
#[command(name = "cargo xtask print", bin_name = "cargo xtask print")]
struct Cli {
    /// Only the PDF
    #[arg(long)]
    pdf: bool,
    /// Only the EPUB
    #[arg(long)]
    epub: bool,
    /// Write the files to this folder
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

fn main() -> ExitCode {
    base::end_with(run(Cli::parse()))
}

fn run(Cli { pdf, epub, out }: Cli) -> Result<()> {
    let root = find_root()?;
    let forms = match (pdf, epub) {
        (true, false) => &[Form::Pdf][..],
        (false, true) => &[Form::Epub],
        _ => &[Form::Pdf, Form::Epub],
    };
    let folder = out.unwrap_or_else(|| root.join("target").join("print"));
    for file in print::print(&root, forms, &folder)? {
        say(format_args!("The book is in {}.", file.display()));
    }
    Ok(())
}
