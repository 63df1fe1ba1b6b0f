//! What can be found in an organization: projects, flags, segments and members, with no more of
//! each than it takes to find it and to go there.

use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use sqlx::any::AnyRow;

use crate::error::StoreError;
use crate::sql::{Sql, containing};
use crate::{Store, row};

/// Kinds of what can be found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindKind {
    /// Projects.
    Project,
    /// Flags that are not deleted.
    Flag,
    /// Segments that are not deleted.
    Segment,
    /// Members.
    Member,
}

/// Something that may be what is looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// What it is.
    pub kind: FindKind,
    /// Its key; a member's address.
    pub key: String,
    /// Its display name.
    pub name: String,
    /// The key of the project that it belongs to.
    pub project: Option<String>,
    /// The key of the environment that it belongs to.
    pub environment: Option<String>,
    /// Whether that environment is protected.
    pub protected: bool,
    /// Its tags.
    pub tags: Vec<String>,
    /// Its id; a member's is the account's.
    pub id: String,
    /// Whether it is archived.
    pub archived: bool,
}

impl Store {
    /// At most `most` things of a kind, by key: those whose key, name or description holds `part`
    /// (in lower case), or all.
    pub async fn candidates(
        &self,
        organization: &Id<Organization>,
        kind: FindKind,
        part: Option<&str>,
        most: i64,
    ) -> Result<Vec<Candidate>, StoreError> {
        let (select, searched, order) = statement(kind);
        let mut sql = Sql::new(select);
        sql.bind(organization.as_str());
        if let Some(part) = part {
            sql.push(" AND ").push(searched).push(" LIKE ");
            sql.bind(containing(part)).push(" ESCAPE '\\'");
        }
        sql.push(" ORDER BY ")
            .push(order)
            .push(" LIMIT ")
            .bind(most);
        let rows = sql.query()?.fetch_all(&self.shared.truth.read).await?;
        rows.iter().map(|found| read(kind, found)).collect()
    }
}

/// What is selected, what is looked through, and in which order. The columns are those of [`read`].
fn statement(kind: FindKind) -> (&'static str, &'static str, &'static str) {
    match kind {
        FindKind::Project => (
            "SELECT p.id, p.key, p.name, NULL, NULL, '[]', 'live', 0 FROM projects p \
             WHERE p.deleted_at IS NULL AND p.organization_id = ",
            "LOWER(p.key || ' ' || p.name)",
            "p.key_folded",
        ),
        FindKind::Flag => (
            "SELECT f.id, f.key, f.name, p.key, NULL, f.tags, f.life, 0 FROM flags f \
             JOIN projects p ON p.id = f.project_id AND p.deleted_at IS NULL \
             WHERE f.life <> 'deleted' AND p.organization_id = ",
            "f.search",
            "f.key_folded, f.id",
        ),
        FindKind::Segment => (
            "SELECT s.id, s.key, s.name, p.key, e.key, s.tags, s.life, COALESCE(e.protected, 0) FROM segments s \
             LEFT JOIN projects p ON p.id = s.project_id \
             LEFT JOIN environments e ON e.id = s.environment_id \
             WHERE s.life <> 'deleted' AND p.deleted_at IS NULL AND e.deleted_at IS NULL \
             AND s.organization_id = ",
            "s.search",
            "s.key_folded, s.id",
        ),
        FindKind::Member => (
            "SELECT a.id, a.email, a.name, NULL, NULL, '[]', 'live', 0 FROM members m \
             JOIN accounts a ON a.id = m.account_id WHERE m.organization_id = ",
            "LOWER(a.email || ' ' || a.name)",
            "a.email_folded",
        ),
    }
}

fn read(kind: FindKind, found: &AnyRow) -> Result<Candidate, StoreError> {
    Ok(Candidate {
        kind,
        id: row::text(found, 0)?,
        key: row::text(found, 1)?,
        name: row::text(found, 2)?,
        project: row::optional_text(found, 3)?,
        environment: row::optional_text(found, 4)?,
        tags: row::json(found, 5)?,
        archived: row::text(found, 6)? == "archived",
        protected: row::boolean(found, 7)?,
    })
}
