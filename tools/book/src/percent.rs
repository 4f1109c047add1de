//! Percent signs in URLs (RFC 3986, section 2.1).

/// The text with `%41` turned into `A`; `None` where a percent sign has no two digits, or no UTF-8 comes out.
pub(crate) fn percent_decode(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                (digit()? * 16 + digit()?) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(decoded).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_signs() {
        assert_eq!(percent_decode("a%20b").as_deref(), Some("a b"));
        assert_eq!(percent_decode("%e2%82%ac").as_deref(), Some("€"));
        for broken in ["%", "%4", "%zz", "%ff", "%+1"] {
            assert_eq!(percent_decode(broken), None, "{broken}");
        }
    }
}
