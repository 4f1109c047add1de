//! Draws the sign of a server, with which a picture names it. A reader who points at it sees the name by which the server
//! is run.

use anyhow::{Context, Result};
use records::servers::Server;

use crate::text::plain;

/// The height of a sign, in pixels.
pub const HIGH: i32 = 18;

/// Returns the width of a server's sign, in pixels.
pub fn wide(server: &Server) -> i32 {
    if server.sign.len() == 1 { 18 } else { 23 }
}

/// Names a server by its sign and its short name, in Markdown. Fails when there is no such server.
pub fn named(name: &str) -> Result<String> {
    let server = Server::named(name)
        .with_context(|| format!("examples/servers.toml has no server `{name}`"))?;
    Ok(sign(server) + &plain(&server.called))
}

/// Draws the sign, for a line of text: round where a waiting request holds no thread, square elsewhere.
pub fn sign(server: &Server) -> String {
    let wide = wide(server);
    format!(
        "<svg class=\"pic sign-of\" width=\"{wide}\" height=\"{HIGH}\" viewBox=\"0 0 {wide} {HIGH}\" \
         aria-hidden=\"true\">{}</svg> ",
        shapes(server)
    )
}

/// Draws the sign as a part of a drawing, with its upper left corner there.
pub fn mark(server: &Server, (x, y): (i32, i32)) -> String {
    format!("<g transform=\"translate({x} {y})\">{}</g>", shapes(server))
}

fn shapes(server: &Server) -> String {
    let wide = wide(server);
    let round = if server.is_round() { 9 } else { 2 };
    let (ground, class) = match &server.colour {
        Some(colour) => {
            let size = format!("width=\"{wide}\" height=\"{HIGH}\" rx=\"{round}\"");
            (format!("<rect {size} fill=\"var(--server-{colour})\"/>"), "sign")
        }
        None => {
            // Its line is within its edge.
            let (wide, high) = (f64::from(wide) - 1.5, f64::from(HIGH) - 1.5);
            let size = format!("width=\"{wide}\" height=\"{high}\" rx=\"{round}\"");
            (format!("<rect class=\"outlined\" x=\"0.75\" y=\"0.75\" {size}/>"), "sign ink")
        }
    };
    let middle = f64::from(wide) / 2.0;
    format!(
        "<title>{}</title>{ground}<text class=\"{class}\" x=\"{middle}\" y=\"13.2\">{}</text>",
        server.name, server.sign
    )
}

#[cfg(test)]
mod tests {
    use records::servers::ALL;

    use super::*;

    #[test]
    fn a_server_has_its_short_name_and_shows_the_other_to_whoever_points() {
        let pool = named("ch03_threadpool").unwrap();
        assert!(pool.contains("<title>ch03_threadpool</title>"), "{pool}");
        assert!(pool.ends_with(">3</text></svg> a pool"), "{pool}");
        let error = named("ch03_pool").unwrap_err().to_string();
        assert_eq!(error, "examples/servers.toml has no server `ch03_pool`");
    }

    #[test]
    fn a_sign_says_whether_a_waiting_request_holds_a_thread() {
        for server in ALL.iter() {
            let sign = sign(server);
            let round = if server.is_round() { "rx=\"9\"" } else { "rx=\"2\"" };
            assert!(sign.contains(round), "{sign}");
            assert!(sign.contains(&format!(">{}</text>", server.sign)), "{sign}");
            // Another language is no rung.
            let is_outlined = sign.contains("class=\"outlined\"");
            assert_eq!(is_outlined, server.colour.is_none(), "{sign}");
        }
    }
}
