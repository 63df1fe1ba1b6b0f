//! Undoing a change set.

use std::collections::BTreeMap;

use burgee_domain::conflict::Conflict;
use burgee_domain::id::Id;
use burgee_domain::model::{Flag, Organization, Project, Segment, SegmentScope};
use burgee_domain::outcome::{Facet, Item, Scope};
use burgee_domain::plan::{self, Collision, FlagTouched, Steps, Touched, Undone};
use serde::de::DeserializeOwned;

use super::Planned;
use super::state::{Projects, note};
use crate::error::StoreError;
use crate::snapshot::{LoggedItem, items_of};
use crate::sql::{LIST, Sql};
use crate::{Store, Tx, flags, log, organizations, row, segments, versions};

impl Store {
    /// The commands that undo a change set: each part that it changed goes back to what it was.
    /// Parts that were changed again since are conflicts.
    ///
    /// # Errors
    /// [`StoreError::NotFound`]; [`StoreError::Invalid`] of `id`, where it changed no flag and no
    /// segment that is still there.
    pub async fn plan_undo(
        &self,
        organization: &Id<Organization>,
        change_set: &str,
    ) -> Result<Planned, StoreError> {
        let mut tx = self.begin_read().await?;
        let projects = Projects::load(&mut tx, organization).await?;
        let moved = moved(&mut tx, organization, change_set).await?;
        let mut undo = Undo {
            organization,
            projects,
            moved,
            planned: Planned::default(),
            last: Steps::default(),
            found: Vec::new(),
        };
        let found = undo.read(&mut tx).await?;
        if found.is_empty() {
            return Err(nothing());
        }
        undo.segments(&mut tx, &found).await?;
        undo.flags(&mut tx, found).await?;
        let planned = undo.finish(&mut tx).await?;
        tx.rollback().await?;
        Ok(planned)
    }
}

/// A scope that the change set moved, and to which version.
struct Moved {
    kind: String,
    scope: String,
    version: i64,
    number: i64,
}

/// Administration moves versions as well, and nothing takes it back but administration.
fn nothing() -> StoreError {
    let message = "it changed no flag and no segment that is still there".to_owned();
    let field = "id";
    StoreError::Invalid {
        field,
        code: "nothingToRevert".into(),
        message,
    }
}

async fn moved(
    tx: &mut Tx,
    organization: &Id<Organization>,
    change_set: &str,
) -> Result<Vec<Moved>, StoreError> {
    let rows = sqlx::query(
        "SELECT scope_kind, scope_id, version, number FROM versions \
         WHERE organization_id = $1 AND change_set_id = $2 ORDER BY scope_id, version",
    )
    .bind(organization.as_str())
    .bind(change_set)
    .fetch_all(&mut **tx)
    .await?;
    if rows.is_empty() {
        return Err(nothing());
    }
    rows.iter()
        .map(|found| {
            Ok(Moved {
                kind: row::text(found, 0)?,
                scope: row::text(found, 1)?,
                version: row::number(found, 2)?,
                number: row::number(found, 3)?,
            })
        })
        .collect()
}

/// What the change set touched, by id.
#[derive(Default)]
struct Found {
    flags: BTreeMap<(Id<Project>, Id<Flag>), FlagTouched>,
    /// Of projects and the organization.
    shared: BTreeMap<Id<Segment>, Touched<Segment>>,
    /// Of environments, with the environment's id and as the log has them.
    local: BTreeMap<Id<Segment>, (String, Touched<LoggedItem>)>,
}

impl Found {
    fn is_empty(&self) -> bool {
        self.flags.is_empty() && self.shared.is_empty() && self.local.is_empty()
    }
}

struct Undo<'a> {
    organization: &'a Id<Organization>,
    projects: Projects,
    moved: Vec<Moved>,
    planned: Planned,
    /// Segments that go away: when no rule names them any more.
    last: Steps,
    found: Vec<(Scope, Item, Vec<Facet>)>,
}

impl Undo<'_> {
    /// Reads what was touched, before and after.
    async fn read(&self, tx: &mut Tx) -> Result<Found, StoreError> {
        let mut found = Found::default();
        for moved in &self.moved {
            for kind in ["flag", "segment"] {
                for (id, touched) in touched(tx, moved, kind).await? {
                    self.sort_in(&mut found, moved, kind, id, touched)?;
                }
            }
        }
        Ok(found)
    }

    fn sort_in(
        &self,
        found: &mut Found,
        moved: &Moved,
        kind: &str,
        id: String,
        touched: Touched<LoggedItem>,
    ) -> Result<(), StoreError> {
        let environment = match moved.kind.as_str() {
            "environment" => match self.projects.environment(&moved.scope) {
                Some((state, _)) => Some(state.project.id.clone()),
                None => return Ok(()),
            },
            _ => None,
        };
        match (kind, environment) {
            ("flag", Some(project)) => {
                let flag = found.flags.entry((project, Id::new(id))).or_default();
                let targeting = Touched {
                    before: targeting(touched.before)?,
                    after: targeting(touched.after)?,
                };
                let environment = Id::new(&*moved.scope);
                flag.targetings.insert(environment, targeting);
            }
            ("flag", None) => {
                let place = (Id::new(&*moved.scope), Id::new(id));
                let flag = found.flags.entry(place).or_default();
                flag.definition = Some(definitions(touched)?);
            }
            (_, Some(_)) => {
                let place = (moved.scope.clone(), touched);
                found.local.insert(Id::new(id), place);
            }
            (_, None) => {
                found.shared.insert(Id::new(id), definitions(touched)?);
            }
        }
        Ok(())
    }

    async fn segments(&mut self, tx: &mut Tx, found: &Found) -> Result<(), StoreError> {
        let ids: Vec<&str> = found.shared.keys().map(Id::as_str).collect();
        let now = segments::load(tx, self.organization, &ids).await?;
        for (id, touched) in &found.shared {
            let present = now.get(id).map(|it| &it.segment);
            self.segment(touched, present);
        }
        let local = found
            .local
            .keys()
            .filter(|id| !found.shared.contains_key(*id));
        let ids: Vec<&str> = local.map(Id::as_str).collect();
        let scopes = scopes_of(tx, self.organization, &ids).await?;
        let now = segments::load(tx, self.organization, &ids).await?;
        for (id, (environment, touched)) in &found.local {
            // Shared segments are served in environments too; what is undone is their definition.
            let of_this = scopes
                .get(id)
                .is_some_and(|it| it.as_deref() == Some(environment));
            let place = self.projects.environment(environment);
            let Some((state, environment)) = place.filter(|_| of_this) else {
                continue;
            };
            let scope = SegmentScope::Environment(state.project.id.clone(), environment.id.clone());
            let present = now.get(id).map(|it| &it.segment);
            let touched = Touched {
                before: local_segment(touched.before.as_ref(), &scope)?,
                after: local_segment(touched.after.as_ref(), &scope)?,
            };
            self.segment(&touched, present);
        }
        Ok(())
    }

    fn segment(&mut self, touched: &Touched<Segment>, now: Option<&Segment>) {
        let Some(any) = touched.after.as_ref().or(touched.before.as_ref()) else {
            return;
        };
        let (id, key, scope) = (any.id.clone(), any.key.clone(), any.scope.clone());
        let state = match &scope {
            SegmentScope::Organization => None,
            SegmentScope::Project(id) | SegmentScope::Environment(id, _) => {
                match self.projects.project(id) {
                    Some(state) => Some(state),
                    None => return,
                }
            }
        };
        let project = state.map(|state| state.project.key.as_str());
        let environment = match &scope {
            SegmentScope::Environment(_, id) => match self.projects.environment(id.as_str()) {
                Some((_, environment)) => Some(environment.key.as_str()),
                None => return,
            },
            _ => None,
        };
        let undone = plan::undo_segment(project, environment, touched, now);
        if let Some(state) = state {
            note(&mut self.planned.base, state);
        }
        let at = match scope {
            SegmentScope::Organization => Scope::Organization(self.organization.clone()),
            SegmentScope::Project(id) => Scope::Project(id),
            SegmentScope::Environment(_, id) => Scope::Environment(id),
        };
        let goes = touched.before.is_none();
        self.undone(undone, &Item::Segment(id, key), &at, goes);
    }

    async fn flags(&mut self, tx: &mut Tx, found: Found) -> Result<(), StoreError> {
        let mut of_project: BTreeMap<Id<Project>, Vec<(Id<Flag>, FlagTouched)>> = BTreeMap::new();
        for ((project, flag), touched) in found.flags {
            of_project.entry(project).or_default().push((flag, touched));
        }
        for (project, touched) in of_project {
            let Some(state) = self.projects.project(&project).cloned() else {
                continue;
            };
            note(&mut self.planned.base, &state);
            let ids: Vec<&str> = touched.iter().map(|(id, _)| id.as_str()).collect();
            let now = flags::load(tx, &project, &[], &ids).await?;
            for (id, touched) in &touched {
                let present = now.values().find(|it| it.flag.id == *id);
                let undone = plan::undo_flag(&state, touched, present);
                let definition = touched.definition.as_ref();
                let known = definition.and_then(|it| it.after.as_ref().or(it.before.as_ref()));
                let key = known
                    .or(present.map(|it| &it.flag))
                    .map(|it| it.key.clone());
                let key = match key {
                    Some(key) => key,
                    None => self.key_of(tx, &project, id).await?,
                };
                let scope = Scope::Project(project.clone());
                self.undone(undone, &Item::Flag(id.clone(), key), &scope, false);
            }
        }
        Ok(())
    }

    /// The key of a flag that is gone.
    async fn key_of(
        &self,
        tx: &mut Tx,
        project: &Id<Project>,
        flag: &Id<Flag>,
    ) -> Result<burgee_domain::key::Key, StoreError> {
        let found = sqlx::query(
            "SELECT item_key FROM change_log WHERE scope_id = $1 AND item_kind = 'flag' \
             AND item_id = $2 LIMIT 1",
        )
        .bind(project.as_str())
        .bind(flag.as_str())
        .fetch_one(&mut **tx)
        .await?;
        row::key(&found, 0)
    }

    fn undone(&mut self, undone: Undone, item: &Item, scope: &Scope, goes: bool) {
        match goes {
            true => self.last.extend(undone.steps),
            false => self.planned.extend(undone.steps),
        }
        for Collision {
            environment,
            facets,
        } in undone.collisions
        {
            let scope = environment.map_or_else(|| scope.clone(), Scope::Environment);
            self.found.push((scope, item.clone(), facets));
        }
    }

    async fn finish(mut self, tx: &mut Tx) -> Result<Planned, StoreError> {
        let last = std::mem::take(&mut self.last);
        self.planned.extend(last);
        if self.moved.iter().any(|it| it.kind == "organization") {
            let newest = organizations::lock(tx, self.organization, "")
                .await?
                .version;
            self.planned.base.insert(String::new(), newest);
        }
        for (scope, item, facets) in std::mem::take(&mut self.found) {
            let name = match &scope {
                Scope::Organization(_) => Some(String::new()),
                Scope::Project(id) => self.projects.name(id.as_str()),
                Scope::Environment(id) => self.projects.name(id.as_str()),
            };
            let since = self.since(tx, &scope).await?;
            let logged = log::since_of(tx, &scope, since, &[item.id()]).await?;
            let both = |facet: &&Facet| facets.contains(facet);
            let rows = logged
                .iter()
                .filter(|row| row.facets.iter().any(|it| both(&it)));
            for row in rows {
                let conflict = Conflict {
                    scope: scope.clone(),
                    version: row.version,
                    item: item.clone(),
                    facets: row.facets.iter().filter(both).cloned().collect(),
                };
                let name = name.clone().unwrap_or_default();
                let found = log::conflict(tx, name, &conflict).await?;
                self.planned.conflicts.push(found);
            }
        }
        Ok(self.planned)
    }

    /// The version of a scope after the change set.
    async fn since(&self, tx: &mut Tx, scope: &Scope) -> Result<i64, StoreError> {
        let id = match scope {
            Scope::Organization(id) => id.as_str(),
            Scope::Project(id) => id.as_str(),
            Scope::Environment(id) => id.as_str(),
        };
        match self.moved.iter().find(|it| it.scope == id) {
            Some(moved) => Ok(moved.version),
            None => {
                let number = self.moved.first().map_or(0, |it| it.number);
                versions::at_number(tx, id, number).await
            }
        }
    }
}

/// What a version changed of one kind, before and after, by id.
async fn touched(
    tx: &mut Tx,
    moved: &Moved,
    kind: &str,
) -> Result<BTreeMap<String, Touched<LoggedItem>>, StoreError> {
    let rows = sqlx::query(
        "SELECT DISTINCT item_id FROM change_log \
         WHERE scope_id = $1 AND version = $2 AND item_kind = $3",
    )
    .bind(&moved.scope)
    .bind(moved.version)
    .bind(kind)
    .fetch_all(&mut **tx)
    .await?;
    let ids = rows.iter().map(|found| row::text(found, 0));
    let ids = ids.collect::<Result<Vec<_>, _>>()?;
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    let (scope, version) = (moved.scope.as_str(), moved.version);
    let mut all: BTreeMap<String, Touched<LoggedItem>> = BTreeMap::new();
    for after in items_of(tx, scope, version, kind, &ids).await? {
        let touched = Touched {
            before: None,
            after: Some(after.clone()),
        };
        all.insert(after.id, touched);
    }
    for before in items_of(tx, scope, version - 1, kind, &ids).await? {
        if let Some(touched) = all.get_mut(&before.id) {
            touched.before = Some(before);
        }
    }
    Ok(all)
}

/// The targeting of a flag in an environment.
fn targeting(
    item: Option<LoggedItem>,
) -> Result<Option<burgee_domain::model::Targeting>, StoreError> {
    let flag = item.map(|it| it.flag()).transpose()?;
    Ok(flag.map(|flag| flag.targeting()))
}

/// Definitions of a project or the organization.
fn definitions<T: DeserializeOwned>(
    touched: Touched<LoggedItem>,
) -> Result<Touched<T>, StoreError> {
    let read = |item: Option<LoggedItem>| -> Result<Option<T>, StoreError> {
        Ok(item.map(|it| serde_json::from_str(&it.image)).transpose()?)
    };
    Ok(Touched {
        before: read(touched.before)?,
        after: read(touched.after)?,
    })
}

fn local_segment(
    item: Option<&LoggedItem>,
    scope: &SegmentScope,
) -> Result<Option<Segment>, StoreError> {
    item.map(|item| {
        let key = burgee_domain::key::Key::new(item.key.as_str());
        let key = key.map_err(|error| StoreError::Other(Box::new(error)))?;
        Ok(item.segment()?.segment(key, scope.clone()))
    })
    .transpose()
}

/// The environments that segments belong to, deleted ones too; none for shared ones.
async fn scopes_of(
    tx: &mut Tx,
    organization: &Id<Organization>,
    ids: &[&str],
) -> Result<BTreeMap<Id<Segment>, Option<String>>, StoreError> {
    let mut scopes = BTreeMap::new();
    for ids in ids.chunks(LIST) {
        let mut sql = Sql::new("SELECT id, environment_id FROM segments WHERE organization_id = ");
        sql.bind(organization.as_str());
        sql.push(" AND id IN ").list(ids.iter().copied());
        for found in sql.query()?.fetch_all(&mut **tx).await? {
            scopes.insert(row::id(&found, 0)?, row::optional_text(&found, 1)?);
        }
    }
    Ok(scopes)
}
