//! What is typed while a file is watched: single keys on a terminal, and lines elsewhere.

use std::{
    io::{self, BufRead, IsTerminal},
    sync::mpsc::{self, SyncSender},
    thread,
};

use console::Term;

/// Something that was typed. As long as it is held, no further key is waited for.
#[derive(Debug)]
pub(crate) struct Key {
    /// The letter, or the line.
    pub text: String,
    _held: Option<SyncSender<()>>,
}

/// Whether a letter counts only when Enter is pressed behind it.
pub(crate) fn want_enter() -> bool {
    !(io::stdin().is_terminal() && io::stdout().is_terminal())
}

/// Hands on what is typed, until the input ends or `hand_on` is false.
pub(crate) fn listen(hand_on: impl Fn(Key) -> bool + Send + 'static) {
    thread::spawn(move || if want_enter() { lines(hand_on) } else { keys(hand_on) });
}

fn lines(hand_on: impl Fn(Key) -> bool) {
    for line in io::stdin().lock().lines() {
        let Ok(line) = line else { return };
        if !hand_on(Key { text: line.trim().to_owned(), _held: None }) {
            return;
        }
    }
}

/// While a key is waited for, the terminal does not echo. So the next one is waited for only when the last one has
/// been obeyed: after `q` nobody would give the echo back.
fn keys(hand_on: impl Fn(Key) -> bool) {
    let terminal = Term::stdout();
    loop {
        let text = match terminal.read_key_raw() {
            Ok(console::Key::Char(letter)) => letter.to_string(),
            Ok(console::Key::Enter) => String::new(),
            // The terminal no longer turns it into a signal.
            Ok(console::Key::CtrlC) => "q".to_owned(),
            Ok(_) => continue,
            Err(_) => return,
        };
        let (held, obeyed) = mpsc::sync_channel(0);
        let sent = hand_on(Key { text, _held: Some(held) });
        // Nothing is ever sent: this waits for the sender's end.
        let _ = obeyed.recv();
        if !sent {
            return;
        }
    }
}
