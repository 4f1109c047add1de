//! Finds links that lead nowhere in a built book, and pages that load something from another host.

use std::{
    collections::BTreeMap,
    fs,
    path::{Component, Path, PathBuf},
    sync::{Mutex, PoisonError},
    thread,
};

use anyhow::{Context, Result};

use super::html::{Page, read_page};
use crate::{files::files_below, percent::percent_decode, problem::Problem};

type Pages = BTreeMap<PathBuf, Page>;

pub(crate) fn check_links(folder: &Path) -> Result<Vec<Problem>> {
    let pages = read_pages(folder)?;
    let mut problems = Vec::new();
    for (name, page) in &pages {
        for (link, loaded) in &page.links {
            let checked = match is_outside(link) {
                true if *loaded && !link.starts_with("data:") => {
                    Err(format!("loads {link} from another host"))
                }
                true => Ok(()),
                false => check_link(folder, &pages, name, link),
            };
            problems.extend(checked.err().map(|message| Problem::of(name, message)));
        }
    }
    problems.dedup();
    Ok(problems)
}

fn read_pages(folder: &Path) -> Result<Pages> {
    let paths = Mutex::new(files_below(folder, "html")?);
    let next = || paths.lock().unwrap_or_else(PoisonError::into_inner).pop();
    let read = || -> Result<Vec<(PathBuf, Page)>> {
        let mut pages = Vec::new();
        while let Some(path) = next() {
            let text = fs::read_to_string(&path);
            let text = text.with_context(|| format!("cannot read {}", path.display()))?;
            let name = path.strip_prefix(folder).expect("it is below the folder").to_path_buf();
            pages.push((name, read_page(&text)));
        }
        Ok(pages)
    };
    // The page for printing is as long as all others together, so a second processor helps, and a third would not.
    let (some, others) = thread::scope(|scope| {
        let others = scope.spawn(read);
        (read(), others.join().expect("reading a page does not panic"))
    });
    Ok(some?.into_iter().chain(others?).collect())
}

/// Whether what a link names is no file of the book.
fn is_outside(link: &str) -> bool {
    let has_scheme = link.split_once(':').is_some_and(|(scheme, _)| {
        scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    });
    has_scheme || link.starts_with("//")
}

fn check_link(folder: &Path, pages: &Pages, name: &Path, link: &str) -> Result<(), String> {
    let (path, fragment) = link.split_once('#').unwrap_or((link, ""));
    let target = match path.split('?').next().unwrap_or_default() {
        // On 404.html, whose base is the start page, mdBook means the page itself too.
        "" => name.to_path_buf(),
        path => {
            let from = match &pages[name].base {
                Some(_) => Path::new(""),
                None => name.parent().unwrap_or(Path::new("")),
            };
            let decoded = percent_decode(path)
                .ok_or_else(|| format!("`{link}` has a broken percent sign"))?;
            let target = normal(&from.join(decoded.trim_start_matches('/')))
                .ok_or_else(|| format!("`{link}` leads out of the book"))?;
            match folder.join(&target).is_dir() {
                true => target.join("index.html"),
                false => target,
            }
        }
    };
    if !folder.join(&target).is_file() {
        return Err(format!("`{link}` leads to {}, which is not there", target.display()));
    }
    let Some(page) = pages.get(&target).filter(|_| !fragment.is_empty()) else { return Ok(()) };
    let id = percent_decode(fragment).unwrap_or_else(|| fragment.to_owned());
    match page.ids.contains(&id) {
        true => Ok(()),
        false => Err(format!("`{link}`: {} has no heading #{id}", target.display())),
    }
}

/// The path without `.` and `..`; `None` where it leads out of the folder.
fn normal(path: &Path) -> Option<PathBuf> {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::Normal(name) => result.push(name),
            Component::CurDir => {}
            Component::ParentDir => result.pop().then_some(())?,
            Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    Some(result)
}

/// Says in a problem of the output which line of the sources is meant, if a line is easy to find.
pub(crate) fn trace_to_source(problem: &mut Problem, root: &Path, source: &Path) {
    let page = source.join(&problem.file).with_extension("md");
    let Ok(text) = fs::read_to_string(&page) else { return };
    let Some(link) = problem.message.split('`').nth(1) else { return };
    let link = format!("({})", link.replace(".html", ".md"));
    let Some(index) = text.lines().position(|line| line.contains(&link)) else { return };
    problem.file = page.strip_prefix(root).unwrap_or(&page).to_path_buf();
    problem.line = Some(index + 1);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{lines, write};

    #[test]
    fn dead_links_are_found_in_the_output() {
        let folder = tempfile::tempdir().unwrap();
        let page = r##"<a href="b.html#there">ok</a> <a href="#top">ok</a><h1 id="top"></h1>
            <a href="b.html#gone">1</a> <a href="c.html">2</a> <a href="../x">3</a>
            <a href="https://example.org/">ok</a> <img src="https://example.org/x.png">
            <script>const x = '<a href="no.html">';</script><code>&lt;a href="no.html"></code>
            <a href="sub/d.html">ok</a> <a href="raw.txt">ok</a> <a href="mailto:a@b">ok</a>
            <img src="data:,x"> <link rel="canonical" href="https://example.org/a.html">
            <link rel="alternate StyleSheet" href="https://example.org/x.css"> <link rel="next" href="f.html">"##;
        let files = [
            ("a.html", page),
            ("b.html", r#"<h2 id="there">x</h2>"#),
            ("sub/d.html", r##"<a href="../a.html">ok</a> <a href="a.html">4</a>"##),
            ("404.html", r#"<base href="/"><a href="a.html">ok</a><a href="z.html">5</a>"#),
            ("raw.txt", ""),
        ];
        write(folder.path(), &files);
        let expect = [
            "404.html: `z.html` leads to z.html, which is not there",
            "a.html: `b.html#gone`: b.html has no heading #gone",
            "a.html: `c.html` leads to c.html, which is not there",
            "a.html: `../x` leads out of the book",
            "a.html: loads https://example.org/x.png from another host",
            "a.html: loads https://example.org/x.css from another host",
            "a.html: `f.html` leads to f.html, which is not there",
            "sub/d.html: `a.html` leads to sub/a.html, which is not there",
        ];
        assert_eq!(lines(&check_links(folder.path()).unwrap()), expect);
    }
}
