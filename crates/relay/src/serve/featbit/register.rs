//! `POST /api/public/agent/register`: what an agent does before it connects.
//!
//! It goes on only after a 200 whose body it takes for its name, as it is. Nothing is kept: who is
//! connected says so there.

use std::sync::Arc;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;

use crate::serve::Feeding;
use crate::serve::upgrade::Refused;

/// The longest name of an agent, in characters.
const LONGEST: usize = 200;

/// Lets an agent in that comes with a relay key: the bare key in `Authorization`, the agent's name
/// as a JSON text; answers the name as plain text.
pub(crate) async fn register(
    State(feeding): State<Arc<Feeding>>,
    headers: HeaderMap,
    body: Bytes,
) -> Result<String, Refused> {
    let key = headers.get(AUTHORIZATION).and_then(|it| it.to_str().ok());
    feeding.opened(key.unwrap_or_default().trim()).await?;
    let name: String = serde_json::from_slice(&body).map_err(|_| Refused::Name)?;
    let good = !name.trim().is_empty() && name.chars().count() <= LONGEST;
    good.then_some(name).ok_or(Refused::Name)
}
