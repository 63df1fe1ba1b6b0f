//! Statements past the store: for what nothing of ours does (yet), and for what somebody with the
//! database in their hands does.

use sqlx::{AnyConnection, AssertSqlSafe, Connection};

/// Runs statements on the database at `url` (`sqlite://…`, `postgres://…`).
///
/// # Errors
/// The database's.
pub async fn run(url: &str, statements: &str) -> anyhow::Result<()> {
    sqlx::any::install_default_drivers();
    let mut connection = AnyConnection::connect(url).await?;
    let statements = sqlx::raw_sql(AssertSqlSafe(statements.to_owned()));
    statements.execute(&mut connection).await?;
    Ok(connection.close().await?)
}
