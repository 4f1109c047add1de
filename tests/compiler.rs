//! What the compiler says about the wrong programs of the pages on a thread for each connection, on futures, tasks and
//! threads, and on the task that holds its worker.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use ladder_tests::{DEADLINE, example, run};

const PAGE: &str = include_str!("../book/ch02-thread-spawn.md");
const SMALL: &str = include_str!("../examples/ch02/ch02_small/main.rs");
const SHARED: &str = include_str!("../examples/ch02/ch02_small/shared.rs");
const OVERLAP: &str = include_str!("../exercises/overlap/start.rs");
const TASKS: &str = include_str!("../book/futures-tasks-threads.md");
const SPANS: &str = include_str!("../book/which-task.md");
const ONE_THREAD: &str = include_str!("../examples/ch06/jobs/one_thread_only.rs");
const WAITING: &str = include_str!("../examples/ch06/jobs/still_waiting.rs");

/// The source with one part replaced, which has to be there.
#[track_caller]
fn with(source: &str, part: &str, by: &str) -> String {
    assert!(source.contains(part), "no {part:?} in {source}");
    source.replace(part, by)
}

/// What the compiler says about this program: nothing, if it takes it. It links nothing.
fn complaint(source: &str) -> String {
    complaint_with(source, &[])
}

/// The same for a program that may use these builds of crates, each with its name.
fn complaint_with(source: &str, crates: &[(&str, &Path)]) -> String {
    let folder = tempfile::tempdir().expect("a folder for what is compiled");
    fs::write(folder.path().join("main.rs"), source).expect("the folder is there");
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition", "2024", "--emit", "metadata", "main.rs"]);
    for (name, path) in crates {
        let libraries = path.parent().expect("it lies in a folder");
        command.arg("-L").arg(format!("dependency={}", libraries.display()));
        command.arg("--extern").arg(format!("{name}={}", path.display()));
    }
    let finished = run(command.current_dir(folder.path()), DEADLINE);
    assert_eq!(finished.code == Some(0), finished.stderr.is_empty(), "{}", finished.stderr);
    finished.stderr
}

/// The server with one page for all threads, as it would be without `Arc`.
fn unshared() -> String {
    let source = with(SHARED, "        let page = Arc::clone(&page);\n", "");
    let source = with(&source, "use std::sync::Arc;\n", "");
    with(&source, "Arc::new(format!(\"hello from process {}\\n\", std::process::id()))", MADE)
}

const MADE: &str = "format!(\"hello from process {}\\n\", std::process::id())";

/// A line as the page shows it: without its number and what is drawn at its left.
fn words(line: &str) -> &str {
    line.trim_start_matches(|it: char| {
        it.is_ascii_digit() || it.is_whitespace() || "|_".contains(it)
    })
}

/// The page shows this error, and nothing in it that the compiler doesn't say about the program.
#[track_caller]
fn check_error(begins: &str, source: &str) {
    check_said(PAGE, begins, &complaint(source));
}

#[track_caller]
fn check_said(page: &str, begins: &str, said: &str) {
    let start = page.find(&format!("```text\n{begins}")).expect("the page shows the error");
    let shown = page[start..].lines().skip(1).take_while(|line| *line != "```");
    for line in shown.filter(|line| *line != "...") {
        assert!(
            said.contains(words(line)),
            "the page shows {line:?}, and the compiler says:\n{said}"
        );
    }
}

#[test]
fn the_errors_are_those_that_the_page_shows() {
    let moved = unshared();
    let borrowed = with(&moved, "move || handle", "|| handle");
    check_error("error[E0373]: closure may outlive", &borrowed);
    check_error("error[E0382]: use of moved value: `page`", &moved);

    let counted = with(&with(SHARED, "std::sync::Arc", "std::rc::Rc"), "Arc::", "Rc::");
    check_error("error[E0277]: `Rc<String>` cannot be sent", &counted);

    let visits = "    let visits = Arc::new(Cell::new(0));\n    loop {\n        let (stream";
    let source = with(SHARED, "    loop {\n        let (stream", visits);
    let source = with(&source, "use std::thread;", "use std::{cell::Cell, thread};");
    let spawned = "let visits = Arc::clone(&visits);
        thread::spawn(move || {
            visits.set(visits.get() + 1);
            handle(stream, &page)
        });";
    let source = with(&source, "thread::spawn(move || handle(stream, &page));", spawned);
    check_error("error[E0277]: `Cell<i32>` cannot be shared", &source);
}

#[test]
fn a_reference_that_serve_is_given_is_refused_as_well() {
    let source = with(&unshared(), "fn serve(port: u16)", "fn serve(port: u16, page: &str)");
    let source = with(&source, &format!("    let page = {MADE};\n"), "");
    let source = with(&source, "&page", "page");
    let said = complaint(&with(&source, "    serve(port())", "    serve(port(), \"hello\\n\")"));
    assert!(said.contains("error[E0521]: borrowed data escapes outside of function"), "{said}");
    assert!(said.contains("argument requires that `'1` must outlive `'static`"), "{said}");
}

/// Where the handler takes the stream, `move` changes nothing; where it borrows it, nothing else will do.
#[test]
fn only_a_handler_that_borrows_its_stream_needs_the_word_move() {
    let spawned = "thread::spawn(move || handle(stream));";
    assert_eq!(complaint(&with(SMALL, spawned, "thread::spawn(|| handle(stream));")), "");

    let borrows = with(SMALL, "mut stream: TcpStream", "mut stream: &TcpStream");
    let without = complaint(&with(&borrows, spawned, "thread::spawn(|| handle(&stream));"));
    assert!(
        without.contains("error[E0373]") && without.contains("it borrows `stream`"),
        "{without}"
    );
    assert_eq!(complaint(&with(&borrows, spawned, "thread::spawn(move || handle(&stream));")), "");

    // The hint of the exercise: the handler there is a value, and is borrowed.
    let loop_of_it = with(OVERLAP, "handle(stream);", "std::thread::spawn(|| handle(stream));");
    let said = complaint(&format!("{loop_of_it}\nfn main() {{}}\n"));
    assert!(said.contains("error[E0373]") && said.contains("it borrows `handle`"), "{said}");
    let moved = with(&loop_of_it, "spawn(|| ", "spawn(move || ");
    let said = complaint(&format!("{moved}\nfn main() {{}}\n"));
    assert!(said.contains("error[E0382]: use of moved value: `handle`"), "{said}");
}

/// The tempting wrong versions compile: that is what is wrong with them.
#[test]
fn the_compiler_takes_a_join_at_once_and_a_lock_around_the_handler() {
    let spawned = "thread::spawn(move || handle(stream));";
    let joined =
        "let thread = thread::spawn(move || handle(stream));\n        let _ = thread.join();";
    assert_eq!(complaint(&with(SMALL, spawned, joined)), "");

    let source = with(SHARED, "use std::sync::Arc;", "use std::sync::{Arc, Mutex};");
    let source =
        with(&source, &format!("Arc::new({MADE})"), &format!("Arc::new(Mutex::new({MADE}))"));
    let locked = "thread::spawn(move || {
            let page = page.lock().unwrap();
            handle(stream, &page)
        });";
    let spawned = "thread::spawn(move || handle(stream, &page));";
    assert_eq!(complaint(&with(&source, spawned, locked)), "");
    assert!(PAGE.contains(locked) && PAGE.contains(joined), "the page shows another version");
}

/// A build of this crate with which these programs compile. There are several with different features.
#[track_caller]
fn build_of(name: &str, sources: &[&str]) -> PathBuf {
    // Cargo has compiled the examples when it says where one is.
    let _ = example("still_waiting");
    let test = env::current_exe().expect("a test knows its own path");
    let libraries = test.parent().expect("it lies in a folder");
    let files =
        fs::read_dir(libraries).expect("it is a folder").map(|it| it.expect("a file").path());
    let is_build = |path: &PathBuf| {
        let file = path.file_name().expect("a name").to_string_lossy();
        file.starts_with(&format!("lib{name}-")) && file.ends_with(".rlib")
    };
    let takes = |path: &PathBuf| {
        let complaint = |source: &&str| complaint_with(source, &[(name, path)]);
        sources.iter().all(|source| !complaint(source).contains("error"))
    };
    files.filter(is_build).find(takes).expect("the examples were compiled with one")
}

#[test]
fn the_errors_on_futures_and_tasks_are_those_that_the_page_shows() {
    let tokio = build_of("tokio", &[ONE_THREAD, WAITING]);
    let check = |begins: &str, source: &str| {
        check_said(TASKS, begins, &complaint_with(source, &[("tokio", &tokio)]));
    };
    let shown = |block: &&str| block.starts_with("async fn ask() {") && block.contains("Rc::new");
    let mut asks = TASKS.split("```rust,ignore\n").filter(shown);
    let mut program = || {
        let ask = asks.next().and_then(|block| block.split("```").next()).expect("it is shown");
        format!(
            "use std::rc::Rc;
use std::time::Duration;

use tokio::time::sleep;

#[tokio::main]
async fn main() {{
    let task = tokio::spawn(ask());
    let _ = task.await;
}}

{ask}"
        )
    };
    let source = program();
    check("error: future cannot be sent between threads", &source);
    let one_thread = with(&source, "#[tokio::main]", "#[tokio::main(flavor = \"current_thread\")]");
    check("error: future cannot be sent between threads", &one_thread);
    let printed = "    println!(\"{question}\");\n";
    let dropped = with(&source, printed, &format!("{printed}    drop(question);\n"));
    let said = complaint_with(&dropped, &[("tokio", &tokio)]);
    assert!(said.contains("cannot be sent between threads"), "it is no longer refused:\n{said}");
    assert_eq!(complaint_with(&program(), &[("tokio", &tokio)]), "", "its block ends before");

    let spawned = "let _ = tokio::spawn(ask(Rc::clone(&answers)));";
    let source = with(ONE_THREAD, "tasks.spawn_local(ask(Rc::clone(&answers)));", spawned);
    let ended = "    drop(answers);\n    sleep(Duration::from_millis(100)).await;\n";
    let waits =
        "    sleep(Duration::from_millis(100)).await;\n    answers.set(answers.get() + 1);\n";
    let said = complaint_with(&with(&source, waits, ended), &[("tokio", &tokio)]);
    assert!(said.contains("captured value is not `Send`"), "it is no longer refused:\n{said}");

    let borrowed = "async fn main() {
    let name = String::from(\"far\");
    let task = tokio::spawn(ask(&name));
    let _ = task.await;
}

async fn ask(name: &str) {
    println!(\"{name}\");
}
";
    check("error[E0597]: `name` does not live", &format!("#[tokio::main]\n{borrowed}"));

    let moved = with(WAITING, "    let mut future = pin!(future);\n", "");
    let moved = with(&moved, "&mut future => ", "future => ");
    check("error[E0382]: use of moved value: `future`", &moved);
    let lent = with(WAITING, "    let mut future = pin!(future);\n", "");
    let lent = with(&lent, "watched<F: Future>(future: F)", "watched<F: Future>(mut future: F)");
    check("error[E0277]: `F` cannot be unpinned", &lent);
}

/// The page shows the call, and the rest of this program is as small as may be.
#[test]
fn a_span_can_not_stay_entered_in_a_task_that_is_spawned() {
    let tokio = build_of("tokio", &[ONE_THREAD, WAITING]);
    let tracing =
        build_of("tracing", &["fn main() { tracing::info_span!(\"a\").in_scope(|| ()); }"]);
    let call = SPANS.split("```rust,ignore\n").find(|block| block.contains(".entered()"));
    let call = call.and_then(|block| block.split("```").next()).expect("the page shows the call");
    let source = format!(
        "use tokio::task::JoinSet;
use tracing::info_span;

#[tokio::main]
async fn main() {{
    let mut clients = JoinSet::new();
{call}
    clients.join_all().await;
}}

async fn client<F: Future>(page: &str, handler: impl Fn() -> F) {{
    println!(\"{{page}}\");
    handler().await;
}}

async fn total() {{
    tokio::task::yield_now().await;
}}
"
    );
    let said = complaint_with(&source, &[("tokio", &tokio), ("tracing", &tracing)]);
    check_said(SPANS, "error: future cannot be sent", &said);
}
