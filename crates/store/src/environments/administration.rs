//! What is done besides changing flags and segments: projects and environments, SDK keys, access
//! tokens. Each act is a change set of the organization's history, written in its transaction.
//!
//! Where it concerns an environment (keys, settings) it is a step of that environment's history
//! too, with log rows of the same sequence, so that the feed sees it like any other change.

use std::collections::BTreeMap;

use burgee_domain::diff::DiffLine;
use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Organization, Project};
use burgee_domain::position::{self, Position};
use burgee_eval::time::Millis;
use serde_json::{Value, json};

use super::advance;
use crate::change_sets::{self, Actor, NewChangeSet};
use crate::error::StoreError;
use crate::log::{self, LogRow, Version};
use crate::{Applied, Store, Tx};

/// An act of administration: who did what.
pub(crate) struct Act<'a> {
    pub(crate) organization: &'a Id<Organization>,
    pub(crate) actor: &'a Actor,
    /// The project in whose history it is, where no environment's says so.
    pub(crate) project: Option<&'a Id<Project>>,
    /// In the form of a command's kind, e.g. `renameProject`.
    pub(crate) kind: &'static str,
    /// What it was done to, by name; as the fields of a command, and as parameters of its line.
    pub(crate) params: Vec<(&'static str, String)>,
    /// In plain words, e.g. `web: project renamed`.
    pub(crate) text: String,
}

/// What an act does to an environment: moves it by one version, with these rows.
pub(crate) struct Step<'a> {
    /// The key of its project.
    pub(crate) project: &'a str,
    /// Locked; moved on by [`Store::administer`].
    pub(crate) environment: Environment,
    pub(crate) rows: Vec<LogRow<'a>>,
}

impl Act<'_> {
    fn command(&self) -> Value {
        let kind = [("kind".to_owned(), json!(self.kind))];
        let params = self.params.iter();
        let params = params.map(|(name, value)| ((*name).to_owned(), json!(value)));
        Value::Object(kind.into_iter().chain(params).collect())
    }

    fn line(&self) -> DiffLine {
        let params = self.params.iter();
        DiffLine {
            code: self.kind.to_owned(),
            params: params
                .map(|(name, value)| ((*name).to_owned(), value.clone()))
                .collect(),
            of: None,
            text: self.text.clone(),
        }
    }
}

impl Store {
    /// Writes an act into the history, and moves the environments that it concerns. Gives the
    /// change set's id.
    pub(crate) async fn administer(
        &self,
        tx: &mut Tx,
        act: &Act<'_>,
        steps: &mut [Step<'_>],
        now: Millis,
    ) -> Result<String, StoreError> {
        let mut versions = BTreeMap::new();
        for Step {
            project,
            environment,
            rows,
        } in steps.iter_mut()
        {
            let chained = rows.iter().map(LogRow::chained);
            environment.chain = position::chain_rows(environment.chain, chained);
            let version = environment.position.version + 1;
            environment.position = Position::new(version, &environment.chain);
            versions.insert(format!("{project}/{}", environment.key), version);
        }
        let id = uuid::Uuid::now_v7().to_string();
        let commands = Value::Array(vec![act.command()]).to_string();
        let applied = Applied {
            id: id.clone(),
            versions,
            diff: vec![act.line()],
            ..Applied::default()
        };
        let change_set = NewChangeSet {
            organization: act.organization,
            id: &id,
            actor: act.actor,
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
        if let Some(project) = act.project {
            change_sets::is_about(tx, &change_set.reference(), project).await?;
        }
        for step in steps {
            let rows = std::mem::take(&mut step.rows);
            self.move_on(tx, &change_set, &step.environment, rows)
                .await?;
        }
        Ok(id)
    }

    async fn move_on(
        &self,
        tx: &mut Tx,
        change_set: &NewChangeSet<'_>,
        to: &Environment,
        rows: Vec<LogRow<'_>>,
    ) -> Result<(), StoreError> {
        let version = Version {
            scope_kind: "environment",
            scope: to.id.as_str(),
            version: to.position.version,
            chain: to.chain,
            rows,
        };
        log::write(tx, &change_set.reference(), &version, change_set.at).await?;
        if advance(tx, to).await? != 1 {
            return Err(StoreError::corrupt("an environment moved while locked"));
        }
        self.shared.dialect.notify(tx, to.id.as_str()).await
    }
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
