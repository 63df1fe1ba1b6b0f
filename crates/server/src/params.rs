//! The parts of an address: a path's names and a query's parameters, with errors like all others.

use std::error::Error;

use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{self, FromRequestParts};
use axum::http::request::Parts;
use burgee_eval::time::Millis;
use serde::de::DeserializeOwned;

use crate::body::words::in_words;
use crate::problem::Problem;

/// Reads a moment, which a parameter or a field (by its pointer) has.
///
/// # Errors
/// It is none.
pub fn moment(name: &str, text: &str) -> Result<Millis, Problem> {
    let rule = "must be a moment of ISO 8601, e.g. 2026-11-21T08:00:00Z";
    Millis::parse(text).ok_or_else(|| Problem::invalid(name, "moment", rule))
}

/// The names in a path. What cannot be a name (it is not UTF-8) names nothing: 404.
pub struct Path<T>(pub T);

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Path<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let names = extract::Path::from_request_parts(parts, state).await;
        let extract::Path(names) = names.map_err(|refused| match refused {
            PathRejection::FailedToDeserializePathParams(refused)
                if refused.status().is_client_error() =>
            {
                Problem::not_found("such address")
            }
            refused => {
                tracing::error!(%refused, "a route and its handler do not fit");
                Problem::internal()
            }
        })?;
        Ok(Self(names))
    }
}

/// The parameters of a query. One that is not known, or is not of its type, is a 400 that names it.
pub struct Query<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Query<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let parameters = extract::Query::try_from_uri(&parts.uri);
        let extract::Query(parameters) = parameters.map_err(|refused| invalid(&refused))?;
        storable(parts)?;
        Ok(Self(parameters))
    }
}

/// Refuses U+0000 by the parameter's name: no database can look for it.
fn storable(parts: &Parts) -> Result<(), Problem> {
    let pairs = extract::Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
    let extract::Query(pairs) = pairs.map_err(|refused| invalid(&refused))?;
    match pairs.into_iter().find(|(_, value)| value.contains('\0')) {
        Some((name, _)) => {
            let detail = "the character U+0000 is in no text here";
            Err(Problem::invalid(name, "nulCharacter", detail))
        }
        None => Ok(()),
    }
}

/// What serde says of a query; `serde::de::value::Error` is what `serde_urlencoded` fails with.
type Located = serde_path_to_error::Error<serde::de::value::Error>;

fn invalid(refused: &QueryRejection) -> Problem {
    let causes = std::iter::successors(refused.source(), |cause| (*cause).source());
    let located = causes
        .filter_map(|cause| cause.downcast_ref::<Located>())
        .next();
    match located {
        Some(error) => {
            let name = error.path().to_string();
            Problem::invalid(
                name.trim_matches('.'),
                "parameter",
                in_words(&error.inner().to_string()),
            )
        }
        None => Problem::invalid("", "parameter", refused.body_text()),
    }
}
