//! Lists of users' keys.

use std::collections::HashSet;

use super::{Checked, text};
use crate::fault::Fault;
use crate::limits::MAX_USER_KEY;

/// Keys of users: each once, in the order given. They are compared exactly, so nothing is trimmed.
pub(crate) fn keys(keys: &[String], at: &str) -> Checked<Vec<String>> {
    let mut seen = HashSet::with_capacity(keys.len());
    let mut kept = Vec::with_capacity(keys.len());
    for (index, key) in keys.iter().enumerate() {
        if let Err(fault) = one(key) {
            return Err(Fault::new(
                format!("{at}/{index}"),
                fault.code,
                fault.message,
            ));
        }
        if seen.insert(key.as_str()) {
            kept.push(key.clone());
        }
    }
    Ok(kept)
}

fn one(key: &str) -> Checked<()> {
    if key.trim().is_empty() {
        return Err(Fault::new(
            "",
            "userKeyEmpty",
            "a user's key must not be blank",
        ));
    }
    if key.len() > MAX_USER_KEY {
        let message = format!("a user's key has at most {MAX_USER_KEY} bytes");
        return Err(Fault::new("", "userKeyTooLong", message));
    }
    text::no_nul(key, "")
}

/// Checks keys of users, and that there are not too many.
pub(crate) fn check(users: &[String], limit: usize, at: &str, of: &str) -> Checked<()> {
    within(keys(users, at)?.len(), limit, at, of)
}

/// Refuses lists that are too long together.
pub(crate) fn within(count: usize, limit: usize, at: &str, of: &str) -> Checked<()> {
    if count > limit {
        let message = format!("there would be {count} {of}; the limit is {limit}");
        return Err(Fault::new(at, "tooManyUsers", message));
    }
    Ok(())
}

/// A list with further keys behind, each once.
pub(crate) fn added(old: Vec<String>, keys: Vec<String>) -> Vec<String> {
    let have: HashSet<String> = old.iter().cloned().collect();
    let new = keys.into_iter().filter(|key| !have.contains(key));
    old.into_iter().chain(new).collect()
}

/// A list without some keys.
pub(crate) fn removed(mut old: Vec<String>, keys: &[String]) -> Vec<String> {
    let gone: HashSet<&String> = keys.iter().collect();
    old.retain(|key| !gone.contains(key));
    old
}
