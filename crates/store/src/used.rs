//! When a token or a session was last used.
//!
//! Recorded about once a minute, off the request: neither a busy writer nor its failure concerns who
//! is let in. What is not recorded now is at the next use.

use std::time::Duration;

use burgee_eval::time::Millis;
use sqlx::AnyPool;

/// How old a recorded last use may be, in ms: not every request writes.
const EVERY: i64 = 60_000;

/// How long the recording of a use may take.
const RECORDING: Duration = Duration::from_secs(2);

/// Whether a use at `now` is to be recorded, where the last one that was is `recorded`.
pub(crate) fn is_news(recorded: Option<Millis>, now: Millis) -> bool {
    recorded.is_none_or(|recorded| recorded.0 <= now.0 - EVERY)
}

/// Records a use by a statement that takes the moment (`$1`) and the row's id (`$2`).
pub(crate) fn record(writer: &AnyPool, statement: &'static str, id: &str, now: Millis) {
    let (writer, id) = (writer.clone(), id.to_owned());
    tokio::spawn(async move {
        let update = sqlx::query(statement).bind(now.0).bind(id);
        let _unrecorded = tokio::time::timeout(RECORDING, update.execute(&writer)).await;
    });
}
