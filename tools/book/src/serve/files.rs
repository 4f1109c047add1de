//! Which file of the book a request's path names.

use std::{
    fs,
    path::{Path, PathBuf},
};

use crate::{build::changed, percent::percent_decode};

/// What a page is.
pub(super) const HTML: &str = "text/html; charset=utf-8";

/// The file that a request's path names; `None` if it names none inside the folder. However the path is written (`..`,
/// percent signs, backslashes, a drive, a symbolic link), the file system itself says in the end where the file is.
pub(super) fn find(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = percent_decode(path)?;
    let mut file = fs::canonicalize(folder).ok()?;
    let folder = file.clone();
    for part in path.strip_prefix('/')?.split('/') {
        match part {
            "" | "." => {}
            // A backslash separates and a colon names a drive on Windows; no file of the book has either.
            ".." => return None,
            part if part.contains(['\\', ':', '\0']) => return None,
            part => file.push(part),
        }
    }
    let mut file = fs::canonicalize(file).ok()?;
    if file.is_dir() {
        file = fs::canonicalize(file.join("index.html")).ok()?;
    }
    (file.starts_with(&folder) && file.is_file()).then_some(file)
}

/// The search index, by whatever name it had when an open page was made.
pub(super) fn search_index(folder: &Path, path: &str) -> Option<PathBuf> {
    let is_one = changed::is_search_index(path.strip_prefix('/')?);
    is_one.then(|| changed::search_index(folder)).flatten().map(|name| folder.join(name))
}

pub(super) fn content_type(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("html") => HTML,
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("txt") => "text/plain; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("ico") => "image/x-icon",
        Some("woff2") => "font/woff2",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::built;

    #[test]
    fn no_path_leads_out() {
        let folder = built();
        let out = folder.path().join("out");
        #[cfg(unix)]
        {
            let link = |target: &str, name: &str| {
                std::os::unix::fs::symlink(folder.path().join(target), out.join(name)).unwrap();
            };
            link("secret.txt", "link.txt");
            link("out-of-it", "linked");
        }
        let outside = r"/../secret.txt /sub/../../secret.txt /%2e%2e/secret.txt /%2e%2e%2fsecret.txt
            /..%5csecret.txt /..\secret.txt //../secret.txt /sub/.. /link.txt /linked/secret.txt
            /../out-of-it/secret.txt /C:/Windows/win.ini /C%3A%5CWindows /etc/passwd //etc/passwd
            /%00 /% /%ff secret.txt http://127.0.0.1/index.html";
        for outside in outside.split_whitespace().chain([""]) {
            assert_eq!(find(&out, outside), None, "{outside}");
        }
        for inside in
            ["/", "/index.html", "//index.html", "/a%20b.html", "/sub", "/sub/", "/./book.css"]
        {
            assert!(find(&out, inside).is_some(), "{inside}");
        }
    }
}
