//! Every page of the book in a real browser: no error on the console, no request that fails or leaves
//! this machine, no fault that axe finds, nothing wider than the screen, every diagram drawn, and the
//! text there without JavaScript. What is looked at is written in `browser/check.mjs`.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
    time::Duration,
};

use ladder_tests::{build_book, have, run, skip};

/// How long the browser may take for all pages.
const BROWSER_TIME: Duration = Duration::from_secs(1800);

/// A Chromium or Chrome: `CHROMIUM`, or the first that is installed.
fn chromium() -> Option<PathBuf> {
    if let Some(path) = env::var_os("CHROMIUM") {
        return Some(path.into());
    }
    let folders: Vec<PathBuf> =
        env::var_os("PATH").map(|path| env::split_paths(&path).collect()).unwrap_or_default();
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

#[test]
fn every_page_is_right_in_a_browser() {
    let browser = Path::new(env!("CARGO_MANIFEST_DIR")).join("browser");
    if !have(
        "node",
        &["--version"],
        "apt install nodejs npm, brew install node, or https://nodejs.org",
    ) {
        return;
    }
    if !browser.join("node_modules").is_dir() {
        return skip(
            "the browser's driver is not installed; to get it: npm ci --prefix tests/browser",
        );
    }
    let Some(chromium) = chromium() else {
        return skip(
            "no Chromium; to get it: apt install chromium, dnf install chromium, brew install --cask chromium; \
             or set CHROMIUM to its path",
        );
    };
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("this package lies in the root");
    let output = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser/book");
    let finished = build_book(root, &output);
    assert_eq!(
        finished.code,
        Some(0),
        "the book does not build:\n{}{}",
        finished.stdout,
        finished.stderr
    );

    // `lab.mjs` plays the scheduler lab in the same book.
    for script in ["check.mjs", "lab.mjs"] {
        let mut check = Command::new("node");
        check.arg(browser.join(script)).arg(&output).env("CHROMIUM", &chromium);
        let finished = run(&mut check, BROWSER_TIME);
        assert_eq!(finished.code, Some(0), "{script}:\n{}{}", finished.stdout, finished.stderr);
    }
}
