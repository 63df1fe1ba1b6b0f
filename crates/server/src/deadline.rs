//! Nobody waits for ever: where the network to PostgreSQL falls silent, statements under way get
//! neither an answer nor an error. Waiting for a connection or for a lock ends earlier, with its
//! own reason. (A SQLite file always answers.)

use std::time::Duration;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use burgee_store::StoreError;

use crate::problem::Problem;

/// How long a request may take: more than a connection (5 s) and a lock (10 s) are waited for, and
/// less than the 30 s after which callers commonly give up and learn nothing.
const MOST: Duration = Duration::from_secs(25);

/// Answers 503 where a request takes longer than it may. What it was doing is taken back, unless it
/// was being committed: then the answer says that it is not known.
pub async fn answer_in_time(request: Request, next: Next) -> Response {
    let only_reads = request.method().is_safe();
    let answer = tokio::time::timeout(MOST, next.run(request)).await;
    answer.unwrap_or_else(|_| {
        let why = format!("no answer within {} s", MOST.as_secs());
        let error = match only_reads {
            true => StoreError::Unavailable(why),
            false => StoreError::Unknown(why),
        };
        Problem::from(error).into_response()
    })
}
