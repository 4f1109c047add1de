//! How an open page learns that the book was built again.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::json;

/// Where the page asks whether it is still the newest.
pub(super) const VERSION_PATH: &str = "/__version";

const SCRIPT: &str = include_str!("reload.js");

/// What the page is told when it asks.
#[derive(Debug)]
pub(super) struct State {
    /// Counts the good builds. A page may still be open that another server has served, so each begins with another number.
    pub version: u64,
    /// Why the last build failed, if it did.
    pub error: Option<String>,
}

impl State {
    /// No build yet.
    pub(super) fn new() -> State {
        // In milliseconds since 1970: exact in a browser, too.
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        State { version: since.as_millis() as u64, error: None }
    }

    /// After a good build, which looks other than the last one or does not.
    pub(super) fn built(&mut self, is_new: bool) {
        self.error = None;
        self.version += u64::from(is_new);
    }

    pub(super) fn json(&self) -> String {
        json!({ "version": self.version, "error": self.error }).to_string()
    }
}

/// A page with the script that asks; the files themselves stay as they are.
pub(super) fn with_script(body: Vec<u8>) -> Vec<u8> {
    let Ok(mut text) = String::from_utf8(body) else { return Vec::new() };
    let end = text.rfind("</body>").unwrap_or(text.len());
    text.insert_str(end, &format!("<script>\n{SCRIPT}</script>\n"));
    text.into_bytes()
}
