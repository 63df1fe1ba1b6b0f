//! Standard output, where the answers of commands go.

use std::io::{self, Write};

use serde_json::Value;

/// Writes a text as it is. Whoever closes the pipe early, as `head` does, has read what they wanted.
///
/// # Errors
/// It cannot be written otherwise, e.g. to a full disk.
pub(crate) fn say(text: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written,
    }
}

/// Says an answer: as the API gave it where `json`, else in words.
///
/// # Errors
/// As [`say`].
pub(crate) fn answer(
    json: bool,
    answer: &Value,
    words: impl FnOnce(&Value) -> String,
) -> io::Result<()> {
    match json {
        true => say(&format!("{answer:#}\n")),
        false => say(&words(answer)),
    }
}
