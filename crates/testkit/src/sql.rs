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

/// The one number that a question is answered by.
///
/// # Errors
/// The database's, also where the answer is none.
pub async fn number(url: &str, question: &str) -> anyhow::Result<i64> {
    sqlx::any::install_default_drivers();
    let mut connection = AnyConnection::connect(url).await?;
    let asked = sqlx::query_scalar(AssertSqlSafe(question.to_owned()));
    let found = asked.fetch_one(&mut connection).await?;
    connection.close().await?;
    Ok(found)
}
