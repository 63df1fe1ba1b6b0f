//! One operation on the page.

use serde_json::Value;

use super::Operation;
use super::field::{write_fields, write_type};
use super::html::{Html, text_of};

pub(super) fn write(html: &mut Html, operation: &Operation<'_>) {
    let said = operation.said;
    html.raw("<section id=\"").text(&operation.anchor());
    let (title, rest) = operation.title();
    html.raw("\"><h3>").prose(title);
    html.raw("</h3><p class=\"address\"><b class=\"")
        .raw(operation.method)
        .raw("\">");
    html.text(&operation.method.to_uppercase())
        .raw("</b> <code>");
    html.text(operation.path).raw("</code></p>");
    if !rest.is_empty() {
        html.raw("<p>").prose(rest).raw("</p>");
    }
    if let Some(more) = said["description"].as_str() {
        html.raw("<p>").prose(more).raw("</p>");
    }
    if let Some(who) = who(&said["security"]) {
        html.raw("<p class=\"who\">").text(who).raw("</p>");
    }
    parameters(html, &said["parameters"]);
    body(html, &said["requestBody"]);
    answers(html, &said["responses"]);
    html.raw("</section>");
}

/// What opens it, where that is not what opens all others.
fn who(security: &Value) -> Option<&'static str> {
    let ways = security.as_array()?;
    match ways
        .iter()
        .any(|way| way.as_object().is_some_and(serde_json::Map::is_empty))
    {
        true => Some("Open to everybody."),
        false => Some("For a session: a token has no account of its own."),
    }
}

fn parameters(html: &mut Html, parameters: &Value) {
    let Some(parameters) = parameters.as_array() else {
        return;
    };
    html.raw("<h4>Parameters</h4><dl>");
    for parameter in parameters {
        html.raw("<dt><code>")
            .text(text_of(&parameter["name"]))
            .raw("</code> ");
        html.raw("<span>").text(text_of(&parameter["in"])).raw(", ");
        write_type(html, &parameter["schema"]);
        if parameter["in"] != "path" && parameter["required"] != true {
            html.raw(", may be absent");
        }
        html.raw("</span></dt><dd>")
            .prose(text_of(&parameter["description"]));
        html.raw("</dd>");
    }
    html.raw("</dl>");
}

fn body(html: &mut Html, body: &Value) {
    let Some((_, content)) = body["content"].as_object().and_then(|it| it.iter().next()) else {
        return;
    };
    html.raw("<h4>Body</h4><p class=\"shape\">");
    write_type(html, &content["schema"]);
    html.raw("</p>");
    if let Some(fields) = content["schema"]["properties"].as_object() {
        write_fields(html, fields, &content["schema"]["required"]);
    }
    example(html, &content["example"]);
}

fn example(html: &mut Html, example: &Value) {
    if !example.is_null() {
        let text = serde_json::to_string_pretty(example).unwrap_or_default();
        html.raw("<pre>").text(&text).raw("</pre>");
    }
}

fn answers(html: &mut Html, responses: &Value) {
    html.raw("<h4>Answers</h4><dl class=\"answers\">");
    for (status, response) in responses.as_object().into_iter().flatten() {
        html.raw("<dt><b>").text(status).raw("</b> ");
        let content = response["content"]
            .as_object()
            .and_then(|it| it.iter().next());
        if let Some((_, content)) = content {
            html.raw("<span>");
            write_type(html, &content["schema"]);
            html.raw("</span>");
        }
        html.raw("</dt><dd>")
            .prose(text_of(&response["description"]))
            .raw("</dd>");
    }
    html.raw("</dl>");
}
