//! `book.toml`, and the settings in it that would destroy or lose something.

use std::{
    fs,
    path::{Component, Path, PathBuf, absolute},
};

use anyhow::{Context, Result, bail};
use mdbook_driver::config::{Config, HtmlConfig};

use crate::published;

/// What mdBook leaves in every book that it builds.
const IN_EACH_BOOK: [&str; 3] = [".nojekyll", "index.html", "toc.html"];

/// What shows that a folder with a book in it is somebody's checkout of a published site.
const IN_NO_BOOK: [&str; 3] = [".git", ".github", "CNAME"];

/// What `book.toml` and the environment say, with another output folder if one is given.
pub(crate) fn read(root: &Path, destination: Option<&Path>) -> Result<Config> {
    let settings = root.join("book.toml");
    let mut config = Config::from_disk(&settings)
        .with_context(|| format!("cannot use {}", settings.display()))?;
    config.update_from_env().context("an environment variable MDBOOK_… is no setting of mdBook")?;
    if let Some(destination) = destination {
        config.build.build_dir = full_path(destination)?;
    }
    refuse_to_delete(root, &config)?;
    refuse_dropped_table(&config)?;
    published::check(&config)?;
    Ok(config)
}

pub(crate) fn full_path(path: &Path) -> Result<PathBuf> {
    absolute(path).with_context(|| format!("cannot tell where {} is", path.display()))
}

/// Fails where a build would delete the book's sources, or something else that is no built book: mdBook empties its output
/// folder. Its default for that is `book`, where our sources are, and `MDBOOK_BUILD__BUILD_DIR` can set it to anything.
pub(crate) fn refuse_to_delete(root: &Path, config: &Config) -> Result<()> {
    let source = resolved(&root.join(&config.book.src))?;
    let output = resolved(&root.join(&config.build.build_dir))?;
    if output.starts_with(&source) || source.starts_with(&output) {
        bail!(
            "refusing to build into {}: a build empties its output folder, and that would delete the book's \
             sources in {}. Set `build-dir` in book.toml (or MDBOOK_BUILD__BUILD_DIR) to another folder, such as target/book",
            output.display(),
            source.display()
        );
    }
    // One that can't be read does not exist yet.
    let entries: Vec<_> =
        fs::read_dir(&output).into_iter().flatten().flatten().map(|it| it.file_name()).collect();
    let is_book = IN_EACH_BOOK.iter().all(|name| entries.iter().any(|entry| entry == name));
    let foreign = entries.iter().find(|entry| IN_NO_BOOK.iter().any(|name| *entry == name));
    let why = match foreign {
        Some(name) => format!("it holds {}, which no build has made", name.to_string_lossy()),
        None if is_book || entries.is_empty() => return Ok(()),
        None => "what is in it is no built book".to_owned(),
    };
    bail!(
        "refusing to build into {}: a build empties that folder, and {why}. \
         Set `build-dir` (or `--out`) to a new or an empty folder, such as target/book",
        output.display()
    )
}

/// The path as the file system has it, even if its last parts do not exist yet.
fn resolved(path: &Path) -> Result<PathBuf> {
    let path = full_path(path)?;
    for existing in path.ancestors() {
        let Ok(mut resolved) = fs::canonicalize(existing) else { continue };
        let missing = path.strip_prefix(existing).expect("an ancestor begins the path");
        for name in missing.components() {
            match name {
                Component::ParentDir => drop(resolved.pop()),
                name => resolved.push(name),
            }
        }
        return Ok(resolved);
    }
    bail!("{} is no folder", path.display())
}

/// Fails where mdBook would silently ignore the whole table `[output.html]` for one wrong word in it.
fn refuse_dropped_table(config: &Config) -> Result<()> {
    let table = config.get::<HtmlConfig>("output.html");
    let table = table.context("mdBook would ignore all of [output.html] in book.toml")?;
    table.map(drop).context("book.toml has no table [output.html]")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{SETTINGS, repository};

    fn settings(build_dir: &str) -> Config {
        SETTINGS.replace("target/book", build_dir).parse().unwrap()
    }

    #[test]
    fn a_build_never_empties_the_sources() {
        let folder = repository("# A\n");
        let root = folder.path();
        fs::create_dir(root.join("precious")).unwrap();
        fs::write(root.join("precious/file"), "").unwrap();
        let absolute = root.join("book");
        #[cfg(unix)]
        std::os::unix::fs::symlink(&absolute, root.join("link")).unwrap();
        let dangers =
            ["book", "./book", "book/html", ".", "target/../book", "x/../book", "precious"];
        let link = cfg!(unix).then_some("link");
        for danger in dangers.into_iter().chain(absolute.to_str()).chain(link) {
            assert!(refuse_to_delete(root, &settings(danger)).is_err(), "{danger}");
        }
        for fine in ["target/book", "books", "precious/new"] {
            refuse_to_delete(root, &settings(fine)).unwrap();
        }
        // mdBook's own default.
        let default: Config = "[book]\nsrc = \"book\"\n".parse().unwrap();
        assert!(refuse_to_delete(root, &default).is_err());
        assert!(root.join("book/a.md").exists());
    }

    /// It has all that a built one has, and a history.
    #[test]
    fn a_checkout_of_a_published_book_is_not_emptied() {
        let folder = repository("# A\n");
        let site = folder.path().join("site");
        fs::create_dir(&site).unwrap();
        let refusal = || refuse_to_delete(folder.path(), &settings("site"));
        for name in IN_EACH_BOOK {
            fs::write(site.join(name), "").unwrap();
        }
        refusal().unwrap();
        for name in IN_NO_BOOK {
            fs::write(site.join(name), "").unwrap();
            let error = refusal().unwrap_err().to_string();
            assert!(error.contains(name), "{error}");
            fs::remove_file(site.join(name)).unwrap();
        }
        fs::remove_file(site.join("toc.html")).unwrap();
        assert!(refusal().is_err());
    }

    #[test]
    fn a_table_that_mdbook_drops_is_an_error() {
        let config: Config = format!("{SETTINGS}no-such-setting = 1\n").parse().unwrap();
        for dropped in [config, Config::default()] {
            assert!(refuse_dropped_table(&dropped).is_err());
        }
    }
}
