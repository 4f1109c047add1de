//! What holds for any bytes, however they are cut: properties, tried on inputs made at random.

use crate::common::{End, answers, codes, talk};
use proptest::{collection::vec, prelude::*, sample::Index};
use site::{Connection, HEAD_LIMIT, Method, Parsed, Request, Site, Status, Step, Version, parse};

/// One request that RFC 9112 allows, and what the site must understand of it.
#[derive(Clone, Debug)]
struct Valid {
    bytes: Vec<u8>,
    means: Request,
    body: Vec<u8>,
}

impl Valid {
    fn with_body(&self) -> Vec<u8> {
        [self.bytes.as_slice(), &self.body].concat()
    }
}

fn method() -> impl Strategy<Value = (String, Method)> {
    prop_oneof![
        4 => Just(("GET".to_owned(), Method::Get)),
        2 => Just(("HEAD".to_owned(), Method::Head)),
        1 => "[A-Z!#$%&'*+.^_`|~-]{1,20}".prop_filter_map("the site knows it", |token| {
            (token != "GET" && token != "HEAD").then_some((token, Method::Other))
        }),
    ]
}

/// A path, with a query or without.
fn target() -> impl Strategy<Value = (String, String, Option<String>)> {
    let path = prop_oneof![
        3 => proptest::sample::select(vec!["/", "/sleep", "/tenth", "/file", "/work", "/nothing"])
            .prop_map(str::to_owned),
        1 => "/[a-zA-Z0-9/._~%!$&'()*+,;=:@-]{0,30}",
    ];
    let query = proptest::option::of(prop_oneof![
        Just("ms=0".to_owned()),
        Just("n=1".to_owned()),
        "[a-zA-Z0-9/?._~%!$&'()*+,;=:@-]{0,30}",
    ]);
    let absolute =
        proptest::option::weighted(0.2, "[hH][tT][tT][pP]://[a-z0-9.-]{1,20}(:[0-9]{1,5})?");
    (path, query, absolute).prop_map(|(path, query, absolute)| {
        let tail = query.as_ref().map_or(String::new(), |query| format!("?{query}"));
        (format!("{}{path}{tail}", absolute.unwrap_or_default()), path, query)
    })
}

/// A header line that the site has no use for.
fn other_line() -> impl Strategy<Value = String> {
    let name = "[a-zA-Z0-9!#$%&'*+.^_`|~-]{1,15}".prop_filter("the site would read it", |name| {
        let known = ["host", "connection", "content-length", "transfer-encoding"];
        !known.iter().any(|known| name.eq_ignore_ascii_case(known))
    });
    (name, "[ \t]{0,3}", "[!-~\u{a1}-\u{ff}]?([ \t!-~\u{a1}-\u{ff}]{0,40}[!-~])?", "[ \t]{0,3}")
        .prop_map(|(name, before, value, after)| format!("{name}:{before}{value}{after}\r\n"))
}

/// The lines that decide whether the connection stays open, and whether they announce it in 1.0 and in 1.1.
fn connection_lines() -> impl Strategy<Value = (String, (bool, bool))> {
    proptest::sample::select(vec![
        ("", (false, true)),
        ("Connection: keep-alive\r\n", (true, true)),
        ("Connection: Close\r\n", (false, false)),
        ("connection: te ,close\r\n", (false, false)),
        ("Connection: a\r\nConnection: keep-alive,b\r\n", (true, true)),
    ])
    .prop_map(|(lines, keeps)| (lines.to_owned(), keeps))
}

/// A body and the lines that announce it.
fn body() -> impl Strategy<Value = (String, Vec<u8>, bool)> {
    prop_oneof![
        8 => Just((String::new(), Vec::new(), false)),
        1 => vec(any::<u8>(), 0..60).prop_map(|body| {
            (format!("Content-Length: {}\r\n", body.len()), body.clone(), !body.is_empty())
        }),
        1 => "[a-z]{1,9}".prop_map(|text| {
            let body = format!("{:x}\r\n{text}\r\n0\r\n\r\n", text.len()).into_bytes();
            ("Transfer-Encoding: chunked\r\n".to_owned(), body, true)
        }),
    ]
}

fn valid() -> impl Strategy<Value = Valid> {
    (
        method(),
        target(),
        any::<bool>(),
        vec(other_line(), 0..6),
        connection_lines(),
        body(),
        0..3usize,
        any::<Index>(),
    )
        .prop_map(|(method, target, old, mut lines, connection, body, empty, at)| {
            let (method_name, method) = method;
            let (target, path, query) = target;
            let (connection, (keeps_old, keeps_new)) = connection;
            let (announcement, body, has_body) = body;
            // Transfer-Encoding came with 1.1.
            let old = old && !announcement.starts_with("Transfer");
            let host = at.index(lines.len() + 1);
            lines.insert(host, "Host: example:80\r\n".to_owned());
            lines.push(connection);
            lines.push(announcement);
            let (version_name, version) =
                if old { ("HTTP/1.0", Version::Http10) } else { ("HTTP/1.1", Version::Http11) };
            let head = format!(
                "{}{method_name} {target} {version_name}\r\n{}\r\n",
                "\r\n".repeat(empty),
                lines.concat()
            );
            Valid {
                bytes: head.into_bytes(),
                means: Request {
                    method,
                    path,
                    query,
                    version,
                    keep_alive: if old { keeps_old } else { keeps_new },
                    has_body,
                },
                body,
            }
        })
}

fn stream() -> impl Strategy<Value = Vec<u8>> {
    vec(valid(), 1..6).prop_map(|requests| requests.iter().flat_map(Valid::with_body).collect())
}

/// A byte, more often than not one that has a meaning in a head.
fn telling_byte() -> impl Strategy<Value = u8> {
    prop_oneof![
        3 => proptest::sample::select(b"\r\n\t :/?*,.0129HTPG\0\x7f\x80\xff".to_vec()),
        1 => any::<u8>(),
    ]
}

/// A valid stream with a few bytes changed, put in, taken out or doubled.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    (stream(), vec((any::<Index>(), 0..4u8, telling_byte()), 1..5)).prop_map(
        |(mut bytes, changes)| {
            for (at, kind, byte) in changes {
                if bytes.is_empty() {
                    break;
                }
                let at = at.index(bytes.len());
                match kind {
                    0 => bytes[at] = byte,
                    1 => bytes.insert(at, byte),
                    2 => drop(bytes.remove(at)),
                    _ => bytes.insert(at, bytes[at]),
                }
            }
            bytes
        },
    )
}

/// Anything: sound, nearly sound, made of telling bytes, or noise. Now and then too long.
fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![
        4 => stream(),
        4 => damaged(),
        2 => vec(telling_byte(), 0..80),
        1 => vec(any::<u8>(), 0..200),
        1 => (damaged(), any::<Index>(), HEAD_LIMIT - 300..HEAD_LIMIT + 300).prop_map(
            |(mut bytes, at, filler)| {
                let at = at.index(bytes.len().max(1)).min(bytes.len());
                bytes.splice(at..at, std::iter::repeat_n(b'x', filler));
                bytes
            }
        ),
    ]
}

/// `bytes`, cut wherever `cuts` say.
fn cut<'bytes>(bytes: &'bytes [u8], cuts: &[Index]) -> Vec<&'bytes [u8]> {
    let mut places: Vec<_> = cuts.iter().map(|cut| cut.index(bytes.len() + 1)).collect();
    places.extend([0, bytes.len()]);
    places.sort_unstable();
    places.windows(2).map(|ends| &bytes[ends[0]..ends[1]]).collect()
}

fn end() -> impl Strategy<Value = End> {
    prop_oneof![Just(End::Eof), Just(End::Silence)]
}

fn settings() -> ProptestConfig {
    // A failing input is printed; it belongs into a separate test, not into a file of seeds.
    let mut settings = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    // A few see what is broken in general; `.ci/run` asks for ten times as many.
    if std::env::var_os("PROPTEST_CASES").is_none() {
        settings.cases = 40;
    }
    settings
}

proptest! {
    #![proptest_config(settings())]

    #[test]
    fn a_valid_head_is_understood(valid in valid(), behind in vec(telling_byte(), 0..20)) {
        let expected = Parsed::Request { request: valid.means.clone(), length: valid.bytes.len() };
        prop_assert_eq!(parse(&valid.bytes), expected.clone());
        prop_assert_eq!(parse(&[valid.bytes.clone(), behind].concat()), expected);
        for end in 0..valid.bytes.len() {
            prop_assert_eq!(parse(&valid.bytes[..end]), Parsed::NeedMore);
        }
    }

    #[test]
    fn a_beginning_is_unfinished_or_has_the_outcome_of_the_whole(bytes in any_bytes()) {
        let outcome = parse(&bytes);
        // Every place near the ends of a long input, and some of those between.
        let step = (bytes.len() / 500).max(1);
        for end in (0..=bytes.len()).filter(|end| end % step == 0 || bytes.len() - end < 50) {
            let earlier = parse(&bytes[..end]);
            prop_assert!(
                earlier == Parsed::NeedMore || earlier == outcome,
                "{earlier:?} after {end} bytes, {outcome:?} after all {}", bytes.len()
            );
        }
    }

    #[test]
    fn the_length_of_a_head_is_that_of_its_shortest_whole_beginning(bytes in any_bytes()) {
        if let Parsed::Request { length, .. } = parse(&bytes) {
            prop_assert!(length <= bytes.len().min(HEAD_LIMIT));
            prop_assert!(bytes[..length].ends_with(b"\r\n\r\n"));
            prop_assert_eq!(parse(&bytes[..length]), parse(&bytes));
            prop_assert_eq!(parse(&bytes[..length - 1]), Parsed::NeedMore);
        }
    }

    #[test]
    fn refusals_have_one_of_four_statuses(bytes in any_bytes()) {
        if let Parsed::Refused(status) = parse(&bytes) {
            let allowed = [
                Status::BAD_REQUEST,
                Status::TARGET_TOO_LONG,
                Status::HEAD_TOO_LARGE,
                Status::VERSION_NOT_SUPPORTED,
            ];
            prop_assert!(allowed.contains(&status), "{status:?}");
        }
    }

    #[test]
    fn cuts_change_nothing(
        bytes in any_bytes(),
        cuts in vec(any::<Index>(), 0..30),
        keep_alive: bool,
        end in end(),
    ) {
        let whole = talk(Connection::new(&Site::with_keep_alive(keep_alive)), [&bytes[..]], end);
        let cut = talk(Connection::new(&Site::with_keep_alive(keep_alive)), cut(&bytes, &cuts), end);
        prop_assert_eq!(whole, cut);
    }

    #[test]
    fn a_byte_at_a_time_changes_nothing(bytes in damaged(), keep_alive: bool, end in end()) {
        let whole = talk(Connection::new(&Site::with_keep_alive(keep_alive)), [&bytes[..]], end);
        let bytewise = talk(Connection::new(&Site::with_keep_alive(keep_alive)), bytes.chunks(1), end);
        prop_assert_eq!(whole, bytewise);
    }

    #[test]
    fn each_valid_request_gets_one_answer_until_one_closes(
        requests in vec(valid(), 1..8),
        cuts in vec(any::<Index>(), 0..10),
        keep_alive: bool,
    ) {
        let bytes: Vec<u8> = requests.iter().flat_map(Valid::with_body).collect();
        let steps = talk(Connection::new(&Site::with_keep_alive(keep_alive)), cut(&bytes, &cuts), End::Eof);
        let last = requests.iter().position(|Valid { means, .. }| {
            !keep_alive || !means.keep_alive || means.has_body
        });
        let expected = last.map_or(requests.len(), |last| last + 1);
        prop_assert_eq!(codes(&steps).len(), expected);
        for (answer, request) in answers(&steps).iter().zip(&requests) {
            let (head, body) = answer.split_once("\r\n\r\n").expect("an answer's head ends");
            let length = head.split("\r\n").find_map(|line| line.strip_prefix("Content-Length: "));
            let length: usize = length.expect("a length").parse().expect("a number");
            let sent = if request.means.method == Method::Head { 0 } else { length };
            prop_assert_eq!(body.len(), sent);
        }
        let closes: Vec<_> =
            answers(&steps).iter().map(|answer| answer.contains("\r\nConnection: close\r\n")).collect();
        prop_assert_eq!(closes.iter().position(|&closes| closes), last);
        prop_assert_eq!(steps.contains(&Step::FinishWriting), last.is_some());
    }
}
