//! Which trace a change belongs to, and this node's part of it.
//!
//! Who asked for a change may be traced (OpenTelemetry). The trace is written with the version, so
//! that every node and relay adds what it did: how long the new state took to be made here, and to
//! be written to this node's connections. What SDKs ask for is never traced. A process that exports no
//! traces records nothing; it keeps the trace and hands it on all the same, since others may export.

use std::fmt::{Display, Formatter, Result as Formatted};
use std::str::FromStr;
use std::time::SystemTime;

use opentelemetry::trace::{
    SpanContext, SpanId, SpanKind, TraceContextExt, TraceFlags, TraceId, TraceState, Tracer,
};
use opentelemetry::{Context, KeyValue, global};
use serde::{Deserialize, Serialize};

/// The span of a sampled trace that something else belongs to. As text it is W3C's `traceparent`
/// (<https://www.w3.org/TR/trace-context/>): `00-<trace>-<span>-01`, in hexadecimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Trace {
    trace: TraceId,
    span: SpanId,
}

/// The text is no `traceparent`, or of a trace that is not sampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no trace that is sampled: `00-<32 digits>-<16 digits>-01` is expected")]
pub struct NotTraced;

impl FromStr for Trace {
    type Err = NotTraced;

    fn from_str(text: &str) -> Result<Self, NotTraced> {
        let context = span_context(text).filter(SpanContext::is_sampled);
        let context = context.ok_or(NotTraced)?;
        Ok(Self {
            trace: context.trace_id(),
            span: context.span_id(),
        })
    }
}

impl TryFrom<String> for Trace {
    type Error = NotTraced;

    fn try_from(text: String) -> Result<Self, NotTraced> {
        text.parse()
    }
}

impl From<Trace> for String {
    fn from(trace: Trace) -> Self {
        trace.to_string()
    }
}

impl Display for Trace {
    fn fmt(&self, f: &mut Formatter<'_>) -> Formatted {
        write!(f, "00-{}-{}-01", self.trace, self.span)
    }
}

/// What a `traceparent` says, sampled or not; none where it is not one. Later versions have more
/// behind what this one has.
pub fn span_context(text: &str) -> Option<SpanContext> {
    let mut parts = text.trim().split('-');
    let version = digits(parts.next()?, 2)?;
    let trace = TraceId::from_hex(digits(parts.next()?, 32)?).ok()?;
    let span = SpanId::from_hex(digits(parts.next()?, 16)?).ok()?;
    let flags = u8::from_str_radix(digits(parts.next()?, 2)?, 16).ok()?;
    if version == "ff" || (version == "00" && parts.next().is_some()) {
        return None;
    }
    let flags = TraceFlags::new(flags) & TraceFlags::SAMPLED;
    let context = SpanContext::new(trace, span, flags, true, TraceState::default());
    context.is_valid().then_some(context)
}

fn digits(text: &str, count: usize) -> Option<&str> {
    let lower = |digit: u8| digit.is_ascii_digit() || (b'a'..=b'f').contains(&digit);
    (text.len() == count && text.bytes().all(lower)).then_some(text)
}

impl Trace {
    /// Records what was done in this process, between two moments, for a version of an environment.
    pub(crate) fn record(
        self,
        name: &'static str,
        (began, ended): (SystemTime, SystemTime),
        (environment, version): (&str, i64),
        more: impl IntoIterator<Item = KeyValue>,
    ) {
        let about = [
            KeyValue::new("burgee.environment.id", environment.to_owned()),
            KeyValue::new("burgee.environment.version", version),
        ];
        let (flags, state) = (TraceFlags::SAMPLED, TraceState::default());
        let parent = SpanContext::new(self.trace, self.span, flags, true, state);
        let parent = Context::new().with_remote_span_context(parent);
        let tracer = global::tracer("burgee");
        let span = tracer
            .span_builder(name)
            .with_kind(SpanKind::Consumer)
            .with_start_time(began)
            .with_attributes(about.into_iter().chain(more));
        let mut span = tracer.build_with_context(span, &parent);
        opentelemetry::trace::Span::end_with_timestamp(&mut span, ended);
    }
}

#[cfg(test)]
mod tests {
    use super::{Trace, span_context};

    const SAMPLED: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_sampled_trace_is_read_and_written() {
        let trace: Trace = SAMPLED.parse().unwrap();
        assert_eq!(trace.to_string(), SAMPLED);
        let json = serde_json::to_string(&trace).unwrap();
        assert_eq!(serde_json::from_str::<Trace>(&json).unwrap(), trace);
    }

    #[test]
    fn what_is_not_sampled_is_a_span_and_no_trace() {
        let text = SAMPLED.replace("-01", "-00");
        assert!(span_context(&text).is_some_and(|it| !it.is_sampled()));
        assert!(text.parse::<Trace>().is_err());
    }

    #[test]
    fn a_later_version_may_have_more_and_this_one_may_not() {
        assert!(span_context(&SAMPLED.replacen("00", "cc", 1)).is_some());
        let more = format!("{SAMPLED}-more");
        assert!(span_context(&more).is_none());
        assert!(span_context(&more.replacen("00", "cc", 1)).is_some());
    }

    #[test]
    fn other_texts_are_none() {
        let zero = SAMPLED.replace("00f067aa0ba902b7", "0000000000000000");
        let upper = SAMPLED.to_uppercase();
        let ff = SAMPLED.replacen("00", "ff", 1);
        for text in ["", "00", "00-é", &SAMPLED[..54], &zero, &upper, &ff] {
            assert!(span_context(text).is_none(), "{text}");
        }
    }
}
