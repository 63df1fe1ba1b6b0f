//! How often each variation of a flag was served, by minute, hour or day.

use std::collections::BTreeMap;

use burgee_eval::time::Millis;

use super::read::read_count;
use super::{CountAt, Traffic};
use crate::error::StoreError;
use crate::sql::Sql;

/// How long the spans are that counts are added up in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grain {
    /// Kept for 48 hours.
    Minute,
    /// Kept for 90 days.
    Hour,
    /// Kept for ever; days of UTC.
    Day,
}

impl Grain {
    /// In ms.
    pub fn millis(self) -> i64 {
        match self {
            Self::Minute => 60_000,
            Self::Hour => 3_600_000,
            Self::Day => 86_400_000,
        }
    }
}

/// Which counts.
#[derive(Clone, Copy, Debug)]
pub struct CountQuery<'a> {
    /// The environment's id.
    pub environment: &'a str,
    /// The flag's exact key.
    pub flag: &'a str,
    /// The flag's id: what an earlier flag of this key was asked is not its own.
    pub flag_id: &'a str,
    /// From this moment on.
    pub from: Millis,
    /// Up to this moment, which is not included.
    pub to: Millis,
    /// In spans of this length.
    pub grain: Grain,
}

impl Traffic<'_> {
    /// A flag's counts by span and variation, in this order; spans without any are not there. What
    /// is not kept so finely any more lies at the beginning of its hour or day.
    pub async fn flag_counts(&self, query: &CountQuery<'_>) -> Result<Vec<CountAt>, StoreError> {
        let mut sql = Sql::new("SELECT flag, flag_id, variation, at - at % ");
        sql.bind(query.grain.millis());
        sql.push(", CAST(SUM(count) AS BIGINT) FROM (");
        let tables = ["counts_minute", "counts_hour", "counts_day"];
        for (index, table) in tables.iter().enumerate() {
            if index > 0 {
                sql.push(" UNION ALL ");
            }
            sql.push("SELECT flag, flag_id, variation, at, count FROM ");
            sql.push(table).push(" WHERE environment_id = ");
            sql.bind(query.environment);
            sql.push(" AND flag = ").bind(query.flag);
            sql.push(" AND flag_id = ").bind(query.flag_id);
            sql.push(" AND at >= ").bind(query.from.0);
            sql.push(" AND at < ").bind(query.to.0);
        }
        sql.push(") AS counted GROUP BY 1, 2, 3, 4 ORDER BY 4, 3");
        let rows = sql
            .query()?
            .fetch_all(&self.store.shared.traffic.read)
            .await?;
        rows.iter().map(read_count).collect()
    }
}

/// How often flags were evaluated, and the last time to some minutes, by the flag's id.
pub(crate) type Evaluations = BTreeMap<String, (i64, Millis)>;

impl Traffic<'_> {
    /// The evaluations since a moment of some flags (key and id) in an environment; of what was not
    /// evaluated there is nothing.
    pub(crate) async fn evaluations(
        &self,
        environment: &str,
        flags: &[(&str, &str)],
        since: Millis,
    ) -> Result<Evaluations, StoreError> {
        let keys: Vec<&str> = flags.iter().map(|(key, _)| *key).collect();
        let mut lately: BTreeMap<_, Millis> = BTreeMap::new();
        for found in self.activity(&[environment], Some(&keys)).await? {
            let last = found.variations.iter().map(|it| it.last).max();
            let last = last.filter(|last| *last >= since);
            lately.extend(last.map(|last| ((found.flag, found.flag_id), last)));
        }
        lately.retain(|(key, id), _| flags.contains(&(key, id)));
        let mut all = Evaluations::new();
        for ((flag, id), last) in lately {
            let query = CountQuery {
                environment,
                flag: &flag,
                flag_id: &id,
                from: since,
                to: Millis(i64::MAX),
                grain: Grain::Day,
            };
            let counts = self.flag_counts(&query).await?;
            let count = counts.iter().map(|it| it.count).sum();
            all.insert(id, (count, last));
        }
        Ok(all)
    }
}
