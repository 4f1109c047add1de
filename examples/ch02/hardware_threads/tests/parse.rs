//! The forms that Linux uses for lists, fields and quotas, and texts that are none of them.

#[path = "../parse.rs"]
mod parse;

use parse::{cpu_list, field, quota, threads};

#[test]
fn lists_of_cpus() {
    let list = |text| cpu_list(text).map(|cpus| cpus.into_iter().collect::<Vec<_>>());
    assert_eq!(list("0"), Some(vec![0]));
    assert_eq!(list("0-3,8\n"), Some(vec![0, 1, 2, 3, 8]));
    assert_eq!(list("7,0-1"), Some(vec![0, 1, 7]));
    for wrong in
        ["", ",", "0,", "3-0", "-1", "0-", "a", "0-4294967295", "99999999999", "0 1", "0-1-2"]
    {
        assert_eq!(list(wrong), None, "{wrong:?}");
    }
}

#[test]
fn fields_of_a_file() {
    let text = "processor\t: 0\nmodel name\t: A: B\nmodel name\t: C\nnothing\n";
    assert_eq!(field(text, "model name"), Some("A: B"));
    assert_eq!(field(text, "model"), None);
    assert_eq!(field("", "model"), None);
}

#[test]
fn quotas() {
    assert_eq!(quota("150000 100000"), Some(1.5));
    assert_eq!(quota("50000\n100000\n"), Some(0.5));
    for none in ["max 100000", "-1 100000", "100000 0", "100000", "", "a b"] {
        assert_eq!(quota(none), None, "{none:?}");
    }
}

#[test]
fn threads_of_the_system() {
    let words = "345 in all processes, 2 of them running or ready to run";
    assert_eq!(threads("0.10 0.20 0.30 2/345 6789"), Some(words.to_owned()));
    for wrong in ["", "0.10 0.20 0.30", "0.10 0.20 0.30 2 6789", "0.10 0.20 0.30 a/b 6789"] {
        assert_eq!(threads(wrong), None, "{wrong:?}");
    }
}
