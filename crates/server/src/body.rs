//! Request bodies: JSON, with an error that names the field.

pub mod once;
pub(crate) mod words;

use axum::extract::{FromRequest, Request};
use axum::http::{HeaderValue, header};
use bytes::BytesMut;
use http_body_util::BodyExt;
use serde::de::DeserializeOwned;

use crate::problem::Problem;

/// The largest body of a management request, in bytes: a change set of the largest items (8 MiB)
/// and some.
pub const BODY_LIMIT: usize = 16 * 1024 * 1024;

/// How many bytes of a body are read, so that its refusal is read too.
const ENDURED: usize = 4 * BODY_LIMIT;

/// A JSON body. Malformed JSON, a missing or an unknown field is a 400 with a pointer to it.
pub struct Body<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, _: &S) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE);
        if !kind.is_some_and(is_json) {
            return Err(Problem::not_json());
        }
        let bytes = read(request.into_body()).await?;
        parse(&bytes).map(Body)
    }
}

/// Reads a body. One that is too large is read on for a while and thrown away: whoever sends it
/// reads the refusal only after having sent, and would find the connection closed instead.
pub(crate) async fn read(mut body: axum::body::Body) -> Result<BytesMut, Problem> {
    let (mut bytes, mut length) = (BytesMut::new(), 0);
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| Problem::invalid("", "body", error.to_string()))?;
        let data = frame.into_data().unwrap_or_default();
        length += data.len();
        if length <= BODY_LIMIT {
            bytes.extend_from_slice(&data);
        } else if length <= ENDURED {
            bytes = BytesMut::new();
        } else {
            break;
        }
    }
    match length {
        ..=BODY_LIMIT => Ok(bytes),
        _ => Err(Problem::too_large(BODY_LIMIT)),
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
        let said = words::in_words(&error.into_inner().to_string());
        Problem::invalid(pointer, "json", said)
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
