//! The contract that every rung keeps, over real sockets: the routes, HTTP/1.1, the limits; and here, clients that
//! are rude and a system that has nothing left.

#[cfg(target_os = "linux")]
use std::time::Duration;
use std::{process::ExitCode, time::Instant};

#[cfg(target_os = "linux")]
use ladder_tests::cases::ask;
use ladder_tests::{
    Client, Excerpt, Failure, On, Plain, Rung, Schedule, Trials, alone,
    cases::{
        check_refusal,
        rude::{
            answers_before_it_closes, half_open, keeps_its_threads, outlasts_a_silent_client,
            served_at_once, serves_beside_a_client_that_never_pauses,
            survives_a_request_that_is_no_text, survives_half_open_clients, survives_rude_clients,
        },
        still_answers,
    },
    ensure, is_here, tests, try_again, wait_for,
};
use site::HEAD_TIME;

mod wire {
    pub mod http;
    pub mod limits;
    pub mod probe;
    pub mod routes;
    pub mod shortage;
}

fn main() -> ExitCode {
    let mut trials = Trials::of_all_servers();
    trials.add(
        On::Every,
        Plain::Three,
        tests![
            answers_before_it_closes,
            keeps_its_threads,
            survives_a_request_that_is_no_text,
            survives_rude_clients,
            survives_panics,
            survives_a_client_that_never_pauses,
        ],
    );
    trials.add(On::Every, Plain::One, tests![outlasts_a_silent_client]);
    trials.add(On::Every, Plain::Ladder, tests![survives_half_open_clients]);
    trials.add(
        On::Schedule(Schedule::ThreadPerConnection),
        Plain::Three,
        tests![
            #[cfg(target_os = "linux")]
            survives_running_out_of_threads,
        ],
    );
    trials.alone(alone![one_server_of_each_toolchain_answers]);
    wire::http::list(&mut trials);
    wire::limits::list(&mut trials);
    wire::probe::list(&mut trials);
    wire::routes::list(&mut trials);
    #[cfg(unix)]
    wire::shortage::list(&mut trials);
    trials.run()
}

/// What a plain `cargo test` knows of the servers in other languages: that one of each toolchain answers.
fn one_server_of_each_toolchain_answers() {
    for toolchain in records::servers::TOOLCHAINS.iter() {
        let mut all = records::servers::FOREIGN.iter();
        let server = all.find(|server| server.toolchain() == Some(toolchain));
        let server = server.expect("it builds one");
        if is_here(server) {
            still_answers(&Rung::named(&server.name).start(&[])).unwrap();
        }
    }
}

/// A panic costs its own client the answer. It costs nobody else anything, and the pool none of its threads.
fn survives_panics(rung: Rung) -> Result<(), Failure> {
    let threads = 3;
    for flags in [&["--panic-route"][..], &["--panic-route", "--keep-alive"]] {
        let mut server = rung.launch_with_threads(threads).args(flags).start();
        for _ in 0..threads * 4 {
            let mut client = Client::connect(&server)?;
            client.get("/panic")?;
            let (answer, _) = client.rest()?;
            let came = Excerpt::of(&answer);
            client.ensure(answer.is_empty(), came, "nothing from a handler that panicked")?;
        }
        still_answers(&server)?;
        if rung.schedule != Schedule::OneThread {
            // With one thread less there would be none left for the good client.
            try_again(HEAD_TIME, || {
                let held = half_open(&server, threads - 1)?;
                let start = Instant::now();
                still_answers(&server)?;
                served_at_once(&held[0], start)
            })?;
        }
        assert!(server.is_running());
    }
    Ok(())
}

/// A client that sends one request after the other, and never waits for an answer, always has bytes to read
/// and room to write. It must not keep the only thread of a rung whose tasks share it.
fn survives_a_client_that_never_pauses(rung: Rung) -> Result<(), Failure> {
    if !rung.serves_beside_waiting_clients() {
        // There a connection keeps its thread by nature, and with `--keep-alive` for as long as it likes.
        return Ok(());
    }
    let server = rung.launch_with_threads(1).args(&["--keep-alive"]).start();
    serves_beside_a_client_that_never_pauses(&server)
}

/// The system refuses a thread: that costs its client the answer, and nobody the server.
#[cfg(target_os = "linux")]
fn survives_running_out_of_threads(rung: Rung) -> Result<(), Failure> {
    let server = rung.start(&[]);
    still_answers(&server)?;
    let idle = server.status("Threads");
    // Room for the stacks of about ten threads, and half a stack for everything else.
    let stack = 2 * 1024 * 1024;
    server.limit_address_space(server.status("VmSize") * 1024 + 10 * stack + stack / 2);
    let refused = try_again(HEAD_TIME, || {
        // They send nothing, so that a refusal can't cross a request and be lost to a reset.
        let mut clients: Vec<Client> =
            (0..40).map(|_| Client::connect(&server)).collect::<Result<_, _>>()?;
        // They are accepted in their order: when the last has its refusal, so have those before it.
        let last = clients.last_mut().expect("there are 40");
        let hears = last.hears_within(ladder_tests::DEADLINE);
        last.ensure(hears, "nothing on 40 connections", "a thread that is refused")?;
        // The last ones first, until one is met that has a thread, and hears nothing.
        let mut refused = 0;
        for client in clients.iter_mut().rev() {
            if !client.hears_within(Duration::from_millis(100)) {
                break;
            }
            check_refusal(client, (503, "Service Unavailable"))?;
            refused += 1;
        }
        Ok(refused)
    })?;
    ensure(refused < 40, "40 threads that were refused", "those that the limit allows")?;
    // The refused and the served are gone now; when their threads have ended, others can be had.
    wait_for("the threads end", || Ok(server.status("Threads") <= idle))?;
    wait_for("a thread can be had again", || Ok(ask(&server, "/")?.status == 200))?;
    wait_for("that thread ends too", || Ok(server.status("Threads") <= idle))?;
    still_answers(&server)
}
