//! Where flags and segments name a key.

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_eval::flag::{Condition, Rule, TargetUsers};
use burgee_eval::segment::SegmentRule;
use serde_json::{Value, json};
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::sql::containing;
use crate::{Store, row};

/// Where a key is named.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mentions {
    /// The commands that take it out of targets and lists, as they are posted.
    pub commands: Vec<Value>,
    /// Rules that ask for it: what they shall ask instead, somebody must decide.
    pub rules: Vec<RuleMention>,
}

/// A rule that asks for a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleMention {
    /// The project's key; none for a segment of the organization.
    pub project: Option<String>,
    /// The environment's key; none for a shared segment.
    pub environment: Option<String>,
    /// `flag` or `segment`.
    pub kind: &'static str,
    /// Its key.
    pub key: String,
    /// The rule's id.
    pub rule: String,
}

const TARGETINGS: &str = "SELECT p.key, e.key, f.key, t.target_users, t.rules \
    FROM targetings t JOIN flags f ON f.project_id = t.project_id AND f.id = t.flag_id \
    JOIN environments e ON e.id = t.environment_id \
    JOIN projects p ON p.id = t.project_id \
    WHERE p.organization_id = $1 AND f.life = 'live' \
    AND (t.target_users LIKE $2 ESCAPE '\\' OR t.rules LIKE $2 ESCAPE '\\') \
    ORDER BY p.key, e.key, f.key";

const SEGMENTS: &str = "SELECT p.key, e.key, s.key, s.included, s.excluded, s.rules \
    FROM segments s LEFT JOIN projects p ON p.id = s.project_id \
    LEFT JOIN environments e ON e.id = s.environment_id \
    WHERE s.organization_id = $1 AND s.life = 'live' AND (s.included LIKE $2 ESCAPE '\\' \
    OR s.excluded LIKE $2 ESCAPE '\\' OR s.rules LIKE $2 ESCAPE '\\') ORDER BY s.key, s.id";

impl Store {
    /// Where an organization's flags and segments name a key. What is archived or deleted takes no
    /// commands; it is rid of the key with the history.
    pub async fn mentions(
        &self,
        organization: &Id<Organization>,
        key: &str,
    ) -> Result<Mentions, StoreError> {
        // As it stands in JSON, without the quotes: in a rule it may be within a list.
        let quoted = json!(key).to_string();
        let pattern = containing(&quoted[1..quoted.len() - 1]);
        let mut mentions = Mentions::default();
        let rows = sqlx::query(TARGETINGS)
            .bind(organization.as_str())
            .bind(&pattern)
            .fetch_all(&self.shared.truth.read)
            .await?;
        for found in &rows {
            of_targeting(found, key, &mut mentions)?;
        }
        let rows = sqlx::query(SEGMENTS)
            .bind(organization.as_str())
            .bind(&pattern)
            .fetch_all(&self.shared.truth.read)
            .await?;
        for found in &rows {
            of_segment(found, key, &mut mentions)?;
        }
        Ok(mentions)
    }
}

fn of_targeting(found: &AnyRow, key: &str, mentions: &mut Mentions) -> Result<(), StoreError> {
    let (project, environment) = (row::text(found, 0)?, row::text(found, 1)?);
    let flag = row::text(found, 2)?;
    let lists: Vec<TargetUsers> = row::json(found, 3)?;
    let lists = lists
        .iter()
        .filter(|list| list.key_ids.iter().any(|it| it == key));
    mentions.commands.extend(lists.map(|list| {
        json!({"kind": "removeTargets", "project": project, "environment": environment,
            "flag": flag, "variation": list.variation_id, "keys": [key]})
    }));
    let rules: Vec<Rule> = row::json(found, 4)?;
    let rules = rules.iter().filter(|rule| asks(&rule.conditions, key));
    mentions.rules.extend(rules.map(|rule| RuleMention {
        project: Some(project.clone()),
        environment: Some(environment.clone()),
        kind: "flag",
        key: flag.clone(),
        rule: rule.id.clone(),
    }));
    Ok(())
}

fn of_segment(found: &AnyRow, key: &str, mentions: &mut Mentions) -> Result<(), StoreError> {
    let (project, environment) = (row::optional_text(found, 0)?, row::optional_text(found, 1)?);
    let segment = row::text(found, 2)?;
    for (column, kind) in [(3, "removeIncluded"), (4, "removeExcluded")] {
        let keys: Vec<String> = row::json(found, column)?;
        if !keys.iter().any(|it| it == key) {
            continue;
        }
        let mut command = json!({"kind": kind, "segment": segment, "keys": [key]});
        for (name, place) in [("project", &project), ("environment", &environment)] {
            if let Some(place) = place {
                command[name] = json!(place);
            }
        }
        mentions.commands.push(command);
    }
    let rules: Vec<SegmentRule> = row::json(found, 5)?;
    let rules = rules.iter().filter(|rule| asks(&rule.conditions, key));
    mentions.rules.extend(rules.map(|rule| RuleMention {
        project: project.clone(),
        environment: environment.clone(),
        kind: "segment",
        key: segment.clone(),
        rule: rule.id.clone(),
    }));
    Ok(())
}

/// Whether a condition compares with the key.
fn asks(conditions: &[Condition], key: &str) -> bool {
    let mut values = conditions.iter().filter_map(|it| it.value.as_deref());
    values.any(|value| {
        let list: Option<Vec<String>> = serde_json::from_str(value).ok();
        value == key || list.is_some_and(|list| list.iter().any(|it| it == key))
    })
}
