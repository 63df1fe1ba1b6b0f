//! Parameters of a query string.

use std::borrow::Cow;

/// The first value of a parameter, percent-decoded; names are compared without case, as the
/// reference server does. `None` where it is absent.
///
/// `+` stays `+`: SDKs put tokens into the URL as they are, and a base64 secret may have one.
pub fn parameter<'a>(query: &'a str, name: &str) -> Option<Cow<'a, [u8]>> {
    query.split('&').find_map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        key.eq_ignore_ascii_case(name)
            .then(|| percent_decoded(value))
    })
}

/// Percent-decoded, borrowed where nothing is encoded. A `%` that no two hexadecimal digits follow
/// stands for itself.
pub(crate) fn percent_decoded(text: &str) -> Cow<'_, [u8]> {
    let bytes = text.as_bytes();
    if !bytes.contains(&b'%') {
        return Cow::Borrowed(bytes);
    }
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match escaped(&bytes[at..]) {
            Some(value) => {
                decoded.push(value);
                at += 3;
            }
            None => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    Cow::Owned(decoded)
}

/// The byte that `%XX` at the start of `text` stands for.
fn escaped(text: &[u8]) -> Option<u8> {
    let [b'%', high, low, ..] = text else {
        return None;
    };
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}
