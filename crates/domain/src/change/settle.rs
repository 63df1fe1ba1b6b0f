//! Lists of users say who is in them, not in which order. A list that holds the same users as
//! before gets its old order back, so that such a change set changes nothing.

use std::collections::HashSet;

use burgee_eval::flag::TargetUsers;

use crate::workspace::Workspace;

/// Puts lists of the same users back as they were.
pub(super) fn settle(before: &Workspace, after: &mut Workspace) {
    for (key, project) in &mut after.projects {
        for (flag, state) in &mut project.flags {
            let before = before.projects.get(key).and_then(|it| it.flags.get(flag));
            for (environment, targeting) in &mut state.targetings {
                let before = before.and_then(|it| it.targetings.get(environment));
                if let Some(before) = before {
                    targets(&before.target_users, &mut targeting.target_users);
                }
            }
        }
    }
    for (id, state) in &mut after.segments {
        if let Some(before) = before.segments.get(id) {
            users(&before.segment.included, &mut state.segment.included);
            users(&before.segment.excluded, &mut state.segment.excluded);
        }
    }
}

fn targets(before: &[TargetUsers], after: &mut Vec<TargetUsers>) {
    if before == after.as_slice() {
        return;
    }
    for list in after.iter_mut() {
        let same = before
            .iter()
            .find(|it| it.variation_id == list.variation_id);
        if let Some(before) = same {
            users(&before.key_ids, &mut list.key_ids);
        }
    }
    // Nobody is in two lists, so their order says nothing either.
    if before.len() == after.len() && after.iter().all(|list| before.contains(list)) {
        *after = before.to_vec();
    }
}

fn users(before: &[String], after: &mut Vec<String>) {
    if before.len() != after.len() || before == after.as_slice() {
        return;
    }
    let old: HashSet<&String> = before.iter().collect();
    if after.iter().all(|key| old.contains(key)) {
        *after = before.to_vec();
    }
}
