//! A readable page of the API's description, at `/api/docs`.
//!
//! It is made once, when somebody first asks for it, from the very document that is published for programs, as plain
//! HTML with one style sheet: it works without network, without scripts, and under the strictest
//! policy a browser knows.

mod field;
mod html;
mod operation;

use std::sync::LazyLock;

use axum::Router;
use axum::http::header;
use axum::response::{IntoResponse, Redirect};
use axum::routing::get;
use bytes::Bytes;
use serde_json::Value;

use crate::openapi::PUBLISHED;
use html::{Html, text_of};

/// What the page may load: its own style sheet.
const POLICY: &str = "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

/// The page, once somebody has asked for it.
static PAGE: LazyLock<Bytes> = LazyLock::new(|| {
    let document = serde_json::from_str(PUBLISHED).unwrap_or_default();
    page(&document).into()
});

/// The page and its style.
pub fn router() -> Router {
    Router::new()
        .route("/api/docs", get(show))
        .route(
            "/api/docs/",
            get(|| async { Redirect::permanent("/api/docs") }),
        )
        .route("/api/docs/style.css", get(style))
}

async fn show() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, Bytes::clone(&PAGE))
}

async fn style() -> impl IntoResponse {
    let headers = [
        (header::CONTENT_TYPE, "text/css; charset=utf-8"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::CACHE_CONTROL, "no-cache"),
    ];
    (headers, include_str!("docs/style.css"))
}

/// The methods in the order in which they stand on the page.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// An operation with where it is.
struct Operation<'d> {
    method: &'static str,
    path: &'d str,
    said: &'d Value,
}

impl Operation<'_> {
    fn tag(&self) -> &str {
        self.said["tags"][0].as_str().unwrap_or("other")
    }

    /// Its first words, and what its summary says besides.
    fn title(&self) -> (&str, &str) {
        let summary = text_of(&self.said["summary"]);
        let end = summary.find([';', ':', '.']).unwrap_or(summary.len());
        let (title, rest) = summary.split_at(end);
        (title, rest.trim_start_matches([';', ':', '.', ' ']))
    }

    /// What links lead to.
    fn anchor(&self) -> String {
        let words = self.path.trim_start_matches("/api/v1/");
        let words = words.replace(|it: char| !it.is_ascii_alphanumeric(), "-");
        format!("{}-{words}", self.method)
    }
}

fn operations(document: &Value) -> Vec<Operation<'_>> {
    let paths = document["paths"].as_object().into_iter().flatten();
    let operations = paths.flat_map(|(path, item)| {
        METHODS.into_iter().filter_map(move |method| {
            let said = item.get(method)?;
            Some(Operation { method, path, said })
        })
    });
    operations.collect()
}

/// The operations' tags in the order in which people come upon them, then all others.
fn tags<'o>(operations: &'o [Operation<'_>]) -> Vec<&'o str> {
    let mut tags = vec!["projects", "environments", "flags", "segments", "changes"];
    for operation in operations {
        if !tags.contains(&operation.tag()) {
            tags.push(operation.tag());
        }
    }
    tags.retain(|tag| operations.iter().any(|it| it.tag() == *tag));
    tags
}

fn page(document: &Value) -> String {
    let operations = operations(document);
    let tags = tags(&operations);
    let mut html = Html::default();
    html.raw("<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\">");
    html.raw("<meta name=\"viewport\" content=\"width=device-width\">");
    html.raw("<meta name=\"color-scheme\" content=\"light dark\"><title>Burgee API</title>");
    html.raw("<link rel=\"stylesheet\" href=\"/api/docs/style.css\"></head><body>");
    contents(&mut html, &operations, &tags);
    html.raw("<main>");
    introduction(&mut html, document);
    for tag in &tags {
        html.raw("<h2 id=\"")
            .text(&tag.replace(' ', "-"))
            .raw("\">");
        html.text(&capital(tag)).raw("</h2>");
        for operation in operations.iter().filter(|it| it.tag() == *tag) {
            operation::write(&mut html, operation);
        }
    }
    html.raw("<h2 id=\"shapes\">Shapes</h2>");
    let shapes = document["components"]["schemas"].as_object();
    for (name, shape) in shapes.into_iter().flatten() {
        field::write_shape(&mut html, name, shape);
    }
    html.raw("</main></body></html>");
    html.finish()
}

fn contents(html: &mut Html, operations: &[Operation<'_>], tags: &[&str]) {
    html.raw("<nav aria-label=\"Contents\"><details open><summary>Contents</summary>");
    for tag in tags {
        html.raw("<h2><a href=\"#")
            .text(&tag.replace(' ', "-"))
            .raw("\">");
        html.text(&capital(tag)).raw("</a></h2><ul>");
        for operation in operations.iter().filter(|it| it.tag() == *tag) {
            html.raw("<li><a href=\"#")
                .text(&operation.anchor())
                .raw("\">");
            html.prose(operation.title().0);
            html.raw("</a></li>");
        }
        html.raw("</ul>");
    }
    html.raw("<h2><a href=\"#shapes\">Shapes</a></h2></details></nav>");
}

fn introduction(html: &mut Html, document: &Value) {
    let info = &document["info"];
    html.raw("<h1>")
        .text(text_of(&info["title"]))
        .raw(" API</h1><p>");
    html.prose(text_of(&info["description"])).raw("</p>");
    html.raw("<p>For programs: <a href=\"/api/openapi.json\">openapi.json</a>, version ");
    html.text(text_of(&info["version"])).raw(". ");
    html.prose(
        "Everything is JSON in camelCase; a field that is not known is refused. Send `Authorization: \
         Bearer bgt_…`, or the cookie of a session. Errors are problem details (RFC 9457): `code` \
         is for programs, `errors` names each wrong field.",
    );
    html.raw("</p>");
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|it| it.to_uppercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}
