//! Examples of the main operations, one after the other on an empty organization. A test sends each
//! as it stands, and holds what is described here against the schemas and against the answers.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use utoipa::openapi::example::ExampleBuilder;
use utoipa::openapi::{Content, OpenApi, RefOr};

/// The examples.
pub const TEXT: &str = include_str!("examples.json");

/// An example of an operation.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OperationExample {
    /// Which, e.g. `POST /api/v1/projects`.
    pub operation: String,
    /// What stands for the names in its path; the description does not say it.
    #[serde(default)]
    pub at: BTreeMap<String, String>,
    /// What it is an example of.
    pub summary: String,
    /// What is sent.
    pub request: Value,
    /// The answer's status.
    pub status: String,
    /// What is answered, where that is short enough to be told.
    pub response: Option<Value>,
}

/// Puts the examples into the document.
///
/// # Errors
/// They are no examples, or of an operation that is not there.
pub fn add(document: &mut OpenApi) -> Result<(), String> {
    let examples: Vec<OperationExample> =
        serde_json::from_str(TEXT).map_err(|error| error.to_string())?;
    for example in examples {
        let name = example.operation.clone();
        add_one(document, example).ok_or(name)?;
    }
    Ok(())
}

fn add_one(document: &mut OpenApi, example: OperationExample) -> Option<()> {
    let (method, path) = example.operation.split_once(' ')?;
    let item = document.paths.paths.get_mut(path)?;
    let operation = match method {
        "POST" => item.post.as_mut()?,
        "PUT" => item.put.as_mut()?,
        _ => return None,
    };
    let RefOr::T(body) = operation.request_body.as_mut()? else {
        return None;
    };
    show(
        body.content.get_mut(JSON)?,
        &example.summary,
        example.request,
    )?;
    if let Some(response) = example.response {
        let RefOr::T(answer) = operation.responses.responses.get_mut(&example.status)? else {
            return None;
        };
        show(answer.content.get_mut(JSON)?, &example.summary, response)?;
    }
    Some(())
}

const JSON: &str = "application/json";

fn show(content: &mut RefOr<Content>, summary: &str, value: Value) -> Option<()> {
    let RefOr::T(content) = content else {
        return None;
    };
    let example = ExampleBuilder::new().summary(summary).value(Some(value));
    let name = format!("example{}", content.examples.len() + 1);
    content.examples.insert(name, RefOr::T(example.build()));
    Some(())
}
