//! The size of a server, the size of its runtime, and the lines of code in its sources.
//!
//! Build a server for release, then run this:
//!
//!     cargo build --release --example ch06_tokio
//!     cargo run --example shipped -- --executable release/examples/ch06_tokio --own examples/ch06/ch06_tokio

mod lines;
mod sizes;

use std::path::{Path, PathBuf};

use experiment::{complain, fail, print_figures, say};
use lexopt::prelude::*;
use sizes::Shipped;

const USAGE: &str = "\
Usage: shipped [OPTIONS]

Prints how much is shipped of a server, how much the runtime takes that it needs, and how many lines its
sources have. Sources are files and folders below the repository's root.

  --executable FILE    what was compiled to machine code, below cargo's target folder
  --jar FILE           what was compiled for Java, below that folder
  --runtime NAME       nothing is compiled, and this runs the sources: node or deno
  --own PATHS          the sources that are this server's own
  --shared PATHS       the sources that it shares with others
  --json               print it as JSON
  -h, --help           print this
";

/// What the command line says.
#[derive(Default)]
struct Options {
    executable: Option<PathBuf>,
    jar: Option<PathBuf>,
    runtime: Option<String>,
    own: Vec<PathBuf>,
    shared: Vec<PathBuf>,
    json: bool,
}

fn main() {
    let options = read_options().unwrap_or_else(|error| {
        complain(format_args!("shipped: {error}; --help lists the options"));
        std::process::exit(2)
    });
    let figures = count(&options).unwrap_or_else(|complaint| fail("shipped", complaint));
    if options.json {
        return print_figures(&figures);
    }
    for (name, value) in figures {
        say(format!("{name:<18}{}", value.map_or("-".to_owned(), |it| format!("{it:.1}"))));
    }
}

/// What the command line says. Prints the usage and ends the process on `--help`.
fn read_options() -> Result<Options, lexopt::Error> {
    let mut options = Options::default();
    let mut parser = lexopt::Parser::from_env();
    while let Some(argument) = parser.next()? {
        match argument {
            Long("executable") => options.executable = Some(below_target(&parser.value()?)),
            Long("jar") => options.jar = Some(below_target(&parser.value()?)),
            Long("runtime") => options.runtime = Some(parser.value()?.string()?),
            Long("own") => options.own.extend(parser.values()?.map(PathBuf::from)),
            Long("shared") => options.shared.extend(parser.values()?.map(PathBuf::from)),
            Long("json") => options.json = true,
            Long("help") | Short('h') => {
                say(USAGE.trim_end());
                std::process::exit(0)
            }
            other => return Err(other.unexpected()),
        }
    }
    Ok(options)
}

/// A path below cargo's target folder: this program is in `release/examples` there, or in `debug/examples`.
fn below_target(path: impl AsRef<Path>) -> PathBuf {
    let own = std::env::current_exe().unwrap_or_default();
    own.ancestors().nth(3).unwrap_or(Path::new("target")).join(path)
}

/// The figures of a server, in KiB, MiB and lines of code.
fn count(options: &Options) -> Result<Vec<(&'static str, Option<f64>)>, String> {
    let own = lines::sources(&options.own)?;
    let shared = lines::sources(&options.shared)?;
    let Shipped { unstripped, bytes, runtime } =
        match (&options.executable, &options.jar, &options.runtime) {
            (Some(file), None, None) => sizes::machine_code(file)?,
            (None, Some(file), None) => sizes::jar(file)?,
            (None, None, Some(runtime)) => {
                sizes::sources(own.iter().chain(&shared).map(String::len).sum(), runtime)?
            }
            _ => return Err("--executable, --jar or --runtime: one of them".to_owned()),
        };
    let lines = |sources: &[String]| {
        Some(sources.iter().map(|it| lines::of_code(it)).sum::<usize>() as f64)
    };
    let [kib, mib] = [1024.0, 1024.0 * 1024.0].map(|unit| move |bytes: u64| bytes as f64 / unit);
    Ok(vec![
        ("installed_mib", Some(mib(bytes + runtime))),
        ("shipped_kib", Some(kib(bytes))),
        ("unstripped_kib", unstripped.map(kib)),
        ("runtime_mib", Some(mib(runtime))),
        ("own_lines", lines(&own)),
        ("shared_lines", lines(&shared)),
    ])
}
