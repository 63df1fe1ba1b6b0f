//! Leading an environment, or some of its flags, back to a version.
//!
//! Only what was touched after the version is looked at, so the cost is that of what happened since,
//! not of how many flags there are.

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::conflict::Conflict;
use burgee_domain::id::Id;
use burgee_domain::key::{Key, fold};
use burgee_domain::model::{
    Environment, Flag, Life, Organization, Project, Segment, SegmentScope, Targeting,
};
use burgee_domain::outcome::{Facet, Item, Scope};
use burgee_domain::plan::{self, FlagPlan, SegmentPlan, TargetingPlan};
use burgee_domain::workspace::{FlagState, ProjectState};
use burgee_eval::flag::Prerequisite;

use super::Planned;
use super::state::{Projects, note};
use crate::error::StoreError;
use crate::snapshot::{LoggedItem, items_of};
use crate::sql::Sql;
use crate::versions::{self, Moment, VersionAt};
use crate::{Store, Tx, flags, log, row, segments};

/// Where an environment shall go back to.
#[derive(Clone, Debug)]
pub struct RevertRequest {
    /// In which organization.
    pub organization: Id<Organization>,
    /// Of which project.
    pub project: Id<Project>,
    /// Which.
    pub environment: Id<Environment>,
    /// To when.
    pub to: Moment,
    /// The flags that go back, by key; none: all, and the environment's own segments.
    pub flags: Option<Vec<String>>,
    /// Whether the flags' definitions (name, tags, variations, life) go back too.
    pub definitions: bool,
}

impl Store {
    /// The commands that lead an environment back to a version, and the version that is meant.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] of the environment; [`StoreError::Invalid`] of `version`, where it
    /// has not had it, and of `flags`, where a flag was not there then and is not now.
    pub async fn plan_revert(
        &self,
        request: &RevertRequest,
    ) -> Result<(Planned, VersionAt), StoreError> {
        let mut tx = self.begin_read().await?;
        let projects = Projects::load(&mut tx, &request.organization).await?;
        let place = projects.environment(request.environment.as_str());
        let (state, environment) = place.ok_or(StoreError::NotFound("environment"))?;
        let scope = request.environment.as_str();
        let then = versions::at(&mut tx, scope, request.to).await?;
        let mut revert = Revert {
            request,
            state,
            environment,
            then,
            planned: Planned::default(),
        };
        note(&mut revert.planned.base, state);
        if request.flags.is_none() {
            revert.segments(&mut tx).await?;
        }
        revert.flags(&mut tx).await?;
        let planned = revert.planned;
        tx.rollback().await?;
        Ok((planned, then))
    }
}

struct Revert<'a> {
    request: &'a RevertRequest,
    state: &'a ProjectState,
    environment: &'a Environment,
    then: VersionAt,
    planned: Planned,
}

/// A flag now and then.
struct Pair {
    key: String,
    now: Option<FlagState>,
    definition: Option<Flag>,
    targeting: Option<Targeting>,
    was_there: bool,
}

impl Revert<'_> {
    /// The items of a kind that were touched after the version.
    async fn touched(&self, tx: &mut Tx, kind: &str) -> Result<BTreeSet<String>, StoreError> {
        let mut sql = Sql::new("SELECT DISTINCT item_id FROM change_log WHERE scope_id = ");
        sql.bind(self.environment.id.as_str());
        sql.push(" AND version > ").bind(self.then.version);
        sql.push(" AND item_kind = ").bind(kind);
        let rows = sql.query()?.fetch_all(&mut **tx).await?;
        rows.iter().map(|found| row::text(found, 0)).collect()
    }

    async fn then(
        &self,
        tx: &mut Tx,
        kind: &str,
        ids: &[&str],
    ) -> Result<Vec<LoggedItem>, StoreError> {
        let scope = self.environment.id.as_str();
        items_of(tx, scope, self.then.version, kind, ids).await
    }

    /// The segments of this environment alone: shared ones are others' too.
    async fn segments(&mut self, tx: &mut Tx) -> Result<(), StoreError> {
        let ids = self.touched(tx, "segment").await?;
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let scope =
            SegmentScope::Environment(self.state.project.id.clone(), self.environment.id.clone());
        let now = segments::load(tx, &self.request.organization, &ids).await?;
        for item in self.then(tx, "segment", &ids).await? {
            let key = Key::new(item.key.as_str());
            let key = key.map_err(|error| StoreError::Other(Box::new(error)))?;
            let then = item.segment()?.segment(key, scope.clone());
            let present = now.get(&then.id).map(|it| &it.segment);
            let here = |it: &Segment| it.scope == scope;
            if then.life == Life::Deleted || !present.is_some_and(here) {
                continue;
            }
            let steps = plan::segment(&SegmentPlan {
                project: Some(self.state.project.key.as_str()),
                environment: Some(self.environment.key.as_str()),
                now: present,
                // It is archived and restored for this environment alone, too.
                then: Some(&then),
            });
            self.planned.extend(steps);
        }
        Ok(())
    }

    async fn flags(&mut self, tx: &mut Tx) -> Result<(), StoreError> {
        let pairs = match &self.request.flags {
            Some(keys) => self.named(tx, keys).await?,
            None => {
                let ids = self.touched(tx, "flag").await?;
                self.pairs(tx, ids).await?
            }
        };
        let lacking = self.lacking(tx, &pairs).await?;
        for pair in pairs {
            match lacking.get(&pair.key) {
                Some(needed) => {
                    let message = format!(
                        "the flag '{}' needed '{needed}', which is gone, or has not that variation: \
                         it was left alone",
                        pair.key
                    );
                    self.warn("prerequisiteUnknown", message);
                }
                None => self.flag(tx, &pair).await?,
            }
        }
        Ok(())
    }

    /// The flags that needed another then, as they do not now, which cannot be needed any more: with
    /// its key.
    async fn lacking(
        &self,
        tx: &mut Tx,
        pairs: &[Pair],
    ) -> Result<BTreeMap<String, String>, StoreError> {
        let needs = pairs.iter().flat_map(|pair| {
            let present = pair.now.as_ref();
            let present = present.and_then(|it| it.targetings.get(&self.environment.id));
            let there = present.map(|it| it.prerequisites.as_slice());
            let there = there.unwrap_or_default();
            let then = pair.targeting.iter().flat_map(|it| &it.prerequisites);
            let new = then.filter(move |it| !there.contains(it));
            new.map(move |needed| (pair, needed))
        });
        let needs: Vec<_> = needs.collect();
        if needs.is_empty() {
            return Ok(BTreeMap::new());
        }
        let keys: BTreeSet<String> = needs.iter().map(|it| fold(&it.1.flag)).collect();
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let now = flags::load(tx, &self.state.project.id, &keys, &[]).await?;
        let then = pairs.iter().filter_map(|pair| {
            let definition = pair.definition.as_ref()?;
            Some((fold(&pair.key), definition))
        });
        let mut then: BTreeMap<String, &Flag> = then.collect();
        let mut lacking = BTreeMap::new();
        loop {
            let is_there = |needed: &Prerequisite| {
                let key = fold(&needed.flag);
                let flag = then.get(&key).copied();
                flag.or(now.get(&key).map(|it| &it.flag)).is_some_and(|it| {
                    let mut variations = it.variations.iter();
                    it.life == Life::Live && variations.any(|it| it.id == needed.variation)
                })
            };
            let gone = needs.iter().filter(|(_, needed)| !is_there(needed));
            let gone = gone.map(|(pair, needed)| (pair.key.clone(), needed.flag.clone()));
            let gone: BTreeMap<String, String> = gone.collect();
            if gone.len() == lacking.len() {
                return Ok(lacking);
            }
            // What is left alone stays what it is, to those that need it too.
            for key in gone.keys() {
                then.remove(&fold(key));
            }
            lacking = gone;
        }
    }

    /// The flags of these keys: those that have them now, else those that had them then.
    async fn named(&self, tx: &mut Tx, keys: &[String]) -> Result<Vec<Pair>, StoreError> {
        let folded: Vec<String> = keys.iter().map(|key| key.to_ascii_lowercase()).collect();
        let asked: Vec<&str> = folded.iter().map(String::as_str).collect();
        let now = flags::load(tx, &self.state.project.id, &asked, &[]).await?;
        let mut ids: BTreeSet<String> = now.values().map(|it| it.flag.id.to_string()).collect();
        let gone = folded.iter().filter(|key| !now.contains_key(*key));
        let gone: Vec<&str> = gone.map(String::as_str).collect();
        let mut sql = Sql::new("SELECT id, key_folded FROM flags WHERE project_id = ");
        sql.bind(self.state.project.id.as_str());
        sql.push(" AND key_folded IN ").list(gone.iter().copied());
        for found in sql.query()?.fetch_all(&mut **tx).await? {
            ids.insert(row::text(&found, 0)?);
        }
        let mut pairs = self.pairs(tx, ids).await?;
        pairs.retain(|pair| pair.now.is_some() || pair.was_there);
        for key in gone {
            if !pairs.iter().any(|pair| pair.key.eq_ignore_ascii_case(key)) {
                let message = format!("there is no flag `{key}`, and there was none");
                let field = "flags";
                return Err(StoreError::Invalid {
                    field,
                    code: "flagNotFound".into(),
                    message,
                });
            }
        }
        Ok(pairs)
    }

    async fn pairs(&self, tx: &mut Tx, ids: BTreeSet<String>) -> Result<Vec<Pair>, StoreError> {
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        let project = &self.state.project.id;
        let now = flags::load(tx, project, &[], &ids).await?;
        let now = now.into_values();
        let mut now: BTreeMap<String, FlagState> =
            now.map(|it| (it.flag.id.to_string(), it)).collect();
        let then = self.then(tx, "flag", &ids).await?.into_iter();
        let mut then: BTreeMap<String, LoggedItem> = then.map(|it| (it.id.clone(), it)).collect();
        let version = versions::at_number(tx, project.as_str(), self.then.number).await?;
        let mut definitions = BTreeMap::new();
        if self.request.definitions {
            for item in items_of(tx, project.as_str(), version, "flag", &ids).await? {
                let flag: Flag = serde_json::from_str(&item.image)?;
                definitions.insert(item.id, flag);
            }
        }
        let mut pairs = Vec::with_capacity(ids.len());
        for id in ids {
            let (now, item) = (now.remove(id), then.remove(id));
            let key = item.as_ref().map(|it| it.key.clone());
            let logged = item.map(|it| it.flag()).transpose()?;
            let deleted = logged.as_ref().is_some_and(|it| it.is_deleted);
            let definition = definitions.remove(id);
            let definition = definition.filter(|it| it.life != Life::Deleted);
            pairs.push(Pair {
                key: match &now {
                    Some(state) => state.flag.key.to_string(),
                    None => key
                        .or(definition.as_ref().map(|it| it.key.to_string()))
                        .unwrap_or_default(),
                },
                was_there: !deleted && (logged.is_some() || definition.is_some()),
                now,
                targeting: logged.filter(|_| !deleted).map(|it| it.targeting()),
                definition,
            });
        }
        pairs.sort_by(|one, other| one.key.cmp(&other.key));
        Ok(pairs)
    }

    async fn flag(&mut self, tx: &mut Tx, pair: &Pair) -> Result<(), StoreError> {
        let definition = pair
            .definition
            .as_ref()
            .filter(|_| self.request.definitions);
        let (now, then) = match (&pair.now, definition) {
            (Some(now), then) => (Some(&now.flag), then.unwrap_or(&now.flag)),
            (None, Some(then)) => (None, then),
            (None, None) => {
                if pair.was_there {
                    let message = format!(
                        "the flag '{}' was deleted since: name it, with its definition, to make \
                         it again",
                        pair.key
                    );
                    self.warn("flagDeleted", message);
                }
                return Ok(());
            }
        };
        let present = pair.now.as_ref();
        let present = present.and_then(|it| it.targetings.get(&self.environment.id));
        if let (Some(flag), Some(targeting)) = (now, &pair.targeting) {
            if !plan::missing_variations(targeting, &then.variations).is_empty() {
                return self.variations_changed(tx, flag).await;
            }
            if flag.life == Life::Archived && then.life == Life::Archived {
                let message = format!("the flag '{}' is archived: it was left alone", pair.key);
                self.warn("flagArchived", message);
                return Ok(());
            }
        }
        let steps = plan::flag(&FlagPlan {
            project: self.state.project.key.as_str(),
            now,
            then: Some(then),
            targetings: vec![TargetingPlan {
                environment: self.environment.key.as_str(),
                now: present,
                then: pair.targeting.as_ref(),
            }],
        });
        self.planned.extend(steps);
        Ok(())
    }

    fn warn(&mut self, code: &str, message: String) {
        let mut steps = plan::Steps::default();
        steps.warn(code, message);
        self.planned.extend(steps);
    }

    /// What it served then is no longer among its variations.
    async fn variations_changed(&mut self, tx: &mut Tx, flag: &Flag) -> Result<(), StoreError> {
        let project = &self.state.project;
        let scope = Scope::Project(project.id.clone());
        let since = versions::at_number(tx, project.id.as_str(), self.then.number).await?;
        let logged = log::since_of(tx, &scope, since, &[flag.id.as_str()]).await?;
        let changed = |row: &&burgee_domain::conflict::Logged| {
            row.facets.contains(&Facet::Variations) || row.facets.contains(&Facet::Life)
        };
        for row in logged.iter().filter(changed) {
            let conflict = Conflict {
                scope: scope.clone(),
                version: row.version,
                item: Item::Flag(flag.id.clone(), flag.key.clone()),
                facets: vec![Facet::Variations],
            };
            let name = project.key.to_string();
            let found = log::conflict(tx, name, &conflict).await?;
            self.planned.conflicts.push(found);
        }
        Ok(())
    }
}
