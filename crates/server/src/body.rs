//! Request bodies: JSON, with an error that names the field.

use axum::extract::{FromRequest, Request};
use axum::http::{HeaderValue, StatusCode, header};
use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// The largest body of a management request, in bytes: a change set of the largest items (8 MiB)
/// and some.
pub const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// A JSON body. Malformed JSON, a missing or an unknown field is a 400 with a pointer to it.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &S) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        if !kind.is_some_and(is_json) {
            return Err(Problem::not_json());
        }
        let bytes = Bytes::from_request(request, state).await;
        let bytes = bytes.map_err(|refused| match refused.status() {
            StatusCode::PAYLOAD_TOO_LARGE => Problem::too_large(BODY_LIMIT),
            _ => Problem::invalid("", "body", refused.body_text()),
        })?;
        parse(&bytes).map(Body)
    }
}

/// Whether a content type is that of JSON, whatever its parameters.
fn is_json(kind: &HeaderValue) -> bool {
    let kind = kind.to_str().unwrap_or_default();
    let kind = kind.split(';').next().unwrap_or_default();
    kind.trim().eq_ignore_ascii_case("application/json")
}

/// Reads `bytes` as a JSON object that is a `T`.
pub fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Problem> {
    // Serde would read a struct from a list of its fields as well.
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        return Err(Problem::invalid(
            "",
            "json",
            "the body must be a JSON object",
        ));
    }
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
