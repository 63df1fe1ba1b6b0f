//! How far versions came, as nodes tell each other through the database.
//!
//! A node writes one row for each environment whose figures moved, and says now and then that it
//! lives. Who has not said so for a while is passed over, then forgotten: its connections have come
//! back elsewhere. Moments are the database's, so that nodes' clocks do not matter.

use burgee_eval::time::Millis;
use sqlx::AnyConnection;

use super::Traffic;
use crate::dialect::Clock;
use crate::error::StoreError;
use crate::row;
use crate::sql::{LIST, Sql, rows};

/// A node that has not said for so long that it lives is passed over, in ms.
pub const SILENT: i64 = 30_000;

/// A node that has not said for so long that it lives is forgotten, in ms.
const FORGOTTEN: i64 = 60_000;

/// What a relay told so long ago is passed over, in ms: it tells all again every half a minute, as
/// what it tells can get lost on the way.
const OLD: i64 = 90_000;

/// A node that has connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryNode {
    /// Names it: a server's running process, with another one after each start; a relay for good.
    pub node: String,
    /// `server` or `relay`.
    pub kind: String,
    /// What people know it by.
    pub name: String,
    /// The `node` that it is fed by, where it is fed by one.
    pub parent: Option<String>,
}

/// What a node tells of an environment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeliveryTold {
    /// The environment's id.
    pub environment: String,
    /// How many connections it has there.
    pub connections: i64,
    /// The figures, JSON.
    pub report: String,
}

impl Traffic<'_> {
    /// Keeps what nodes tell, in the place of what they told of the same environments before. Telling
    /// nothing says that one lives. Each node is here once.
    pub async fn tell_deliveries(
        &self,
        all: &[(DeliveryNode, Vec<DeliveryTold>)],
        clock: Clock,
    ) -> Result<(), StoreError> {
        let mut tx = self.store.begin_traffic().await?;
        let at = clock.read(self.store.dialect(), &mut tx).await?;
        // Always in one order: two servers may write of the same relays, and wait for each other's rows.
        let mut all: Vec<_> = all.iter().collect();
        all.sort_by(|(a, _), (b, _)| a.node.cmp(&b.node));
        for some in all.chunks(rows(5)) {
            write_nodes(&mut tx, some.iter().map(|(node, _)| node), at).await?;
        }
        let told = all
            .iter()
            .flat_map(|(node, told)| told.iter().map(|it| (&*node.node, it)));
        let told: Vec<_> = told.collect();
        for told in told.chunks(rows(5)) {
            write(&mut tx, told, at).await?;
        }
        Ok(tx.commit().await?)
    }

    /// What living nodes last told of an environment, by its id, in the order of their names.
    pub async fn deliveries(
        &self,
        environment: &str,
        clock: Clock,
    ) -> Result<Vec<(DeliveryNode, DeliveryTold)>, StoreError> {
        let mut connection = self.store.shared.traffic.read.acquire().await?;
        let now = clock.read(self.store.dialect(), &mut connection).await?;
        let found = sqlx::query(
            "SELECT n.node, n.kind, n.name, n.parent, d.connections, d.report \
             FROM deliveries d JOIN delivery_nodes n ON n.node = d.node \
             WHERE d.environment_id = $1 AND n.seen_at > $2 \
             AND (n.kind = 'server' OR d.at > $3) ORDER BY n.name, n.node",
        )
        .bind(environment)
        .bind(now.0 - SILENT)
        .bind(now.0 - OLD)
        .fetch_all(&mut *connection)
        .await?;
        let told = found.iter().map(|found| {
            let node = DeliveryNode {
                node: row::text(found, 0)?,
                kind: row::text(found, 1)?,
                name: row::text(found, 2)?,
                parent: row::optional_text(found, 3)?,
            };
            let told = DeliveryTold {
                environment: environment.to_owned(),
                connections: row::number(found, 4)?,
                report: row::text(found, 5)?,
            };
            Ok((node, told))
        });
        told.collect()
    }

    /// When somebody last told of each of these environments (by id), where that was after a
    /// moment, by the clock that it is told by.
    pub async fn delivered_since(
        &self,
        environments: &[&str],
        since: Millis,
    ) -> Result<Vec<(String, Millis)>, StoreError> {
        let mut connection = self.store.shared.traffic.read.acquire().await?;
        let mut all = Vec::new();
        for some in environments.chunks(LIST) {
            let mut sql = Sql::new("SELECT environment_id, MAX(at) FROM deliveries WHERE at > ");
            sql.bind(since.0).push(" AND environment_id IN ");
            sql.list(some.iter().copied())
                .push(" GROUP BY environment_id");
            let found = sql.query()?.fetch_all(&mut *connection).await?;
            for found in &found {
                all.push((row::text(found, 0)?, row::millis(found, 1)?));
            }
        }
        Ok(all)
    }

    /// A node has ended.
    pub async fn end_deliveries(&self, node: &str) -> Result<(), StoreError> {
        let mut tx = self.store.begin_traffic().await?;
        for statement in [
            "DELETE FROM deliveries WHERE node = $1",
            "DELETE FROM delivery_nodes WHERE node = $1",
        ] {
            sqlx::query(statement).bind(node).execute(&mut *tx).await?;
        }
        Ok(tx.commit().await?)
    }

    /// Forgets nodes that are gone, and environments that have no connections any more. Returns how
    /// many nodes.
    pub async fn sweep_deliveries(&self, clock: Clock) -> Result<u64, StoreError> {
        let mut tx = self.store.begin_traffic().await?;
        let now = clock.read(self.store.dialect(), &mut tx).await?;
        let before = now.0 - FORGOTTEN;
        let gone = sqlx::query("DELETE FROM delivery_nodes WHERE seen_at < $1")
            .bind(before)
            .execute(&mut *tx)
            .await?;
        sqlx::query(
            "DELETE FROM deliveries WHERE (connections = 0 AND at < $1) \
             OR NOT EXISTS (SELECT 1 FROM delivery_nodes n WHERE n.node = deliveries.node)",
        )
        .bind(before)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(gone.rows_affected())
    }
}

async fn write_nodes(
    connection: &mut AnyConnection,
    nodes: impl Iterator<Item = &DeliveryNode>,
    at: Millis,
) -> Result<(), StoreError> {
    let mut sql =
        Sql::new("INSERT INTO delivery_nodes (node, kind, name, parent, seen_at) VALUES ");
    for (index, node) in nodes.enumerate() {
        sql.row(index).bind(&node.node).next(&node.kind);
        sql.next(&node.name).next(node.parent.as_deref()).next(at.0);
        sql.push(")");
    }
    sql.push(
        " ON CONFLICT (node) DO UPDATE SET name = excluded.name, \
         parent = excluded.parent, seen_at = excluded.seen_at",
    );
    sql.query_for(connection.backend_name())?
        .execute(&mut *connection)
        .await?;
    Ok(())
}

/// Writes what nodes (by `node`) tell.
async fn write(
    connection: &mut AnyConnection,
    told: &[(&str, &DeliveryTold)],
    at: Millis,
) -> Result<(), StoreError> {
    let mut sql =
        Sql::new("INSERT INTO deliveries (environment_id, node, connections, report, at) VALUES ");
    for (index, (node, told)) in told.iter().enumerate() {
        sql.row(index).bind(&told.environment).next(*node);
        sql.next(told.connections).next(&told.report).next(at.0);
        sql.push(")");
    }
    sql.push(
        " ON CONFLICT (environment_id, node) DO UPDATE SET \
         connections = excluded.connections, report = excluded.report, at = excluded.at",
    );
    sql.query_for(connection.backend_name())?
        .execute(&mut *connection)
        .await?;
    Ok(())
}
