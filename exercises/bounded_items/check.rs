//! A supplier that counts the questions that are open: never more than three, never fewer while items are left, and none
//! after an error.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering::SeqCst},
    },
    time::Duration,
};

use ex_bounded_items::ask_all;
use exercise_kit::{check, within};
use tokio::{runtime::Builder, sync::Semaphore, time::sleep};

exercise_kit::checks![
    at_most_three_are_open,
    a_slow_answer_keeps_one_slot_only,
    after_an_error_none_is_open,
];

const MOST: usize = 3;

/// Answers when it is allowed to.
#[derive(Default)]
struct Supplier {
    open: AtomicUsize,
    most: AtomicUsize,
    asked: AtomicUsize,
}

/// A question while it is open.
struct Open(Arc<Supplier>);

impl Drop for Open {
    fn drop(&mut self) {
        self.0.open.fetch_sub(1, SeqCst);
    }
}

/// Counts a question as open.
fn opened(supplier: &Arc<Supplier>) -> Open {
    supplier.asked.fetch_add(1, SeqCst);
    let open = 1 + supplier.open.fetch_add(1, SeqCst);
    supplier.most.fetch_max(open, SeqCst);
    Open(Arc::clone(supplier))
}

/// Runs this on a runtime of one thread, and gives it up when it doesn't end.
fn on_a_runtime<T: Send + 'static>(
    expected: &str,
    work: impl Future<Output = T> + Send + 'static,
) -> T {
    within("the order", expected, || {
        let runtime = Builder::new_current_thread().enable_time().build();
        runtime.expect("the system has what a runtime needs").block_on(work)
    })
}

/// Lets every task do what it can do without a wait.
async fn a_while() {
    sleep(Duration::from_millis(50)).await;
}

fn at_most_three_are_open() {
    let supplier = Arc::new(Supplier::default());
    let asked = Arc::clone(&supplier);
    let answers = on_a_runtime("twelve answers", async move {
        let ask = |item| {
            let supplier = Arc::clone(&asked);
            async move {
                let _open = opened(&supplier);
                sleep(Duration::from_millis(u64::from(10 + item % 3))).await;
                Ok(format!("answer {item}"))
            }
        };
        ask_all((0..12).collect(), MOST, ask).await
    });
    let most = supplier.most.load(SeqCst);
    check(
        most <= MOST,
        format_args!("at most {most} questions were open at the same time"),
        "three, and never more",
    );
    check(
        most == MOST,
        format_args!("at most {most} questions were open at the same time"),
        "three: begin the next as soon as one has been answered",
    );
    let mut answers = answers.unwrap_or_default();
    answers.sort_unstable();
    answers.dedup();
    let seen = format!("the function returned {} different answers", answers.len());
    check(answers.len() == 12, seen, "one for each of the twelve items");
}

fn a_slow_answer_keeps_one_slot_only() {
    let supplier = Arc::new(Supplier::default());
    let outcome = on_a_runtime("an end", async move {
        let gate = Arc::new(Semaphore::new(0));
        let slow = Arc::clone(&gate);
        let asked = Arc::clone(&supplier);
        let ask = move |item| {
            let supplier = Arc::clone(&asked);
            let slow = Arc::clone(&slow);
            async move {
                let _open = opened(&supplier);
                // The first is answered when the check says so, and the others soon.
                if item == 0 {
                    slow.acquire().await.expect("it is never closed").forget();
                }
                a_while().await;
                Ok(String::new())
            }
        };
        let order = tokio::spawn(async move { ask_all((0..9).collect(), MOST, ask).await });
        // Nine questions, of which two at a time are answered.
        let mut last = 0;
        loop {
            for _ in 0..5 {
                a_while().await;
            }
            let asked = supplier.asked.load(SeqCst);
            if asked == last {
                break;
            }
            last = asked;
        }
        let seen = format!(
            "fewer than three questions were open while items were left: the first waits for its \
             answer, and {last} of 9 have been asked"
        );
        check(last == 9, seen, "a slow answer to keep one slot, and the others to go on");
        gate.add_permits(1);
        order.await.expect("no panic")
    });
    check(outcome.is_ok(), format_args!("the function returned {outcome:?}"), "nine answers");
}

fn after_an_error_none_is_open() {
    let supplier = Arc::new(Supplier::default());
    let asked = Arc::clone(&supplier);
    let (outcome, open) = on_a_runtime("the error", async move {
        let counted = Arc::clone(&asked);
        let ask = move |item| {
            let supplier = Arc::clone(&counted);
            async move {
                let _open = opened(&supplier);
                if item == 1 {
                    a_while().await;
                    return Err("sold out".to_owned());
                }
                // The others take longer than the check has patience.
                sleep(Duration::from_secs(if item == 0 { 1 } else { 60 })).await;
                Ok(String::new())
            }
        };
        let outcome = ask_all((0..5).collect(), MOST, ask).await;
        (outcome, asked.open.load(SeqCst))
    });
    check(
        outcome == Err("sold out".to_owned()),
        format_args!("the function returned {outcome:?}"),
        "the first error",
    );
    check(
        open == 0,
        format_args!("the function returned the error with {open} questions still open"),
        "none; look at what ends the other tasks, and who waits for that",
    );
}
