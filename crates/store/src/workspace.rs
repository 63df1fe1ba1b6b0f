//! Loading what a change set refers to, under locks: the organization, then projects, then
//! environments, each by id. Every writer takes a project's lock before it changes anything in it,
//! so what was read stays true until the transaction ends.

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::command::{References, SegmentRef};
use burgee_domain::id::Id;
use burgee_domain::model::{Organization, Segment, SegmentScope};
use burgee_domain::workspace::{ProjectState, Workspace};
use burgee_eval::condition::{IN_SEGMENT, NOT_IN_SEGMENT};
use burgee_eval::flag::Rule;
use sqlx::AnyConnection;

use crate::dialect::Dialect;
use crate::error::StoreError;
use crate::sql::{Sql, containing};
use crate::{environments, flags, organizations, projects, row, segments};

type Projects = BTreeMap<String, ProjectState>;

/// Loads and locks.
pub(crate) async fn load(
    connection: &mut AnyConnection,
    dialect: Dialect,
    organization: &Id<Organization>,
    references: &References,
) -> Result<Workspace, StoreError> {
    let lock = match references.whole_organization {
        true => dialect.for_update(),
        false => dialect.for_share(),
    };
    let organization = organizations::lock(connection, organization, lock).await?;
    let mut projects = lock_projects(connection, dialect, &organization, references).await?;
    for (key, project) in &mut projects {
        let flags = references.flags.iter().filter(|(of, _)| of == key);
        let keys: Vec<String> = flags.map(|(_, flag)| flag.clone()).collect();
        project.flags = flags::load(connection, &project.project.id, &keys).await?;
    }
    let mut ids: BTreeSet<Id<Segment>> = references.segment_ids.iter().map(Id::new).collect();
    for wanted in &references.segments {
        ids.extend(find_segment(connection, &organization.id, &projects, wanted).await?);
    }
    let mut segment_uses = BTreeMap::new();
    for wanted in &references.segment_uses {
        if let Some(id) = find_segment(connection, &organization.id, &projects, wanted).await? {
            let uses = uses(connection, &organization.id, &id).await?;
            segment_uses.insert(id, uses);
        }
    }
    let ids: Vec<&str> = ids.iter().map(Id::as_str).collect();
    Ok(Workspace {
        segments: segments::load(connection, &organization.id, &ids).await?,
        organization,
        projects,
        segment_uses,
    })
}

/// The projects with their environments, still without flags.
async fn lock_projects(
    connection: &mut AnyConnection,
    dialect: Dialect,
    organization: &Organization,
    references: &References,
) -> Result<Projects, StoreError> {
    let keys: Vec<String> = references.projects.iter().cloned().collect();
    let keys = (!references.whole_organization).then_some(keys.as_slice());
    let lock = dialect.for_update();
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
        };
        (state.project.key.folded(), state)
    });
    Ok(states.collect())
}

/// The id of a segment named by key; none where it, its project or its environment is not there.
async fn find_segment(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    projects: &Projects,
    wanted: &SegmentRef,
) -> Result<Option<Id<Segment>>, StoreError> {
    let Some(scope) = scope(projects, wanted) else {
        return Ok(None);
    };
    segments::find_id(connection, organization, &scope, &wanted.segment).await
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

/// Where flags that are not deleted name a segment in a rule, as `project/environment/flag`.
async fn uses(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    segment: &Id<Segment>,
) -> Result<Vec<String>, StoreError> {
    let mut sql = Sql::new(
        "SELECT p.key, e.key, f.key, t.rules FROM targetings t \
         JOIN flags f ON f.project_id = t.project_id AND f.id = t.flag_id \
         JOIN environments e ON e.id = t.environment_id AND e.deleted_at IS NULL \
         JOIN projects p ON p.id = t.project_id \
         WHERE f.life <> 'deleted' AND p.organization_id = ",
    );
    sql.bind(organization.as_str());
    sql.push(" AND t.rules LIKE ")
        .bind(containing(&twice_escaped(segment)?));
    sql.push(" ESCAPE '\\' ORDER BY p.key_folded, e.sort, f.key_folded");
    let mut uses = Vec::new();
    for found in sql.query()?.fetch_all(connection).await? {
        let rules: Vec<Rule> = row::json(&found, 3)?;
        if rules.iter().any(|rule| names(rule, segment)) {
            let [project, environment, flag] = [0, 1, 2].map(|column| row::text(&found, column));
            uses.push(format!("{}/{}/{}", project?, environment?, flag?));
        }
    }
    Ok(uses)
}

/// An id as it stands in a list inside a text inside JSON.
fn twice_escaped(segment: &Id<Segment>) -> Result<String, StoreError> {
    let mut text = segment.as_str().to_owned();
    for _ in 0..2 {
        let quoted = serde_json::to_string(&text)?;
        text = quoted[1..quoted.len() - 1].to_owned();
    }
    Ok(text)
}

fn names(rule: &Rule, segment: &Id<Segment>) -> bool {
    rule.conditions.iter().any(|condition| {
        let about_segments = [IN_SEGMENT, NOT_IN_SEGMENT].contains(&condition.property.as_str());
        let value = condition.value.as_deref().unwrap_or_default();
        let ids: Vec<String> = serde_json::from_str(value).unwrap_or_default();
        about_segments && ids.iter().any(|id| id == segment.as_str())
    })
}
