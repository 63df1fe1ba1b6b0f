//! Decisions as log records of OpenTelemetry, by OTLP over HTTP.
//!
//! Each is an event `feature_flag.evaluation`, with the attributes that OpenTelemetry's conventions
//! have for it, and ours beside them. The messages are made here rather than by OpenTelemetry's own
//! logger, since that drops what it has no room for without saying how much.

use std::sync::mpsc::{Receiver, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use burgee_server::decision_log::{Counters, Decision, Outlet};
use bytes::Bytes;
use opentelemetry_http::{HttpClient, Request};
use opentelemetry_proto::tonic::collector::logs::v1::{
    ExportLogsServiceRequest, ExportLogsServiceResponse,
};
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue};
use opentelemetry_proto::tonic::logs::v1::{LogRecord, ResourceLogs, ScopeLogs};
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::transform::common::tonic::ResourceAttributesWithSchema;
use prost::Message;
use tokio::sync::mpsc;

use crate::traces::{self, Exporting};

/// Its name in what is counted.
const NAME: &str = "otlp";

/// How many batches may wait, of some hundred KiB each.
const WAITING: usize = 64;

/// How often a batch is sent that was not taken; pauses double between.
const TRIES: u32 = 6;
const FIRST_PAUSE: Duration = Duration::from_millis(500);

/// How long closing waits for the collector.
const CLOSING: Duration = Duration::from_secs(2);

/// What all programs with OpenTelemetry send along.
const HEADERS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_HEADERS",
    "OTEL_EXPORTER_OTLP_LOGS_HEADERS",
];

/// Severity `INFO`.
const INFO: i32 = 9;

/// Sends decisions to a collector.
#[derive(Debug)]
pub(super) struct Collector {
    /// None once it is closed.
    queue: Mutex<Option<mpsc::Sender<Vec<Decision>>>>,
    ended: Mutex<Receiver<()>>,
    counters: Counters,
}

impl Collector {
    /// Begins to send. To be called on the runtime.
    ///
    /// # Errors
    /// The address is none.
    pub(super) fn new(url: &str, counters: Counters) -> anyhow::Result<Self> {
        let address = format!("{}/v1/logs", url.trim_end_matches('/'));
        let mut head = Request::post(&address).header("content-type", "application/x-protobuf");
        for variable in HEADERS {
            let text = std::env::var(variable).unwrap_or_default();
            for (name, value) in headers(&text) {
                head = head.header(name, value);
            }
        }
        let head = head.body(())?;
        let is_http = matches!(head.uri().scheme_str(), Some("http" | "https"));
        anyhow::ensure!(
            is_http,
            "{url} is no address of the form http://localhost:4318"
        );
        let (queue, batches) = mpsc::channel(WAITING);
        let (end, ended) = channel();
        let sending = Sending {
            client: Exporting::here(),
            head,
            resource: resource(),
            counters: counters.clone(),
            fails: false,
        };
        tokio::spawn(async move {
            sending.run(batches).await;
            // Nobody listens where closing did not wait so long.
            let _late = end.send(());
        });
        Ok(Self {
            queue: Mutex::new(Some(queue)),
            ended: Mutex::new(ended),
            counters,
        })
    }
}

impl Outlet for Collector {
    fn take(&self, decisions: &[Decision]) {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = queue.as_ref().map(|it| it.try_send(decisions.to_vec()));
        if !matches!(sent, Some(Ok(()))) {
            self.counters.dropped(NAME, decisions.len());
        }
    }

    fn close(&self) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        drop(queue.take());
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if ended.recv_timeout(CLOSING).is_err() {
            tracing::warn!("the last decisions were not sent to their collector in time");
        }
    }
}

/// What the task has.
struct Sending {
    client: Exporting,
    head: Request<()>,
    resource: Resource,
    counters: Counters,
    /// Whether the last batch was not taken, and the log says so.
    fails: bool,
}

impl Sending {
    async fn run(mut self, mut batches: mpsc::Receiver<Vec<Decision>>) {
        while let Some(batch) = batches.recv().await {
            let body = Bytes::from(message(&self.resource, &batch).encode_to_vec());
            match self.send(&body).await {
                Ok(refused) => {
                    let count = refused.count.min(batch.len());
                    self.counters.written(NAME, batch.len() - count);
                    self.note(count, &refused.why);
                }
                Err(error) => self.note(batch.len(), &error),
            }
        }
    }

    /// So many of a batch were not taken. It is said once, until one is taken whole.
    fn note(&mut self, count: usize, why: &str) {
        if count > 0 {
            self.counters.dropped(NAME, count);
            if !self.fails {
                tracing::warn!(why, "decisions are not taken by their collector");
            }
        }
        self.fails = count > 0;
    }

    /// Sends a batch until it is taken, at least in part, or refused for good.
    async fn send(&self, body: &Bytes) -> Result<Refused, String> {
        let mut pause = FIRST_PAUSE;
        let mut why = String::new();
        for round in 0..TRIES {
            if round > 0 {
                tokio::time::sleep(pause).await;
                pause *= 2;
            }
            let request = self.head.clone().map(|()| body.clone());
            why = match self.client.send_bytes(request).await {
                Ok(answer) if answer.status().is_success() => {
                    return Ok(Refused::by(answer.body()));
                }
                Ok(answer) => {
                    let status = answer.status();
                    if !matches!(status.as_u16(), 429 | 502 | 503 | 504) {
                        return Err(format!("the answer is {status}"));
                    }
                    format!("the answer is {status}")
                }
                Err(error) => error.to_string(),
            };
        }
        Err(why)
    }
}

/// What a collector did not take of a batch that it took.
#[derive(Debug, Default, PartialEq, Eq)]
struct Refused {
    count: usize,
    why: String,
}

impl Refused {
    /// What the answer says (OTLP, "Partial Success"); an answer that is none says nothing.
    fn by(answer: &[u8]) -> Self {
        let answer = ExportLogsServiceResponse::decode(answer).ok();
        let part = answer.and_then(|it| it.partial_success);
        part.map_or_else(Self::default, |it| Self {
            count: it.rejected_log_records.try_into().unwrap_or_default(),
            why: it.error_message,
        })
    }
}

/// What sends: as of traces.
fn resource() -> Resource {
    let known = traces::resource("burgee-server");
    let attributes = ResourceAttributesWithSchema::from(&known).attributes.0;
    Resource {
        attributes,
        ..Resource::default()
    }
}

fn message(resource: &Resource, decisions: &[Decision]) -> ExportLogsServiceRequest {
    let scope = InstrumentationScope {
        name: "burgee".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..InstrumentationScope::default()
    };
    let logs = ScopeLogs {
        scope: Some(scope),
        log_records: decisions.iter().map(record).collect(),
        ..ScopeLogs::default()
    };
    let logs = ResourceLogs {
        resource: Some(resource.clone()),
        scope_logs: vec![logs],
        ..ResourceLogs::default()
    };
    ExportLogsServiceRequest {
        resource_logs: vec![logs],
    }
}

fn record(decision: &Decision) -> LogRecord {
    let nanos = |ms: i64| u64::try_from(ms).unwrap_or_default() * 1_000_000;
    let texts = decision.texts();
    let position = decision.position.map(|it| it.to_string());
    let given = [
        ("feature_flag.provider.name", "burgee"),
        ("feature_flag.set.id", &*decision.environment),
        ("feature_flag.key", texts.flag),
        ("feature_flag.context.id", texts.user),
        ("feature_flag.result.variant", texts.variation),
        ("feature_flag.result.reason", reason(texts.reason)),
        (
            "feature_flag.version",
            position.as_deref().unwrap_or_default(),
        ),
        ("burgee.flag.id", texts.flag_id),
        ("burgee.surface", texts.surface),
        ("burgee.reason", texts.reason),
        ("burgee.rule", texts.rule),
    ];
    let attributes = given.into_iter().filter(|(_, text)| !text.is_empty());
    LogRecord {
        time_unix_nano: nanos(decision.at),
        observed_time_unix_nano: nanos(burgee_server::now().0),
        severity_number: INFO,
        severity_text: "INFO".to_owned(),
        event_name: "feature_flag.evaluation".to_owned(),
        attributes: attributes.map(|(key, text)| attribute(key, text)).collect(),
        ..LogRecord::default()
    }
}

/// OpenTelemetry's word for a reason.
fn reason(ours: &str) -> &'static str {
    match ours {
        "" => "",
        "off" => "disabled",
        "default" => "default",
        "targeted" | "rule" | "prerequisite" => "targeting_match",
        _ => "unknown",
    }
}

fn attribute(key: &str, text: &str) -> KeyValue {
    let value = Value::StringValue(text.to_owned());
    KeyValue {
        key: key.to_owned(),
        value: Some(AnyValue { value: Some(value) }),
        ..KeyValue::default()
    }
}

/// Headers as the variable has them: `name=value`, separated by commas, the values percent-encoded.
fn headers(text: &str) -> impl Iterator<Item = (&str, String)> {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.trim(), decoded(value.trim())))
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let digits = after.get(..2).and_then(|it| std::str::from_utf8(it).ok());
        let byte = digits.and_then(|it| u8::from_str_radix(it, 16).ok());
        match byte.filter(|_| first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use opentelemetry_proto::tonic::collector::logs::v1::{
        ExportLogsPartialSuccess, ExportLogsServiceResponse,
    };
    use prost::Message;

    use super::{Refused, headers};

    #[test]
    fn what_a_collector_does_not_take_of_a_batch_is_read() {
        let part = ExportLogsPartialSuccess {
            rejected_log_records: 2,
            error_message: "too old".to_owned(),
        };
        let answer = ExportLogsServiceResponse {
            partial_success: Some(part),
        };
        let refused = Refused {
            count: 2,
            why: "too old".to_owned(),
        };
        assert_eq!(Refused::by(&answer.encode_to_vec()), refused);
        for nothing in [&b""[..], b"{}", b"\xff"] {
            assert_eq!(Refused::by(nothing), Refused::default());
        }
    }

    #[test]
    fn headers_are_read_as_other_programs_read_them() {
        let text = "Authorization=Basic%20YTpi, x-tenant = a=b ,none,half=50%";
        let found: Vec<_> = headers(text).collect();
        let expected = [
            ("Authorization", "Basic YTpi"),
            ("x-tenant", "a=b"),
            ("half", "50%"),
        ];
        assert_eq!(
            found,
            expected.map(|(name, value)| (name, value.to_owned()))
        );
        assert_eq!(headers("").count(), 0);
    }
}
