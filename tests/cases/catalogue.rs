//! The cases that the judge puts to somebody else's server: each with who asks for it, and the section of the book that
//! explains it.

use super::{Target, http, limits, routes, rude};
use crate::Failure;

/// Who asks for what a case is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// The RFCs, of any server that speaks HTTP/1.1.
    Standard,
    /// Clients as they are: rude, slow, many, or with a long head.
    Clients,
    /// The contract of this book, and nobody else.
    Contract,
}

/// To which servers a case can be put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// To any that has a page `/`.
    Index,
    /// To one that keeps a connection for the next request.
    Keeping,
    /// To one that does not.
    Closing,
    /// To one that has all pages of the site.
    Site,
}

/// A case.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// The name of its function, which our tests call too.
    pub name: &'static str,
    /// Who asks for it.
    pub level: Level,
    /// To which servers it can be put.
    pub needs: Needs,
    /// The page of the book, without `.md`.
    pub page: &'static str,
    /// Its section that explains the case.
    pub section: &'static str,
    /// What should happen.
    pub expected: &'static str,
    /// Puts it.
    pub run: fn(&Target) -> Result<(), Failure>,
}

/// All pages of the site.
pub const SITE: [&str; 5] = ["/", "/sleep", "/tenth", "/file", "/work"];

macro_rules! catalogue {
    ($($level:ident $needs:ident $module:ident::$name:ident $page:literal $section:literal $expected:literal)*) => {
        /// All of them: first what does the server no harm.
        pub static CATALOGUE: &[Entry] = &[$(Entry {
            name: stringify!($name),
            level: Level::$level,
            needs: Needs::$needs,
            page: $page,
            section: $section,
            expected: $expected,
            run: $module::$name,
        }),*];
    };
}

catalogue! {
    Standard Index http::takes_a_request_in_pieces
        "ch01-single-threaded" "A request in two pieces"
        "however a request is cut into pieces, it gets the same response"
    Standard Index http::closes_where_less_than_a_request_comes
        "ch01-single-threaded" "What goes over the wire"
        "half a request gets no page, and the connection ends when the client has ended its half"
    Standard Index routes::answers_head
        "ch01-single-threaded" "What goes over the wire"
        "HEAD gets the head of the response to GET, and no body (RFC 9110, section 9.3.2)"
    Standard Closing routes::closes_a_connection
        "ch01-single-threaded" "A connection that stays"
        "a server that keeps no connection says `Connection: close` in each response (RFC 9112, section 9.3)"
    Standard Keeping routes::keeps_a_connection
        "ch01-single-threaded" "A connection that stays"
        "a kept connection carries one request after the other"
    Standard Keeping http::honours_connection_close
        "ch01-single-threaded" "A connection that stays"
        "a client that says `Connection: close` gets its response, and then the end (RFC 9112, section 9.6)"
    Standard Index http::answers_pipelined_requests_in_order
        "ch01-single-threaded" "A connection that stays"
        "of requests that come together, each is answered in turn, or the first, and then the connection ends \
         (RFC 9112, section 9.3.2)"
    Standard Index http::takes_leading_empty_lines
        "contract" "The rules in short"
        "an empty line in front of a request is ignored (RFC 9112, section 2.2)"
    Standard Index http::takes_every_form_of_target
        "contract" "The rules in short"
        "a target may be a whole URL, and names of header lines know no case (RFC 9112, sections 3.2.2 and 5)"
    Standard Index http::speaks_http_1_0
        "contract" "The rules in short"
        "a client of HTTP/1.0 is answered, and then the connection ends (RFC 9112, section 9.3)"
    Standard Index http::never_takes_a_body_for_a_request
        "contract" "The rules in short"
        "what a request announces as its body is not answered as a request (RFC 9112, section 6)"

    Contract Index limits::states_its_length
        "ch01-single-threaded" "An answer without a length"
        "each response states its length"
    Contract Index http::answers_a_client_that_has_finished_sending
        "contract" "The rules in short"
        "a client that has asked and ended its half still gets its response"
    Contract Index http::takes_two_equal_lengths_for_one
        "contract" "The rules in short"
        "two `Content-Length` lines that say the same are taken for one, and the connection ends"
    Contract Index http::refuses_what_is_no_request
        "contract" "The rules in short"
        "what is no request gets a 400, another version a 505, and both `Connection: close`"
    Contract Keeping http::refuses_what_is_no_request_behind_one
        "contract" "The rules in short"
        "what is no request gets its 400 behind a good one too, and what follows it gets nothing"
    Contract Index limits::limits_the_head
        "contract" "The rules in short"
        "a head of 16 KiB is read, a longer one gets a 431, and a 414 where its target is too long"
    Contract Index limits::bounds_what_it_drains
        "ch01-single-threaded" "A client that never ends"
        "a server stops reading a body without end"
    Contract Index limits::turns_a_silent_client_away
        "contract" "The rules in short"
        "the connection of a client that says nothing for 5 s is closed"
    Contract Index limits::tells_a_client_whose_head_is_late
        "contract" "The rules in short"
        "half a head gets a 408 after 5 s, and then the connection ends"
    Contract Index limits::limits_the_time_of_a_whole_head
        "ch01-single-threaded" "What the whole server adds"
        "a head that comes byte by byte gets a 408 after 5 s: the limit is for the whole head"
    Contract Keeping limits::ends_an_idle_kept_connection
        "contract" "The rules in short"
        "a kept connection ends after 5 s of silence"
    Contract Keeping limits::limits_the_time_behind_a_request
        "contract" "The rules in short"
        "half a head behind a whole request has its 5 s too"
    Contract Site routes::answers_every_route
        "contract" "The pages"
        "each page has its status, its kind of content and its body"
    Contract Site routes::counts_every_tenth_request_over_all_connections
        "contract" "The pages"
        "`/tenth` gives each number once, and every tenth request waits"
    Contract Site routes::refuses_other_methods
        "contract" "The rules in short"
        "a page knows GET and HEAD, and any other method gets a 405"
    Contract Site routes::refuses_methods_that_nobody_has_registered
        "contract" "The rules in short"
        "an unregistered method gets a 405"
    Contract Site routes::refuses_other_paths_and_parameters
        "contract" "The rules in short"
        "another path gets a 404, and a parameter that makes no sense a 400"

    Clients Index limits::takes_a_head_of_2000_bytes
        "ch01-single-threaded" "A head longer than the buffer"
        "a header line of 2,000 bytes, as a browser with a few cookies sends it, is answered: no standard names a least \
         length, and a server that takes less owes a 4xx (RFC 9110, section 5.4)"
    Clients Index rude::answers_before_it_closes
        "ch01-single-threaded" "Why it drains before it closes"
        "a client that sends more than the server wants to read still gets its response"
    Clients Index rude::outlasts_a_silent_client
        "ch01-single-threaded" "A client that says nothing"
        "beside a client that says nothing, the next one is served within 8 s"
    Clients Index limits::bounds_a_client_that_reads_nothing
        "ch01-single-threaded" "What the whole server adds"
        "a client that asks and asks and reads nothing costs the next one nothing"
    Clients Index rude::serves_beside_half_a_request
        "ch02-thread-spawn" "The change"
        "beside a client that has sent half a request, another is served at once"
    Clients Index rude::serves_beside_two_hundred_half_requests
        "ch04-async-std" "Why 500 waiting tasks fit on 2 threads"
        "beside two hundred clients that have sent half a request, another is served at once"
    Clients Keeping rude::serves_beside_a_client_that_never_pauses
        "ch04-async-std" "Time limits, and giving way"
        "beside a client that always has a next request, others are served"
    Clients Index rude::survives_rude_clients
        "ch01-single-threaded" "A client that leaves"
        "clients that leave at any point of a request cost the next one nothing"
    Clients Index rude::survives_a_request_that_is_no_text
        "ch01-single-threaded" "A panic costs one connection"
        "a request that is not UTF-8 costs its own client the response at most"
    Clients Index rude::keeps_its_threads
        "ch03-threadpool" "A worker that survives a panic"
        "thirty-two requests that are not UTF-8, one after the other, cost no thread"
}
