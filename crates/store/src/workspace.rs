//! Loading what a change set refers to, under locks: the organization, then projects, then
//! environments, each by id. Every writer takes a project's lock before it changes anything in it,
//! so what was read stays true until the transaction ends.

mod uses;

pub use uses::SegmentUse;

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::command::{References, SegmentRef};
use burgee_domain::id::Id;
use burgee_domain::key::fold;
use burgee_domain::model::{Organization, Segment, SegmentScope};
use burgee_domain::workspace::{FlagState, ProjectState, Workspace};
use sqlx::AnyConnection;

use crate::dialect::Dialect;
use crate::error::StoreError;
use crate::{environments, flags, organizations, projects, segments, targetings};

type Projects = BTreeMap<String, ProjectState>;

/// Loads and locks.
pub(crate) async fn load(
    connection: &mut AnyConnection,
    dialect: Dialect,
    organization: &Id<Organization>,
    references: &References,
) -> Result<Workspace, StoreError> {
    let above = match references.whole_organization {
        true => dialect.for_update(),
        false => dialect.for_share(),
    };
    let locks = (above, dialect.for_update());
    read(connection, locks, organization, references).await
}

/// Loads without locks, for who only looks.
pub(crate) async fn look(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    references: &References,
) -> Result<Workspace, StoreError> {
    read(connection, ("", ""), organization, references).await
}

/// Loads with these locks: of the organization, and of projects and environments.
async fn read(
    connection: &mut AnyConnection,
    (above, lock): (&str, &str),
    organization: &Id<Organization>,
    references: &References,
) -> Result<Workspace, StoreError> {
    let organization = organizations::lock(connection, organization, above).await?;
    let mut projects = lock_projects(connection, lock, &organization, references).await?;
    for (key, project) in &mut projects {
        let keys = of_project(&references.flags, key);
        let ids = of_project(&references.flag_ids, key);
        project.flags = flags::load(connection, &project.project.id, &keys, &ids).await?;
        let needed = needed_again(key, project, references);
        let needed: Vec<&str> = needed.iter().map(String::as_str).collect();
        if !needed.is_empty() {
            let more = flags::load(connection, &project.project.id, &needed, &[]).await?;
            project.flags.extend(more);
        }
        project.prerequisites = targetings::needs(connection, &project.project.id).await?;
    }
    let found = find_segments(connection, &organization.id, &projects, references).await?;
    let named = references.segment_ids.iter().filter(|id| can_be(id));
    let mut ids: BTreeSet<Id<Segment>> = named.map(Id::new).collect();
    ids.extend(found.values().cloned());
    ids.extend(rules_segments(&projects, references));
    let ids: Vec<&str> = ids.iter().map(Id::as_str).collect();
    let used = references.segment_uses.iter();
    let used: Vec<&Id<Segment>> = used.filter_map(|wanted| found.get(wanted)).collect();
    Ok(Workspace {
        segments: segments::load(connection, &organization.id, &ids).await?,
        segment_uses: uses::load(connection, &organization.id, &used).await?,
        organization,
        projects,
    })
}

/// Whether the database may be asked for an id: one with U+0000 is nowhere, and PostgreSQL refuses
/// the question. (Imported files can hold anything.)
pub(crate) fn can_be(id: &str) -> bool {
    !id.contains('\0')
}

/// The second of the pairs of a project.
fn of_project<'r>(pairs: &'r BTreeSet<(String, String)>, project: &str) -> Vec<&'r str> {
    let pairs = pairs.iter().filter(|(of, it)| of == project && can_be(it));
    pairs.map(|(_, it)| it.as_str()).collect()
}

/// The segments that the rules of flags name which are served again.
fn rules_segments(projects: &Projects, references: &References) -> BTreeSet<Id<Segment>> {
    let flags = references.rules_of.iter();
    let flags = flags.filter_map(|(project, flag)| projects.get(project)?.flags.get(flag));
    let ids = flags.flat_map(FlagState::segment_ids);
    ids.filter(|id| can_be(id.as_str())).collect()
}

/// The folded keys of the flags that those need which are served again, but for what is loaded.
fn needed_again(key: &str, project: &ProjectState, references: &References) -> BTreeSet<String> {
    let again = references.rules_of.iter().filter(|(of, _)| of == key);
    let again = again.filter_map(|(_, flag)| project.flags.get(flag));
    let targetings = again.flat_map(|it| it.targetings.values());
    let needed = targetings.flat_map(|it| &it.prerequisites);
    let needed = needed.map(|it| fold(&it.flag));
    needed
        .filter(|it| can_be(it) && !project.flags.contains_key(it))
        .collect()
}

/// The projects with their environments, still without flags.
async fn lock_projects(
    connection: &mut AnyConnection,
    lock: &str,
    organization: &Organization,
    references: &References,
) -> Result<Projects, StoreError> {
    let keys: Vec<String> = references.projects.iter().cloned().collect();
    let keys = (!references.whole_organization).then_some(keys.as_slice());
    let found = projects::lock(connection, &organization.id, keys, lock).await?;
    let ids: Vec<&str> = found.iter().map(|project| project.id.as_str()).collect();
    let mut by_project: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
    for environment in environments::lock(connection, &ids, lock).await? {
        let environments = by_project.entry(environment.project.clone()).or_default();
        environments.insert(environment.key.folded(), environment);
    }
    let states = found.into_iter().map(|project| {
        let state = ProjectState {
            environments: by_project.remove(&project.id).unwrap_or_default(),
            project,
            flags: BTreeMap::new(),
            prerequisites: BTreeMap::new(),
        };
        (state.project.key.folded(), state)
    });
    Ok(states.collect())
}

/// The ids of the segments named by key; without those that are not there, or whose project or
/// environment is not.
async fn find_segments<'r>(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    projects: &Projects,
    references: &'r References,
) -> Result<BTreeMap<&'r SegmentRef, Id<Segment>>, StoreError> {
    let wanted = references.segments.union(&references.segment_uses);
    let places = wanted.filter_map(|wanted| {
        let scope = scope(projects, wanted)?;
        Some((wanted, (scope, wanted.segment.clone())))
    });
    let places: BTreeMap<&SegmentRef, (SegmentScope, String)> = places.collect();
    let keys: BTreeSet<&str> = places
        .keys()
        .map(|wanted| wanted.segment.as_str())
        .collect();
    let keys: Vec<&str> = keys.into_iter().filter(|key| can_be(key)).collect();
    let ids = segments::find_ids(connection, organization, &keys).await?;
    let found = places.into_iter();
    let found = found.filter_map(|(wanted, place)| Some((wanted, ids.get(&place)?.clone())));
    Ok(found.collect())
}

fn scope(projects: &Projects, wanted: &SegmentRef) -> Option<SegmentScope> {
    let Some(project) = &wanted.project else {
        return Some(SegmentScope::Organization);
    };
    let state = projects.get(project)?;
    let project = state.project.id.clone();
    Some(match &wanted.environment {
        None => SegmentScope::Project(project),
        Some(key) => SegmentScope::Environment(project, state.environments.get(key)?.id.clone()),
    })
}
