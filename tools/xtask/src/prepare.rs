//! `cargo xtask prepare`: compiles what a lesson needs, so that in the room nothing compiles but a learner's own code.
//!
//! Cargo chooses the features of a package by all that it is asked to build along with it. So each call here asks as the
//! lesson will: asked for all at once, cargo would compile other variants, and in the room the right ones once more.

use std::{
    env, fs,
    io::{self, ErrorKind},
    path::Path,
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context, Result};
use records::{
    base::{programs::program, say},
    workshop::lessons::{Needs, needs_of},
};

use crate::{
    doctor::{self, Finding},
    programs,
};

/// Prepares this machine for the lesson of this name, and says in one last line whether it is ready. Fails when there is
/// no such lesson, or cargo can't be started.
pub fn prepare(root: &Path, lesson: &str) -> Result<ExitCode> {
    let needs = needs_of(root, lesson)?;
    let mut findings = programs_for(&needs);
    findings.iter().for_each(Finding::print);
    findings.extend(compile(root, &needs)?);
    say("");
    Ok(doctor::conclude(lesson, &findings))
}

/// Looks for the program that every lesson needs, and for those that this one types. Whoever comes here has a linker.
fn programs_for(needs: &Needs) -> Vec<Finding> {
    let mut names = vec!["curl"];
    names.extend(needs.tools.iter().map(String::as_str).filter(|name| *name != "curl"));
    names.into_iter().filter_map(program).map(|it| doctor::installed(&it)).collect()
}

/// Lets cargo do all that it will do in the lesson, up to the first failure, which is returned.
fn compile(root: &Path, needs: &Needs) -> Result<Option<Finding>> {
    for (purpose, mut cargo) in calls(root, needs) {
        say(format_args!("\nPreparing {purpose}"));
        if !succeeds(&mut cargo)? {
            return Ok(Some(failure(&purpose)));
        }
    }
    Ok(None)
}

const PACKAGES: &str = "the packages";

/// Lists the calls of cargo in the book's own workspace, each with what it is for.
fn calls(root: &Path, needs: &Needs) -> Vec<(String, Command)> {
    let mut fetch = programs::cargo("fetch", root);
    fetch.arg("--locked");
    if let Some(host) = doctor::host() {
        fetch.args(["--target", &host]);
    }
    let mut calls = vec![(PACKAGES.to_owned(), fetch)];
    if !needs.exercises.is_empty() {
        calls.push(("cargo xtask learn".to_owned(), programs::build("learn", "learn", root)));
    }
    if !needs.examples.is_empty() {
        let mut build = programs::cargo("build", root);
        build.args(needs.examples.iter().flat_map(|name| ["--example", name.as_str()]));
        calls.push(("the servers and other examples".to_owned(), build));
    }
    for name in &needs.exercises {
        // As `learn` does, which knows no package but that of the exercise.
        let mut check = programs::cargo("test", root);
        check.args(["--no-run", "--test", "check", "--package", &format!("ex_{name}")]);
        calls.push((format!("the exercise {name}"), check));
    }
    calls
}

/// Runs cargo, which shows its progress, to its end.
fn succeeds(cargo: &mut Command) -> Result<bool> {
    let status = cargo.stdin(Stdio::null()).status();
    Ok(status.with_context(|| format!("cannot start {cargo:?}"))?.success())
}

/// Finds out why cargo has failed, as far as it isn't only in cargo's own words.
fn failure(purpose: &str) -> Finding {
    let cure = match fill_disk() {
        Err(error) if matches!(error.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded) => {
            "the disk is full: make room, and run this again"
        }
        _ if purpose == PACKAGES => {
            "they are not all on this disk: connect to a network and run this again, or take the archive of the workshop"
        }
        _ => "cargo says above what is wrong: run this again when that is mended",
    };
    Finding::missing(purpose, cure)
}

/// Writes a few megabytes for a moment to where cargo compiles: the folder of this program.
fn fill_disk() -> io::Result<()> {
    let probe = env::current_exe()?.with_file_name(".room");
    let written = fs::write(&probe, vec![0; 8 << 20]);
    // It may not be there at all, and then the first error counts.
    let _ = fs::remove_file(&probe);
    written
}
