//! The examples of the API's description: each is what its schema says, works as it stands, and is
//! answered as it says.

use burgee_server::openapi::examples::{OperationExample, TEXT};
use serde_json::{Map, Value};

use crate::kit::{App, Database};
use crate::openapi::published;

fn examples() -> Vec<OperationExample> {
    serde_json::from_str(TEXT).unwrap()
}

/// What an operation's bodies are held against: of the request, and of an answer.
fn described<'d>(document: &'d Value, example: &OperationExample) -> [&'d Value; 2] {
    let (method, path) = example.operation.split_once(' ').unwrap();
    let operation = &document["paths"][path][method.to_ascii_lowercase()];
    let answer = &operation["responses"][&example.status];
    [&operation["requestBody"], answer].map(|body| &body["content"]["application/json"])
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_is_shown_and_is_what_its_schema_says() {
    let app = App::start(Database::Sqlite).await;
    let document = published(&app).await;
    app.stop().await;
    for example in examples() {
        let name = &example.operation;
        let [request, response] = described(&document, &example);
        let bodies = [
            (request, Some(&example.request)),
            (response, example.response.as_ref()),
        ];
        for (content, body) in bodies {
            let Some(body) = body else {
                continue;
            };
            let shown = content["examples"].as_object();
            let mut shown = shown
                .unwrap_or_else(|| panic!("{name} shows none"))
                .values();
            assert!(shown.any(|it| it["value"] == *body), "{name}");
            let checker = Checker(&document);
            let wrong = checker.wrong(&content["schema"], body, "");
            assert_eq!(wrong, None, "{name}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_example_works_and_is_answered_so() {
    let app = App::start(Database::Sqlite).await;
    let document = published(&app).await;
    for example in examples() {
        let name = &example.operation;
        let (method, path) = name.split_once(' ').unwrap();
        let mut path = path.strip_prefix("/api/v1/").unwrap().to_owned();
        for (of, at) in &example.at {
            path = path.replace(&format!("{{{of}}}"), at);
        }
        let answer = match method {
            "POST" => app.owner.post(&path, &example.request).await,
            _ => app.owner.put(&path, &example.request).await,
        };
        let answer = answer.expect(example.status.parse().unwrap());
        let [_, response] = described(&document, &example);
        let wrong = Checker(&document).wrong(&response["schema"], &answer, "");
        assert_eq!(wrong, None, "{name}: {answer}");
        if let Some(told) = &example.response {
            assert_eq!(shape(told), shape(&answer), "{name}");
        }
    }
    app.stop().await;
}

/// What a value is made of; texts and numbers may be others.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, value)| (name.clone(), shape(value)));
            Value::Object(fields.collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(shape).collect()),
        Value::String(_) => "text".into(),
        Value::Number(_) => 0.into(),
        same => same.clone(),
    }
}

/// Holds values against the schemas of a document: what of JSON Schema our descriptions use.
struct Checker<'d>(&'d Value);

impl Checker<'_> {
    /// The first thing that is wrong, and where.
    fn wrong(&self, schema: &Value, value: &Value, at: &str) -> Option<String> {
        if let Some(reference) = schema["$ref"].as_str() {
            let found = self.0.pointer(&reference[1..]).unwrap();
            return self.wrong(found, value, at);
        }
        for all in schema["allOf"].as_array().into_iter().flatten() {
            if let Some(wrong) = self.wrong(all, value, at) {
                return Some(wrong);
            }
        }
        for any in ["oneOf", "anyOf"] {
            if let Some(choices) = schema[any].as_array() {
                let mut wrong = choices.iter().map(|it| self.wrong(it, value, at));
                if wrong.all(|it| it.is_some()) {
                    return Some(format!("{at}: {value} is none of {}", schema[any]));
                }
            }
        }
        if let Some(allowed) = schema["enum"].as_array()
            && !allowed.contains(value)
        {
            return Some(format!("{at}: {value} is not among {}", schema["enum"]));
        }
        if !is_of_type(&schema["type"], value) {
            return Some(format!("{at}: {value} is not of type {}", schema["type"]));
        }
        match value {
            Value::Object(fields) => self.wrong_fields(schema, fields, at),
            Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
                self.wrong(&schema["items"], item, &format!("{at}/{index}"))
            }),
            _ => None,
        }
    }

    fn wrong_fields(
        &self,
        schema: &Value,
        fields: &Map<String, Value>,
        at: &str,
    ) -> Option<String> {
        let required = schema["required"].as_array().into_iter().flatten();
        let mut missing = required.filter(|name| !fields.contains_key(name.as_str().unwrap()));
        if let Some(missing) = missing.next() {
            return Some(format!("{at}: {missing} is missing"));
        }
        let closed = schema["additionalProperties"] == false;
        fields.iter().find_map(|(name, value)| {
            let at = format!("{at}/{name}");
            match schema["properties"].get(name) {
                Some(of) => self.wrong(of, value, &at),
                None if closed => Some(format!("{at} is not described")),
                None if schema["additionalProperties"].is_object() => {
                    self.wrong(&schema["additionalProperties"], value, &at)
                }
                None => None,
            }
        })
    }
}

fn is_of_type(types: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("no type of JSON Schema: {other}"),
    };
    match types {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().any(|name| is(name.as_str().unwrap())),
        _ => true,
    }
}

#[test]
fn a_body_that_is_not_as_described_is_found() {
    let document = serde_json::json!({"schema": {"type": "object", "required": ["a"],
        "additionalProperties": false,
        "properties": {"a": {"type": ["integer", "null"]}, "b": {"enum": ["x"]}}}});
    let wrong = |body: Value| {
        let reference = serde_json::json!({"$ref": "#/schema"});
        Checker(&document).wrong(&reference, &body, "").is_some()
    };
    assert!(!wrong(serde_json::json!({"a": null, "b": "x"})));
    for bad in [
        serde_json::json!({}),
        serde_json::json!([]),
        serde_json::json!({"a": "1"}),
        serde_json::json!({"a": 1, "b": "y"}),
        serde_json::json!({"a": 1, "c": 1}),
    ] {
        assert!(wrong(bad.clone()), "{bad}");
    }
}
