//! The URL of the command line, taken apart.

// ANCHOR: target
/// Whom to ask, and for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The URL as it was written.
    pub url: String,
    /// The value of the `Host` header: `127.0.0.1:8080`, or `localhost`.
    pub host: String,
    /// The path with its query: `/sleep?ms=20`.
    pub path: String,
}
// ANCHOR_END: target

impl Target {
    /// Reads a URL such as `http://127.0.0.1:8080/sleep?ms=20`.
    ///
    /// # Errors
    /// In words, if it is not such a URL.
    pub fn parse(url: &str) -> Result<Target, String> {
        let Some(rest) = url.strip_prefix("http://") else {
            return Err(format!(
                "{url:?} does not begin with http://, the only protocol spoken here"
            ));
        };
        // Text that came into the request unchecked could be a second header line, or a second request.
        if let Some(bad) = rest.chars().find(|letter| !letter.is_ascii_graphic()) {
            return Err(format!("{url:?} has {bad:?} in it; write it as %XX"));
        }
        // What follows # is the browser's own business.
        let rest = rest.split('#').next().unwrap_or_default();
        let (host, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        if host.is_empty() || host.starts_with(':') {
            return Err(format!("{url:?} names no host"));
        }
        if host.contains('@') {
            return Err(format!("{url:?} has a user name in it, which is not supported"));
        }
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        let target = Target { url: url.to_owned(), host: host.to_owned(), path };
        match target.port() {
            Some(port) if !port.parse::<u16>().is_ok_and(|port| port > 0) => {
                Err(format!("{url:?}: {port:?} is not a port"))
            }
            _ => Ok(target),
        }
    }

    /// The host and its port, as the system's resolver takes them.
    pub fn host_and_port(&self) -> String {
        if self.port().is_some() { self.host.clone() } else { format!("{}:80", self.host) }
    }

    /// What follows the last colon, which in `[::1]:80` is not the first.
    fn port(&self) -> Option<&str> {
        let (_, port) = self.host.rsplit_once(':')?;
        (!port.ends_with(']')).then_some(port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn parts(url: &str) -> (String, String, String) {
        let target = Target::parse(url).expect("it is a URL");
        (target.host.clone(), target.host_and_port(), target.path)
    }

    #[test]
    fn urls_are_taken_apart() {
        for (url, host, host_and_port, path) in [
            (
                "http://127.0.0.1:8080/sleep?ms=20",
                "127.0.0.1:8080",
                "127.0.0.1:8080",
                "/sleep?ms=20",
            ),
            ("http://localhost", "localhost", "localhost:80", "/"),
            ("http://localhost?a=/", "localhost", "localhost:80", "/?a=/"),
            ("http://[::1]:8080/#top", "[::1]:8080", "[::1]:8080", "/"),
            ("http://[::1]/", "[::1]", "[::1]:80", "/"),
        ] {
            let expected = (host.to_owned(), host_and_port.to_owned(), path.to_owned());
            assert_eq!(parts(url), expected, "{url}");
        }
    }

    #[test]
    fn what_is_no_url_is_refused() {
        for url in [
            "",
            "127.0.0.1:8080",
            "https://127.0.0.1/",
            "http://",
            "http:///sleep",
            "http://:8080/",
            "http://a:/",
            "http://a:0/",
            "http://a:65536/",
            "http://me@a/",
            "http://a/b c",
            "http://a/\r\nX: y",
            "http://a/ä",
        ] {
            let complaint = Target::parse(url).expect_err(url);
            assert_eq!(complaint.lines().count(), 1, "{complaint}");
        }
    }
}
