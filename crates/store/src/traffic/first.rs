//! Whether anything of an environment was ever seen: what somebody waits for who sets it up.

use super::Traffic;
use crate::error::StoreError;
use crate::row;
use crate::sql::Sql;

impl Traffic<'_> {
    /// Those of these environments (by id) in which a flag was ever evaluated.
    pub async fn evaluated(&self, environments: &[&str]) -> Result<Vec<String>, StoreError> {
        let tables = ["counts_minute", "counts_hour", "counts_day"];
        self.any_in(environments, &tables).await
    }

    /// Those of these environments (by id) in which an SDK ever named a user.
    pub async fn with_users(&self, environments: &[&str]) -> Result<Vec<String>, StoreError> {
        self.any_in(environments, &["end_users"]).await
    }

    /// Those of which one of the tables has a row: a look at an index for each, however many rows
    /// there are.
    async fn any_in(
        &self,
        environments: &[&str],
        tables: &[&str],
    ) -> Result<Vec<String>, StoreError> {
        if environments.is_empty() {
            return Ok(Vec::new());
        }
        let mut sql = Sql::new("SELECT x.column1 FROM (VALUES ");
        for (index, environment) in environments.iter().enumerate() {
            sql.row(index).bind(*environment).push(")");
        }
        sql.push(") AS x WHERE ");
        for (index, table) in tables.iter().enumerate() {
            sql.push(if index == 0 { "EXISTS" } else { " OR EXISTS" });
            sql.push(" (SELECT 1 FROM ").push(table);
            sql.push(" c WHERE c.environment_id = x.column1)");
        }
        let rows = sql
            .query()?
            .fetch_all(&self.store.shared.traffic.read)
            .await?;
        rows.iter().map(|found| row::text(found, 0)).collect()
    }
}
