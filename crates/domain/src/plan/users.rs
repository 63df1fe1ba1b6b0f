//! Lists of users: who comes and who goes. Their order says nothing.

use std::collections::HashSet;

/// How one list becomes another.
pub(super) enum Change {
    /// It holds the same users.
    None,
    /// Much differs: it is set.
    Set,
    /// Who goes, and who comes.
    Edit {
        removed: Vec<String>,
        added: Vec<String>,
    },
}

/// How a list becomes another: edited where fewer come and go than there will be.
pub(super) fn change(now: &[String], then: &[String]) -> Change {
    let (removed, added) = (lacking(now, then), lacking(then, now));
    match removed.len() + added.len() {
        0 => Change::None,
        count if count < then.len() => Change::Edit { removed, added },
        _ if then.is_empty() => Change::Edit { removed, added },
        _ => Change::Set,
    }
}

/// Who is in the first list and not in the second.
fn lacking(list: &[String], other: &[String]) -> Vec<String> {
    let other: HashSet<&String> = other.iter().collect();
    let lacking = list.iter().filter(|key| !other.contains(key));
    lacking.cloned().collect()
}
