//! Users who are in a segment, or kept out of it, by key.

use crate::change::Draft;
use crate::check::users;
use crate::command::Target;
use crate::command::edit::{Edit, replace, segment_command};
use crate::fault::Fault;
use crate::limits::MAX_SEGMENT_TARGETS;
use crate::model::Segment;

segment_command! {
    /// Replaces the included users.
    SetIncluded {
        /// The users' keys.
        keys: Vec<String>,
    }
}

segment_command! {
    /// Replaces the excluded users.
    SetExcluded {
        /// The users' keys.
        keys: Vec<String>,
    }
}

segment_command! {
    /// Adds included users.
    AddIncluded {
        /// The users' keys.
        keys: Vec<String>,
    }
}

segment_command! {
    /// Adds excluded users.
    AddExcluded {
        /// The users' keys.
        keys: Vec<String>,
    }
}

segment_command! {
    /// Removes included users.
    RemoveIncluded {
        /// The users' keys.
        keys: Vec<String>,
    }
}

segment_command! {
    /// Removes excluded users.
    RemoveExcluded {
        /// The users' keys.
        keys: Vec<String>,
    }
}

impl Edit for SetIncluded {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "segment.setIncluded"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        check(&self.keys)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let keys = users::keys(&self.keys, "/keys")?;
        edit(self.target(), draft, included, |_| keys)
    }
}

impl Edit for SetExcluded {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "segment.setExcluded"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        check(&self.keys)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let keys = users::keys(&self.keys, "/keys")?;
        edit(self.target(), draft, excluded, |_| keys)
    }
}

impl Edit for AddIncluded {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "segment.addIncluded"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        check(&self.keys)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let keys = users::keys(&self.keys, "/keys")?;
        edit(self.target(), draft, included, |old| {
            users::added(old, keys)
        })
    }
}

impl Edit for AddExcluded {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "segment.addExcluded"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        check(&self.keys)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let keys = users::keys(&self.keys, "/keys")?;
        edit(self.target(), draft, excluded, |old| {
            users::added(old, keys)
        })
    }
}

impl Edit for RemoveIncluded {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "segment.removeIncluded"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        check_removed(&self.keys)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let gone = &self.keys;
        edit(self.target(), draft, included, |old| {
            users::removed(old, gone)
        })
    }
}

impl Edit for RemoveExcluded {
    fn target(&self) -> Target<'_> {
        self.address()
    }

    fn permission(&self) -> &'static str {
        "segment.removeExcluded"
    }

    fn check_shape(&self) -> Result<(), Fault> {
        check_removed(&self.keys)
    }

    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault> {
        let gone = &self.keys;
        edit(self.target(), draft, excluded, |old| {
            users::removed(old, gone)
        })
    }
}

fn included(segment: &mut Segment) -> &mut Vec<String> {
    &mut segment.included
}

fn excluded(segment: &mut Segment) -> &mut Vec<String> {
    &mut segment.excluded
}

/// What the listed users are called in a refusal.
const USERS: &str = "users of the segment";

fn check(keys: &[String]) -> Result<(), Fault> {
    users::check(keys, MAX_SEGMENT_TARGETS, "/keys", USERS)
}

fn check_removed(keys: &[String]) -> Result<(), Fault> {
    users::within(keys.len(), MAX_SEGMENT_TARGETS, "/keys", "keys to take out")
}

/// Replaces one of the lists by what `new` makes of it.
fn edit(
    target: Target<'_>,
    draft: &mut Draft<'_>,
    list: fn(&mut Segment) -> &mut Vec<String>,
    new: impl FnOnce(Vec<String>) -> Vec<String>,
) -> Result<bool, Fault> {
    let segment = draft.live_segment_mut(target)?;
    let keys = new(list(segment).clone());
    let changed = replace(list(segment), keys);
    let count = segment.included.len() + segment.excluded.len();
    users::within(count, MAX_SEGMENT_TARGETS, "/keys", USERS)?;
    Ok(changed)
}
