//! What the API's description says of every operation alike.

use axum::http::Method;
use utoipa::openapi::path::Operation;
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, RefOr, Response, ResponseBuilder};

/// Adds the refusals that do not depend on the operation: no token, a token that may only read, a
/// body that is no JSON or too large, a database that cannot be reached.
pub fn add_common_refusals(document: &mut OpenApi) {
    for item in document.paths.paths.values_mut() {
        let operations = [
            (Method::GET, &mut item.get),
            (Method::POST, &mut item.post),
            (Method::PATCH, &mut item.patch),
            (Method::DELETE, &mut item.delete),
        ];
        for (method, operation) in operations {
            if let Some(operation) = operation {
                add(&method, operation);
            }
        }
    }
}

fn add(method: &Method, operation: &mut Operation) {
    let mut refusals = vec![
        ("401", "No valid token"),
        (
            "503",
            "The database cannot be reached or has no room; the detail says whether anything may have been changed",
        ),
    ];
    if *method != Method::GET {
        refusals.push(("403", "The token may only read"));
    }
    if operation.request_body.is_some() {
        refusals.push(("413", "The body is too large"));
        refusals.push(("415", "The body is not said to be JSON"));
    }
    for (status, description) in refusals {
        let refusal = RefOr::T(problem(description));
        let responses = &mut operation.responses.responses;
        responses.insert(status.to_owned(), refusal);
    }
}

fn problem(description: &str) -> Response {
    let problem = ContentBuilder::new()
        .schema(Some(Ref::from_schema_name("Problem")))
        .build();
    ResponseBuilder::new()
        .description(description)
        .content("application/problem+json", problem)
        .build()
}
