//! What of an explanation its reader may know.

use std::sync::Arc;

use burgee_domain::access::{Kind, Resource, Rights};
use burgee_domain::model::{Environment, Project};
use burgee_eval::compile::CompiledFlag;
use burgee_eval::explain::Explanation;
use burgee_eval::flag::Flag;
use burgee_eval::snapshot::Snapshot;
use burgee_eval::user::User;

use crate::api::changes::view::sees_flag;
use crate::auth::Caller;

/// Which flags somebody may see, in any state of an environment.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    rights: Rights,
    /// The project's key.
    project: String,
    /// The environment.
    place: Resource,
    /// What a draft is based on.
    before: Option<Arc<Snapshot>>,
}

impl Sight {
    /// The caller's.
    pub(crate) fn of(caller: &Caller, project: &Project, environment: &Environment) -> Self {
        let place = Resource::of(project, environment);
        Self::at(caller, project.key.as_str(), place)
    }

    /// The same by the project's key, and the environment as permissions name it.
    pub(crate) fn at(caller: &Caller, project: &str, place: Resource) -> Self {
        Self {
            rights: caller.rights.clone(),
            project: project.to_owned(),
            place,
            before: None,
        }
    }

    /// The same of a draft, by what it is based on: nobody sees a flag by a draft that takes away
    /// what hides it.
    pub(crate) fn over(mut self, before: Option<Arc<Snapshot>>) -> Self {
        self.before = before;
        self
    }

    /// Whether the flag may be seen.
    pub(crate) fn covers(&self, flag: &Flag) -> bool {
        let before = self.before.as_ref().and_then(|it| it.flag(&flag.key));
        self.allows(flag) && before.is_none_or(|it| self.allows(it.flag()))
    }

    fn allows(&self, flag: &Flag) -> bool {
        let resource = Resource::project(&*self.project).with(Kind::Flag, flag.key.as_str());
        let own = resource.tagged(&flag.tags);
        sees_flag(&self.rights, &own, self.place.clone(), &flag.key)
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
