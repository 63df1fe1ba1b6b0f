//! Steps of an environment's history that are not about flags or segments: SDK keys and settings.
//! They are log rows of the same sequence, so that the feed sees them like any other change.

use std::collections::BTreeMap;

use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Organization};
use burgee_domain::position::{self, Position};
use burgee_eval::time::Millis;
use serde_json::{Value, json};

use super::advance;
use crate::change_sets::{self, Actor, NewChangeSet};
use crate::error::StoreError;
use crate::log::{self, LogRow, Version};
use crate::{Applied, Store, Tx, row};

impl Store {
    /// Moves a locked environment by one version with rows about keys and settings.
    pub(crate) async fn administer(
        &self,
        tx: &mut Tx,
        mut environment: Environment,
        step: Administration<'_>,
        now: Millis,
    ) -> Result<Environment, StoreError> {
        let chained = step.rows.iter().map(LogRow::chained);
        environment.chain = position::chain_rows(environment.chain, chained);
        let version = environment.position.version + 1;
        environment.position = Position::new(version, &environment.chain);
        let id = uuid::Uuid::now_v7().to_string();
        let commands = Value::Array(vec![step.command]).to_string();
        let scope = scope_name(tx, &environment).await?;
        let applied = Applied {
            id: id.clone(),
            versions: BTreeMap::from([(scope, version)]),
            ..Applied::default()
        };
        let change_set = NewChangeSet {
            organization: step.organization,
            id: &id,
            actor: step.actor,
            comment: "",
            base: &json!({}),
            request_digest: change_sets::request_digest("", &json!({}), &commands),
            commands: &commands,
            result: &serde_json::to_value(&applied)?,
            at: now,
        };
        if !change_sets::insert(tx, &change_set).await? {
            return Err(StoreError::Reused);
        }
        let version = Version {
            scope_kind: "environment",
            scope: environment.id.as_str(),
            version,
            chain: environment.chain,
            rows: step.rows,
        };
        log::write(tx, &change_set.reference(), &version, now).await?;
        let moved = advance(tx, &environment).await?;
        if moved != 1 {
            return Err(StoreError::corrupt("an environment moved while locked"));
        }
        self.shared
            .dialect
            .notify(tx, environment.id.as_str())
            .await?;
        Ok(environment)
    }
}

/// A step of an environment that is not about flags or segments.
pub(crate) struct Administration<'a> {
    pub(crate) organization: &'a Id<Organization>,
    pub(crate) actor: &'a Actor,
    /// In the form of a command, for the history.
    pub(crate) command: Value,
    pub(crate) rows: Vec<LogRow<'a>>,
}

/// An environment's name among scopes: `project/environment`.
async fn scope_name(tx: &mut Tx, environment: &Environment) -> Result<String, StoreError> {
    let project = sqlx::query("SELECT key FROM projects WHERE id = $1")
        .bind(environment.project.as_str())
        .fetch_one(&mut **tx)
        .await?;
    Ok(format!("{}/{}", row::text(&project, 0)?, environment.key))
}

/// The log row of a setting.
pub(super) fn setting<'a>(name: &'a str, image: &'a str) -> LogRow<'a> {
    LogRow {
        kind: "setting",
        id: name,
        key: name,
        facets: "[]".to_owned(),
        commands: "[0]".to_owned(),
        image,
    }
}
