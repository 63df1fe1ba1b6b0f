//! Changing what is set of an environment: its name, its colour, its protection, its place, and of
//! which users its decisions are logged.

use burgee_domain::colour::Colour;
use burgee_domain::decision_log::Sample;
use burgee_domain::id::Id;
use burgee_domain::key::Key;
use burgee_domain::model::Environment;
use burgee_eval::time::Millis;
use serde_json::json;

use super::administration::setting;
use super::{Act, Locked, Step, lock};
use crate::change_sets::Actor;
use crate::error::StoreError;
use crate::{Store, Tx, row, text};

/// What becomes of an environment; what is not given stays.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EnvironmentEdit {
    /// The display name.
    pub name: Option<String>,
    /// A text for people.
    pub description: Option<String>,
    /// Its colour.
    pub colour: Option<Colour>,
    /// Whether it is protected.
    pub protected: Option<bool>,
    /// Of which users its decisions are logged.
    pub decisions: Option<Sample>,
}

impl EnvironmentEdit {
    /// What the environment is afterwards.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of `name` or `description`.
    fn apply(&self, environment: &Environment) -> Result<Environment, StoreError> {
        let name = self.name.as_deref().map(text::name).transpose()?;
        let description = self.description.as_deref();
        let description = description.map(text::description).transpose()?;
        let before = environment.clone();
        Ok(Environment {
            name: name.unwrap_or(before.name),
            description: description.unwrap_or(before.description),
            colour: self.colour.unwrap_or(before.colour),
            protected: self.protected.unwrap_or(before.protected),
            decisions: self.decisions.unwrap_or(before.decisions),
            ..before
        })
    }
}

impl Store {
    /// Changes an environment's name, description, colour, protection, and of which users its
    /// decisions are logged. Where nothing differs, nothing is written and no version moves.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of `name` or `description`.
    pub async fn update_environment(
        &self,
        id: &Id<Environment>,
        edit: &EnvironmentEdit,
        actor: &Actor,
        now: Millis,
    ) -> Result<Environment, StoreError> {
        let mut tx = self.begin_write().await?;
        let locked = self.lock_environment(&mut tx, id).await?;
        let after = edit.apply(&locked.environment)?;
        let edits = differences(&locked.environment, &after);
        if edits.is_empty() {
            return Ok(after);
        }
        write(&mut tx, &after).await?;
        let image = json!({"name": after.name, "description": after.description,
            "colour": after.colour.to_string(), "protected": after.protected,
            "decisionSample": after.decisions.share()});
        let words: Vec<&str> = edits.iter().map(|edit| edit.done).collect();
        let given = edits.iter().map(|edit| (edit.field, edit.value.clone()));
        let act = Act {
            organization: &locked.organization,
            actor,
            project: None,
            kind: "updateEnvironment",
            params: locked.params().into_iter().chain(given).collect(),
            text: format!("{}: environment {}", locked.name(), words.join(" and ")),
        };
        let set = Setting {
            name: "about",
            image: image.to_string(),
        };
        let after = self
            .move_by(&mut tx, &locked, after, &act, &set, now)
            .await?;
        self.end(tx, false).await?;
        Ok(after)
    }

    /// Moves an environment in front of another of its project, or to the end.
    ///
    /// # Errors
    /// [`StoreError::Invalid`] of `before` where it is not another environment of the project.
    pub async fn move_environment(
        &self,
        id: &Id<Environment>,
        before: Option<&Key>,
        actor: &Actor,
        now: Millis,
    ) -> Result<Environment, StoreError> {
        let mut tx = self.begin_write().await?;
        let project = project_of(&mut tx, id).await?;
        self.lock_above(&mut tx, &Id::new(project.as_str())).await?;
        let rows = self.shared.dialect.for_update();
        let mut all = lock(&mut tx, &[project.as_str()], rows).await?;
        all.sort_by_key(|it| (it.sort, it.key.folded()));
        let order = reordered(&all, id, before)?;
        let locked = self.lock_environment(&mut tx, id).await?;
        if order.iter().eq(all.iter().map(|it| &it.id)) {
            return Ok(locked.environment);
        }
        for (sort, id) in (0_i64..).zip(&order) {
            sqlx::query("UPDATE environments SET sort = $1 WHERE id = $2")
                .bind(sort)
                .bind(id.as_str())
                .execute(&mut *tx)
                .await?;
        }
        let (place, text) = match before {
            Some(before) => (before.to_string(), format!("in front of `{before}`")),
            None => (String::new(), "to the end".to_owned()),
        };
        let given = [("before", place.clone())];
        let act = Act {
            organization: &locked.organization,
            actor,
            project: None,
            kind: "moveEnvironment",
            params: locked.params().into_iter().chain(given).collect(),
            text: format!("{}: environment moved {text}", locked.name()),
        };
        let set = Setting {
            name: "place",
            image: json!({ "before": place }).to_string(),
        };
        let place = order.iter().position(|it| it == id).unwrap_or_default();
        let moved = Environment {
            sort: place as i64,
            ..locked.environment.clone()
        };
        let moved = self
            .move_by(&mut tx, &locked, moved, &act, &set, now)
            .await?;
        self.end(tx, false).await?;
        Ok(moved)
    }

    /// Writes an act that changed a setting of an environment.
    async fn move_by(
        &self,
        tx: &mut Tx,
        locked: &Locked,
        environment: Environment,
        act: &Act<'_>,
        set: &Setting,
        now: Millis,
    ) -> Result<Environment, StoreError> {
        let mut step = Step {
            project: &locked.project,
            environment,
            rows: vec![setting(set.name, &set.image)],
        };
        self.administer(tx, act, std::slice::from_mut(&mut step), now)
            .await?;
        Ok(step.environment)
    }
}

/// A setting, as the log keeps it.
struct Setting {
    name: &'static str,
    image: String,
}

/// A field that an edit changes.
struct Difference {
    field: &'static str,
    value: String,
    /// In words, as in "environment …".
    done: &'static str,
}

fn differences(before: &Environment, after: &Environment) -> Vec<Difference> {
    let fields = [
        (
            before.name != after.name,
            "name",
            after.name.clone(),
            "renamed",
        ),
        (
            before.description != after.description,
            "description",
            after.description.clone(),
            "described anew",
        ),
        (
            before.colour != after.colour,
            "colour",
            after.colour.to_string(),
            "given another colour",
        ),
        (
            before.protected != after.protected,
            "protected",
            after.protected.to_string(),
            if after.protected {
                "protected"
            } else {
                "no longer protected"
            },
        ),
        (
            before.decisions != after.decisions,
            "decisionSample",
            after.decisions.share().to_string(),
            if after.decisions == Sample::NONE {
                "no longer logging decisions"
            } else {
                "set to log decisions"
            },
        ),
    ];
    let differing = fields.into_iter().filter(|(differs, ..)| *differs);
    differing
        .map(|(_, field, value, done)| Difference { field, value, done })
        .collect()
}

/// The ids in their new order.
fn reordered(
    all: &[Environment],
    id: &Id<Environment>,
    before: Option<&Key>,
) -> Result<Vec<Id<Environment>>, StoreError> {
    let mut order: Vec<_> = all.iter().filter(|it| it.id != *id).collect();
    let place = match before {
        None => order.len(),
        Some(before) => {
            let folded = before.folded();
            let found = order.iter().position(|it| it.key.folded() == folded);
            found.ok_or_else(|| StoreError::Invalid {
                field: "before",
                code: "environmentNotFound".into(),
                message: format!("there is no other environment `{before}` in this project"),
            })?
        }
    };
    let moved = all.iter().find(|it| it.id == *id);
    let moved = moved.ok_or(StoreError::NotFound("environment"))?;
    order.insert(place, moved);
    Ok(order.into_iter().map(|it| it.id.clone()).collect())
}

async fn project_of(tx: &mut Tx, id: &Id<Environment>) -> Result<String, StoreError> {
    let found = sqlx::query("SELECT project_id FROM environments WHERE id = $1")
        .bind(id.as_str())
        .fetch_optional(&mut **tx)
        .await?;
    row::text(&found.ok_or(StoreError::NotFound("environment"))?, 0)
}

async fn write(tx: &mut Tx, environment: &Environment) -> Result<(), StoreError> {
    sqlx::query(
        "UPDATE environments SET name = $1, description = $2, colour = $3, protected = $4, \
         decision_sample = $5 WHERE id = $6",
    )
    .bind(environment.name.as_str())
    .bind(environment.description.as_str())
    .bind(environment.colour.to_string())
    .bind(i16::from(environment.protected))
    .bind(i64::from(environment.decisions.millionths()))
    .bind(environment.id.as_str())
    .execute(&mut **tx)
    .await?;
    Ok(())
}
