//! Starting a task, and waiting for its end.

// ANCHOR: join
use std::sync::{Arc, Mutex};

use super::{lock, runtime, task::Task};

/// A task, and where it leaves its output.
pub struct JoinHandle<T> {
    task: Arc<Task>,
    output: Arc<Mutex<Option<T>>>,
}

impl<T> JoinHandle<T> {
    /// Waits for the output; `None` if there is none, because the task has panicked.
    pub async fn join(self) -> Option<T> {
        self.task.ended.take().await;
        lock(&self.output).take()
    }
}

/// Lets a task run concurrently with this one.
pub fn spawn<T: Send + 'static>(future: impl Future<Output = T> + Send + 'static) -> JoinHandle<T> {
    let output = Arc::new(Mutex::new(None));
    let place = Arc::clone(&output);
    // On the heap already here, because an `async` block that awaits what it captured has room
    // for it twice.
    let future = Box::pin(future);
    let work = async move {
        let output = future.await;
        *lock(&place) = Some(output);
    };
    JoinHandle { task: Task::spawn(work, &runtime().queue), output }
}
// ANCHOR_END: join
