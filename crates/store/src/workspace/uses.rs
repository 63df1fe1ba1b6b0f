//! Where segments are used: asked for those that would be archived or deleted, and by who looks at
//! one. Rules of flags name segments; those of segments cannot.

use std::collections::BTreeMap;

use burgee_domain::id::Id;
use burgee_domain::model::{Life, Organization, Segment};
use burgee_eval::condition::{IN_SEGMENT, NOT_IN_SEGMENT};
use burgee_eval::flag::Rule;
use sqlx::AnyConnection;

use crate::error::StoreError;
use crate::sql::{Sql, containing};
use crate::{Store, row};

/// How many segments are looked for at once: each is a pattern that every targeting is held against.
const PATTERNS: usize = 50;

/// A flag, live or archived, of which a rule names a segment, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentUse {
    /// The project's key.
    pub project: String,
    /// The environment's key.
    pub environment: String,
    /// Whether the environment is protected.
    pub protected: bool,
    /// The flag's key.
    pub flag: String,
    /// The flag's tags.
    pub tags: Vec<String>,
    /// Live or archived.
    pub life: Life,
}

impl Store {
    /// Where flags that are not deleted name a segment in a rule: by project, environment, flag.
    pub async fn segment_uses(
        &self,
        organization: &Id<Organization>,
        segment: &Id<Segment>,
    ) -> Result<Vec<SegmentUse>, StoreError> {
        let mut found = self.segments_uses(organization, &[segment]).await?;
        Ok(found.remove(segment).unwrap_or_default())
    }

    /// As [`Store::segment_uses`], of several: each of them is in the answer.
    pub async fn segments_uses(
        &self,
        organization: &Id<Organization>,
        segments: &[&Id<Segment>],
    ) -> Result<BTreeMap<Id<Segment>, Vec<SegmentUse>>, StoreError> {
        let mut connection = self.shared.truth.read.acquire().await?;
        find(&mut connection, organization, segments).await
    }
}

/// As [`find`], in words: `project/environment/flag`.
pub(super) async fn load(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    segments: &[&Id<Segment>],
) -> Result<BTreeMap<Id<Segment>, Vec<String>>, StoreError> {
    let found = find(connection, organization, segments).await?;
    let place = |it: SegmentUse| format!("{}/{}/{}", it.project, it.environment, it.flag);
    let in_words = |(id, uses): (_, Vec<SegmentUse>)| (id, uses.into_iter().map(place).collect());
    Ok(found.into_iter().map(in_words).collect())
}

/// Where flags that are not deleted name segments in a rule.
async fn find(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    segments: &[&Id<Segment>],
) -> Result<BTreeMap<Id<Segment>, Vec<SegmentUse>>, StoreError> {
    let all = segments.iter().map(|id| ((*id).clone(), Vec::new()));
    let mut uses: BTreeMap<Id<Segment>, Vec<SegmentUse>> = all.collect();
    for segments in segments.chunks(PATTERNS) {
        let sql = select(organization, segments)?;
        for found in sql.query()?.fetch_all(&mut *connection).await? {
            let rules: Vec<Rule> = row::json(&found, 3)?;
            let place = SegmentUse {
                project: row::text(&found, 0)?,
                environment: row::text(&found, 1)?,
                flag: row::text(&found, 2)?,
                protected: row::boolean(&found, 4)?,
                tags: row::json(&found, 5)?,
                life: row::name(&found, 6)?,
            };
            for segment in segments {
                if rules.iter().any(|rule| names(rule, segment)) {
                    let places = uses.entry((*segment).clone()).or_default();
                    places.push(place.clone());
                }
            }
        }
    }
    Ok(uses)
}

fn select(organization: &Id<Organization>, segments: &[&Id<Segment>]) -> Result<Sql, StoreError> {
    let mut sql = Sql::new(
        "SELECT p.key, e.key, f.key, t.rules, e.protected, f.tags, f.life FROM targetings t \
         JOIN flags f ON f.project_id = t.project_id AND f.id = t.flag_id \
         JOIN environments e ON e.id = t.environment_id AND e.deleted_at IS NULL \
         JOIN projects p ON p.id = t.project_id \
         WHERE f.life <> 'deleted' AND p.organization_id = ",
    );
    sql.bind(organization.as_str());
    for (index, segment) in segments.iter().enumerate() {
        sql.push(if index == 0 { " AND (" } else { " OR " });
        let pattern = containing(&twice_escaped(segment)?);
        sql.push("t.rules LIKE ").bind(pattern);
        sql.push(" ESCAPE '\\'");
    }
    sql.push(") ORDER BY p.key_folded, e.sort, f.key_folded");
    Ok(sql)
}

/// An id as it stands in a list inside a text inside JSON.
fn twice_escaped(segment: &Id<Segment>) -> Result<String, StoreError> {
    let mut text = segment.as_str().to_owned();
    for _ in 0..2 {
        let quoted = serde_json::to_string(&text)?;
        text = quoted[1..quoted.len() - 1].to_owned();
    }
    Ok(text)
}

fn names(rule: &Rule, segment: &Id<Segment>) -> bool {
    rule.conditions.iter().any(|condition| {
        let about_segments = [IN_SEGMENT, NOT_IN_SEGMENT].contains(&condition.property.as_str());
        let value = condition.value.as_deref().unwrap_or_default();
        let ids: Vec<String> = serde_json::from_str(value).unwrap_or_default();
        about_segments && ids.iter().any(|id| id == segment.as_str())
    })
}
