//! `cargo xtask print`: the whole book as a PDF and as an EPUB.
//!
//! mdBook makes one long page of all chapters, `print.html`. A browser prints it as PDF. For the EPUB the
//! browser turns charts and diagrams into pictures, and [pandoc](https://pandoc.org) makes the book of it.
//!
//! It must not know how a page is made: it prints the book that was built.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context, Result, ensure};
use base::{find_root, say};
use book::build::{self, BuildOptions};
use clap::Parser;
use process::browser::{Browser, run_quietly};

/// The files' name, without what stands after the point.
const NAME: &str = "from-one-thread-to-tokio";

/// The script that makes pictures of what scripts and style sheets have drawn.
const PICTURES: &str = include_str!("pictures.js");

/// What the pages are printed on.
const PAPER: &str = "<style>@page { size: A4; margin: 12mm 15mm; }</style>";

/// A form in which a book is read without a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// For paper and for screens of its size. Needs Chromium or Chrome.
    Pdf,
    /// For e-readers. Needs pandoc too.
    Epub,
}

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
    for file in print(&root, forms, &folder)? {
        say(format_args!("The book is in {}.", file.display()));
    }
    Ok(())
}

/// Makes the files in `folder`, and returns them. Each is whole or absent. Fails when the book does not build, Chromium
/// or pandoc is missing or fails, or the disk is full.
fn print(root: &Path, forms: &[Form], folder: &Path) -> Result<Vec<PathBuf>> {
    let has_pandoc =
        || Command::new("pandoc").arg("--version").stdin(Stdio::null()).output().is_ok();
    ensure!(
        !forms.contains(&Form::Epub) || has_pandoc(),
        "no pandoc, which makes the EPUB: Debian, Ubuntu: `sudo apt install pandoc`; Fedora: `sudo dnf install \
         pandoc`; macOS: `brew install pandoc`; Windows: `winget install JohnMacFarlane.Pandoc`; without it, \
         `cargo xtask print --pdf`"
    );
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let work = tempfile::Builder::new()
        .prefix(".print-in-work-")
        .tempdir_in(folder)
        .with_context(|| format!("cannot make a folder in {}", folder.display()))?;
    let browser = Browser::find(work.path(), "prints the book")?;
    let site = work.path().join("site");
    let options = BuildOptions { destination: Some(site.clone()), ..BuildOptions::default() };
    build::build(root, &options, build::replace)?;

    let mut made = Vec::new();
    for form in forms {
        let extension = format!("{form:?}").to_lowercase();
        let fresh = work.path().join("fresh").with_extension(&extension);
        match form {
            Form::Pdf => pdf(&browser, &site, &fresh)?,
            Form::Epub => epub(&browser, work.path(), &site, &fresh)?,
        }
        let place = folder.join(NAME).with_extension(&extension);
        fs::rename(&fresh, &place)
            .with_context(|| format!("cannot move the book to {}", place.display()))?;
        made.push(place);
    }
    Ok(made)
}

fn pdf(browser: &Browser, site: &Path, to: &Path) -> Result<()> {
    let page = changed_page(site, "print-pdf.html", PAPER)?;
    browser
        .open(&page, &["--no-pdf-header-footer", &format!("--print-to-pdf={}", to.display())])?;
    let printed = fs::read(to).context("the browser wrote no PDF")?;
    ensure!(printed.starts_with(b"%PDF-"), "what the browser wrote is no PDF");
    Ok(())
}

fn epub(browser: &Browser, work: &Path, site: &Path, to: &Path) -> Result<()> {
    let page = changed_page(site, "print-epub.html", &format!("<script>{PICTURES}</script>"))?;
    let text = browser.open(&page, &["--dump-dom"])?;
    ensure!(text.contains("data-pictures-failed=\"0\""), "the browser could not draw all pictures");
    let flat = work.join("flat.html");
    fs::write(&flat, text).context("cannot write the page without scripts")?;
    let mut pandoc = Command::new("pandoc");
    pandoc.args(["--from=html", "--to=epub3", "--toc", "--toc-depth=2", "--metadata=lang:en"]);
    pandoc.arg(
        "--metadata=title:From One Thread to Tokio: concurrency in Rust, measured at every step",
    );
    // Pictures that are files of the book are named relative to it.
    pandoc.arg("--resource-path").arg(site).arg("--output").arg(to).arg(&flat);
    run_quietly(&mut pandoc, Path::new("pandoc"))?;
    Ok(())
}

/// mdBook's page opens the dialog for printing by itself, and a browser without a window then drops what it was told
/// to print.
const NO_DIALOG: &str = "<script>window.print = () => {};</script>";

/// A copy of the print page, with `more` at the end of its head, beside it. It opens no dialog.
fn changed_page(site: &Path, name: &str, more: &str) -> Result<PathBuf> {
    let original = site.join("print.html");
    let page = fs::read_to_string(&original)
        .with_context(|| format!("mdBook made no {}", original.display()))?;
    ensure!(page.contains("</head>"), "{} has no head", original.display());
    let copy = site.join(name);
    fs::write(&copy, page.replacen("</head>", &format!("{NO_DIALOG}{more}</head>"), 1))
        .with_context(|| format!("cannot write {}", copy.display()))?;
    Ok(copy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_changed_in_a_copy() {
        let site = tempfile::tempdir().unwrap();
        fs::write(site.path().join("print.html"), "<head></head><body></head></body>").unwrap();
        let copy = changed_page(site.path(), "copy.html", "<x>").unwrap();
        let copy = fs::read_to_string(copy).unwrap();
        assert_eq!(copy, format!("<head>{NO_DIALOG}<x></head><body></head></body>"));
        let original = fs::read_to_string(site.path().join("print.html")).unwrap();
        assert!(!original.contains("<x>"));
        fs::remove_file(site.path().join("print.html")).unwrap();
        assert!(changed_page(site.path(), "copy.html", "").is_err());
    }
}
