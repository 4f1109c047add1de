//! The toolchains that build the servers in other languages, and the commands that start these.

use std::{
    collections::BTreeMap,
    env::{self, consts::EXE_EXTENSION},
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
};

use serde::Deserialize;

use crate::{
    base::programs::how_to_install,
    servers::{FILE, Server, complaints, example_folder},
};

/// The toolchain of one language other than Rust.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Toolchain {
    /// Its name, by which a server names it, and that of its folder below `examples/` where it builds.
    pub name: String,
    /// Its usual name.
    pub title: String,
    /// The command that prints its version.
    pub version: Vec<String>,
    /// The oldest version with which the servers run.
    pub oldest: String,
    /// The commands with which its other programs print their versions, which must be the same.
    #[serde(default)]
    pub with: Vec<Vec<String>>,
    /// The variable that names the folder of an installation, where there may be several.
    pub home: Option<String>,
    /// Variables that its programs get, whatever their caller has; an empty one is taken away.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// The commands that build the servers, in that folder; none where they are run from their sources.
    #[serde(default)]
    pub build: Vec<Vec<String>>,
    /// The command that starts a server.
    pub start: Vec<String>,
}

/// Every toolchain.
pub static TOOLCHAINS: LazyLock<&'static [Toolchain]> = LazyLock::new(|| FILE.toolchain.as_slice());

impl Toolchain {
    /// Returns the line with which it prints its version. Fails when it is not installed, or too old: in one line, with
    /// what to install.
    pub fn require(&self) -> Result<String, String> {
        self.installed_version().map_err(|why| {
            let Toolchain { title, oldest, version, .. } = self;
            let how = how_to_install(&version[0]);
            format!("{title} {oldest} or newer is needed ({why}). {how}")
        })
    }

    /// Returns the line with which it prints its version. Fails with the reason why its servers can't be built or run
    /// with what is installed.
    pub fn installed_version(&self) -> Result<String, String> {
        let line = self.first_line(&self.version)?;
        let version = numbers_in(&line);
        if version < numbers_in(&self.oldest) {
            return Err(format!("this is {line:?}"));
        }
        for other in &self.with {
            let others = self.first_line(other)?;
            if numbers_in(&others) != version {
                return Err(format!(
                    "the programs are of two installations: {line:?}, but {others:?}"
                ));
            }
        }
        Ok(line)
    }

    /// Returns the first line that a program of this toolchain prints.
    fn first_line(&self, words: &[String]) -> Result<String, String> {
        let mut command = self.command(words);
        let output = command.stdin(Stdio::null()).output();
        let output = output.map_err(|error| format!("{}: {error}", words[0]))?;
        let bytes = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&bytes);
        let line = text.lines().map(str::trim).find(|line| !line.is_empty());
        Ok(line.unwrap_or_default().to_owned())
    }

    /// Builds its servers, where they have to be built. Fails when that fails, with what was printed.
    pub fn build(&self, root: &Path) -> Result<(), String> {
        let out = self.out(root);
        fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
        for words in &self.build {
            let words = self.fill(words, root, "");
            let mut command = self.command(&words);
            command.current_dir(self.folder(root)).stdin(Stdio::null());
            let output = command.output().map_err(|error| format!("{}: {error}", words[0]))?;
            if !output.status.success() {
                let bytes = [output.stdout, output.stderr].concat();
                let printed = String::from_utf8_lossy(&bytes);
                return Err(format!("{} failed:\n{}", words.join(" "), printed.trim_end()));
            }
        }
        Ok(())
    }

    /// Returns the folder of its sources.
    pub fn folder(&self, root: &Path) -> PathBuf {
        example_folder(root, &self.name)
    }

    /// Returns the folder of its build output, beside cargo's.
    fn out(&self, root: &Path) -> PathBuf {
        let target =
            env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
        let folder = target.join("foreign").join(&self.name);
        std::path::absolute(&folder).unwrap_or(folder)
    }

    /// Fills in the folders, and the server's own word, where these words name them.
    fn fill(&self, words: &[String], root: &Path, main: &str) -> Vec<String> {
        let out = self.out(root).display().to_string();
        let folder = self.folder(root).display().to_string();
        let root = root.display().to_string();
        let places = [
            ("{main}", main),
            ("{out}", out.as_str()),
            ("{folder}", folder.as_str()),
            ("{root}", root.as_str()),
        ];
        let mut words = words.to_vec();
        for word in &mut words {
            for (place, filling) in places {
                *word = word.replace(place, filling);
            }
        }
        words
    }

    /// Makes the command that runs a program of this toolchain, with the settings that are declared.
    fn command(&self, words: &[String]) -> Command {
        let program = self.installed(&words[0]).unwrap_or_else(|| PathBuf::from(&words[0]));
        let mut command = Command::new(program);
        command.args(&words[1..]);
        for (name, value) in &self.settings {
            match value.as_str() {
                "" => command.env_remove(name),
                value => command.env(name, value),
            };
        }
        command
    }

    /// Finds a program in the one installation from which all are taken; `None` where there can't be several.
    fn installed(&self, program: &str) -> Option<PathBuf> {
        let home = env::var_os(self.home.as_ref()?);
        let folder = self.installation(home, &env::var_os("PATH").unwrap_or_default())?;
        let path = folder.join(program).with_extension(EXE_EXTENSION);
        path.is_file().then_some(path)
    }

    /// Finds the folder from which all programs of this toolchain are taken, where there may be several installations:
    /// below its home or, where that has no such program, the first in the path with the one that prints the version.
    fn installation(&self, home: Option<OsString>, path: &OsStr) -> Option<PathBuf> {
        let home = home.map(|home| Path::new(&home).join("bin"));
        for folder in home.into_iter().chain(env::split_paths(path)) {
            let program = folder.join(&self.version[0]).with_extension(EXE_EXTENSION);
            if program.is_file() {
                // The system's may be a link to one installation, and its neighbour a link to another.
                let program = program.canonicalize().unwrap_or(program);
                return program.parent().map(Path::to_path_buf);
            }
        }
        None
    }
}

impl Server {
    /// Makes the command with which its toolchain starts it, without any option yet; `None` where that is cargo. It has
    /// to be built.
    pub fn command(&self, root: &Path) -> Option<Command> {
        let (toolchain, main) = (self.toolchain()?, self.main.as_ref()?);
        Some(toolchain.command(&toolchain.fill(&toolchain.start, root, main)))
    }

    /// The same for the server as tutorials have it, where there is one.
    pub fn tutorial_command(&self, root: &Path) -> Option<Command> {
        let (toolchain, tutorial) = (self.toolchain()?, self.tutorial.as_ref()?);
        Some(toolchain.command(&toolchain.fill(&toolchain.start, root, tutorial)))
    }

    /// Returns the words of the command with which its toolchain starts it.
    pub fn words(&self, root: &Path) -> Option<Vec<String>> {
        let command = self.command(root)?;
        let words = [command.get_program()].into_iter().chain(command.get_args());
        Some(words.map(|word| word.to_string_lossy().into_owned()).collect())
    }

    /// Finds the file that is shipped: what its toolchain built, or the source where it builds nothing. It has to be
    /// built.
    pub fn shipped(&self, root: &Path) -> Option<PathBuf> {
        self.words(root)?.into_iter().rev().map(PathBuf::from).find(|path| path.is_file())
    }
}

/// Reads the numbers of the first version in a line: `go version go1.26.0 linux/amd64` has 1, 26 and 0.
fn numbers_in(line: &str) -> Vec<u32> {
    let start = line.find(|letter: char| letter.is_ascii_digit()).unwrap_or(line.len());
    let end = line[start..].find(|letter: char| !letter.is_ascii_digit() && letter != '.');
    let version = &line[start..end.map_or(line.len(), |end| start + end)];
    version.split('.').filter_map(|number| number.parse().ok()).collect()
}

/// Lists the mistakes in these declarations.
pub(crate) fn faults(toolchains: &[Toolchain]) -> Vec<String> {
    let mut faults = Vec::new();
    for (index, toolchain) in toolchains.iter().enumerate() {
        let twice = toolchains[..index].iter().any(|other| other.name == toolchain.name);
        let mut commands = toolchain.build.iter().chain([&toolchain.version, &toolchain.start]);
        let empty = commands.any(Vec::is_empty);
        let found = [(twice, " is declared twice"), (empty, " has an empty command")];
        faults.extend(complaints(&format!("the toolchain {}", toolchain.name), &found));
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::servers::{FOREIGN, keeps_the_contract};

    #[test]
    fn a_version_is_found_in_what_a_program_says() {
        assert_eq!(numbers_in("go version go1.26.0 linux/amd64"), [1, 26, 0]);
        assert_eq!(numbers_in("javac 21"), [21]);
        assert_eq!(numbers_in("v20.20.2"), [20, 20, 2]);
        assert_eq!(numbers_in("nothing"), [0; 0]);
        assert!(numbers_in("go1.9") < numbers_in("1.24"));
        assert!(numbers_in("17.0.2") < numbers_in("21"));
    }

    #[test]
    fn what_is_missing_is_said_in_one_line_with_what_to_install() {
        let go = Server::foreign("go_http").expect("it is declared");
        let mut toolchain = go.toolchain().expect("it is Go").clone();
        toolchain.version[0] = "no-such-program".to_owned();
        let complaint = toolchain.require().expect_err("there is no such program");
        assert_eq!(complaint.lines().count(), 1, "{complaint}");
        for words in ["Go", &toolchain.oldest, "no-such-program"] {
            assert!(complaint.contains(words), "{words:?} in {complaint}");
        }
        // Cargo is here, and no version of it is so new.
        let version = ["cargo", "--version"].map(str::to_owned).to_vec();
        let cargo = Toolchain { version, oldest: "99".to_owned(), ..toolchain };
        assert!(cargo.require().expect_err("it is older").contains("this is \"cargo 1"));
    }

    /// Compares the version of cargo with that of another program.
    fn cargo_and(other: &str) -> Result<String, String> {
        let java = TOOLCHAINS.iter().find(|it| it.name == "java").expect("it is declared");
        let toolchain = Toolchain {
            version: vec!["cargo".to_owned(), "--version".to_owned()],
            oldest: "1.0".to_owned(),
            with: vec![vec![other.to_owned(), "--version".to_owned()]],
            home: None,
            ..java.clone()
        };
        toolchain.installed_version()
    }

    #[test]
    fn programs_of_two_installations_are_told_apart() {
        cargo_and("cargo").expect("cargo has the version of cargo");
        let complaint = cargo_and("no-such-program").expect_err("it is not there");
        assert!(complaint.contains("no-such-program"), "{complaint}");
        let complaint = cargo_and("git").expect_err("git has another version");
        assert!(complaint.contains("\"cargo 1") && complaint.contains("\"git "), "{complaint}");
    }

    /// A home that only runs programs, as a JRE does, is no installation; nor is a folder of links to two of them.
    #[cfg(unix)]
    #[test]
    fn all_programs_are_taken_from_one_installation() {
        let java = TOOLCHAINS.iter().find(|it| it.name == "java").expect("it is declared");
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = folder.path().canonicalize().expect("it is there");
        for program in ["jre/bin/java", "old/bin/java", "new/bin/java", "new/bin/javac"] {
            let path = root.join(program);
            fs::create_dir_all(path.parent().expect("it has one")).expect("a folder can be made");
            fs::write(path, "").expect("a file can be written");
        }
        fs::create_dir(root.join("links")).expect("a folder can be made");
        for (program, installation) in [("java", "old"), ("javac", "new")] {
            let to = root.join(installation).join("bin").join(program);
            std::os::unix::fs::symlink(to, root.join("links").join(program)).expect("a link");
        }
        let jre = Some(root.join("jre").into_os_string());
        let found = java.installation(jre, root.join("links").as_os_str());
        assert_eq!(found, Some(root.join("new/bin")));
        assert_eq!(java.installation(None, OsStr::new("")), None);
    }

    #[test]
    fn a_callers_settings_do_not_reach_a_build() {
        let go = TOOLCHAINS.iter().find(|it| it.name == "go").expect("it is declared");
        let command = go.command(&go.version);
        let settings: BTreeMap<_, _> = command.get_envs().collect();
        assert_eq!(settings[OsStr::new("GOWORK")], Some(OsStr::new("off")));
        assert_eq!(settings[OsStr::new("GOFLAGS")], None);
    }

    #[test]
    fn every_idea_has_six_words_and_every_source_is_there() {
        let root = Path::new("../..");
        for server in FOREIGN.iter() {
            assert_eq!(server.idea.split_whitespace().count(), 6, "{}", server.name);
            let source = example_folder(root, &server.name).join("main.rs");
            assert_eq!(source.is_file(), server.toolchain().is_none(), "{}", source.display());
        }
        for toolchain in TOOLCHAINS.iter().filter(|toolchain| !toolchain.build.is_empty()) {
            assert!(toolchain.folder(root).is_dir(), "{}", toolchain.name);
        }
    }

    #[test]
    fn a_server_on_a_framework_has_no_toolchain() {
        let hyper = Server::foreign("hyper_site").expect("it is declared");
        assert_eq!((hyper.toolchain(), hyper.shipped(Path::new("/r"))), (None, None));
        let difference = hyper.difference("speaks_http_1_0").expect("hyper answers 1.0 with 1.0");
        assert!(difference.says.contains("HTTP/1.0"), "{difference:?}");
        assert_eq!(hyper.difference("answers_every_route"), None);
        let known =
            ["ch06_tokio", "hyper_site", "go_http", "wrong_servers"].map(keeps_the_contract);
        assert_eq!(known, [true, true, true, false]);
    }

    #[test]
    fn a_command_has_its_folders_and_its_server() {
        let root = Path::new("/r");
        for server in FOREIGN.iter() {
            let Some(main) = &server.main else { continue };
            let words = server.words(root).expect("it has a toolchain").join(" ");
            assert!(words.contains(main), "{words}");
            assert!(!words.contains(['{', '}']), "{words}");
        }
    }
}
