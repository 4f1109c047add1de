//! The size of what is shipped, and of what it runs on.

use std::{
    env, fs, io,
    path::{Path, PathBuf},
    process::{self, Command},
};

/// Sizes in bytes.
pub struct Shipped {
    /// Machine code as it was compiled, with symbols and lines for debuggers; `None` for anything else.
    pub unstripped: Option<u64>,
    /// Machine code without those, a jar, or sources.
    pub bytes: u64,
    /// The runtime, apart from the system's libraries.
    pub runtime: u64,
}

/// Machine code. `strip` takes away symbols and line numbers, which only debuggers read.
pub fn machine_code(file: &Path) -> Result<Shipped, String> {
    let unstripped = Some(size(file)?);
    let stripped = own_temporary("stripped");
    let said = said(Command::new("strip").arg("-o").arg(&stripped).arg(file));
    let bytes = said.and_then(|_| size(&stripped));
    let _ = fs::remove_file(&stripped);
    Ok(Shipped { unstripped, bytes: bytes?, runtime: 0 })
}

/// A jar. Its runtime is the smallest that `jlink` makes: with the modules that the jar needs.
pub fn jar(file: &Path) -> Result<Shipped, String> {
    let bytes = size(file)?;
    let modules = said(java("jdeps").arg("--print-module-deps").arg(file))?;
    let image = own_temporary("java");
    let mut jlink = java("jlink");
    jlink.args(["--no-header-files", "--no-man-pages", "--add-modules", &modules, "--output"]);
    let said = said(jlink.arg(&image));
    let runtime = said.and_then(|_| size(&image));
    let _ = fs::remove_dir_all(&image);
    Ok(Shipped { unstripped: None, bytes, runtime: runtime? })
}

/// Sources of so many bytes, and the executable of their runtime, which says itself where it is.
pub fn sources(bytes: usize, runtime: &str) -> Result<Shipped, String> {
    let question = match runtime {
        "node" => ["-p", "process.execPath"],
        "deno" => ["eval", "console.log(Deno.execPath())"],
        _ => return Err(format!("{runtime} is no runtime that this program knows")),
    };
    let runtime = size(Path::new(&said(Command::new(runtime).args(question))?))?;
    Ok(Shipped { unstripped: None, bytes: bytes as u64, runtime })
}

/// A tool of the JDK that `JAVA_HOME` names, or else of the system's.
fn java(tool: &str) -> Command {
    let home = env::var_os("JAVA_HOME").map(|home| Path::new(&home).join("bin").join(tool));
    Command::new(home.filter(|path| path.is_file()).unwrap_or_else(|| PathBuf::from(tool)))
}

/// A file or folder for temporary use that no other process of this program has.
fn own_temporary(name: &str) -> PathBuf {
    env::temp_dir().join(format!("shipped-{name}-{}", process::id()))
}

/// What a command prints, without the line's end.
fn said(command: &mut Command) -> Result<String, String> {
    let name = command.get_program().display().to_string();
    let output = command.output().map_err(|error| format!("{name}: {error}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    } else {
        let why = [output.stdout, output.stderr].concat();
        Err(format!("{name} failed: {}", String::from_utf8_lossy(&why).trim()))
    }
}

/// The size of a file, or of all files below a folder.
fn size(path: &Path) -> Result<u64, String> {
    below(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn below(path: &Path) -> io::Result<u64> {
    let about = fs::symlink_metadata(path)?;
    if !about.is_dir() {
        return Ok(about.len());
    }
    let mut bytes = 0;
    for entry in fs::read_dir(path)? {
        bytes += below(&entry?.path())?;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn machine_code_is_stripped_and_sources_have_a_runtime() {
        let own = env::current_exe().expect("it runs");
        if said(Command::new("strip").arg("--version")).is_ok() {
            let Shipped { unstripped, bytes, runtime } = machine_code(&own).expect("it is one");
            assert!(0 < bytes && Some(bytes) < unstripped && runtime == 0, "{bytes}");
        }
        if said(Command::new("node").arg("--version")).is_ok() {
            let Shipped { bytes, runtime, .. } = sources(7, "node").expect("it is there");
            assert!(bytes == 7 && runtime > 1_000_000, "{runtime}");
        }
    }

    #[test]
    fn what_fails_is_named() {
        let complaint = |result: Result<Shipped, String>| result.err().expect("it fails");
        assert!(complaint(machine_code(Path::new("/no/file"))).starts_with("/no/file: "));
        assert!(complaint(jar(Path::new("/no/file"))).starts_with("/no/file: "));
        assert!(complaint(sources(0, "ruby")).contains("no runtime"));
        assert!(
            said(&mut Command::new("no-such-program")).is_err_and(|why| why.contains("no-such"))
        );
        assert!(said(&mut Command::new("false")).is_err_and(|why| why.starts_with("false failed")));
    }
}
