//! Refuses requests for names that are not the book's server's own.
//!
//! It listens on 127.0.0.1 alone, yet that does not keep other web sites out: one that a reader visits can let
//! its own name lead to 127.0.0.1 (*DNS rebinding*), and for the browser the book would then be a page of that
//! site, which its scripts may read. Such a request carries the site's name, so the name is what we look at.

use site::{Response, Status};

/// The names by which a browser on this machine reaches it.
const LOOPBACK: [&str; 3] = ["localhost", "127.0.0.1", "[::1]"];

/// The server was asked in the name of another one (RFC 9110, section 15.5.20).
const MISDIRECTED: Status = Status { code: 421, reason: "Misdirected Request" };

/// Why this head, which [`site::parse`] has taken, gets no page; `None` if it gets one.
pub(super) fn refusal(head: &[u8]) -> Option<Response> {
    let head = String::from_utf8_lossy(head);
    let named = named(&head);
    if !named.is_empty() && named.iter().all(|host| is_own(host)) {
        return None;
    }
    let own = LOOPBACK.join(", ");
    Some(Response::text(
        MISDIRECTED,
        format!(
            "This server answers only to the names of your own machine ({own}), so that no web site can read \
             the book under another name.\n"
        ),
    ))
}

/// Every host that a head names: that of an absolute target, and that of its line `Host`.
///
/// The target's is the one that counts (RFC 9112, section 3.2.2), but a client must send the same one twice.
fn named(head: &str) -> Vec<&str> {
    let mut lines = head.split("\r\n").skip_while(|line| line.is_empty());
    let target = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default();
    let absolute = target.split_once("://").map(|(_, rest)| {
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        &rest[..end]
    });
    let hosts = lines.filter_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("host").then(|| value.trim_matches([' ', '\t']))
    });
    // A path may hold an URL; only what does not begin with a slash is one.
    absolute.filter(|_| !target.starts_with('/')).into_iter().chain(hosts).collect()
}

/// Tells whether this is a name of our own machine, with whatever port: a reader may have forwarded another one to ours, with
/// `ssh -L` or an editor, and the name alone keeps other sites out.
fn is_own(host: &str) -> bool {
    let host = host.to_ascii_lowercase();
    let rest = LOOPBACK.iter().find_map(|name| host.strip_prefix(name));
    rest.is_some_and(|rest| match rest.strip_prefix(':') {
        Some(port) => port.bytes().all(|byte| byte.is_ascii_digit()),
        None => rest.is_empty(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_names_of_this_machine_are_its_own_with_any_port() {
        let own =
            "localhost:3000 LocalHost:3000 127.0.0.1:9000 [::1]:3001 localhost 127.0.0.1: [::1]";
        for own in own.split(' ') {
            assert!(is_own(own), "{own}");
        }
        let others = "localhost:+3000 localhost:3000:3000 localhost.:3000 localhosts localhost:x \
                      localhost.example.org:3000 127.0.0.1.example.org:3000 127.0.0.10:3000 0.0.0.0:3000 \
                      rebound.example.org:3000 [::1:3000 [::]:3000 user@localhost:3000 é:3000";
        for other in others.split(' ').chain([""]) {
            assert!(!is_own(other), "{other}");
        }
    }

    #[test]
    fn every_host_of_a_head_counts() {
        let head = |target: &str, host: &str| format!("GET {target} HTTP/1.1\r\n{host}\r\n\r\n");
        assert_eq!(named(&head("/", "hOST: \ta:1 ")), ["a:1"]);
        assert_eq!(named(&head("http://b:2?x", "Host: a:1")), ["b:2", "a:1"]);
        assert_eq!(named(&head("/x?u=http://b/", "Host: a:1")), ["a:1"]);
        assert_eq!(named("\r\nGET / HTTP/1.0\r\n\r\n"), Vec::<&str>::new());
    }
}
