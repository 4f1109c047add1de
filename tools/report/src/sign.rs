//! The sign of a server, with which a picture names it.

use servers::Server;

/// How high a sign is, in pixels.
pub const HIGH: i32 = 18;

/// How wide the sign of a server is, in pixels.
pub fn wide(server: &Server) -> i32 {
    if server.sign.len() == 1 { 18 } else { 23 }
}

/// The sign, to stand in a line of text: round where a waiting request holds no thread, square elsewhere.
pub fn sign(server: &Server) -> String {
    let wide = wide(server);
    format!(
        "<svg class=\"pic sign-of\" width=\"{wide}\" height=\"{HIGH}\" viewBox=\"0 0 {wide} {HIGH}\" \
         aria-hidden=\"true\">{}</svg> ",
        shapes(server)
    )
}

/// The sign as a part of a drawing, with its upper left corner there.
pub fn mark(server: &Server, (x, y): (i32, i32)) -> String {
    format!("<g transform=\"translate({x} {y})\">{}</g>", shapes(server))
}

fn shapes(server: &Server) -> String {
    let wide = wide(server);
    let round = if server.is_round() { 9 } else { 2 };
    format!(
        "<rect width=\"{wide}\" height=\"{HIGH}\" rx=\"{round}\" fill=\"var(--server-{})\"/>\
         <text class=\"sign\" x=\"{}\" y=\"13.2\">{}</text>",
        server.colour,
        f64::from(wide) / 2.0,
        server.sign
    )
}

#[cfg(test)]
mod tests {
    use servers::SERVERS;

    use super::*;
    use crate::testing::{has, is_in_the_theme};

    #[test]
    fn a_sign_says_whether_a_waiting_request_holds_a_thread() {
        for server in SERVERS.iter() {
            for sign in [sign(server), mark(server, (3, 4))] {
                is_in_the_theme(&sign);
                let round = if server.is_round() { "rx=\"9\"" } else { "rx=\"2\"" };
                has(&sign, &[round, &format!(">{}</text>", server.sign)]);
            }
        }
    }
}
