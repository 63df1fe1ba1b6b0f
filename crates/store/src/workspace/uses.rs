//! Where segments are used: asked for those that would be archived or deleted.

use std::collections::BTreeMap;

use burgee_domain::id::Id;
use burgee_domain::model::{Organization, Segment};
use burgee_eval::condition::{IN_SEGMENT, NOT_IN_SEGMENT};
use burgee_eval::flag::Rule;
use sqlx::AnyConnection;

use crate::error::StoreError;
use crate::row;
use crate::sql::{Sql, containing};

/// How many segments are looked for at once: each is a pattern that every targeting is held against.
const PATTERNS: usize = 50;

/// Where flags that are not deleted name segments in a rule, as `project/environment/flag`.
pub(super) async fn load(
    connection: &mut AnyConnection,
    organization: &Id<Organization>,
    segments: &[&Id<Segment>],
) -> Result<BTreeMap<Id<Segment>, Vec<String>>, StoreError> {
    let all = segments.iter().map(|id| ((*id).clone(), Vec::new()));
    let mut uses: BTreeMap<Id<Segment>, Vec<String>> = all.collect();
    for segments in segments.chunks(PATTERNS) {
        let sql = select(organization, segments)?;
        for found in sql.query()?.fetch_all(&mut *connection).await? {
            let rules: Vec<Rule> = row::json(&found, 3)?;
            let [project, environment, flag] = [0, 1, 2].map(|column| row::text(&found, column));
            let place = format!("{}/{}/{}", project?, environment?, flag?);
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
        "SELECT p.key, e.key, f.key, t.rules FROM targetings t \
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
