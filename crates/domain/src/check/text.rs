//! Names, descriptions, tags, keys and ids.

use std::collections::HashSet;

use super::Checked;
use crate::fault::Fault;
use crate::key::Key;
use crate::limits::{MAX_DESCRIPTION, MAX_ID, MAX_NAME, MAX_TAG, MAX_TAGS};

/// What has a meaning beside tags in a policy's resources.
const POLICY_MARKS: [char; 3] = [',', ';', '*'];

/// A key of a new flag or segment.
pub(crate) fn key(text: &str, at: &str) -> Checked<Key> {
    Key::new(text).map_err(|error| Fault::new(at, "keyInvalid", error.to_string()))
}

/// A display name: trimmed, not empty, on one line.
pub(crate) fn name(text: &str, at: &str) -> Checked<String> {
    let name = line(text.trim(), at, "a name", MAX_NAME)?;
    if name.is_empty() {
        return Err(Fault::new(at, "nameEmpty", "a name must not be empty"));
    }
    Ok(name)
}

/// A display name that may be left out or blank.
pub(crate) fn optional_name(text: Option<&str>, at: &str) -> Checked<Option<String>> {
    match text.map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) => name(text, at).map(Some),
    }
}

/// A text for people: trimmed, perhaps empty, perhaps of several lines.
pub(crate) fn description(text: &str, at: &str) -> Checked<String> {
    paragraph(text.trim(), at, "a description", MAX_DESCRIPTION)
}

/// Tags: trimmed, each once, in the order given.
pub(crate) fn tags(tags: &[String], at: &str) -> Checked<Vec<String>> {
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for (index, tag) in tags.iter().enumerate() {
        let at = format!("{at}/{index}");
        let tag = line(tag.trim(), &at, "a tag", MAX_TAG)?;
        if tag.is_empty() {
            return Err(Fault::new(at, "tagEmpty", "a tag must not be empty"));
        }
        if seen.insert(tag.clone()) {
            kept.push(tag);
        }
    }
    if kept.len() > MAX_TAGS {
        let message = format!("there are {} tags; the limit is {MAX_TAGS}", kept.len());
        return Err(Fault::new(at, "tooManyTags", message));
    }
    Ok(kept)
}

/// As [`tags`], beside those that are there: a new one is a tag that a policy can name.
pub(crate) fn new_tags(tags: &[String], there: &[String], at: &str) -> Checked<Vec<String>> {
    let kept = self::tags(tags, at)?;
    for (index, tag) in tags.iter().enumerate() {
        let tag = tag.trim();
        let found = tag.chars().find(|it| POLICY_MARKS.contains(it));
        if let Some(found) = found.filter(|_| !there.iter().any(|it| it == tag)) {
            let message = format!(
                "a tag has none of `,`, `;` and `*`, which have a meaning in policies; this one has \
                 `{found}`"
            );
            return Err(Fault::new(format!("{at}/{index}"), "tagCharacter", message));
        }
    }
    Ok(kept)
}

/// An id that a client chose: any text without blanks at its ends.
pub(crate) fn id(text: &str, at: &str) -> Checked<String> {
    if text.is_empty() || text.trim() != text || text.chars().any(char::is_control) {
        let message =
            "an id is a text without control characters and blanks at its ends, best a UUID";
        return Err(Fault::new(at, "idInvalid", message));
    }
    if text.len() > MAX_ID {
        let message = format!("an id has at most {MAX_ID} bytes");
        return Err(Fault::new(at, "idTooLong", message));
    }
    Ok(text.to_owned())
}

/// A text on one line: it stands in lists, logs and messages, where a control character would hide
/// or break what comes after.
fn line(text: &str, at: &str, what: &str, limit: usize) -> Checked<String> {
    without_control(text, at, what, |_| false)?;
    plain(text, at, what, limit)
}

/// A text that may have line breaks and tabs.
pub(crate) fn paragraph(text: &str, at: &str, what: &str, limit: usize) -> Checked<String> {
    without_control(text, at, what, |character| {
        ['\n', '\r', '\t'].contains(&character)
    })?;
    plain(text, at, what, limit)
}

fn without_control(text: &str, at: &str, what: &str, but: impl Fn(char) -> bool) -> Checked<()> {
    no_nul(text, at)?;
    let found = text.chars().find(|it| it.is_control() && !but(*it));
    let Some(found) = found else {
        return Ok(());
    };
    let message = format!(
        "{what} has no control characters; this one has U+{:04X}",
        u32::from(found)
    );
    Err(Fault::new(at, "controlCharacter", message))
}

/// A text of at most so many characters, without U+0000 (PostgreSQL cannot store it).
pub(crate) fn plain(text: &str, at: &str, what: &str, limit: usize) -> Checked<String> {
    no_nul(text, at)?;
    let length = text.chars().count();
    if length > limit {
        let message = format!("{what} has at most {limit} characters; this one has {length}");
        return Err(Fault::new(at, "textTooLong", message));
    }
    Ok(text.to_owned())
}

/// Refuses U+0000.
pub(crate) fn no_nul(text: &str, at: &str) -> Checked<()> {
    if text.contains('\0') {
        let message = "the character U+0000 cannot be stored";
        return Err(Fault::new(at, "nulCharacter", message));
    }
    Ok(())
}
