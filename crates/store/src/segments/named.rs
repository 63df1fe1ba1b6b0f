//! Segments that rules name, for who looks at the rules.

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::id::Id;
use burgee_domain::model::{Organization, Segment};

use sqlx::AnyConnection;

use super::read;
use crate::Store;
use crate::error::StoreError;
use crate::sql::{LIST, Sql};
use crate::workspace::can_be;

impl Store {
    /// Those of the segments that are there, live or archived, without their members and rules,
    /// which may be very large.
    pub async fn segments_named(
        &self,
        organization: &Id<Organization>,
        ids: &BTreeSet<Id<Segment>>,
    ) -> Result<BTreeMap<Id<Segment>, Segment>, StoreError> {
        let ids: Vec<&str> = ids.iter().map(Id::as_str).collect();
        let mut connection = self.shared.truth.read.acquire().await?;
        named(&mut connection, organization, &ids).await
    }
}

/// As [`Store::segments_named`], in the caller's transaction.
pub(crate) async fn named(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    ids: &[&str],
) -> Result<BTreeMap<Id<Segment>, Segment>, StoreError> {
    let ids: Vec<&str> = ids.iter().copied().filter(|id| can_be(id)).collect();
    let mut segments = BTreeMap::new();
    for ids in ids.chunks(LIST) {
        let mut sql = Sql::new(
            "SELECT s.id, s.project_id, s.environment_id, s.key, s.name, s.description, \
             s.tags, '[]', '[]', '[]', s.life, s.created_at \
             FROM segments s WHERE s.life <> 'deleted' AND s.organization_id = ",
        );
        sql.bind(organization.as_str());
        sql.push(" AND s.id IN ").list(ids.iter().copied());
        for found in sql.query()?.fetch_all(&mut *connection).await? {
            let segment = read(&found)?;
            segments.insert(segment.id.clone(), segment);
        }
    }
    Ok(segments)
}
