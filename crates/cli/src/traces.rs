//! Where traces go: a collector that speaks OTLP over HTTP, if one is named.
//!
//! What is common to all programs with OpenTelemetry is configured as for all of them, by its
//! variables: `OTEL_SERVICE_NAME`, `OTEL_RESOURCE_ATTRIBUTES`, `OTEL_TRACES_SAMPLER`,
//! `OTEL_EXPORTER_OTLP_HEADERS`, `OTEL_BSP_…`. Who runs a cluster may set them for all programs in it, so
//! those that say that there are to be no traces, or by a protocol that is not spoken here, are no reason
//! not to start.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use async_trait::async_trait;
use burgee_relay::upstream;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioExecutor;
use opentelemetry::KeyValue;
use opentelemetry::global;
use opentelemetry_http::{HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithExportConfig, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::resource::EnvResourceDetector;
use opentelemetry_sdk::trace::SdkTracerProvider;

use tokio::runtime::Handle;

use crate::args::TraceArgs;

/// Sends what is left when it goes.
pub(crate) struct Traces(Option<SdkTracerProvider>);

impl Traces {
    /// Ends without what is left: nobody waits for it any more.
    pub(crate) fn give_up(mut self) {
        // Its thread ends with the process.
        std::mem::forget(self.0.take());
    }
}

/// Begins to export spans, where a collector is named and the variables of all programs let us.
pub(crate) fn start(args: &TraceArgs, service: &'static str) -> anyhow::Result<Traces> {
    let Some(endpoint) = &args.otlp_endpoint else {
        return Ok(Traces(None));
    };
    if let Some(why) = refusal(|name| std::env::var(name).ok()) {
        tracing::warn!(why, "no traces are exported");
        return Ok(Traces(None));
    }
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(Exporting::here())
        .with_endpoint(format!("{}/v1/traces", endpoint.trim_end_matches('/')))
        .build()
        .context("--otlp-endpoint")?;
    let provider = SdkTracerProvider::builder()
        .with_batch_exporter(exporter)
        .with_resource(resource(service))
        .build();
    global::set_tracer_provider(provider.clone());
    Ok(Traces(Some(provider)))
}

/// What the process calls itself.
pub(crate) fn resource(service: &'static str) -> Resource {
    let mut resource = Resource::builder()
        .with_attribute(KeyValue::new("service.version", env!("CARGO_PKG_VERSION")));
    if std::env::var_os("OTEL_SERVICE_NAME").is_none() {
        resource = resource.with_service_name(service);
    }
    let detector = Box::new(EnvResourceDetector::new());
    resource.with_detector(detector).build()
}

/// Why variables of OpenTelemetry say that nothing is to be exported, or not as it is done here.
fn refusal(variable: impl Fn(&str) -> Option<String>) -> Option<String> {
    let set = |name| variable(name).filter(|it| !it.is_empty());
    if set("OTEL_SDK_DISABLED").is_some_and(|it| it.eq_ignore_ascii_case("true")) {
        return Some("OTEL_SDK_DISABLED is true".to_owned());
    }
    let named = |name| Some((name, set(name)?));
    // The one that is for traces alone goes before.
    let (name, protocol) = named("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
        .or_else(|| named("OTEL_EXPORTER_OTLP_PROTOCOL"))?;
    let spoken = protocol.eq_ignore_ascii_case(SPOKEN);
    (!spoken).then(|| format!("{name} is {protocol}: {SPOKEN} is spoken here (port 4318, mostly)"))
}

/// The protocol of what is exported.
const SPOKEN: &str = "http/protobuf";

/// How long an export may take.
const WITHIN: Duration = Duration::from_secs(10);

/// How long the last export may take: nobody waits long for a process that was told to end.
const AT_THE_END: Duration = Duration::from_secs(1);

/// The most bytes of a collector's answer: it says what it did not take.
const MOST: usize = 1024 * 1024;

/// Asks a collector. The exporter has a thread of its own; what is sent, is sent by the runtime.
#[derive(Clone, Debug)]
pub(crate) struct Exporting {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    runtime: Handle,
}

impl Exporting {
    /// To be called on the runtime.
    pub(crate) fn here() -> Self {
        let connector = HttpsConnectorBuilder::new()
            .with_tls_config(Arc::unwrap_or_clone(upstream::tls()))
            .https_or_http()
            .enable_http1()
            .build();
        Self {
            client: Client::builder(TokioExecutor::new()).build(connector),
            runtime: Handle::current(),
        }
    }
}

#[async_trait]
impl HttpClient for Exporting {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let asked = async move {
            let answer = client.request(request.map(Full::new)).await?;
            let (head, body) = answer.into_parts();
            let body = Limited::new(body, MOST).collect().await?;
            Ok(Response::from_parts(head, body.to_bytes()))
        };
        let in_time = async { tokio::time::timeout(WITHIN, asked).await? };
        self.runtime.spawn(in_time).await?
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        let ended = self
            .0
            .as_ref()
            .map(|it| it.shutdown_with_timeout(AT_THE_END));
        if let Some(Err(error)) = ended {
            tracing::warn!(%error, "the last spans were not exported");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::refusal;

    fn refused(variables: &[(&str, &str)]) -> Option<String> {
        refusal(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn what_all_programs_are_told_decides_whether_anything_is_exported() {
        const OF_ALL: &str = "OTEL_EXPORTER_OTLP_PROTOCOL";
        const OF_TRACES: &str = "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL";
        assert_eq!(refused(&[]), None);
        assert_eq!(refused(&[("OTEL_SDK_DISABLED", "false")]), None);
        assert_eq!(refused(&[(OF_ALL, "http/protobuf")]), None);
        assert_eq!(refused(&[(OF_ALL, "")]), None, "as if it were not there");
        assert_eq!(
            refused(&[(OF_ALL, "grpc"), (OF_TRACES, "http/protobuf")]),
            None
        );
        let disabled = refused(&[("OTEL_SDK_DISABLED", "TRUE")]).unwrap();
        assert!(disabled.contains("OTEL_SDK_DISABLED"), "{disabled}");
        for name in [OF_ALL, OF_TRACES] {
            for other in ["grpc", "http/json"] {
                let why = refused(&[(name, other)]).unwrap();
                let expected = format!("{name} is {other}: http/protobuf");
                assert!(why.starts_with(&expected), "{why}");
            }
        }
    }
}
