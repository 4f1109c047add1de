//! Makes the macros that run a test for each declared server.

use std::{collections::BTreeSet, env, fmt::Write, fs, path::Path};

use records::servers::{FOREIGN, SERVERS};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let folder = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let target = Path::new(&folder).join("for_each_rung.rs");
    fs::write(&target, for_each_macros())
        .unwrap_or_else(|error| panic!("{}: {error}", target.display()));
}

/// The servers on which a plain `cargo test` runs the whole contract. On the others of the ladder it runs the list
/// `smoke`, and `cargo test -- --include-ignored` runs everything on all.
const WHOLE: [&str; 3] = ["ch01_single_threaded", "ch03_threadpool", "ch06_tokio"];

/// The one of them on which a plain `cargo test` runs the lists whose names end with `_slow` too: their tests wait for
/// seconds.
const PATIENT: &str = "ch06_tokio";

/// One server of each way of scheduling: those that speak for the ladder where the site decides, which all of it shares.
const SPEAKERS: [&str; 5] =
    ["ch01_single_threaded", "ch02_thread_spawn", "ch03_threadpool", "event_loop", "ch06_tokio"];

/// A server, and the lists whose tests are made for it.
struct Entry {
    name: &'static str,
    /// Each with whether a plain `cargo test` runs it.
    lists: Vec<(String, bool)>,
}

/// The macros `for_each_rung!`, which makes tests for the servers of the ladder, and `for_each_server!`, which makes
/// those of the contract, also for the servers outside it. A plain `cargo test` runs none of the latter, and so compiles
/// none.
fn for_each_macros() -> String {
    for server in SERVERS.iter() {
        let mut speakers = SERVERS.iter().filter(|one| SPEAKERS.contains(&one.name.as_str()));
        let is_spoken_for = speakers.any(|one| one.schedule == server.schedule);
        assert!(is_spoken_for, "SPEAKERS has no server that schedules as {}", server.name);
    }

    let mut rungs = Vec::new();
    let mut servers = Vec::new();
    for server in SERVERS.iter() {
        let name = server.name.as_str();
        let own = |runs| lists(name, format!("{:?}", server.schedule), runs);
        rungs.push(Entry { name, lists: own(true) });
        let mut contract = own(WHOLE.contains(&name));
        contract.push(("smoke".to_owned(), true));
        if SPEAKERS.contains(&name) {
            contract.push(("for_each_parser".to_owned(), WHOLE.contains(&name)));
        }
        servers.push(Entry { name, lists: contract });
    }
    for server in FOREIGN.iter() {
        let mut contract = lists(&server.name, format!("{:?}", server.schedule), false);
        contract.push(("smoke".to_owned(), false));
        contract.push(("for_each_parser".to_owned(), false));
        servers.push(Entry { name: &server.name, lists: contract });
    }
    for_each("for_each_rung", &rungs) + &for_each("for_each_server", &servers)
}

/// The lists for all servers, for those of one schedule, and for a single one; each also with the ending `_slow`.
fn lists(name: &str, schedule: String, runs: bool) -> Vec<(String, bool)> {
    let lists = ["every".to_owned(), schedule, name.to_owned()];
    let with_slow = |list: String| {
        let slow = format!("{list}_slow");
        [(list, runs), (slow, runs && name == PATIENT)]
    };
    lists.into_iter().flat_map(with_slow).collect()
}

/// A macro that makes a module of tests for each of these servers.
///
/// It takes lists of functions that take a `Rung`, such as `every: [...]`, and makes a test for each server that has the
/// list. A list that no server has does not compile.
fn for_each(name: &str, servers: &[Entry]) -> String {
    let mut modules = String::new();
    let mut own = String::new();
    let mut all = BTreeSet::new();
    for Entry { name: of, lists } in servers {
        let _ = writeln!(modules, "mod {of} {{ $crate::{name}! {{ @tests {of} $($lists)* }} }}");
        for (list, runs) in lists {
            let ignore = if *runs { "" } else { "#[ignore = \"slow\"]" };
            let _ = writeln!(
                own,
                "(@tests {of} {list}: [$($(#[$attribute:meta])* $test:ident),* $(,)?] $($lists:tt)*) => {{
                    $($(#[$attribute])* #[test] {ignore}
                    fn $test() {{ $crate::check(\"{of}\", stringify!($test), super::$test); }})*
                    $crate::{name}! {{ @tests {of} $($lists)* }}
                }};"
            );
            all.insert(list);
        }
    }
    let others: String = all
        .iter()
        .map(|list| {
            format!(
                "(@tests $server:ident {list}: [$($tests:tt)*] $($lists:tt)*) => {{
                    $crate::{name}! {{ @tests $server $($lists)* }}
                }};\n"
            )
        })
        .collect();
    format!(
        "/// Makes a module of tests for each of certain servers: see build.rs.
        #[macro_export]
        macro_rules! {name} {{
            {own} {others} (@tests $server:ident) => {{}};
            ($($lists:tt)*) => {{ {modules} }};
        }}\n"
    )
}
