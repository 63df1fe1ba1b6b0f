//! A span for each request of the API (OpenTelemetry), within the caller's trace where it names one.
//!
//! Names and attributes are the conventions for HTTP servers
//! (<https://opentelemetry.io/docs/specs/semconv/http/http-spans/>). Addresses' own parts, queries
//! and bodies are not in it: they have keys and people's names in them. Nothing is recorded unless
//! the process exports traces.
//!
//! The caller's trace is taken before it is known who the caller is, so that refusals are traced too.
//! Whether it decides what is sampled is for whoever runs the server to say: `OTEL_TRACES_SAMPLER` begins
//! with `parentbased_` (as where it is not given), or it does not.

use axum::extract::{MatchedPath, Request};
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::Response;
use burgee_edge::trace::span_context;
use opentelemetry::context::FutureExt;
use opentelemetry::trace::{SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue, global};

/// Answers a request within a span of its own.
pub(crate) async fn traced(path: MatchedPath, request: Request, next: Next) -> Response {
    let context = begin(path.as_str(), &request);
    let response = next.run(request).with_context(context.clone()).await;
    let (span, status) = (context.span(), response.status());
    let code = i64::from(status.as_u16());
    span.set_attribute(KeyValue::new("http.response.status_code", code));
    if status.is_server_error() {
        span.set_status(Status::error(status.as_str().to_owned()));
    }
    span.end();
    response
}

fn begin(route: &str, request: &Request) -> Context {
    let method = request.method().as_str().to_owned();
    let tracer = global::tracer("burgee");
    let span = tracer
        .span_builder(format!("{method} {route}"))
        .with_kind(SpanKind::Server)
        .with_attributes([
            KeyValue::new("http.request.method", method),
            KeyValue::new("http.route", route.to_owned()),
        ]);
    let span = tracer.build_with_context(span, &callers(request.headers()));
    Context::new().with_span(span)
}

/// What the caller's span is, as W3C's `traceparent` says; of none where it does not.
fn callers(headers: &HeaderMap) -> Context {
    let text = headers.get("traceparent").and_then(|it| it.to_str().ok());
    match text.and_then(span_context) {
        Some(span) => Context::new().with_remote_span_context(span),
        None => Context::new(),
    }
}
