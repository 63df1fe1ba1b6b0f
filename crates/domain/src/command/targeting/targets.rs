//! Individual targets. A user is in at most one list of a flag: naming one for a variation takes
//! it out of the others, so the last word counts, and both lists' facets are changed.

use std::collections::HashSet;

use burgee_eval::flag::TargetUsers;

use crate::change::Draft;
use crate::check::{rollout, users};
use crate::command::Target;
use crate::command::edit::{Edit, replace, targeting_command};
use crate::fault::Fault;
use crate::limits::MAX_FLAG_TARGETS;
use crate::model::Flag;

targeting_command! {
    /// Replaces the individual targets of one variation.
    SetTargets {
        /// The variation's id.
        variation: String,
        /// The users' keys.
        keys: Vec<String>,
    }
}

targeting_command! {
    /// Adds individual targets to one variation.
    AddTargets {
        /// The variation's id.
        variation: String,
        /// The users' keys.
        keys: Vec<String>,
    }
}

targeting_command! {
    /// Removes individual targets from one variation.
    RemoveTargets {
        /// The variation's id.
        variation: String,
        /// The users' keys; those that are not in the list are passed over.
        keys: Vec<String>,
    }
}

impl Edit for SetTargets {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.setTargets"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        check(&self.keys)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let keys = users::keys(&self.keys, "/keys")?;
        edit(self.target(), &self.variation, draft, |_| keys)
    }
}

impl Edit for AddTargets {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.addTargets"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        check(&self.keys)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let keys = users::keys(&self.keys, "/keys")?;
        edit(self.target(), &self.variation, draft, |old| {
            users::added(old, keys)
        })
    }
}

impl Edit for RemoveTargets {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "flag.removeTargets"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        users::within(
            self.keys.len(),
            MAX_FLAG_TARGETS,
            "/keys",
            "keys to take out",
        )
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        edit(self.target(), &self.variation, draft, |old| {
            users::removed(old, &self.keys)
        })
    }
}

/// What the flag's individual targets are called in a refusal.
const TARGETS: &str = "individual targets of the flag";

fn check(keys: &[String]) -> Result<(), Fault> {
    users::check(keys, MAX_FLAG_TARGETS, "/keys", TARGETS)
}

/// Replaces one variation's list by what `new` makes of it.
fn edit(
    target: Target<'_>,
    variation: &str,
    draft: &mut Draft<'_>,
    new: impl FnOnce(Vec<String>) -> Vec<String>,
) -> Result<bool, Fault> {
    let (place, released) = draft.release(target)?;
    let (flag, targeting) = draft.at(&place)?;
    rollout::known(variation, &flag.variations, "/variation")?;
    let lists = with_list(flag, &targeting.target_users, variation, new);
    let count = lists.iter().map(|list| list.key_ids.len()).sum();
    users::within(count, MAX_FLAG_TARGETS, "/keys", TARGETS)?;
    Ok(replace(&mut targeting.target_users, lists) | released)
}

fn with_list(
    flag: &Flag,
    lists: &[TargetUsers],
    variation: &str,
    new: impl FnOnce(Vec<String>) -> Vec<String>,
) -> Vec<TargetUsers> {
    let keys_of = |id: &str| -> Vec<String> {
        let lists = lists.iter().filter(|list| list.variation_id == id);
        lists.flat_map(|list| list.key_ids.clone()).collect()
    };
    let new = new(keys_of(variation));
    let taken: HashSet<&str> = new.iter().map(String::as_str).collect();
    let list_of = |id: &str| match id == variation {
        true => new.clone(),
        false => {
            let mut keys = keys_of(id);
            keys.retain(|key| !taken.contains(key.as_str()));
            keys
        }
    };
    let ids = flag.variations.iter().map(|variation| &variation.id);
    let lists = ids.map(|id| TargetUsers {
        key_ids: list_of(id),
        variation_id: id.clone(),
    });
    lists.filter(|list| !list.key_ids.is_empty()).collect()
}
