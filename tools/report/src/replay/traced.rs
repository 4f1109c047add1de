//! One request of a recording, moment by moment, with the mark that each moment has in the picture.

use anyhow::{Context, Result};
use records::recording::{Recording, Request, Span, State, Task};

use crate::{
    replay::rows::request_name,
    text::{plain, table},
};

/// A moment, in microseconds since the recording began: when, what happens, and what the picture shows then.
type Moment = (u64, String, &'static str);

/// The way of a request through a server with tasks, as a table. `number` counts requests from 1, as the picture does.
/// Fails when the recording has no such request, or none with a task.
pub fn traced(recording: &Recording, number: usize) -> Result<String> {
    let request = number.checked_sub(1).and_then(|id| recording.requests.get(id));
    let request = request.with_context(|| format!("the recording has no request {number}"))?;
    let task = request.task.map(|id| &recording.tasks[id]);
    let task = task.with_context(|| format!("request {number} has no task"))?;
    let mut moments = vec![
        (request.sent, "the client sends its request".to_owned(), "a tick; hatching begins"),
        (request.answered, "**answer**: the client has it".to_owned(), "a full dot"),
    ];
    moments.extend(accepted(recording, request, task));
    moments.extend(polled(recording, task));
    for (index, &wake) in task.wakes.iter().enumerate() {
        let since = index.checked_sub(1).map_or(task.spawned, |last| task.wakes[last]);
        moments.extend(event(recording, since, wake));
        let what = "**wake**: the task is put into the **queue**";
        moments.push((wake, what.to_owned(), "an open triangle; hatching begins"));
    }
    let time = |at: u64| base::number(at.saturating_sub(request.sent) as f64, 0);
    // Of moments at the same time, those stay in order that were added in order.
    moments.sort_by_key(|moment| moment.0);
    let row = |(at, what, mark): Moment| vec![time(at), what, mark.to_owned()];
    let rows = moments.into_iter().map(row);
    let what = format!("{} of `{}`", request_name(request.id), recording.rung);
    Ok(table(&["µs", &what, "In the picture"], &[&what, "In the picture"], rows))
}

fn name(recording: &Recording, thread: usize) -> String {
    format!("`{}`", plain(&recording.threads[thread].name))
}

/// How the task came to be: another task was woken and polled, and spawned it.
fn accepted(recording: &Recording, request: &Request, task: &Task) -> Vec<Moment> {
    let others = recording.tasks.iter().filter(|other| other.id != task.id);
    let mut polls = others.flat_map(|other| other.polls.iter().map(move |poll| (other, poll)));
    let mut moments = Vec::new();
    let spawns = polls.find(|(_, poll)| (poll.0..=poll.1).contains(&task.spawned));
    if let Some((accept, &(from, _, thread))) = spawns {
        let woken = accept.wakes.iter().rfind(|&&wake| request.sent <= wake && wake <= from);
        if let Some(&woken) = woken {
            moments.extend(event(recording, request.sent, woken));
            moments.push((woken, "**wake**: the accept loop is queued".to_owned(), ""));
        }
        let what = format!("**poll**: {} polls the accept loop", name(recording, thread));
        moments.push((from, what, "solid, in the thread's row"));
    }
    let what = "**accept**, **spawn**: the new task is put into the **queue**";
    moments.push((task.spawned, what.to_owned(), "hatching"));
    moments
}

/// The polls of a task, how each ends, and where its thread goes to sleep before the next wake.
fn polled(recording: &Recording, task: &Task) -> Vec<Moment> {
    let mut moments = Vec::new();
    for (index, &(from, to, thread)) in task.polls.iter().enumerate() {
        let who = name(recording, thread);
        moments.push((from, format!("**poll**: {who} polls the task"), "solid"));
        if index + 1 == task.polls.len() && task.ended.is_some() {
            moments.push((to, "the task has ended".to_owned(), "the row is empty"));
            continue;
        }
        let what = format!("**`Pending`**: the task **returns** to {who}");
        moments.push((to, what, "a row of dots"));
        let next = task.wakes.iter().find(|&&wake| wake > to).copied();
        let spans = recording.threads[thread].spans.iter();
        let mut sleeps = spans.filter(|span| span.0 >= to && span.2 == State::Waiting);
        let sleep = sleeps.next().filter(|span| next.is_none_or(|next| span.0 < next));
        moments.extend(sleep.map(|span| {
            (span.0, format!("{who} has nothing to do, and sleeps"), "a thin line, in its row")
        }));
    }
    moments
}

/// What led to a wake: a thread that polled no task then had got up for it. None where that is not the only thread, or
/// has not slept since the moment before.
fn event(recording: &Recording, since: u64, wake: u64) -> Option<Moment> {
    let polls = |thread: usize| {
        let polls = recording.tasks.iter().flat_map(|task| &task.polls);
        polls.filter(|poll| poll.2 == thread).any(|poll| poll.0 <= wake && wake <= poll.1)
    };
    let runs = |span: &&Span| span.2 == State::Running && span.0 <= wake && wake <= span.1;
    let threads = recording.threads.iter().filter(|thread| !polls(thread.id));
    let mut awake = threads.filter_map(|it| Some((it, it.spans.iter().position(|s| runs(&s))?)));
    let ((thread, place), None) = (awake.next()?, awake.next()) else { return None };
    let slept = thread.spans[..place].iter().rfind(|span| span.2 == State::Waiting)?;
    let what = format!("**event**: the kernel wakes {}", name(recording, thread.id));
    (slept.1 > since).then_some((slept.1, what, "solid, in the thread's row"))
}

#[cfg(test)]
mod tests {
    use records::testing::recording;

    use super::*;
    use crate::testing::{has, lacks};

    #[test]
    fn a_request_is_followed_from_its_sending_to_its_answer() {
        let table = traced(&recording(), 1).unwrap();
        let lines: Vec<&str> = table.lines().collect();
        let expected = [
            "| µs | request 1 of `ch06_tokio` | In the picture |",
            "|---|---|---|",
            "| 0 | the client sends its request | a tick; hatching begins |",
            "| 5 | **accept**, **spawn**: the new task is put into the **queue** | hatching |",
            "| 12 | **poll**: `worker \\<1\\>` polls the task | solid |",
            "| 20 | **`Pending`**: the task **returns** to `worker \\<1\\>` | a row of dots |",
            "| 30 | `worker \\<1\\>` has nothing to do, and sleeps | a thin line, in its row |",
            "| 410 | **wake**: the task is put into the **queue** | an open triangle; hatching begins |",
            "| 440 | **poll**: `worker 2` polls the task | solid |",
            "| 490 | **answer**: the client has it | a full dot |",
            "| 510 | the task has ended | the row is empty |",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn the_thread_that_gets_up_for_a_wake_is_named_if_it_can_be_no_other() {
        let mut recording = recording();
        recording.tasks[1].polls.clear();
        recording.threads[1].spans =
            vec![Span(300, 400, State::Waiting, None), Span(400, 600, State::Running, Some(1))];
        let event = "| 390 | **event**: the kernel wakes `worker 2` | solid, in the thread's row |";
        has(&traced(&recording, 1).unwrap(), &[event]);
        // It may have been either of two.
        recording.threads[0].spans[3] = Span(40, 1000, State::Running, Some(0));
        lacks(&traced(&recording, 1).unwrap(), &["**event**"]);
    }

    #[test]
    fn what_spawned_the_task_is_shown_where_it_was_recorded() {
        let mut recording = recording();
        recording.tasks[2].polls.insert(0, (14, 16, 0));
        recording.tasks[2].wakes.insert(0, 12);
        let parts = [
            "| 2 | **wake**: the accept loop is queued |",
            "| 4 | **poll**: `worker \\<1\\>` polls the accept loop |",
        ];
        has(&traced(&recording, 1).unwrap(), &parts);
    }

    #[test]
    fn a_request_without_a_task_is_not_traced() {
        let mut recording = recording();
        for number in [0, 3] {
            assert!(traced(&recording, number).unwrap_err().to_string().contains("no request"));
        }
        recording.requests[0].task = None;
        assert!(traced(&recording, 1).unwrap_err().to_string().contains("no task"));
    }
}
