//! Pictures of the book's recordings and of a small one, and what has to be so in each of them.

use std::{env, fs, path::Path};

use records::{
    base::find_root,
    opening::Opening,
    program::{self, Program},
    testing::recording,
};

use super::{
    picture::{Kind, Picture},
    *,
};
use crate::report::testing::{has, opened, openings, ran, recorded};

/// A picture of each kind is as it was when somebody last looked at it. `SNAPSHOT=new cargo test -p book snapshot` draws
/// them anew; then look at them.
#[test]
fn a_picture_of_each_kind_is_its_snapshot() {
    let race_of = ["ch01_single_threaded", "ch03_threadpool"].map(recorded);
    let described = program::load(&find_root().unwrap(), "jobs-joined").unwrap().unwrap();
    let pair = ["one-thread", "thread-beside"].map(opened);
    for (name, drawn) in [
        ("recording", block("r", &recording(), true)),
        ("newcomer", opening("o", &titled("It takes {result}"), opened("one-thread"))),
        ("cut-off", opening("o", &titled("{result} are"), opened("stopped-at-once"))),
        ("pair", before_after(["a", "b"], ["It takes {result}"; 2].map(titled).each_ref(), pair)),
        ("race", race("race", Title::Servers, "<a href=\"first.html\">Build it</a>", &race_of)),
        ("jobs", jobs("j", &described, ran("jobs-joined"))),
    ] {
        let drawn = drawn.unwrap().replace("><", ">\n<") + "\n";
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("snapshots").join(name);
        let path = path.with_extension("html");
        if env::var_os("SNAPSHOT").is_some() {
            fs::write(&path, &drawn).unwrap();
        }
        let known = fs::read_to_string(&path).unwrap_or_default();
        let first = drawn.lines().zip(known.lines()).find(|(drawn, known)| drawn != known);
        assert!(drawn == known, "{} differs: {first:#?}", path.display());
    }
}

/// Solid means a CPU, and nothing else.
#[test]
fn what_is_solid_was_on_a_cpu() {
    for (name, recording, picture) in pictures() {
        let running = numbers::running(recording);
        let worked = |group| -> u64 {
            let spans = picture.spans(group, Kind::Works);
            spans.iter().map(|(from, to)| to - from).sum()
        };
        let clients = worked("clients");
        assert!(0 < clients && clients <= running, "{name}: {clients} of {running}");
        // What a chapter opens with has no CPUs, and of the threads those that serve.
        if picture.groups.iter().any(|group| group.id == "cpus") {
            assert_eq!([worked("threads"), worked("cpus")], [running; 2], "{name}");
        }
    }
}

/// At ten moments, and whenever a sentence begins: what it says of each request is what the recording has, and
/// never do more of them work than there are CPUs.
#[test]
fn what_is_said_of_a_moment_is_what_was_recorded() {
    for (name, recording, picture) in pictures() {
        let states: Vec<_> = recording.requests.iter().map(|it| picture.states(it.id)).collect();
        let said = moments("request", &states);
        let end = picture.duration;
        let zero = numbers::started(recording);
        let times = (0..=10).map(|tenth| end * tenth / 10).chain(said.iter().map(|it| it.0));
        for at in times {
            let (_, words) = said.iter().rfind(|moment| moment.0 <= at).unwrap();
            let count = |kind| {
                let own = states.iter().filter(|it| moments::state(it, at) == Some(kind));
                own.count()
            };
            assert!(count(Kind::Works) <= recording.cpus as usize, "{name} at {at}: {words}");
            let answered = recording.requests.iter().filter(|it| it.answered <= at + zero);
            let ended = count(Kind::Done) + count(Kind::Refused) + count(Kind::Cut);
            assert_eq!(ended, answered.count(), "{name} at {at}");
            let sent = recording.requests.iter().filter(|it| it.sent <= at + zero);
            let all = states.iter().filter(|it| moments::state(it, at).is_some());
            assert_eq!(all.count(), sent.count(), "{name} at {at}");
            let verbs = [(Kind::Works, "work"), (Kind::Queues, "queued"), (Kind::Done, "answered")];
            for (kind, verb) in verbs {
                assert_eq!(words.contains(verb), count(kind) > 0, "{name} at {at}: {words}");
            }
        }
    }
}

#[test]
fn the_books_openings_were_recorded_as_they_are_described() {
    let root = find_root().unwrap();
    for (name, recording) in openings() {
        let described = records::opening::load(&root, &name).unwrap().unwrap();
        let clients = described.clients();
        let wanted = clients.iter().filter(|client| client.is_recorded).map(|client| client.route);
        let mut requests: Vec<_> = recording.requests.iter().collect();
        requests.sort_by_key(|request| request.client);
        let asked = requests.iter().map(|request| request.route.as_str());
        assert!(wanted.eq(asked), "{name}: record it again");
        assert_eq!(recording.rung, described.server, "{name}: record it again");
    }
}

/// What the titles and the pages say of the book's pairs.
#[test]
fn each_change_is_in_its_pair() {
    let took = |name: &str| -> Vec<u64> { numbers::took(opened(name)).collect() };
    let last = |name: &str| *took(name).last().unwrap();
    for (before, after) in [
        ("one-thread", "thread-beside"),
        ("sleepers-in-a-pool", "sleepers-as-tasks"),
        ("waits-add-up", "waits-beside"),
    ] {
        assert!(last(before) > 3 * last(after), "{before} and {after}");
    }
    let threads = |name: &str| opened(name).serving_threads();
    assert_eq!((threads("eight-on-threads"), threads("eight-in-a-pool")), (8, 4));
    // In the pool the second four wait for the first.
    let [second, first] =
        [&took("eight-in-a-pool")[4..], &took("eight-on-threads")[4..]].map(|it| it[3]);
    assert!((1_500_000..2_000_000).contains(&(second - first)), "{second} and {first}");
    // Most wait for longer than half a second; who is refused is told at once.
    let waited = took("last-of-many").into_iter().filter(|took| *took > 500_000);
    assert!(waited.count() >= 6);
    let refusals = opened("last-and-refused").requests.iter().filter(|it| it.status == Some(503));
    let at_once = refusals.clone().filter(|it| it.answered - it.sent < 20_000);
    assert!(refusals.clone().count() == 8 && at_once.count() == refusals.count());
}

#[test]
fn what_is_no_picture_is_refused() {
    let refused = |drawn: Result<String>, why: &str| has(&drawn.unwrap_err().to_string(), &[why]);
    let one = recorded("ch01_single_threaded");
    let mut other = recorded("ch02_thread_spawn").clone();
    other.route = "/".to_owned();
    refused(race("race", Title::Servers, "", &[one]), "a race has two servers or more");
    refused(race("race", Title::Servers, "", &[one, &other]), "not asked for the same");
    let mut calm = opened("one-thread").clone();
    refused(opening("o", &titled("{results}"), &calm), "the title `{results}` has one {result}");
    calm.requests.iter_mut().for_each(|request| request.handled = Some(Vec::new()));
    refused(opening("o", &titled("{result}"), &calm), "nobody waits in `cargo xtask observe");
    let twice = |tells: &str| {
        let other = titled(&format!("{{result}}\"\ntells = \"{tells}"));
        before_after(["a", "b"], [&titled("{result}"), &other], [opened("one-thread"); 2])
    };
    refused(twice("threads"), "don't have the same clients");
    calm.requests.truncate(1);
    refused(opening("o", &titled("{result}"), &calm), "asks once");
    calm.clients = 1;
    refused(opening("o", &titled("{result}"), &calm), "has 2 to 8 lanes, and `cargo xtask");
    calm.tasks.clear();
    let program = Program { title: String::new(), example: "a".to_owned(), workers: 1 };
    refused(jobs("j", &program, &calm), "it has no job");
}

/// The book's recordings of servers, and what its chapters open with.
fn pictures() -> Vec<(String, &'static Recording, Picture)> {
    let mut pictures = Vec::new();
    for rung in records::servers::MEASURED.iter() {
        let recording = recorded(rung);
        pictures.push(((*rung).to_owned(), recording, Picture::of(recording)));
    }
    for (name, recording) in openings() {
        pictures.push((name, recording, Picture::opening(recording, 0)));
    }
    pictures
}

fn titled(title: &str) -> Opening {
    let opening = format!("title = \"{title}\"\nserver = \"s\"\nsmall = true\nasks = []");
    toml::from_str(&opening).unwrap()
}
