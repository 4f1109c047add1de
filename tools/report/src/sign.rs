//! The sign of a server, with which a picture names it.

use servers::Server;

/// The sign, to stand in a line of text: round where a waiting request holds no thread, square elsewhere.
pub fn sign(server: &Server) -> String {
    let wide = if server.sign.len() == 1 { 18 } else { 23 };
    let round = if server.is_round() { 9 } else { 2 };
    format!(
        "<svg class=\"pic sign-of\" width=\"{wide}\" height=\"18\" viewBox=\"0 0 {wide} 18\" aria-hidden=\"true\">\
         <rect width=\"{wide}\" height=\"18\" rx=\"{round}\" fill=\"var(--server-{})\"/>\
         <text class=\"sign\" x=\"{}\" y=\"13.2\">{}</text></svg> ",
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
            let sign = sign(server);
            is_in_the_theme(&sign);
            let round = if server.is_round() { "rx=\"9\"" } else { "rx=\"2\"" };
            has(&sign, &[round, &format!(">{}</text>", server.sign)]);
        }
    }
}
