//! Checks the three settings of `book.toml` that a published book has: the addresses of the book, of its repository, and
//! at which a page of it is edited.
//!
//! mdBook writes each of them into the pages as it is, so a wrong one is refused before.

use std::sync::LazyLock;

use anyhow::{Result, bail};
use mdbook_driver::config::Config;
use regex::Regex;

const SITE: &str = "output.html.site-url";
const REPOSITORY: &str = "output.html.git-repository-url";
const EDIT: &str = "output.html.edit-url-template";

/// The part of an address before its path.
const ORIGIN: &str = r"(?i:https?)://(?:[\p{L}\p{N}.-]+|\[[0-9A-Fa-f:.]+\])(?::[0-9]+)?";

/// A setting, the pattern that it has to match, and that in words.
struct Expected {
    setting: &'static str,
    looks: Regex,
    words: &'static str,
}

static EXPECTED: LazyLock<[Expected; 3]> = LazyLock::new(|| {
    let folder = r#"/(?:[^\s/?#\\"<>]+/)*"#;
    [
        Expected {
            setting: SITE,
            looks: whole(&format!("(?:{ORIGIN})?{folder}")),
            words: "the address of the folder in which the book lies, or only its path, and a slash at the end: \
                    \"https://example.org/book/\" or \"/book/\"",
        },
        Expected {
            setting: REPOSITORY,
            looks: whole(&format!(r#"{ORIGIN}(?:/[^\s/?#\\"<>]+)+/?"#)),
            words: "an address that a browser opens and `git clone` takes: \"https://example.org/owner/name\"",
        },
        Expected {
            setting: EDIT,
            looks: whole(&format!(r#"{ORIGIN}/[^\s\\"<>]*\{{path\}}[^\s\\"<>]*"#)),
            words: "the address at which a page is edited, with {path} where the page's own path goes: \
                    \"https://example.org/owner/name/edit/main/{path}\"",
        },
    ]
});

/// Makes an expression that matches a whole text.
fn whole(pattern: &str) -> Regex {
    Regex::new(&format!("^{pattern}$")).expect("a correct expression")
}

/// Checks the three settings. Fails where one is not what it has to be.
pub(crate) fn check(config: &Config) -> Result<()> {
    for Expected { setting, looks, words } in &*EXPECTED {
        let Some(value) = config.get::<String>(setting)? else { continue };
        if !looks.is_match(&value) {
            let name = setting.trim_start_matches("output.html.");
            bail!("{name} = \"{value}\" in book.toml (or MDBOOK_…) has to be {words}");
        }
    }
    Ok(())
}

/// Sets the book's address to the top of its host, where the page for missing addresses then looks for its files.
pub(crate) fn serve_at_the_top(config: &mut Config) -> Result<()> {
    config.set(SITE, "/")
}

/// The parts of the addresses at which a page is edited and at which it is shown: of GitHub and GitLab, and of Forgejo and
/// Gitea (Codeberg).
const EDITED_AND_SHOWN: [(&str, &str); 2] = [("/edit/", "/blob/"), ("/_edit/", "/src/branch/")];

/// The end of the address at which Bitbucket lets one edit a file.
const EDIT_MODE: &str = "?mode=edit";

/// Returns the address at which a reader sees a file, with `{path}` in it; `None` where the settings have none at which one
/// is edited.
pub(crate) fn shown_at(config: &Config) -> Option<String> {
    let edited: String = config.get(EDIT).ok()??;
    let (before, after) = edited.split_once("{path}")?;
    let shown = EDITED_AND_SHOWN.iter().find_map(|(edit, show)| {
        // The last one: an owner or a repository may have the same name.
        let (repository, branch) = before.rsplit_once(edit)?;
        Some(format!("{repository}{show}{branch}"))
    });
    let before = shown.as_deref().unwrap_or(before);
    let after = if after.starts_with(EDIT_MODE) { "" } else { after };
    Some(format!("{before}{{path}}{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::SETTINGS;

    fn settings(name: &str, value: &str) -> Config {
        format!("{SETTINGS}{name} = \"{value}\"\n").parse().unwrap()
    }

    #[test]
    fn a_setting_is_right_or_refused_with_what_it_has_to_be() {
        let site_url = "the folder in which the book lies";
        let repository = "`git clone` takes";
        let edit = "{path}";
        for (name, words, right, wrong) in [
            (
                "site-url",
                site_url,
                "https://example.org/book/ https://example.org/ http://127.0.0.1:8000/a/b/ HTTPS://Example.ORG/Book/ \
                 https://[2001:db8::1]:8443/ https://bücher.example/%C3%BC/ / /book/ /a/b/",
                "https://example.org/book https://example.org https://… /book book/ example.org/book/ // //example.org/ \
                 https://example.org/book/?a https://example.org/book/#a https://example.org//book/ https:///book/ \
                 https://example.org/book/index.html ftp://example.org/ file:///srv/book/ https:example.org/",
            ),
            (
                "git-repository-url",
                repository,
                "https://github.com/owner/name https://github.com/owner/name.git https://gitlab.com/group/part/name/ \
                 https://codeberg.org/owner/name http://127.0.0.1:3000/owner/name",
                "https://… git@github.com:owner/name.git ssh://git@github.com/owner/name github.com/owner/name \
                 https://github.com https://github.com/ /srv/git/name file:///srv/git/name",
            ),
            (
                "edit-url-template",
                edit,
                "https://github.com/owner/name/edit/main/{path} https://gitlab.com/group/name/-/edit/main/{path} \
                 https://codeberg.org/owner/name/_edit/main/{path} \
                 https://bitbucket.org/owner/name/src/main/{path}?mode=edit https://git.example.org/edit?file={path}",
                "https://…/edit/main/{path} https://github.com/owner/name/edit/main/ github.com/owner/name/edit/main/{path} \
                 https://github.com/owner/name/edit/main/{Path} {path} /edit/{path}",
            ),
        ] {
            for value in right.split_whitespace() {
                check(&settings(name, value)).unwrap_or_else(|error| panic!("{value}: {error}"));
            }
            for value in
                wrong.split_whitespace().chain(["", " ", "https://example.org/a b/{path}/"])
            {
                let error = check(&settings(name, value)).expect_err(value).to_string();
                let names =
                    error.starts_with(&format!("{name} = \"{value}\"")) && error.contains(words);
                assert!(names, "{value}: {error}");
            }
        }
        check(&SETTINGS.parse().unwrap()).unwrap();
    }

    #[test]
    fn a_file_is_shown_where_its_service_shows_it() {
        for (edited, shown) in [
            (
                "https://github.com/edit/x/edit/main/{path}",
                "https://github.com/edit/x/blob/main/{path}",
            ),
            (
                "https://gitlab.com/a/b/c/-/edit/main/{path}",
                "https://gitlab.com/a/b/c/-/blob/main/{path}",
            ),
            (
                "https://codeberg.org/a/b/_edit/main/{path}",
                "https://codeberg.org/a/b/src/branch/main/{path}",
            ),
            (
                "https://bitbucket.org/a/b/src/main/{path}?mode=edit&spa=0",
                "https://bitbucket.org/a/b/src/main/{path}",
            ),
            ("https://a.b/tree/{path}?h=main", "https://a.b/tree/{path}?h=main"),
        ] {
            assert_eq!(shown_at(&settings("edit-url-template", edited)).as_deref(), Some(shown));
        }
        assert_eq!(shown_at(&SETTINGS.parse().unwrap()), None);
    }
}
