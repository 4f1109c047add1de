//! Finds settings outside of the repository that change how cargo compiles or how a server runs, and so the figures.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
};

/// Variables of the environment that change what is compiled, or how it runs.
const VARIABLES: &str = "RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_INCREMENTAL RUSTC RUSTC_WRAPPER \
    RUSTC_WORKSPACE_WRAPPER CARGO_BUILD_RUSTFLAGS CARGO_BUILD_TARGET CARGO_BUILD_RUSTC CARGO_BUILD_INCREMENTAL \
    CARGO_BUILD_RUSTC_WRAPPER CARGO_BUILD_RUSTC_WORKSPACE_WRAPPER \
    LD_PRELOAD GLIBC_TUNABLES TOKIO_WORKER_THREADS ASYNC_STD_THREAD_COUNT SMOL_THREADS \
    GOAMD64 GOARM64 GOEXPERIMENT GODEBUG GOGC GOMAXPROCS GOMEMLIMIT \
    JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS NODE_OPTIONS UV_THREADPOOL_SIZE DENO_V8_FLAGS";

/// Keys of the table `build` in a settings file of cargo that do the same.
const BUILD_KEYS: [&str; 6] =
    ["rustflags", "target", "rustc", "rustc-wrapper", "rustc-workspace-wrapper", "incremental"];

/// Returns these settings: environment variables, and keys of cargo's configuration files. Empty if only the repository
/// decides how everything is compiled.
pub fn settings(root: &Path) -> BTreeMap<String, String> {
    let mut variables = Vec::new();
    for (name, value) in env::vars_os() {
        variables.push((name.to_string_lossy().into_owned(), value.to_string_lossy().into_owned()));
    }
    let mut files = Vec::new();
    for path in config_files(root, cargo_home()) {
        files.extend(fs::read_to_string(path));
    }
    collect(variables.into_iter(), &files)
}

fn collect(
    variables: impl Iterator<Item = (String, String)>,
    files: &[String],
) -> BTreeMap<String, String> {
    let mut found: BTreeMap<String, String> =
        variables.filter(|(name, value)| counts(name) && !value.is_empty()).collect();
    for file in files {
        // A file that can't be read is cargo's to complain about.
        let Ok(table) = file.parse::<toml::Table>() else { continue };
        for (name, value) in keys(&table) {
            // Cargo joins lists of several files; of other values the nearest counts, which comes first.
            found.entry(name).and_modify(|it| *it += &format!("; {value}")).or_insert(value);
        }
    }
    found
}

/// Tells whether a variable of this name changes the figures.
fn counts(name: &str) -> bool {
    let of_target = name.starts_with("CARGO_TARGET_")
        && ["_RUSTFLAGS", "_LINKER", "_RUNNER"].iter().any(|end| name.ends_with(end));
    of_target
        || name.starts_with("CARGO_PROFILE_")
        || name.starts_with("MALLOC_")
        || VARIABLES.split_whitespace().any(|known| known == name)
}

/// The settings files that cargo reads for a folder, the nearest first.
fn config_files(root: &Path, home: Option<PathBuf>) -> Vec<PathBuf> {
    let above = root.ancestors().map(|folder| folder.join(".cargo"));
    let mut folders: Vec<PathBuf> = above.collect();
    folders.extend(home.filter(|home| !folders.contains(home)));
    folders.iter().filter_map(|folder| config_file_in(folder)).collect()
}

/// Returns the settings file in a folder. Cargo takes the older name, if both are there.
fn config_file_in(folder: &Path) -> Option<PathBuf> {
    let names = ["config", "config.toml"].map(|name| folder.join(name));
    names.into_iter().find(|path| path.is_file())
}

/// Returns cargo's own folder.
fn cargo_home() -> Option<PathBuf> {
    env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| env::home_dir().map(|home| home.join(".cargo")))
}

/// Returns the keys of a configuration file that decide how programs are compiled, such as `profile.release.lto`.
fn keys(table: &toml::Table) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, value) in table {
        match (name.as_str(), value) {
            ("profile" | "target", value) => flatten(name, value, &mut found),
            ("build", toml::Value::Table(build)) => {
                for (key, value) in
                    build.iter().filter(|(key, _)| BUILD_KEYS.contains(&key.as_str()))
                {
                    flatten(&format!("build.{key}"), value, &mut found);
                }
            }
            _ => {}
        }
    }
    found
}

fn flatten(name: &str, value: &toml::Value, found: &mut Vec<(String, String)>) {
    match value {
        toml::Value::Table(table) => {
            for (key, value) in table {
                flatten(&format!("{name}.{key}"), value, found);
            }
        }
        value => found.push((name.to_owned(), words(value))),
    }
}

/// Writes a value as a person would on a command line.
fn words(value: &toml::Value) -> String {
    match value {
        toml::Value::String(text) => text.clone(),
        toml::Value::Integer(number) => number.to_string(),
        toml::Value::Float(number) => number.to_string(),
        toml::Value::Boolean(is) => is.to_string(),
        toml::Value::Array(list) => list.iter().map(words).collect::<Vec<_>>().join(" "),
        toml::Value::Table(_) | toml::Value::Datetime(_) => "…".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_changes_a_measurement_is_found_and_nothing_else() {
        let variables = [
            ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0"),
            ("RUSTFLAGS", "-C target-cpu=native"),
            ("CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS", "-g"),
            ("CARGO_TARGET_DIR", "/t"),
            ("CARGO_HOME", "/h"),
            ("GOGC", ""),
            ("PATH", "/bin"),
        ];
        let variables = variables.map(|(name, value)| (name.to_owned(), value.to_owned()));
        let near =
            "[build]\nrustflags = [\"-C\", \"lto\"]\ntarget-dir = \"t\"\n[alias]\nx = \"run\"\n";
        let far = "[build]\nrustflags = [\"-g\"]\n[profile.release]\nlto = true\n";
        let found = collect(variables.into_iter(), &[near, far].map(str::to_owned));
        let found: Vec<String> =
            found.into_iter().map(|(name, value)| format!("{name}={value}")).collect();
        assert_eq!(
            found,
            [
                "CARGO_PROFILE_RELEASE_OPT_LEVEL=0",
                "CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUSTFLAGS=-g",
                "RUSTFLAGS=-C target-cpu=native",
                "build.rustflags=-C lto; -g",
                "profile.release.lto=true",
            ]
        );
    }

    /// Makes a folder with an empty file.
    fn empty_file(folder: &Path, name: &str) -> PathBuf {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join(name), "").unwrap();
        folder.join(name)
    }

    #[test]
    fn cargos_files_are_those_above_the_repository_and_its_own() {
        let folder = tempfile::tempdir().unwrap();
        let [root, home] = ["above/here", "home"].map(|name| folder.path().join(name));
        fs::create_dir_all(&root).unwrap();
        let above = empty_file(&folder.path().join("above/.cargo"), "config.toml");
        let own = empty_file(&home, "config.toml");
        let mut found = config_files(&root, Some(home));
        found.retain(|path| path.starts_with(folder.path()));
        assert_eq!(found, [above, own]);
    }

    /// The repository's own file of settings changes nothing of what is compiled.
    #[test]
    fn the_repository_sets_nothing_of_this() {
        let root = records::base::find_root().unwrap();
        let text = fs::read_to_string(root.join(".cargo/config.toml")).unwrap();
        assert_eq!(collect(std::iter::empty(), &[text]), BTreeMap::new());
    }
}
