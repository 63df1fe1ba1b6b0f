//! What the API's description says of every operation alike.

pub mod examples;

use utoipa::openapi::path::{Operation, ParameterIn};
use utoipa::openapi::security::SecurityRequirement;
use utoipa::openapi::{ContentBuilder, OpenApi, Ref, RefOr, Response, ResponseBuilder, Schema};

/// The API's description as it is published: the reviewed text, which a test compares with what the
/// code says (`tests/it/openapi.rs` says how to make it anew).
pub const PUBLISHED: &str = include_str!("../openapi.json");

/// Says what is the same everywhere: the refusals that do not depend on the operation (nobody is
/// known, they may not do it, they ask too often, a body that is no JSON or too large, a database
/// that cannot be reached), and in words what an answer is where its operation does not say more.
pub fn complete(document: &mut OpenApi) {
    for item in document.paths.paths.values_mut() {
        let operations = [
            &mut item.get,
            &mut item.post,
            &mut item.put,
            &mut item.patch,
            &mut item.delete,
        ];
        for operation in operations.into_iter().flatten() {
            add(operation);
            say(operation);
        }
    }
    if let Err(what) = examples::add(document) {
        tracing::error!(%what, "an example does not fit the description");
    }
    let components = document.components.get_or_insert_default();
    for schema in components.schemas.values_mut() {
        say_kind(schema);
    }
}

/// The media type of refusals.
const PROBLEM: &str = "application/problem+json";

/// Says what an answer is, by its status.
fn say(operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else {
            continue;
        };
        // A refusal is said in problem details, whatever the operation's answer is.
        if status.starts_with(['4', '5'])
            && let Some(content) = response.content.swap_remove("application/json")
        {
            response.content.insert(PROBLEM.to_owned(), content);
        }
        if response.description.is_empty() {
            words(status).clone_into(&mut response.description);
        }
    }
}

fn words(status: &str) -> &'static str {
    match status {
        "200" => "Done; what is there now, or what was asked for",
        "201" => "Made; what is there now",
        "400" => "A parameter or a field breaks a rule, which `errors` names; nothing was changed",
        "401" => "No session and no valid token",
        "404" => "No such thing in the organization",
        "409" => "Something that is there stands against it; nothing was changed",
        "412" => "Somebody else changed the same part meanwhile; `conflicts` says what and who",
        "429" => {
            "Too many attempts failed, or requests come too often; `Retry-After` says when to \
                  try again"
        }
        _ => "It cannot be done now; `detail` says why",
    }
}

/// Says of what tells the shapes of one kind apart (a command's `kind`, a reason's `code`) that it
/// does.
fn say_kind(schema: &mut RefOr<Schema>) {
    match schema {
        RefOr::T(Schema::OneOf(choices)) => choices.items.iter_mut().for_each(say_kind),
        RefOr::T(Schema::AllOf(parts)) => parts.items.iter_mut().for_each(say_kind),
        RefOr::T(Schema::Object(object)) => {
            for field in object.properties.values_mut() {
                if let RefOr::T(Schema::Object(field)) = field
                    && field
                        .enum_values
                        .as_ref()
                        .is_some_and(|values| values.len() == 1)
                    && field.description.is_none()
                {
                    field.description = Some("Which of them it is: always this.".to_owned());
                }
            }
        }
        _ => {}
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
    // A session names its organization where there are several; a query can be wrong.
    let asks = operation.parameters.iter().flatten();
    if asks
        .into_iter()
        .any(|it| matches!(it, RefOr::T(it) if it.parameter_in == ParameterIn::Query))
    {
        refusals.push(("400", words("400")));
    }
    if !is_open(operation) {
        refusals.push(("401", "No session and no valid token"));
        refusals.push((
            "403",
            "No statement of a policy allows it, or one denies it",
        ));
    }
    if operation.request_body.is_some() {
        refusals.push(("400", words("400")));
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
        .content(PROBLEM, problem)
        .build()
}
