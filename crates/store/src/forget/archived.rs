//! Taking a key out of flags and segments that are archived or deleted: they take no commands.

use burgee_domain::forget::{self, Depth};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use serde_json::{Value, json};
use sqlx::AnyConnection;

use crate::error::StoreError;
use crate::row;
use crate::sql::containing;

const TARGETINGS: &str = "SELECT t.environment_id, t.flag_id, t.target_users, t.rules \
    FROM targetings t JOIN flags f ON f.project_id = t.project_id AND f.id = t.flag_id \
    JOIN projects p ON p.id = t.project_id \
    WHERE p.organization_id = $1 AND f.life <> 'live' \
    AND (t.target_users LIKE $2 ESCAPE '\\' OR t.rules LIKE $2 ESCAPE '\\')";

const SEGMENTS: &str = "SELECT id, included, excluded, rules FROM segments \
    WHERE organization_id = $1 AND life <> 'live' AND (included LIKE $2 ESCAPE '\\' \
    OR excluded LIKE $2 ESCAPE '\\' OR rules LIKE $2 ESCAPE '\\')";

/// Takes a key out of the lists and conditions of all that is archived or deleted. The caller holds
/// the organization's lock.
pub(super) async fn forget_in_archived(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    key: &str,
) -> Result<(), StoreError> {
    // As it stands in JSON, without the quotes: in a rule it may be within a list.
    let quoted = json!(key).to_string();
    let pattern = containing(&quoted[1..quoted.len() - 1]);
    in_targetings(connection, organization, key, &pattern).await?;
    in_segments(connection, organization, key, &pattern).await
}

async fn in_targetings(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    key: &str,
    pattern: &str,
) -> Result<(), StoreError> {
    let rows = sqlx::query(TARGETINGS)
        .bind(organization.as_str())
        .bind(pattern)
        .fetch_all(&mut *connection)
        .await?;
    for found in &rows {
        let update = "UPDATE targetings SET target_users = $1, rules = $2 \
                      WHERE environment_id = $3 AND flag_id = $4";
        sqlx::query(update)
            .bind(without(row::text(found, 2)?, key))
            .bind(without(row::text(found, 3)?, key))
            .bind(row::text(found, 0)?)
            .bind(row::text(found, 1)?)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

async fn in_segments(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    key: &str,
    pattern: &str,
) -> Result<(), StoreError> {
    let rows = sqlx::query(SEGMENTS)
        .bind(organization.as_str())
        .bind(pattern)
        .fetch_all(&mut *connection)
        .await?;
    for found in &rows {
        let list = |column| -> Result<Vec<String>, StoreError> {
            let mut keys: Vec<String> = row::json(found, column)?;
            keys.retain(|it| it != key);
            Ok(keys)
        };
        let (included, excluded) = (list(1)?, list(2)?);
        let update = "UPDATE segments SET included = $1, included_count = $2, excluded = $3, \
                      excluded_count = $4, rules = $5 WHERE organization_id = $6 AND id = $7";
        sqlx::query(update)
            .bind(Value::from(included.as_slice()).to_string())
            .bind(included.len() as i64)
            .bind(Value::from(excluded.as_slice()).to_string())
            .bind(excluded.len() as i64)
            .bind(without(row::text(found, 3)?, key))
            .bind(organization.as_str())
            .bind(row::text(found, 0)?)
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}

fn without(text: String, key: &str) -> String {
    forget::image(&text, key, Depth::Conditions).unwrap_or(text)
}
