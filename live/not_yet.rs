//! A future by hand, and the smallest executor that runs it.

use std::{
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
};

// ANCHOR: future
struct NotYet {
    asked: bool,
}

impl Future for NotYet {
    type Output = &'static str;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<&'static str> {
        if self.asked {
            return Poll::Ready("now");
        }
        self.asked = true;
        // Somebody must say later that asking again is worth it. Here it is a thread.
        let waker = cx.waker().clone();
        thread::spawn(move || waker.wake());
        Poll::Pending
    }
}
// ANCHOR_END: future

// ANCHOR: executor
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let mut future = pin!(future);
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut cx = Context::from_waker(&waker);
    loop {
        match future.as_mut().poll(&mut cx) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
// ANCHOR_END: executor

fn main() {
    println!("{}", block_on(NotYet { asked: false }));
}
