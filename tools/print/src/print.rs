//! `cargo xtask print`: the whole book as a PDF and as an EPUB.
//!
//! mdBook makes one long page of all chapters, `print.html`. A browser prints it as PDF. For the EPUB the
//! browser turns charts and diagrams into pictures, and [pandoc](https://pandoc.org) makes the book of it.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, bail, ensure};
use book::build::{self, BuildOptions};

/// The files' name, without what stands after the point.
pub const NAME: &str = "from-one-thread-to-tokio";

/// The script that makes pictures of what scripts and style sheets have drawn.
const PICTURES: &str = include_str!("pictures.js");

/// What the pages are printed on.
const PAPER: &str = "<style>@page { size: A4; margin: 18mm 16mm; }</style>";

/// How long the page's own scripts may take, by the page's clock, in milliseconds.
const SCRIPTS_TIME: &str = "--virtual-time-budget=120000";

/// A form in which a book is read without a browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// For paper and for screens of its size. Needs Chromium or Chrome.
    Pdf,
    /// For e-readers. Needs pandoc too.
    Epub,
}

impl Form {
    /// Both.
    pub const ALL: [Form; 2] = [Form::Pdf, Form::Epub];

    fn extension(self) -> &'static str {
        match self {
            Form::Pdf => "pdf",
            Form::Epub => "epub",
        }
    }
}

/// Makes the files in `folder`, and returns them. Each is whole or absent.
///
/// # Errors
/// When the book does not build, Chromium or pandoc is missing or fails, or the disk is full.
pub fn print(root: &Path, forms: &[Form], folder: &Path) -> Result<Vec<PathBuf>> {
    let browser = browser().context(
        "no Chromium or Chrome, which prints the book: Debian, Ubuntu: `sudo apt install chromium`; Fedora: \
         `sudo dnf install chromium`; macOS: `brew install --cask chromium`; or set CHROMIUM to its path",
    )?;
    if forms.contains(&Form::Epub) {
        require_pandoc()?;
    }
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let work = tempfile::Builder::new()
        .prefix(".print-in-work-")
        .tempdir_in(folder)
        .with_context(|| format!("cannot make a folder in {}", folder.display()))?;
    let site = work.path().join("site");
    let options = BuildOptions { destination: Some(site.clone()), ..BuildOptions::default() };
    build::build(root, &options, build::replace)?;

    let mut made = Vec::new();
    for form in forms {
        let fresh = work.path().join("fresh").with_extension(form.extension());
        match form {
            Form::Pdf => pdf(&browser, work.path(), &site, &fresh)?,
            Form::Epub => epub(&browser, work.path(), &site, &fresh)?,
        }
        let place = folder.join(NAME).with_extension(form.extension());
        fs::rename(&fresh, &place)
            .with_context(|| format!("cannot move the book to {}", place.display()))?;
        made.push(place);
    }
    Ok(made)
}

fn pdf(browser: &Path, work: &Path, site: &Path, to: &Path) -> Result<()> {
    let page = changed_page(site, "print-pdf.html", PAPER)?;
    let mut command = start(browser, work);
    command.arg("--no-pdf-header-footer").arg(format!("--print-to-pdf={}", to.display()));
    run(command.arg(&page), browser)?;
    let printed = fs::read(to).context("the browser wrote no PDF")?;
    ensure!(printed.starts_with(b"%PDF-"), "what the browser wrote is no PDF");
    Ok(())
}

fn epub(browser: &Path, work: &Path, site: &Path, to: &Path) -> Result<()> {
    let page = changed_page(site, "print-epub.html", &format!("<script>{PICTURES}</script>"))?;
    let mut command = start(browser, work);
    let text = run(command.arg("--dump-dom").arg(&page), browser)?;
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
    run(&mut pandoc, Path::new("pandoc"))?;
    Ok(())
}

/// A copy of the print page, with `more` at the end of its head, beside it. Returns its address.
fn changed_page(site: &Path, name: &str, more: &str) -> Result<String> {
    let original = site.join("print.html");
    let page = fs::read_to_string(&original)
        .with_context(|| format!("mdBook made no {}", original.display()))?;
    ensure!(page.contains("</head>"), "{} has no head", original.display());
    let copy = site.join(name);
    fs::write(&copy, page.replacen("</head>", &format!("{more}</head>"), 1))
        .with_context(|| format!("cannot write {}", copy.display()))?;
    let path = copy.to_string_lossy().replace('\\', "/").replace(' ', "%20");
    Ok(format!("file://{}{path}", if path.starts_with('/') { "" } else { "/" }))
}

/// The browser without a window, and with a profile of its own.
fn start(browser: &Path, work: &Path) -> Command {
    let mut command = Command::new(browser);
    command.args(["--headless", "--disable-gpu", "--no-first-run", "--disable-sync"]);
    command.args(["--disable-background-networking", "--disable-component-update", SCRIPTS_TIME]);
    command.arg(format!("--user-data-dir={}", work.join("profile").display()));
    // The only page that it opens is ours, and for root the sandbox does not start.
    if is_root(work) {
        command.arg("--no-sandbox");
    }
    command
}

#[cfg(unix)]
fn is_root(own: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    fs::metadata(own).is_ok_and(|folder| folder.uid() == 0)
}

#[cfg(not(unix))]
fn is_root(_own: &Path) -> bool {
    false
}

fn run(command: &mut Command, program: &Path) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    if !output.status.success() {
        let complaint = String::from_utf8_lossy(&output.stderr);
        let last = complaint.lines().rfind(|line| !line.trim().is_empty()).unwrap_or_default();
        bail!("{} ended with {}: {last}", program.display(), output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// `CHROMIUM`, or the first Chromium or Chrome that is installed.
fn browser() -> Option<PathBuf> {
    if let Some(path) = env::var_os("CHROMIUM") {
        return Some(path.into());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    let names =
        ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome.exe"];
    let on_path = names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name)));
    let elsewhere = [
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
        r"C:\Program Files\Google\Chrome\Application\chrome.exe",
        r"C:\Program Files (x86)\Google\Chrome\Application\chrome.exe",
    ];
    on_path.chain(elsewhere.map(PathBuf::from)).find(|path| path.is_file())
}

fn require_pandoc() -> Result<()> {
    let found = Command::new("pandoc").arg("--version").stdin(Stdio::null()).output();
    ensure!(
        found.is_ok(),
        "no pandoc, which makes the EPUB: Debian, Ubuntu: `sudo apt install pandoc`; Fedora: `sudo dnf install \
         pandoc`; macOS: `brew install pandoc`; Windows: `winget install JohnMacFarlane.Pandoc`; without it, \
         `cargo xtask print --pdf`"
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_changed_in_a_copy() {
        let site = tempfile::tempdir().unwrap();
        fs::write(site.path().join("print.html"), "<head></head><body></head></body>").unwrap();
        let address = changed_page(site.path(), "copy.html", "<x>").unwrap();
        assert!(address.starts_with("file:///") && address.ends_with("/copy.html"), "{address}");
        let copy = fs::read_to_string(site.path().join("copy.html")).unwrap();
        assert_eq!(copy, "<head><x></head><body></head></body>");
        let original = fs::read_to_string(site.path().join("print.html")).unwrap();
        assert!(!original.contains("<x>"));
        fs::remove_file(site.path().join("print.html")).unwrap();
        assert!(changed_page(site.path(), "copy.html", "").is_err());
    }

    #[test]
    fn a_program_that_fails_is_named_with_its_last_words() {
        let error = run(Command::new("rustc").arg("--no-such-option"), Path::new("rustc"));
        let error = error.unwrap_err().to_string();
        assert!(error.starts_with("rustc ended with"), "{error}");
        let none = Path::new("no-such-program");
        assert!(run(&mut Command::new(none), none).is_err());
    }
}
