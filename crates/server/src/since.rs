//! Since which change a user gets what they get.
//!
//! The log has each flag and segment as it was at each version that changed it, so going back is
//! reading: from the newest change of the flag, of a flag that it needs or of a segment that one of
//! them asks, to the state before
//! it, until the user gets something else there. The user stays the same on the way: what they get
//! is a matter of flags here.

use std::collections::BTreeSet;
use std::time::Instant;

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::compile::{CompiledFlag, LONGEST_CHAIN};
use burgee_eval::explain::Why;
use burgee_eval::flag::Variation;
use burgee_eval::snapshot::Snapshot;
use burgee_eval::user::User;
use burgee_store::page::PageRequest;
use burgee_store::{ListedVersion, LoggedItem, Store, StoreError};
use serde::Serialize;
use utoipa::ToSchema;

use crate::api::evaluate::Sight;
use crate::audience::PATIENCE;

/// The most changes that are gone back over; time is bounded too.
const STEPS: usize = 200;

/// The change since which a user gets what they get.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Since {
    /// The environment's version since which it is so.
    pub version: i64,
    /// The id of the change set that made it.
    pub change: String,
    /// Who made it: a member's address, a token's name, `operator` or `system`.
    pub actor: String,
    /// What `actor` is a name of: `token`, `operator`, `system` or `member`.
    pub actor_kind: &'static str,
    /// Why, in their words.
    pub comment: String,
    /// When it was asked for, ISO 8601.
    pub at: String,
    /// What the user got before it; null: programs gave the default in their code.
    pub before: Option<Variation>,
    /// Why they got that; null where the flag was not released yet.
    pub reason_before: Option<Why>,
    /// Whether it may have been so for longer: no more than 200 changes are gone back over, for no
    /// more than three seconds. Then `before` says what they got before this change, which is the
    /// same.
    pub at_least: bool,
}

/// What a user got, and why.
type Got = (Option<Variation>, Option<Why>);

/// An environment's history.
#[derive(Clone, Copy, Debug)]
pub struct Past<'a> {
    /// Where it is kept.
    pub store: &'a Store,
    /// Whose it is.
    pub organization: &'a Id<Organization>,
    /// The environment's id.
    pub environment: &'a str,
    /// What is seen by whoever asks.
    pub(crate) sight: &'a Sight,
}

impl Past<'_> {
    /// Since which change a user gets of a flag what they get at a version.
    pub async fn since(
        &self,
        version: i64,
        flag: &CompiledFlag,
        user: &User<'_>,
        gets: Option<&Variation>,
    ) -> Result<Option<Since>, StoreError> {
        let id = flag.flag().id.as_str();
        let until = Instant::now() + PATIENCE;
        let mut items = self.concerned(id, version).await?;
        for step in 1.. {
            let Some(turn) = items.iter().map(|it| it.version).max() else {
                return Ok(None);
            };
            items = self.concerned(id, turn - 1).await?;
            let before = self.got(id, user, &items)?;
            let is_other = served(before.0.as_ref()) != served(gets);
            let at_least = !is_other && (step == STEPS || Instant::now() > until);
            // Before its first version nothing was served, so there is always an end.
            if is_other || at_least || items.is_empty() {
                let made = self.version(turn).await?;
                return Ok(made.map(|made| told(made, before, at_least)));
            }
        }
        Ok(None)
    }

    /// The flag, those that it needed, directly or not, and the segments that they asked, as they
    /// were at a version; nothing before it was released.
    async fn concerned(&self, flag: &str, version: i64) -> Result<Vec<LoggedItem>, StoreError> {
        let (store, scope) = (self.store, self.environment);
        let mut items = store.items_of(scope, version, "flag", &[flag]).await?;
        for _ in 0..LONGEST_CHAIN {
            let (flags, _) = LoggedItem::served(&items)?;
            let needs = flags.iter().flat_map(|it| &it.prerequisites);
            let needs: BTreeSet<&str> = needs.map(|it| it.flag.as_str()).collect();
            let here: BTreeSet<&str> = flags.iter().map(|it| it.key.as_str()).collect();
            let missing: Vec<&str> = needs.difference(&here).copied().collect();
            let known = items.len();
            for key in missing {
                let page = PageRequest::default();
                let found = store.items_page(scope, version, "flag", Some(key), &page);
                items.extend(found.await?.items);
            }
            if items.len() == known {
                break;
            }
        }
        let (flags, _) = LoggedItem::served(&items)?;
        let asked = Snapshot::build(flags, Vec::new());
        let ids = asked.flags().iter().flat_map(|it| it.segment_ids());
        let ids: Vec<&str> = ids.collect();
        items.extend(store.items_of(scope, version, "segment", &ids).await?);
        Ok(items)
    }

    /// What the user got of the flag in a state.
    fn got(&self, flag: &str, user: &User<'_>, items: &[LoggedItem]) -> Result<Got, StoreError> {
        let (flags, segments) = LoggedItem::served(items)?;
        let snapshot = Snapshot::build(flags, segments);
        let found = snapshot.flags().iter().find(|it| it.flag().id == flag);
        let Some(flag) = found else {
            return Ok((None, None));
        };
        let explained = self.sight.explain(&snapshot, flag, user);
        let variation = explained
            .outcome
            .and_then(|it| flag.flag().variations.get(it.variation));
        Ok((variation.cloned(), Some(explained.reason)))
    }

    /// Who made a version, when and why.
    async fn version(&self, version: i64) -> Result<Option<ListedVersion>, StoreError> {
        let page = PageRequest {
            cursor: Some((version + 1).to_string()),
            limit: Some(1),
        };
        let found = self
            .store
            .versions(self.organization, self.environment, &page);
        Ok(found.await?.items.into_iter().next())
    }
}

/// What programs see of a variation.
fn served(variation: Option<&Variation>) -> Option<(&str, &str)> {
    variation.map(|it| (it.id.as_str(), it.value.as_str()))
}

fn told(made: ListedVersion, (before, reason_before): Got, at_least: bool) -> Since {
    Since {
        version: made.version,
        change: made.change_set,
        actor_kind: made.actor.kind.as_str(),
        actor: made.actor.name,
        comment: made.comment,
        at: made.at.to_string(),
        before,
        reason_before,
        at_least,
    }
}
