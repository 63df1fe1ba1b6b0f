//! What the API's description says of every operation alike.

use utoipa::openapi::path::Operation;
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, RefOr, Response, ResponseBuilder};

/// Adds the refusals that do not depend on the operation: nobody is known, they may not do it, a
/// body that is no JSON or too large, a database that cannot be reached.
pub fn add_common_refusals(document: &mut OpenApi) {
    for item in document.paths.paths.values_mut() {
        let operations = [
            &mut item.get,
            &mut item.post,
            &mut item.put,
            &mut item.patch,
            &mut item.delete,
        ];
        operations.into_iter().flatten().for_each(add);
    }
}

fn add(operation: &mut Operation) {
    let mut refusals = vec![(
        "503",
        "The database cannot be reached or has no room; the detail says whether anything may have been changed",
    )];
    refusals.push((
        "429",
        "Requests come too often; `Retry-After` says when to try again",
    ));
    if !is_open(operation) {
        refusals.push(("401", "No session and no valid token"));
        refusals.push((
            "403",
            "No statement of a policy allows it, or one denies it",
        ));
    }
    if operation.request_body.is_some() {
        refusals.push(("413", "The body is too large"));
        refusals.push(("415", "The body is not said to be JSON"));
    }
    for (status, description) in refusals {
        let refusal = RefOr::T(problem(description));
        let responses = &mut operation.responses.responses;
        responses.entry(status.to_owned()).or_insert(refusal);
    }
}

/// Whether it can be asked for by anybody.
fn is_open(operation: &Operation) -> bool {
    let requirements = operation.security.as_deref().unwrap_or_default();
    requirements.contains(&SecurityRequirement::default())
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
