//! A recorded program without clients: rows for its jobs, its threads and the CPUs.

use anyhow::{Context, Result};
use records::{
    program::Program,
    recording::{Recording, Request, Task},
    servers::Server,
};

use pictures::text::{escape, plural};

use crate::report::{
    origin::of_recordings,
    replay::{
        about,
        drawing::{Look, draw},
        marks::{LEAST, explained},
        moments::moments,
        picture::{Kind, Picture},
        playable::{Playable, time},
    },
};

/// The place in a title for the time that all of it took.
const RESULT: &str = "{result}";

/// Draws the block. `id` is unique in the book. Fails when it has no job, and when the moments can't be written.
pub fn jobs(id: &str, program: &Program, recording: &Recording) -> Result<String> {
    let recording = &as_requests(recording)?;
    let mut picture = Picture::of(recording);
    let states: Vec<_> = recording.requests.iter().map(|it| picture.states(it.id)).collect();
    let mut moments = moments("job", &states);
    for (_, words) in &mut moments {
        *words = words.replace("been answered", "ended");
    }
    let last = recording.requests.iter().map(|job| job.answered - job.sent).max().unwrap_or(0);
    let [rows, threads, _] = &mut picture.groups[..] else { unreachable!("three groups") };
    rows.id = "jobs";
    for (row, job) in rows.rows.iter_mut().zip(&recording.requests) {
        row.label = format!("{} {}", job.id + 1, job.route);
        row.short = job.route.split(' ').next().map(|name| format!("{} {name}", job.id + 1));
    }
    threads.note.clear();
    let finding = escape(&program.title.replace(RESULT, &time(last)));
    let marks =
        explained("A job", |kind| kind != Kind::Done && !picture.spans("jobs", kind).is_empty());
    let caption = format!("{marks}.").replace("is woken", "could go on");
    let server = Server::named("ch06_tokio").context("the chapter has its server")?;
    let playable = Playable {
        id,
        named: &finding,
        class: "recording",
        figure: "recording",
        colour: server.colour.as_deref(),
        sign: "",
        finding: &finding,
        counts: "",
        description: &format!(
            "{} over {}.",
            plural(recording.requests.len() as u64, "job"),
            time(last)
        ),
        caption: &caption,
        next: "",
        moments: &moments,
    };
    let block = playable.block(|canvas| draw(id, canvas, &picture, &Look::Recording))?;
    let text = format!(
        "`{}` with `{}`, on {}. {}; a bar of work is drawn at least {LEAST} px wide. To repeat it: `{}`",
        recording.rung,
        recording.server_options.join(" "),
        escape(&of_recordings(&[recording])),
        plural(u64::from(recording.cpus), "CPU"),
        recording.command
    );
    Ok(format!("{block}\n\n{}", about("This recording", &text)))
}

/// Turns each job into a request, sent when the first job began, and answered when it ended, so that it is drawn as requests
/// are.
fn as_requests(recording: &Recording) -> Result<Recording> {
    let mut recording = recording.clone();
    let start = recording.tasks.iter().map(|job| job.spawned).min().context("it has no job")?;
    let mut order: Vec<usize> = (0..recording.tasks.len()).collect();
    order.sort_by(|a, b| recording.tasks[*a].name.cmp(&recording.tasks[*b].name));
    for (id, task) in order.into_iter().enumerate() {
        recording.tasks[task].request = Some(id);
        recording.tasks[task].wakes = first_wakes(&recording.tasks[task]);
        let request = request(id, start, &recording.tasks[task], recording.duration_us);
        recording.requests.push(request);
    }
    recording.clients = recording.requests.len() as u64;
    Ok(recording)
}

/// Finds the first wake after each poll: a job could go on when its time was over, and not only when a thread had looked and
/// called its waker.
fn first_wakes(job: &Task) -> Vec<u64> {
    let mut first_wakes = Vec::new();
    for (index, poll) in job.polls.iter().enumerate() {
        let next_poll = job.polls.get(index + 1).map_or(u64::MAX, |next| next.0);
        let wake = job.wakes.iter().copied().find(|wake| (poll.1..=next_poll).contains(wake));
        first_wakes.extend(wake);
    }
    first_wakes
}

fn request(id: usize, start: u64, job: &Task, end: u64) -> Request {
    // What waits is polled again; what is polled more often does several things.
    let does = match job.polls.len() {
        1 => " computes",
        2 => " waits",
        _ => "",
    };
    Request {
        id,
        client: id as u64,
        route: format!("{}{does}", job.name),
        thread: job.polls.first().map_or(0, |poll| poll.2),
        task: Some(job.id),
        sent: start,
        handled: Some(job.polls.iter().map(|poll| (poll.0, poll.1)).collect()),
        answered: job.ended.unwrap_or(end),
        status: Some(200),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// When it was due, and not again when its waker was called; and so for each of its waits.
    #[test]
    fn a_job_that_waits_twice_could_go_on_twice() {
        let mut job = records::testing::recording().tasks.swap_remove(0);
        job.polls = vec![(0, 10, 0), (100, 110, 0), (150, 160, 0)];
        job.wakes = vec![30, 99, 130];
        assert_eq!(first_wakes(&job), [30, 130]);
    }
}
