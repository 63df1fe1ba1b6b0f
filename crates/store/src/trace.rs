//! The trace of who asked (OpenTelemetry).
//!
//! It comes with the task, as the current context, and is written with each version, so that every
//! node can add what it did with it. Spans are recorded only where the process exports traces; the trace
//! of a caller who has it sampled is written in any case, since another node may export.

use opentelemetry::trace::{Status, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue, global};

use crate::apply::{Applied, ApplyError};

/// The span that the running task belongs to, as W3C's `traceparent`; none where it is not sampled.
pub(crate) fn here() -> Option<String> {
    let context = Context::current();
    let span = context.span();
    let span = span.span_context();
    let sampled = span.is_valid() && span.is_sampled();
    sampled.then(|| format!("00-{}-{}-01", span.trace_id(), span.span_id()))
}

/// Begins a span of the store's within what the running task belongs to.
pub(crate) fn span(name: &'static str) -> Context {
    Context::current_with_span(global::tracer("burgee").start(name))
}

/// Ends the span of a change set, with what became of it.
pub(crate) fn end(context: &Context, applied: &Result<Applied, ApplyError>) {
    let span = context.span();
    match applied {
        Ok(applied) => {
            span.set_attribute(KeyValue::new("burgee.change_set.id", applied.id.clone()));
        }
        // What is refused is an answer; a fault is none.
        Err(ApplyError::Store(error)) => span.set_status(Status::error(error.to_string())),
        Err(_) => {}
    }
    span.end();
}
