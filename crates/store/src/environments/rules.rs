//! What environments ask of change sets. Read and written under the environment's lock, which every
//! change set that moves it holds: nobody slips through while the rules are tightened.

use std::collections::BTreeMap;

use burgee_domain::Rejected;
use burgee_domain::access::{Decision, Resource, Rights};
use burgee_domain::admission::{CommentRule, EnvironmentRules, Reviewers};
use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Organization};
use burgee_eval::time::Millis;
use serde_json::json;
use sqlx::AnyConnection;
use sqlx::any::AnyRow;

use super::administration::setting;
use super::{Act, Step};
use crate::change_sets::Actor;
use crate::error::StoreError;
use crate::people::{groups, members};
use crate::sql::{LIST, Sql};
use crate::{Store, Tx, organizations, row};

/// Who wants to change an environment's rules.
#[derive(Clone, Copy, Debug)]
pub struct RulesAuthor<'a> {
    /// In the history.
    pub actor: &'a Actor,
    /// What they may do.
    pub rights: &'a Rights,
}

/// Why an environment's rules were not changed.
#[derive(Debug, thiserror::Error)]
pub enum SetRulesError {
    /// They are no rules.
    #[error(transparent)]
    Rejected(#[from] Rejected),
    /// They ask less than those that there are, and the author may not `environment.loosenRules`
    /// there.
    #[error("the rules of {0} may not be loosened")]
    Loosening(Resource, Decision),
    /// The store could not.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for SetRulesError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl Store {
    /// What an environment asks of change sets.
    pub async fn environment_rules(
        &self,
        id: &Id<Environment>,
    ) -> Result<EnvironmentRules, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let mut found = load(&mut connection, [id]).await?;
        Ok(found.remove(id).unwrap_or_default())
    }

    /// Changes what an environment asks of change sets, and gives the rules as they are kept. Where
    /// nothing differs, nothing is written and no version moves.
    ///
    /// # Errors
    /// [`SetRulesError`]; among the store's [`StoreError::Invalid`] of reviewers who are not there.
    pub async fn set_environment_rules(
        &self,
        id: &Id<Environment>,
        rules: &EnvironmentRules,
        author: RulesAuthor<'_>,
        now: Millis,
    ) -> Result<EnvironmentRules, SetRulesError> {
        let rules = rules.checked()?;
        let mut tx = self.begin_write().await?;
        // Before the environment, as change sets do: whom the rules name stays until they are there.
        let organization = organization_of(&mut tx, id).await?;
        let shared = self.shared.dialect.for_share();
        organizations::lock(&mut tx, &organization, shared).await?;
        let locked = self.lock_environment(&mut tx, id).await?;
        let before = load(&mut tx, [id]).await?.remove(id).unwrap_or_default();
        if rules == before {
            return Ok(rules);
        }
        if rules.are_looser_than(&before) {
            let key = locked.environment.key.as_str();
            let protected = Some(locked.environment.protected);
            let place = Resource::environment(locked.project.as_str(), key, protected);
            let decision = author.rights.decide("environment.loosenRules", &place);
            if !decision.is_allowed() {
                return Err(SetRulesError::Loosening(place, decision));
            }
        }
        must_exist(&mut tx, &locked.organization, &rules.approvals.reviewers).await?;
        let image = write(&mut tx, id, &rules).await?;
        let mut params = locked.params();
        params.push(("rules", image.clone()));
        let act = Act {
            organization: &locked.organization,
            actor: author.actor,
            project: None,
            kind: "setEnvironmentRules",
            params,
            text: format!("{}: {}", locked.name(), words(&rules)),
        };
        let mut step = Step {
            project: &locked.project,
            environment: locked.environment.clone(),
            rows: vec![setting("rules", &image)],
        };
        self.administer(&mut tx, &act, std::slice::from_mut(&mut step), now)
            .await?;
        self.end(tx, false).await?;
        Ok(rules)
    }
}

/// What rules ask, in plain words.
fn words(rules: &EnvironmentRules) -> String {
    let comment = match rules.comment {
        CommentRule::Optional => "comment optional",
        CommentRule::Required => "comment required",
    };
    let approvals = &rules.approvals;
    let exempt = match approvals.exempt.is_empty() {
        true => "",
        false => ", turning off needs none",
    };
    match approvals.required {
        0 => format!("{comment}, no approvals"),
        count => format!("{comment}, approvals: {count}{exempt}"),
    }
}

async fn write(
    tx: &mut Tx,
    id: &Id<Environment>,
    rules: &EnvironmentRules,
) -> Result<String, StoreError> {
    let image = json!(rules).to_string();
    sqlx::query(
        "INSERT INTO environment_rules (environment_id, rules) VALUES ($1, $2) \
         ON CONFLICT (environment_id) DO UPDATE SET rules = excluded.rules",
    )
    .bind(id.as_str())
    .bind(image.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(image)
}

/// Refuses reviewers who are not there: nobody could ever approve.
async fn must_exist(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    reviewers: &Reviewers,
) -> Result<(), StoreError> {
    for member in &reviewers.members {
        let found = members::find(connection, organization, &Id::new(member)).await?;
        if found.is_none() {
            return Err(StoreError::Invalid {
                field: "approvals/reviewers/members",
                code: "memberNotFound".into(),
                message: format!("there is no member `{member}`"),
            });
        }
    }
    for group in &reviewers.groups {
        if groups::find(connection, organization, group)
            .await?
            .is_none()
        {
            return Err(StoreError::Invalid {
                field: "approvals/reviewers/groups",
                code: "groupNotFound".into(),
                message: format!("there is no group `{group}`"),
            });
        }
    }
    Ok(())
}

async fn organization_of(
    connection: &mut AnyConnection,
    id: &Id<Environment>,
) -> Result<Id<Organization>, StoreError> {
    let found = sqlx::query(
        "SELECT p.organization_id FROM environments e JOIN projects p ON p.id = e.project_id \
         WHERE e.id = $1",
    )
    .bind(id.as_str())
    .fetch_optional(connection)
    .await?;
    row::id(&found.ok_or(StoreError::NotFound("environment"))?, 0)
}

/// What an environment asks, and which one it is.
pub(crate) struct RulesAt {
    /// The environment, as permissions name it.
    pub(crate) resource: Resource,
    /// The same as people do: `project/environment`.
    pub(crate) name: String,
    pub(crate) rules: EnvironmentRules,
}

/// The rules of all environments of an organization, by name; those without any are not there.
pub(crate) async fn of_organization(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
) -> Result<Vec<RulesAt>, StoreError> {
    let rows = sqlx::query(
        "SELECT p.key, e.key, e.protected, r.rules FROM environment_rules r \
         JOIN environments e ON e.id = r.environment_id JOIN projects p ON p.id = e.project_id \
         WHERE p.organization_id = $1 AND e.deleted_at IS NULL ORDER BY p.key, e.key",
    )
    .bind(organization.as_str())
    .fetch_all(connection)
    .await?;
    let read = |found: &AnyRow| {
        let (project, key) = (row::text(found, 0)?, row::text(found, 1)?);
        let protected = Some(row::boolean(found, 2)?);
        Ok(RulesAt {
            name: format!("{project}/{key}"),
            resource: Resource::environment(project, key, protected),
            rules: row::json(found, 3)?,
        })
    };
    rows.iter().map(read).collect()
}

/// The rules of environments; those without any are not there.
pub(crate) async fn load<'e>(
    connection: &mut AnyConnection,
    environments: impl IntoIterator<Item = &'e Id<Environment>>,
) -> Result<BTreeMap<Id<Environment>, EnvironmentRules>, StoreError> {
    let ids: Vec<&str> = environments.into_iter().map(Id::as_str).collect();
    let mut rules = BTreeMap::new();
    for ids in ids.chunks(LIST) {
        let mut sql = Sql::new("SELECT environment_id, rules FROM environment_rules");
        sql.push(" WHERE environment_id IN ")
            .list(ids.iter().copied());
        for found in sql.query()?.fetch_all(&mut *connection).await? {
            rules.insert(row::id(&found, 0)?, row::json(&found, 1)?);
        }
    }
    Ok(rules)
}
