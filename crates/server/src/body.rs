//! Request bodies: JSON, with an error that names the field.

use axum::extract::{FromRequest, Request};
use axum::http::header;
use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// A JSON body. Malformed JSON, a missing or an unknown field is a 400 with a pointer to it.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let kind = request
            .headers()
            .get(header::CONTENT_TYPE)
            .and_then(|v| v.to_str().ok());
        if !kind.is_some_and(|kind| kind.starts_with("application/json")) {
            return Err(Problem::invalid(
                "Content-Type",
                "json",
                "must be application/json",
            ));
        }
        let bytes = Bytes::from_request(request, state)
            .await
            .map_err(|refused| Problem::invalid("", "body", refused.body_text()))?;
        parse(&bytes).map(Body)
    }
}

/// Reads `bytes` as JSON of a `T`.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut json).map_err(|error| {
        let pointer = pointer(error.path());
        Problem::invalid(pointer, "json", error.into_inner().to_string())
    })?;
    json.end()
        .map_err(|error| Problem::invalid("", "json", error.to_string()))?;
    Ok(value)
}

fn pointer(path: &serde_path_to_error::Path) -> String {
    use serde_path_to_error::Segment;
    path.iter().fold(String::new(), |mut pointer, segment| {
        match segment {
            Segment::Seq { index } => pointer.push_str(&format!("/{index}")),
            Segment::Map { key } => {
                pointer.push('/');
                pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
            }
            Segment::Enum { .. } | Segment::Unknown => {}
        }
        pointer
    })
}
