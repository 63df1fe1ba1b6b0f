//! `ETag` and `If-Match` of single resources: who sends the tag that they saw with an edit is
//! refused (412) where the resource is another one by then.
//!
//! One middleware for all resources that are looked at and edited under one address, since none of
//! them needs to know of it: what stands there is asked for as the caller would ask, and compared.
//! Flags and segments have better than this: a change set's `base`, which collides only where the
//! same part was changed, and is compared under the locks. Here, edits with a condition wait for
//! each other on one server; on several, two that come within the same milliseconds can both pass.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use tokio::sync::Mutex;
use utoipa::openapi::path::{HttpMethod, Operation, ParameterBuilder, ParameterIn};
use utoipa::openapi::{
    Content, HeaderBuilder, ObjectBuilder, OpenApi, Ref, RefOr, ResponseBuilder, Type,
};

use crate::body;
use crate::problem::Problem;

/// What changes of a resource without anybody editing it: a tag is not about these.
const MOVING: [&str; 2] = ["version", "position"];

/// Edits of different resources seldom wait for each other among so many locks.
const LOCKS: usize = 64;

/// The addresses of single resources that can be edited.
pub struct Guarded {
    /// Each by its parts; none stands for a name.
    addresses: Vec<Vec<Option<String>>>,
    locks: [Mutex<()>; LOCKS],
}

impl Guarded {
    /// Those of all addresses that are looked at and edited under one.
    pub fn of(answered: Vec<(String, Vec<HttpMethod>)>) -> Self {
        let guarded = answered
            .into_iter()
            .filter(|(_, methods)| is_guarded(|method| methods.contains(method)));
        let parts = |address: String| {
            let parts = address.split('/');
            let named = parts.map(|part| (!part.starts_with('{')).then(|| part.to_owned()));
            named.collect()
        };
        Self {
            addresses: guarded.map(|(address, _)| parts(address)).collect(),
            locks: [const { Mutex::const_new(()) }; LOCKS],
        }
    }

    fn knows(&self, path: &str) -> bool {
        let parts: Vec<&str> = path.split('/').collect();
        let fits = |part: &&str, of: &Option<String>| match of {
            Some(of) => of == part,
            None => !part.is_empty(),
        };
        let mut addresses = self.addresses.iter();
        addresses.any(|address| {
            address.len() == parts.len()
                && parts.iter().zip(address).all(|(part, of)| fits(part, of))
        })
    }

    fn lock(&self, path: &str) -> &Mutex<()> {
        let mut hasher = DefaultHasher::new();
        path.to_ascii_lowercase().hash(&mut hasher);
        let place = usize::try_from(hasher.finish() % LOCKS as u64).unwrap_or_default();
        &self.locks[place]
    }
}

/// Whether what answers these methods is looked at and edited under one address.
fn is_guarded(answers: impl Fn(&HttpMethod) -> bool) -> bool {
    answers(&HttpMethod::Get) && (answers(&HttpMethod::Put) || answers(&HttpMethod::Patch))
}

/// Says of the operations of a document that they tell a tag, or take a condition.
pub fn describe(document: &mut OpenApi) {
    for item in document.paths.paths.values_mut() {
        let guarded = is_guarded(|method| match method {
            HttpMethod::Get => item.get.is_some(),
            HttpMethod::Put => item.put.is_some(),
            HttpMethod::Patch => item.patch.is_some(),
            _ => false,
        });
        if guarded {
            item.get.iter_mut().for_each(tells_tag);
            let edits = [&mut item.put, &mut item.patch, &mut item.delete];
            edits.into_iter().flatten().for_each(takes_tag);
        }
    }
}

/// Gives what is looked at its tag, and lets an edit pass whose condition holds.
pub async fn guard(State(guarded): State<Arc<Guarded>>, request: Request, next: Next) -> Response {
    let known = guarded.knows(request.uri().path());
    let conditional = request.headers().contains_key(header::IF_MATCH);
    if request.method() == Method::GET && known {
        return tagged(next.run(request).await).await;
    }
    if request.method().is_safe() || !conditional {
        return next.run(request).await;
    }
    if !known || request.method() == Method::POST {
        let rule = "what is done here takes no condition";
        return Problem::invalid("If-Match", "unknownField", rule).into_response();
    }
    match edited(&guarded, request, next).await {
        Ok(answer) | Err(answer) => answer,
    }
}

/// Compares, and edits.
async fn edited(guarded: &Guarded, request: Request, next: Next) -> Result<Response, Response> {
    let (parts, content) = request.into_parts();
    // Nobody waits for somebody who sends slowly.
    let content = body::read(content).await.map_err(Problem::into_response)?;
    let _turn = guarded.lock(parts.uri.path()).lock().await;
    let mut look = Request::new(Body::empty());
    look.uri_mut().clone_from(&parts.uri);
    *look.headers_mut() = parts.headers.clone();
    for name in [
        header::CONTENT_LENGTH,
        header::CONTENT_TYPE,
        header::IF_MATCH,
    ] {
        look.headers_mut().remove(name);
    }
    look.extensions_mut().clone_from(&parts.extensions);
    let looked = tagged(next.clone().run(look).await).await;
    // What is not there (any more) has no tag: what would make it does not pass (RFC 9110, 13.1.1).
    if looked.status() == StatusCode::NOT_FOUND && parts.method == Method::PUT {
        return Err(Problem::changed_meanwhile(None).into_response());
    }
    if !looked.status().is_success() {
        return Err(looked);
    }
    let now = looked.headers().get(header::ETAG);
    let now = now.and_then(|tag| tag.to_str().ok());
    match now.is_some_and(|now| names(&parts.headers, now)) {
        true => Ok(next
            .run(Request::from_parts(parts, content.freeze().into()))
            .await),
        false => Err(Problem::changed_meanwhile(now).into_response()),
    }
}

/// Whether `If-Match` names a tag.
fn names(headers: &HeaderMap, tag: &str) -> bool {
    let opaque = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    let lines = headers.get_all(header::IF_MATCH).iter();
    let mut named = lines
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','));
    named.any(|named| named.trim() == "*" || opaque(named) == opaque(tag))
}

/// An answer with the tag of what it shows.
async fn tagged(answer: Response) -> Response {
    if !answer.status().is_success() {
        return answer;
    }
    let (mut parts, content) = answer.into_parts();
    let Ok(content) = to_bytes(content, usize::MAX).await else {
        return Problem::internal().into_response();
    };
    if let Some(tag) = tag(&content) {
        parts.headers.insert(header::ETAG, tag);
    }
    Response::from_parts(parts, content.into())
}

/// Weak: what moves by itself is left out of it.
fn tag(content: &[u8]) -> Option<HeaderValue> {
    let mut shown: Value = serde_json::from_slice(content).ok()?;
    let fields = shown.as_object_mut()?;
    fields.retain(|name, _| !MOVING.contains(&name.as_str()));
    let mut hasher = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), shown.to_string()).hash(&mut hasher);
    HeaderValue::try_from(format!("W/\"{:016x}\"", hasher.finish())).ok()
}

/// Describes the tag of what an operation shows.
fn tells_tag(operation: &mut Operation) {
    if let Some(RefOr::T(response)) = operation.responses.responses.get_mut("200") {
        let words = "Names what is set here, for `If-Match` with an edit; not its versions";
        let text = ObjectBuilder::new().schema_type(Type::String).build();
        let tag = HeaderBuilder::new()
            .schema(Some(text))
            .description(Some(words));
        let tag = RefOr::T(tag.build());
        response.headers.insert("ETag".to_owned(), tag);
    }
}

/// Describes the condition that an edit takes.
fn takes_tag(operation: &mut Operation) {
    let text = ObjectBuilder::new().schema_type(Type::String).build();
    let words =
        "The `ETag` of what was looked at: where it is another by now, nothing is done (412)";
    let condition = ParameterBuilder::new()
        .name("If-Match")
        .parameter_in(ParameterIn::Header)
        .description(Some(words))
        .schema(Some(text));
    let parameters = operation.parameters.get_or_insert_default();
    parameters.push(RefOr::T(condition.build()));
    let refused = ResponseBuilder::new()
        .description("It was changed since; nothing was done")
        .content(
            "application/problem+json",
            Content::new(Some(Ref::from_schema_name("Problem"))),
        );
    let responses = &mut operation.responses.responses;
    responses
        .entry("412".to_owned())
        .or_insert_with(|| RefOr::T(refused.build()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn guarded() -> Guarded {
        let answered = |address: &str, methods: &[HttpMethod]| (address.to_owned(), methods.into());
        Guarded::of(vec![
            answered(
                "/api/v1/groups/{group}",
                &[HttpMethod::Get, HttpMethod::Put],
            ),
            answered("/api/v1/x/{id}", &[HttpMethod::Get, HttpMethod::Delete]),
        ])
    }

    #[test]
    fn an_address_is_known_by_its_parts() {
        let guarded = guarded();
        assert!(guarded.knows("/api/v1/groups/core"));
        for other in [
            "/api/v1/groups",
            "/api/v1/groups/",
            "/api/v1/groups/a/b",
            "/api/v1/x/a",
        ] {
            assert!(!guarded.knows(other), "{other}");
        }
    }

    #[test]
    fn a_tag_is_about_what_can_be_edited() {
        let of = |text: &str| tag(text.as_bytes()).unwrap();
        let one = of(r#"{"name": "a", "version": 1, "position": "x"}"#);
        assert_eq!(one, of(r#"{"position": "y", "version": 2, "name": "a"}"#));
        assert_ne!(one, of(r#"{"name": "b", "version": 1, "position": "x"}"#));
    }

    #[test]
    fn a_condition_names_one_of_several_tags_or_any() {
        let named = |line: &'static str| {
            let line = HeaderValue::from_static(line);
            let headers = HeaderMap::from_iter([(header::IF_MATCH, line)]);
            names(&headers, "W/\"a\"")
        };
        for line in ["W/\"a\"", "\"a\"", "\"b\", \"a\"", "*"] {
            assert!(named(line), "{line}");
        }
        for line in ["\"b\"", "", "a"] {
            assert!(!named(line), "{line}");
        }
    }
}
