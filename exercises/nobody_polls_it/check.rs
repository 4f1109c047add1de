//! Pages that are fetched and processed with the same permit, and pages whose processing waits for the next fetch.

use std::{
    future,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use ex_nobody_polls_it::process_all;
use exercise_kit::{check, deadline, fail};
use tokio::{
    runtime::Builder,
    sync::Semaphore,
    time::{sleep, timeout},
};

exercise_kit::checks![
    it_ends_although_both_need_the_same_permit,
    the_next_page_is_fetched_while_one_is_processed,
    each_page_is_fetched_once,
    pages_are_processed_one_at_a_time_and_in_order,
    what_has_begun_is_dropped_with_its_function,
];

const MOMENT: Duration = Duration::from_millis(10);

/// How many pages there are.
const PAGES: usize = 5;

fn page(number: usize) -> Option<String> {
    (number < PAGES).then(|| number.to_string())
}

/// Runs this on a runtime of one thread; `None` if it stands still.
fn run<T>(work: impl Future<Output = T>) -> Option<T> {
    let runtime = Builder::new_current_thread().enable_time().build();
    let runtime = runtime.expect("the system has what a runtime needs");
    runtime.block_on(async { timeout(deadline(), work).await.ok() })
}

async fn use_connection(permits: &Semaphore) {
    let _permit = permits.acquire().await.expect("it is never closed");
    sleep(MOMENT).await;
}

fn it_ends_although_both_need_the_same_permit() {
    let processed = Arc::new(Mutex::new(Vec::new()));
    let ended = run(async {
        let permits = Arc::new(Semaphore::new(1));
        let fetch = |number| {
            let permits = Arc::clone(&permits);
            async move {
                use_connection(&permits).await;
                page(number)
            }
        };
        let process = |page| {
            let permits = Arc::clone(&permits);
            let processed = Arc::clone(&processed);
            async move {
                use_connection(&permits).await;
                processed.lock().expect("nobody panics with it").push(page);
            }
        };
        process_all(fetch, process).await;
    });
    if ended.is_none() {
        fail(
            "`process_all` stands still: a fetch has been handed the permit, and nobody polls it",
            "it to be polled while the page before is processed",
        )
    }
    let processed = processed.lock().expect("nobody panics with it");
    let all: Vec<String> = (0..PAGES).filter_map(page).collect();
    check(
        *processed == all,
        format_args!("the pages {processed:?} were processed"),
        format_args!("{all:?}"),
    );
}

fn the_next_page_is_fetched_while_one_is_processed() {
    let fetched = Arc::new(Semaphore::new(0));
    let begun = Arc::new(AtomicUsize::new(0));
    let ended = run(async {
        let fetch = |number| {
            let fetched = Arc::clone(&fetched);
            let begun = Arc::clone(&begun);
            async move {
                begun.fetch_max(number, SeqCst);
                sleep(MOMENT).await;
                fetched.add_permits(1);
                page(number)
            }
        };
        let process = |page: String| {
            let fetched = Arc::clone(&fetched);
            let begun = Arc::clone(&begun);
            async move {
                let number: usize = page.parse().expect("a number");
                // This page has been fetched, those before have, and so must the next.
                let all = fetched.acquire_many(number as u32 + 2).await;
                drop(all.expect("it is never closed"));
                sleep(MOMENT).await;
                let begun = begun.load(SeqCst);
                check(
                    begun <= number + 1,
                    format_args!("page {begun} was fetched while page {number} was processed"),
                    format_args!("at most page {}", number + 1),
                );
            }
        };
        process_all(fetch, process).await;
    });
    let seen = "`process_all` stands still: a page's processing waits for the next fetch, and \
                nobody fetches the next";
    check(ended.is_some(), seen, "the next page to be fetched while one is processed");
}

fn each_page_is_fetched_once() {
    let fetched = Arc::new(Mutex::new(Vec::new()));
    let ended = run(async {
        let fetch = |number| {
            fetched.lock().expect("nobody panics with it").push(number);
            async move {
                sleep(2 * MOMENT).await;
                page(number)
            }
        };
        process_all(fetch, |_page| sleep(MOMENT)).await;
    });
    check(
        ended.is_some(),
        "`process_all` stands still",
        "its end; look at who polls what while a page is processed",
    );
    let fetched = fetched.lock().expect("nobody panics with it");
    for (index, number) in fetched.iter().enumerate() {
        let twice = fetched[..index].contains(number);
        check(!twice, format_args!("page {number} was fetched twice"), "once");
    }
    let all: Vec<usize> = (0..=PAGES).collect();
    let seen = format!("the pages {fetched:?} were fetched");
    check(*fetched == all, seen, format_args!("{all:?}, of which the last has none"));
}

fn pages_are_processed_one_at_a_time_and_in_order() {
    let inside = Arc::new(AtomicUsize::new(0));
    let processed = Arc::new(Mutex::new(Vec::new()));
    let ended = run(async {
        let process = |page: String| {
            let inside = Arc::clone(&inside);
            let processed = Arc::clone(&processed);
            async move {
                let others = inside.fetch_add(1, SeqCst);
                let seen = format!("{} pages were processed at the same time", others + 1);
                check(others == 0, seen, "one");
                processed.lock().expect("nobody panics with it").push(page);
                sleep(2 * MOMENT).await;
                inside.fetch_sub(1, SeqCst);
            }
        };
        process_all(|number| future::ready(page(number)), process).await;
    });
    check(
        ended.is_some(),
        "`process_all` stands still",
        "its end; look at who polls what while a page is processed",
    );
    let processed = processed.lock().expect("nobody panics with it");
    let all: Vec<String> = (0..PAGES).filter_map(page).collect();
    check(
        *processed == all,
        format_args!("the pages {processed:?} were processed"),
        format_args!("{all:?}"),
    );
}

/// Says that it is dropped.
struct Fetching(Arc<AtomicBool>);

impl Drop for Fetching {
    fn drop(&mut self) {
        self.0.store(true, SeqCst);
    }
}

fn what_has_begun_is_dropped_with_its_function() {
    let dropped = Arc::new(AtomicBool::new(false));
    let begun = AtomicBool::new(false);
    let is_dropped = run(async {
        let fetch = |number| {
            begun.fetch_or(number == 1, SeqCst);
            let fetching = (number == 1).then(|| Fetching(Arc::clone(&dropped)));
            async move {
                if fetching.is_some() {
                    future::pending::<()>().await;
                }
                page(number)
            }
        };
        let all = process_all(fetch, |_page| future::pending());
        let _too_late = timeout(5 * MOMENT, all).await;
        // A task that was aborted is dropped when the runtime comes to it.
        sleep(MOMENT).await;
        dropped.load(SeqCst)
    });
    let seen = "a page was processed for long, and nobody fetched the next";
    check(begun.load(SeqCst), seen, "the next page to be fetched while one is processed");
    let seen = "`process_all` was dropped, and its fetch goes on";
    check(is_dropped == Some(true), seen, "it to be dropped as well");
}
