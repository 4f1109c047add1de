//! What the paths of this service mean.

/// What `/` says.
pub const INDEX: &str = "An emblem for each name: /emblem/NAME\n";

/// The name whose emblem this path asks for: 1 to 32 small letters and digits.
pub fn name_in(path: &str) -> Option<&str> {
    let name = path.strip_prefix("/emblem/")?;
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    ((1..=32).contains(&name.len()) && name.bytes().all(fits)).then_some(name)
}
