//! What of an explanation its reader may know.

use std::collections::BTreeSet;
use std::sync::Arc;

use burgee_domain::access::{Decision, Kind, Marks, Resource, Rights};
use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Organization, Project, Segment};
use burgee_eval::compile::CompiledFlag;
use burgee_eval::explain::Explanation;
use burgee_eval::flag::Flag;
use burgee_eval::snapshot::Snapshot;
use burgee_eval::user::User;
use burgee_store::StoreError;

use crate::api::changes::view::sees_flag;
use crate::app::AppState;
use crate::auth::Caller;
use crate::problem::Problem;

/// What somebody may see, in any state of an environment.
///
/// Statements may speak of tags, which change. Who may not see a flag as it is sees it neither in
/// the past, before it had the tag that hides it, nor by a draft that takes that tag away.
#[derive(Clone, Debug)]
pub(crate) struct Sight {
    organization: Id<Organization>,
    rights: Rights,
    /// The project's key.
    project: String,
    /// The environment.
    place: Resource,
    /// How items are, beside the state that is looked at.
    now: Now,
}

#[derive(Clone, Debug)]
enum Now {
    /// As that state has them, or it does not matter.
    Same,
    /// By their tags.
    Marked(Arc<Marks>),
    /// What a draft is based on.
    Served(Arc<Snapshot>),
}

impl Sight {
    /// The caller's, of the present and the past.
    pub(crate) async fn of(
        state: &AppState,
        caller: &Caller,
        project: &Project,
        environment: &Environment,
    ) -> Result<Self, StoreError> {
        let place = Resource::of(project, environment);
        let mut sight = Self::at(caller, project.key.as_str(), place);
        if caller.rights.depend_on_tags() {
            let marks = state.store.marks(&caller.organization, &caller.rights);
            sight.now = Now::Marked(Arc::new(marks.await?));
        }
        Ok(sight)
    }

    /// The same by the project's key, and the environment as permissions name it; of states that are
    /// compared with the present anyway.
    pub(crate) fn at(caller: &Caller, project: &str, place: Resource) -> Self {
        Self {
            organization: caller.organization.clone(),
            rights: caller.rights.clone(),
            project: project.to_owned(),
            place,
            now: Now::Same,
        }
    }

    /// The same of a draft, by what it is based on.
    pub(crate) fn over(mut self, before: Option<Arc<Snapshot>>) -> Self {
        if let Some(before) = before {
            self.now = Now::Served(before);
        }
        self
    }

    /// Whether the flag may be seen.
    pub(crate) fn covers(&self, flag: &Flag) -> bool {
        self.lacks(flag).is_none()
    }

    /// Refuses a flag that may not be seen.
    pub(crate) fn may_see(&self, flag: &Flag) -> Result<(), Problem> {
        let Some(own) = self.lacks(flag) else {
            return Ok(());
        };
        let there = self.place.clone().with(Kind::Flag, flag.key.as_str());
        let there = there.tagged(own.tags());
        let of = match self.rights.decide("flag.read", &there) {
            Decision::Denied(_) => there,
            _ => own,
        };
        let decision = self.rights.decide("flag.read", &of);
        Err(Problem::not_allowed("flag.read", &of, &decision))
    }

    /// The flag in the state in which it may not be seen, if there is one.
    fn lacks(&self, flag: &Flag) -> Option<Resource> {
        let bare = Resource::project(&*self.project).with(Kind::Flag, flag.key.as_str());
        let now = match &self.now {
            Now::Same => None,
            Now::Marked(marks) => Some(marks.item(bare.clone())),
            Now::Served(before) => {
                let before = before.flag(&flag.key);
                before.map(|it| bare.clone().tagged(&it.flag().tags))
            }
        };
        let mut states = [Some(bare.tagged(&flag.tags)), now].into_iter().flatten();
        states.find(|own| !sees_flag(&self.rights, own, self.place.clone(), &flag.key))
    }

    /// Those of the segments, by id, of which nothing may be told but what flags do with them. One
    /// that is gone is told of where no tag could have hidden it.
    pub(crate) async fn unseen_segments<'s>(
        &self,
        state: &AppState,
        ids: impl Iterator<Item = &'s str>,
    ) -> Result<BTreeSet<String>, StoreError> {
        let ids: BTreeSet<Id<Segment>> = ids.map(Id::new).collect();
        if ids.is_empty() {
            return Ok(BTreeSet::new());
        }
        let found = state.store.segments_named(&self.organization, &ids).await?;
        let seen = |id: &Id<Segment>| match found.get(id) {
            Some(segment) => {
                let here = self.place.clone().with(Kind::Segment, segment.key.as_str());
                self.rights
                    .allow("segment.read", &here.tagged(&segment.tags))
            }
            None => {
                let any = self.place.clone().with(Kind::Segment, "");
                !self.rights.depend_on_tags() && self.rights.allow("segment.read", &any)
            }
        };
        let unseen = ids.iter().filter(|id| !seen(id));
        Ok(unseen.map(|id| id.as_str().to_owned()).collect())
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
