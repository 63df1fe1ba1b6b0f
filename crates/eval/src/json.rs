//! A JSON value as the text that flags are compared with.
//!
//! Whoever reads a user from JSON reads its texts here, so that a property is the same text on
//! whatever way it came.

use std::borrow::Cow;

use serde_json::value::RawValue;

/// A string's content, nothing for `null` and for what is absent, anything else as it is written.
/// Borrowed where it stands in the message as it is.
pub fn text(value: Option<&RawValue>) -> Cow<'_, str> {
    let json = match value.map(RawValue::get) {
        None | Some("null") => return Cow::Borrowed(""),
        Some(json) => json,
    };
    match json
        .strip_prefix('"')
        .and_then(|rest| rest.strip_suffix('"'))
    {
        Some(content) if !content.contains('\\') => Cow::Borrowed(content),
        Some(_) => Cow::Owned(unescaped(json)),
        None => Cow::Borrowed(json),
    }
}

/// The content of a string with escapes.
fn unescaped(json: &str) -> String {
    let read = serde_json::from_str(json);
    // All that can be wrong in a string that was found to be one is half a surrogate pair: programs
    // that cut texts by UTF-16 units send them.
    let read = read.or_else(|_| serde_json::from_str(&without_halves(json)));
    read.unwrap_or_default()
}

/// The same JSON string with U+FFFD for each escape of a surrogate that is not one of a pair.
fn without_halves(json: &str) -> String {
    let mut whole = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(at) = rest.find('\\') {
        let (before, escape) = rest.split_at(at);
        whole.push_str(before);
        let second = || unit(escape.get(6..)?);
        let (length, as_it_is) = match unit(escape) {
            Some(0xD800..=0xDBFF) if matches!(second(), Some(0xDC00..=0xDFFF)) => (12, true),
            Some(0xD800..=0xDFFF) => (6, false),
            Some(_) => (6, true),
            None => (2, true),
        };
        let (escape, after) = escape.split_at_checked(length).unwrap_or((escape, ""));
        whole.push_str(if as_it_is { escape } else { r"\ufffd" });
        rest = after;
    }
    whole.push_str(rest);
    whole
}

/// The UTF-16 unit that an escape in front stands for, if it is one of the form `\u0000`.
fn unit(escape: &str) -> Option<u32> {
    let digits = escape.strip_prefix(r"\u")?.get(..4)?;
    u32::from_str_radix(digits, 16).ok()
}
