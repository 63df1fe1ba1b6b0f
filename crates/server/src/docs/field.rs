//! Shapes and their fields on the page.

use serde_json::{Map, Value};

use super::html::{Html, text_of};

/// A named shape, with all its fields.
pub(super) fn write_shape(html: &mut Html, name: &str, shape: &Value) {
    html.raw("<section id=\"shape-")
        .text(name)
        .raw("\"><h3>")
        .text(name);
    html.raw("</h3><p>")
        .prose(text_of(&shape["description"]))
        .raw("</p>");
    // A shape can be of several parts: those that others have too, and its own.
    let parts = shape["allOf"].as_array();
    let parts: Vec<&Value> = parts.map_or_else(|| vec![shape], |parts| parts.iter().collect());
    for part in parts {
        match part["properties"].as_object() {
            Some(fields) => write_fields(html, fields, &part["required"]),
            None => {
                html.raw("<p class=\"shape\">");
                write_type(html, part);
                html.raw("</p>");
            }
        }
    }
    html.raw("</section>");
}

pub(super) fn write_fields(html: &mut Html, fields: &Map<String, Value>, required: &Value) {
    html.raw("<dl>");
    for (name, field) in fields {
        let required = required
            .as_array()
            .is_some_and(|it| it.iter().any(|it| it == name));
        html.raw("<dt><code>").text(name).raw("</code> <span>");
        write_type(html, field);
        if !required {
            html.raw(", may be absent");
        }
        html.raw("</span></dt><dd>")
            .prose(description(field))
            .raw("</dd>");
    }
    html.raw("</dl>");
}

/// What is said of a field; of one that may be null it stands inside.
fn description(field: &Value) -> &str {
    let own = field["description"].as_str();
    let inner = || {
        let choices = field["oneOf"].as_array()?;
        choices
            .iter()
            .find_map(|choice| choice["description"].as_str())
    };
    own.or_else(inner).unwrap_or_default()
}

/// What a value is, in a few words, with links to shapes.
pub(super) fn write_type(html: &mut Html, schema: &Value) {
    if let Some(name) = schema["$ref"].as_str().and_then(|it| it.rsplit('/').next()) {
        html.raw("<a href=\"#shape-")
            .text(name)
            .raw("\">")
            .text(name)
            .raw("</a>");
        return;
    }
    for several in ["oneOf", "anyOf", "allOf"] {
        if let Some(choices) = schema[several].as_array() {
            let joint = if several == "allOf" { " and " } else { " or " };
            return list(html, choices, joint);
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        let texts: Vec<_> = values
            .iter()
            .map(|it| format!("`{}`", text_of(it)))
            .collect();
        html.prose(&texts.join(", "));
        return;
    }
    match &schema["type"] {
        Value::Array(types) => {
            let texts: Vec<_> = types.iter().map(text_of).collect();
            html.text(&texts.join(" or "));
        }
        Value::String(kind) if kind == "array" => {
            html.text("list of ");
            write_type(html, &schema["items"]);
        }
        Value::String(kind) if kind == "object" && schema["additionalProperties"].is_object() => {
            html.text("object of ");
            write_type(html, &schema["additionalProperties"]);
        }
        Value::String(kind) => {
            html.text(kind);
        }
        _ => {
            html.text("any JSON");
        }
    }
}

fn list(html: &mut Html, schemas: &[Value], joint: &str) {
    for (index, schema) in schemas.iter().enumerate() {
        if index > 0 {
            html.text(joint);
        }
        write_type(html, schema);
    }
}
