//! `cargo xtask judge`: what it says of servers that are good, bad, and none at all.
#![cfg(unix)]

use std::{
    collections::BTreeSet,
    fs,
    io::{self, BufRead, BufReader, Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    panic::resume_unwind,
    thread,
    time::{Duration, Instant},
};

use ladder_tests::{
    Finished, cases::asked::ASKED, example, files_below, join_all, none, program, root, run,
};
use regex::Regex;
use serde_json::Value;

/// Longer than the judge takes by itself.
const BOUND: Duration = Duration::from_secs(20 * 60);

/// All pages of the site, as the judge is told.
const SITE: &str = "/,/sleep,/tenth,/file,/work";

/// Lets the judge judge.
fn judged(args: &[&str]) -> Finished {
    run(program("judge").args(args).current_dir(root()), BOUND)
}

/// Lets it judge the server that one of our examples is.
fn judged_example(name: &str, flags: &str, args: &[&str]) -> Finished {
    let server = example(name);
    let path = server.get_program().to_str().expect("the path is text");
    let path = shlex::try_quote(path).expect("a path has no NUL");
    let command = format!("exec {path} --port {{port}} {flags}");
    judged(&[&["--command", command.as_str()][..], args].concat())
}

/// A server of this test, which does the same to each client, with the number of that; its port.
fn bad(mut serve: impl FnMut(u32, TcpStream) -> io::Result<()> + Send + 'static) -> String {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a free port");
    let port = listener.local_addr().expect("it is bound").port();
    thread::spawn(move || {
        for (stream, number) in listener.incoming().zip(1..) {
            // It ends with its first error, and listens no more.
            if stream.and_then(|stream| serve(number, stream)).is_err() {
                return;
            }
        }
    });
    port.to_string()
}

/// A page, as the smallest server sends it that says what it does.
const PAGE: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nConnection: close\r\n\r\nhi\n";

/// Sends this as often as the client takes it.
fn without_end(mut stream: TcpStream, bytes: &'static [u8]) {
    thread::spawn(move || while stream.write_all(bytes).is_ok() {});
}

#[test]
fn a_server_that_cannot_be_judged_ends_in_one_clear_line() {
    // The listener ends with its statement.
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|it| it.local_addr());
    let nobody = free.expect("a free port").port().to_string();
    let mut held = Vec::new();
    let hangs = bad(move |_, stream| {
        held.push(stream);
        Ok(())
    });
    let floods = bad(|_, stream| {
        without_end(stream, &[b'x'; 65536]);
        Ok(())
    });
    let floods_in_a_body = bad(|_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n");
        without_end(stream, &[b'x'; 65536]);
        Ok(())
    });
    let chunk: &'static [u8] = format!("1000\r\n{}\r\n", "x".repeat(0x1000)).leak().as_bytes();
    let floods_in_chunks = bad(move |_, mut stream| {
        let _ = stream.write_all(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n");
        without_end(stream, chunk);
        Ok(())
    });
    let closes = bad(|_, _| Ok(()));
    // What a server that expects TLS says to a client that does not: a fatal alert.
    let speaks_tls = bad(|_, mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"\x15\x03\x01\x00\x02\x02\x46");
        Ok(())
    });
    let has_no_page = bad(|_, mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n");
        Ok(())
    });
    let cases = [
        (nobody, "no server listens on port"),
        (hangs, "it hangs: the server takes a connection and says nothing for 8 s"),
        (floods, "it does not answer a plain request: no HTTP response"),
        (floods_in_a_body, "more than 8 MiB came, without an end"),
        (floods_in_chunks, "more than 8 MiB came, without an end"),
        (closes, "it closes at once"),
        (speaks_tls, "it speaks TLS"),
        (has_no_page, "its page `/` answers 404"),
    ];
    thread::scope(|scope| {
        let check = |port: String, words: &str| {
            let mut judge = program("judge");
            // Only now is it built.
            let start = Instant::now();
            let said = run(judge.args(["--port", &port]).current_dir(root()), BOUND);
            assert!(start.elapsed() < Duration::from_secs(30), "{words}: {:?}", start.elapsed());
            assert_eq!((said.code, said.stdout.as_str()), (Some(1), ""), "{said:?}");
            assert_eq!(said.stderr.lines().count(), 1, "{said:?}");
            assert!(said.stderr.contains(words), "{words:?} in {said:?}");
        };
        join_all(cases.map(|(port, words)| scope.spawn(move || check(port, words))).into());
    });
}

#[test]
fn nobody_outside_this_machine_is_asked() {
    for port in ["192.0.2.1:80", "http://example.com:80/", "0.0.0.0:80"] {
        let said = judged(&["--port", port]);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.stderr.contains("servers of this machine only"), "{said:?}");
    }
    // An address of this machine will do.
    let said = judged(&["--port", "http://127.0.0.1:1/"]);
    assert!(said.stderr.contains("no server listens on port 1"), "{said:?}");
}

#[test]
fn a_server_that_dies_of_a_case_is_named_with_it() {
    let dies = bad(|number, mut stream| {
        let _ = stream.read(&mut [0; 1024]);
        if number == 3 {
            return Err(io::Error::other("it dies of its third client"));
        }
        let _ = stream.write_all(PAGE);
        Ok(())
    });
    let said = judged(&["--port", &dies]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let words = "stopped: after takes_a_request_in_pieces the server serves no more: ";
    assert!(said.stdout.contains(words), "{said:?}");
    // The failed case shows what was sent; what came after it was not asked.
    for words in ["✗ takes_a_request_in_pieces\n    sent      \"G", "book/ch01-single-threaded.md"]
    {
        assert!(said.stdout.contains(words), "{words:?} in {said:?}");
    }
    let outside = said.stdout.lines().find(|line| line.starts_with("An outside judge"));
    let numbers: Vec<&str> = outside.expect("its score").split_whitespace().skip(3).collect();
    assert_eq!(numbers[..3], ["0", "0", "0"], "{said:?}");
}

/// The page of this one is another in the next second, as that of a clock. Its fourth client ends it.
#[test]
fn a_page_that_changes_is_no_fault() {
    let mut first = None;
    let clock = bad(move |number, mut stream| {
        let first: Instant = *first.get_or_insert_with(Instant::now);
        let lines = BufReader::new(&stream).lines().map_while(Result::ok);
        lines.take_while(|line| !line.is_empty()).for_each(drop);
        match number {
            3 => thread::sleep(Duration::from_millis(1200).saturating_sub(first.elapsed())),
            4 => return Err(io::Error::other("it has said enough")),
            _ => {}
        }
        let second = first.elapsed().as_secs().min(1);
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\n";
        let _ = write!(stream, "{head}{second}");
        Ok(())
    });
    let said = judged(&["--port", &clock]);
    assert!(said.stdout.contains("the server serves no more"), "{said:?}");
    assert!(!said.stdout.contains("as it was at first"), "{said:?}");
}

/// A command that is none of a server, and one that ends before it listens.
#[test]
fn a_command_that_starts_no_server_is_told_with_its_last_words() {
    let said = judged(&["--command", "echo 'no such file' >&2; exit 3"]);
    assert_eq!(said.code, Some(1), "{said:?}");
    let words = "the command has ended and listens nowhere; its last words: no such file";
    assert!(said.stderr.contains(words), "{said:?}");
}

/// The names of the cases that came out so.
fn names<'a>(report: &'a Value, outcome: &str) -> BTreeSet<&'a str> {
    let cases = report["cases"].as_array().expect("a list of cases").iter();
    let ours = cases.filter(|case| case["asked_by"] != "an outside judge");
    let found = ours.filter(|case| case["outcome"] == outcome);
    found.map(|case| case["name"].as_str().expect("a name")).collect()
}

fn report(name: &str, flags: &str, args: &[&str]) -> Value {
    let said = judged_example(name, flags, &[args, &["--json"][..]].concat());
    assert_eq!(said.code, Some(0), "{said:?}");
    serde_json::from_str(&said.stdout).expect("it is JSON")
}

/// What hyper does otherwise, as `examples/servers.toml` declares it: it takes a request without a `Host`, for example,
/// answers a long target with a 431, and says nothing to a client whose head is late.
const HYPER: [&str; 4] = [
    "limits_the_head",
    "limits_the_time_of_a_whole_head",
    "refuses_what_is_no_request",
    "tells_a_client_whose_head_is_late",
];

/// A rung keeps its own contract, and its answers to the outside judge are those of the page on that.
#[ignore = "slow"]
#[test]
fn a_rung_fails_nothing_but_what_it_is_declared_to() {
    thread::scope(|scope| {
        let check = |name: &'static str, flags: &'static str, fails: &'static [&'static str]| {
            let report = report(name, flags, &["--routes", SITE]);
            assert_eq!(names(&report, "failed"), fails.iter().copied().collect(), "{name}");
            assert_eq!(report["started_again"], Value::Array(Vec::new()), "{name}");
            let scores = report["by_page"].as_array().expect("a list");
            let outside = scores.last().expect("the outside judge");
            let counts = ["held", "allowed", "failed", "not_asked"].map(|it| &outside[it]);
            if (name, flags) == ("ch06_tokio", "--keep-alive") {
                assert_eq!(counts.map(|it| it.as_u64()), [128, 14, 52, 0].map(Some), "{name}");
            }
        };
        join_all(vec![
            scope.spawn(move || check("ch06_tokio", "", &[])),
            scope.spawn(move || check("ch06_tokio", "--keep-alive", &[])),
            scope.spawn(move || check("hyper_site", "--keep-alive", &HYPER)),
        ]);
    });
}

/// The first server breaks in the ways that its chapter tells, and is started again where it ends.
#[ignore = "slow"]
#[test]
fn the_first_server_fails_what_its_chapter_fixes() {
    let report = report("first_server", "", &[]);
    let failed = names(&report, "failed");
    for name in [
        "takes_a_request_in_pieces",
        "takes_a_head_of_2000_bytes",
        "states_its_length",
        "survives_rude_clients",
        "outlasts_a_silent_client",
        "answers_before_it_closes",
        "survives_a_request_that_is_no_text",
    ] {
        assert!(failed.contains(name), "{name} is not among {failed:?}");
    }
    // Only a client that could not connect has sent nothing. The others show it, also where the client has gone by then.
    let cases = report["cases"].as_array().expect("a list of cases").iter();
    let failed = cases.filter(|case| case["outcome"] == "failed" && case["sent"] == "");
    let connected = |case: &&Value| !case["came"].to_string().contains("cannot connect");
    let silent = failed.filter(connected);
    none(silent.map(ToString::to_string).collect());
    let again = report["started_again"].as_array().expect("a list");
    let panics = again.iter().any(|it| {
        let because = it["because"].as_str().unwrap_or_default();
        it["after"] == "survives_a_request_that_is_no_text"
            && because.starts_with("it has ended; its last words: a request is UTF-8")
    });
    assert!(panics, "{again:?}");
}

/// Where the scores are that the page shows.
const SCORES: &str = "measurements/results/judged";

/// How many cases each row of these scores has.
fn cases_of_rows(scores: &str) -> Vec<u32> {
    let count = |row: &str| {
        let numbers: Vec<u32> =
            row.split_whitespace().rev().take(4).map_while(|it| it.parse().ok()).collect();
        (numbers.len() == 4).then(|| numbers.iter().sum())
    };
    scores.lines().filter_map(count).collect()
}

/// What the page shows of our servers is what the judge prints today. What it shows of the Rust Book's was printed once,
/// because no test fetches that; it has as many cases, row by row, as there are today.
#[ignore = "slow"]
#[test]
fn the_scores_on_the_page_are_those_of_today() {
    let recorded = |name: &str| {
        let path = root().join(SCORES).join(name).with_extension("txt");
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    };
    let check = |name: &'static str| {
        let today = judged_example(name, "", &["--scores"]).stdout;
        let recorded = recorded(name);
        let again = format!("`cargo xtask judge --scores ... > {SCORES}/{name}.txt` records it");
        assert_eq!(today, recorded, "{name}: left: today, right: its record; {again}");
        cases_of_rows(&today)
    };
    let rows = thread::scope(|scope| {
        let ours = ["ch01_small", "ch06_small"].map(|name| scope.spawn(move || check(name)));
        ours.map(|rows| rows.join().unwrap_or_else(|panic| resume_unwind(panic)))
    });
    for ours in rows {
        assert_eq!(ours, cases_of_rows(&recorded("rust_book")), "as many cases, row by row");
    }
}

/// A section of a page, up to the next heading, whichever its level. `None` if the page has no such heading.
fn section(page: &str, heading: &str) -> Option<String> {
    let text = fs::read_to_string(root().join(format!("book/{page}.md"))).ok()?;
    let mut in_code = false;
    let mut is_heading = |line: &str| {
        in_code ^= line.starts_with("```");
        !in_code && line.starts_with('#')
    };
    let lines: Vec<(bool, &str)> = text.lines().map(|line| (is_heading(line), line)).collect();
    let words = |line: &str| {
        let words = line.trim_start_matches('#').trim();
        words.split(" {#").next().unwrap_or(words).to_owned()
    };
    let start =
        lines.iter().position(|(is_heading, line)| *is_heading && words(line) == heading)?;
    let body = lines[start + 1..].iter().take_while(|(is_heading, _)| !is_heading);
    Some(body.map(|(_, line)| format!("{line}\n")).collect())
}

/// Where a case cites a standard, its section does so too, with a link: it can hardly explain the case otherwise.
#[test]
fn each_case_names_a_section_that_is_there_and_cites_what_it_cites() {
    let mut complaints = Vec::new();
    if section("contract", "An outside judge").is_none() {
        complaints.push("contract.md has no section \"An outside judge\"".to_owned());
    }
    let cited =
        Regex::new(r"RFC (\d+), sections? ([\d.]*\d)(?: and ([\d.]*\d))?").expect("a pattern");
    for asked in ASKED {
        let at = format!("{}: {}.md, {:?}", asked.name, asked.page, asked.section);
        let Some(text) = section(asked.page, asked.section) else {
            complaints.push(format!("{at}: there is no such section"));
            continue;
        };
        for found in cited.captures_iter(asked.expected) {
            for part in [2, 3].into_iter().filter_map(|group| found.get(group)) {
                let link = format!("rfc{}#section-{})", &found[1], part.as_str());
                if !text.contains(&link) {
                    complaints.push(format!("{at}: no link to {link}"));
                }
            }
        }
    }
    none(complaints);
}

/// A case that only the judge knew would be tried on no server of ours.
#[test]
fn each_case_of_the_judge_is_one_of_our_tests() {
    let files = ["tests/wire.rs", "tests/wire", "tests/cases"].map(|it| root().join(it));
    let files = files.iter().flat_map(|path| files_below(path));
    let files = files.filter(|path| path.extension().is_some_and(|it| it == "rs"));
    let files = files.filter(|path| !path.ends_with("asked.rs"));
    let text: String = files.map(|path| fs::read_to_string(path).expect("it is text")).collect();
    let letters = |letter: char| letter.is_alphanumeric() || letter == '_';
    let words: Vec<&str> = text.split(|letter| !letters(letter)).collect();
    let calls = |name: &str| words.iter().filter(|word| **word == name).count();
    let alone = ASKED.iter().filter(|asked| calls(asked.name) < 2);
    none(alone.map(|asked| format!("{} is no test of ours", asked.name)).collect());
}
