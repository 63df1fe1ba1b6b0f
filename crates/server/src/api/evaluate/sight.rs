//! What of an explanation its reader may know.

use burgee_domain::access::{Kind, Resource, Rights};
use burgee_eval::compile::CompiledFlag;
use burgee_eval::explain::Explanation;
use burgee_eval::flag::Flag;
use burgee_eval::snapshot::Snapshot;
use burgee_eval::user::User;

use crate::auth::Caller;

/// Which flags somebody may see, in any state of a project.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    rights: Rights,
    project: String,
}

impl Sight {
    /// The caller's, of a project by its key.
    pub(crate) fn of(caller: &Caller, project: &str) -> Self {
        Self {
            rights: caller.rights.clone(),
            project: project.to_owned(),
        }
    }

    /// Whether the flag may be seen.
    pub(crate) fn covers(&self, flag: &Flag) -> bool {
        let resource = Resource::project(&*self.project).with(Kind::Flag, flag.key.as_str());
        self.rights.allow("flag.read", &resource.tagged(&flag.tags))
    }

    /// The explanation, without what unseen flags serve that the flag needs.
    pub(crate) fn explain(
        &self,
        snapshot: &Snapshot,
        flag: &CompiledFlag,
        user: &User<'_>,
    ) -> Explanation {
        let mut explained = snapshot.explain(flag, user);
        explained.hide(|needed| {
            let needed = snapshot.flag(needed);
            needed.is_some_and(|it| !self.covers(it.flag()))
        });
        explained
    }
}
