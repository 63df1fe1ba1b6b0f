//! Where flags and segments name a key.

use burgee_domain::forget;
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

const TARGETINGS: &str = "SELECT p.key, e.key, f.key, t.target_users, t.rules, f.life, \
    t.environment_id, t.flag_id \
    FROM targetings t JOIN flags f ON f.project_id = t.project_id AND f.id = t.flag_id \
    JOIN environments e ON e.id = t.environment_id \
    JOIN projects p ON p.id = t.project_id \
    WHERE p.organization_id = $1 \
    AND (t.target_users LIKE $2 ESCAPE '\\' OR t.rules LIKE $2 ESCAPE '\\') \
    ORDER BY p.key, e.key, f.key";

const SEGMENTS: &str = "SELECT p.key, e.key, s.key, s.included, s.excluded, s.rules, s.life, s.id \
    FROM segments s LEFT JOIN projects p ON p.id = s.project_id \
    LEFT JOIN environments e ON e.id = s.environment_id \
    WHERE s.organization_id = $1 AND (s.included LIKE $2 ESCAPE '\\' \
    OR s.excluded LIKE $2 ESCAPE '\\' OR s.rules LIKE $2 ESCAPE '\\') ORDER BY s.key, s.id";

impl Store {
    /// Where an organization's flags and segments name a key. What is archived or deleted, and so
    /// takes no commands, is rid of it at once.
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
            self.of_targeting(found, key, &mut mentions).await?;
        }
        let rows = sqlx::query(SEGMENTS)
            .bind(organization.as_str())
            .bind(&pattern)
            .fetch_all(&self.shared.truth.read)
            .await?;
        for found in &rows {
            self.of_segment(organization, found, key, &mut mentions)
                .await?;
        }
        Ok(mentions)
    }

    async fn of_targeting(
        &self,
        found: &AnyRow,
        key: &str,
        mentions: &mut Mentions,
    ) -> Result<(), StoreError> {
        let (project, environment) = (row::text(found, 0)?, row::text(found, 1)?);
        let flag = row::text(found, 2)?;
        let lists: Vec<TargetUsers> = row::json(found, 3)?;
        let lists = lists
            .iter()
            .filter(|list| list.key_ids.iter().any(|it| it == key));
        if row::text(found, 5)? != "live" {
            let text = row::text(found, 3)?;
            let Some(without) = forget::image(&text, key) else {
                return Ok(());
            };
            sqlx::query(
                "UPDATE targetings SET target_users = $1 \
                 WHERE environment_id = $2 AND flag_id = $3 AND target_users = $4",
            )
            .bind(without)
            .bind(row::text(found, 6)?)
            .bind(row::text(found, 7)?)
            .bind(text)
            .execute(&self.shared.truth.write)
            .await?;
            return Ok(());
        }
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

    async fn of_segment(
        &self,
        organization: &Id<Organization>,
        found: &AnyRow,
        key: &str,
        mentions: &mut Mentions,
    ) -> Result<(), StoreError> {
        let (project, environment) = (row::optional_text(found, 0)?, row::optional_text(found, 1)?);
        let segment = row::text(found, 2)?;
        let live = row::text(found, 6)? == "live";
        for (column, list, count, kind) in [
            (3, "included", "included_count", "removeIncluded"),
            (4, "excluded", "excluded_count", "removeExcluded"),
        ] {
            let mut keys: Vec<String> = row::json(found, column)?;
            let before = keys.len();
            keys.retain(|it| it != key);
            if keys.len() == before {
                continue;
            }
            if live {
                let mut command = json!({"kind": kind, "segment": segment, "keys": [key]});
                for (name, place) in [("project", &project), ("environment", &environment)] {
                    if let Some(place) = place {
                        command[name] = json!(place);
                    }
                }
                mentions.commands.push(command);
                continue;
            }
            let update = format!(
                "UPDATE segments SET {list} = $1, {count} = $2 \
                 WHERE organization_id = $3 AND id = $4 AND life <> 'live'"
            );
            sqlx::query(sqlx::AssertSqlSafe(update))
                .bind(json!(keys).to_string())
                .bind(keys.len() as i64)
                .bind(organization.as_str())
                .bind(row::text(found, 7)?)
                .execute(&self.shared.truth.write)
                .await?;
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
}

/// Whether a condition compares with the key.
fn asks(conditions: &[Condition], key: &str) -> bool {
    let mut values = conditions.iter().filter_map(|it| it.value.as_deref());
    values.any(|value| {
        let list: Option<Vec<String>> = serde_json::from_str(value).ok();
        value == key || list.is_some_and(|list| list.iter().any(|it| it == key))
    })
}
