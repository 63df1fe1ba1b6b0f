//! What projects know of the properties of end users.

use burgee_domain::id::Id;
use burgee_domain::model::Project;
use burgee_domain::user_property::UserProperty;
use burgee_eval::time::Millis;
use sqlx::AnyConnection;

use crate::change_sets::Actor;
use crate::environments::Act;
use crate::error::StoreError;
use crate::{Store, room, row};

impl Store {
    /// What a project knows, by the property's name.
    pub async fn user_properties(
        &self,
        project: &Id<Project>,
    ) -> Result<Vec<(String, UserProperty)>, StoreError> {
        let rows = sqlx::query(
            "SELECT name, property FROM user_properties WHERE project_id = $1 ORDER BY name",
        )
        .bind(project.as_str())
        .fetch_all(&self.shared.truth.read)
        .await?;
        let rows = rows.iter();
        rows.map(|found| Ok((row::text(found, 0)?, row::json(found, 1)?)))
            .collect()
    }

    /// What a project knows of one.
    pub async fn user_property(
        &self,
        project: &Id<Project>,
        name: &str,
    ) -> Result<UserProperty, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        let found = find(&mut connection, project, name).await?;
        found.ok_or(StoreError::NotFound("property"))
    }

    /// Says what a property is, which is [checked](UserProperty::checked). Where it is so already,
    /// nothing is written.
    ///
    /// # Errors
    /// [`StoreError::Refused`] where the project knows as many as it may.
    pub async fn set_user_property(
        &self,
        project: &Id<Project>,
        name: &str,
        property: &UserProperty,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin_write().await?;
        let (_, locked) = self.lock_above(&mut tx, project).await?;
        let before = find(&mut tx, project, name).await?;
        if before.as_ref() == Some(property) {
            return Ok(());
        }
        sqlx::query(
            "INSERT INTO user_properties (project_id, name, property) VALUES ($1, $2, $3) \
             ON CONFLICT (project_id, name) DO UPDATE SET property = excluded.property",
        )
        .bind(project.as_str())
        .bind(name)
        .bind(serde_json::to_string(property)?)
        .execute(&mut *tx)
        .await?;
        let of = [project.as_str()];
        room::USER_PROPERTIES.holds(&mut tx, &of).await?;
        let presets = property.presets.len();
        let done = format!("described, with {presets} preset values");
        let mut act = about(&locked, name, actor, "setUserProperty", &done);
        let text = serde_json::to_string(property)?;
        act.params.push(("value", text));
        self.administer(&mut tx, &act, &mut [], now).await?;
        self.end(tx, false).await
    }

    /// Forgets what was said of a property. What users have of it stays.
    pub async fn delete_user_property(
        &self,
        project: &Id<Project>,
        name: &str,
        actor: &Actor,
        now: Millis,
    ) -> Result<(), StoreError> {
        let mut tx = self.begin_write().await?;
        let (_, locked) = self.lock_above(&mut tx, project).await?;
        let done = sqlx::query("DELETE FROM user_properties WHERE project_id = $1 AND name = $2")
            .bind(project.as_str())
            .bind(name)
            .execute(&mut *tx)
            .await?;
        if done.rows_affected() == 0 {
            return Err(StoreError::NotFound("property"));
        }
        let act = about(
            &locked,
            name,
            actor,
            "deleteUserProperty",
            "not described any more",
        );
        self.administer(&mut tx, &act, &mut [], now).await?;
        self.end(tx, false).await
    }
}

/// An act about a property.
fn about<'a>(
    project: &'a Project,
    name: &str,
    actor: &'a Actor,
    kind: &'static str,
    done: &str,
) -> Act<'a> {
    let key = &project.key;
    Act {
        organization: &project.organization,
        actor,
        project: Some(&project.id),
        kind,
        params: vec![("project", key.to_string()), ("property", name.to_owned())],
        text: format!("{key}: the property \"{name}\" {done}"),
    }
}

async fn find(
    connection: &mut AnyConnection,
    project: &Id<Project>,
    name: &str,
) -> Result<Option<UserProperty>, StoreError> {
    let found =
        sqlx::query("SELECT property FROM user_properties WHERE project_id = $1 AND name = $2")
            .bind(project.as_str())
            .bind(name)
            .fetch_optional(connection)
            .await?;
    found.map(|found| row::json(&found, 0)).transpose()
}
