//! What a request is about, by names.

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::access::{Marks, Resource};
use burgee_domain::diff::DiffLine;

/// The names by which it is decided who may see a line.
const NAMES: [&str; 4] = ["project", "environment", "flag", "segment"];

/// What a diff is about, each once.
pub(super) fn about<'d>(
    diff: impl IntoIterator<Item = &'d DiffLine>,
) -> Vec<BTreeMap<String, String>> {
    let names = |line: &DiffLine| -> BTreeMap<String, String> {
        let params = line.params.iter();
        let params = params.filter(|(name, _)| NAMES.contains(&name.as_str()));
        params
            .map(|(name, value)| (name.clone(), value.clone()))
            .collect()
    };
    let all: BTreeSet<_> = diff.into_iter().map(names).collect();
    all.into_iter().collect()
}

/// What permissions on a request are asked of: the environments that it moves; where there are
/// none, the projects, or the organization.
pub(crate) fn resources<'s>(
    scopes: impl IntoIterator<Item = &'s String>,
    marks: &Marks,
) -> Vec<Resource> {
    let (environments, others): (Vec<&String>, Vec<&String>) =
        scopes.into_iter().partition(|scope| scope.contains('/'));
    let chosen = match environments.is_empty() {
        true => others,
        false => environments,
    };
    chosen.into_iter().map(|scope| marks.scope(scope)).collect()
}
