//! What a collector of traces gets of a change: from the request to the push.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

use burgee_testkit::api::PATIENCE;
use burgee_testkit::sdk::Sdk;
use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use serde_json::json;

use crate::kit::{Data, Program, apply, flag_on, in_prod};

/// A collector that keeps what it is sent.
struct Collector {
    address: SocketAddr,
    sent: Receiver<Span>,
    seen: Vec<Span>,
}

impl Collector {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (sender, sent) = channel();
        // Ends with the test's process.
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let sender = sender.clone();
                thread::spawn(move || take(stream, &sender));
            }
        });
        Self {
            address,
            sent,
            seen: Vec::new(),
        }
    }

    /// A server that tells it, and its data.
    fn server(&self) -> (Program, Data) {
        self.server_with(&[])
    }

    /// The same with further variables.
    fn server_with(&self, more: &[(&str, &str)]) -> (Program, Data) {
        let data = Data::folder();
        let endpoint = format!("http://{}", self.address);
        let mut variables = vec![
            ("OTEL_EXPORTER_OTLP_ENDPOINT", endpoint.as_str()),
            ("OTEL_BSP_SCHEDULE_DELAY", "50"),
        ];
        variables.extend(more);
        (Program::start_in(&data, &variables), data)
    }

    /// The span of a trace with this name, when it is there.
    fn span(&mut self, trace: &[u8], name: &str) -> Span {
        loop {
            let named = |it: &&Span| it.trace_id == trace && it.name == name;
            if let Some(found) = self.seen.iter().find(named) {
                return found.clone();
            }
            let next = self.sent.recv_timeout(PATIENCE);
            let names = || self.seen.iter().map(|it| &it.name).collect::<Vec<_>>();
            self.seen
                .push(next.unwrap_or_else(|_| panic!("no '{name}' in {:?}", names())));
        }
    }
}

/// Answers exports until the connection ends.
fn take(stream: TcpStream, sender: &Sender<Span>) {
    let mut reader = BufReader::new(stream);
    while let Some((_, body)) = request(&mut reader, "/v1/traces") {
        let export = ExportTraceServiceRequest::decode(body.as_slice()).unwrap();
        let scopes = export
            .resource_spans
            .into_iter()
            .flat_map(|it| it.scope_spans);
        for span in scopes.flat_map(|it| it.spans) {
            // Nobody listens any more where the test has ended.
            let _ = sender.send(span);
        }
        let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/x-protobuf\r\n\
                      content-length: 0\r\n\r\n";
        reader.get_mut().write_all(answer.as_bytes()).unwrap();
    }
}

/// Reads an export to a path: its headers, and its body.
pub(crate) fn request(reader: &mut BufReader<TcpStream>, path: &str) -> Option<(String, Vec<u8>)> {
    let (mut head, mut length) = (String::new(), 0);
    let mut first = String::new();
    reader.read_line(&mut first).ok().filter(|it| *it > 0)?;
    assert!(first.starts_with(&format!("POST {path} ")), "{first}");
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let line = line.trim().to_ascii_lowercase();
        if let Some(value) = line.strip_prefix("content-length:") {
            length = value.trim().parse().unwrap();
        }
        if line.is_empty() {
            let mut body = vec![0; length];
            return reader.read_exact(&mut body).ok().map(|()| (head, body));
        }
        head.push_str(&line);
        head.push('\n');
    }
}

fn number(span: &Span, name: &str) -> i64 {
    let attribute = span.attributes.iter().find(|it| it.key == name);
    let value = attribute.and_then(|it| it.value.as_ref()?.value.as_ref());
    match value {
        Some(Any::IntValue(number)) => *number,
        other => panic!("{name} of '{}' is {other:?}", span.name),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_traced_from_the_request_to_the_push() {
    let mut collector = Collector::start();
    let (server, data) = collector.server();
    let api = server.api(&data.token());
    apply(&api, flag_on("f")).await;
    let mut sdk = Sdk::server(server.address, &data.sdk_keys("prod").1);

    let caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    let traced = api.with_header("traceparent", caller);
    apply(&traced, json!([in_prod("turnOff", "f")])).await;
    sdk.until(|it| it.is_on("f") == Some(false));

    let trace = 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736_u128.to_be_bytes();
    let request = collector.span(&trace, "POST /api/v1/projects/{project}/changes");
    assert_eq!(
        request.parent_span_id,
        0x00f0_67aa_0ba9_02b7_u64.to_be_bytes()
    );
    assert_eq!(number(&request, "http.response.status_code"), 200);
    let applied = collector.span(&trace, "apply a change set");
    assert_eq!(applied.parent_span_id, request.span_id);
    let taken_up = collector.span(&trace, "take up a version");
    assert_eq!(taken_up.parent_span_id, applied.span_id);
    let pushed = collector.span(&trace, "push a version");
    assert_eq!(pushed.parent_span_id, applied.span_id);
    assert_eq!(number(&pushed, "burgee.connections"), 1);
    assert_eq!(
        number(&pushed, "burgee.environment.version"),
        number(&taken_up, "burgee.environment.version")
    );
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_whose_trace_is_not_sampled_is_not_traced() {
    let mut collector = Collector::start();
    let (server, data) = collector.server();
    let api = server.api(&data.token());
    let quiet = "00-00000000000000000000000000000001-00f067aa0ba902b7-00";
    apply(&api.with_header("traceparent", quiet), flag_on("f")).await;
    let loud = "00-00000000000000000000000000000002-00f067aa0ba902b7-01";
    let api = server.api(&data.token()).with_header("traceparent", loud);
    apply(&api, json!([in_prod("turnOff", "f")])).await;
    collector.span(&2_u128.to_be_bytes(), "apply a change set");
    let quiet = 1_u128.to_be_bytes();
    assert!(collector.seen.iter().all(|it| it.trace_id != quiet));
    // What is left is sent before it ends.
    server.stop();
}

/// Changes a flag in a trace that its caller has sampled.
async fn change_in_a_loud_trace(server: &Program, data: &Data) {
    let loud = "00-00000000000000000000000000000003-00f067aa0ba902b7-01";
    let api = server.api(&data.token()).with_header("traceparent", loud);
    apply(&api, flag_on("f")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_the_servers_sampler_decides_callers_do_not() {
    let collector = Collector::start();
    let none = [
        ("OTEL_TRACES_SAMPLER", "traceidratio"),
        ("OTEL_TRACES_SAMPLER_ARG", "0"),
    ];
    let (server, data) = collector.server_with(&none);
    change_in_a_loud_trace(&server, &data).await;
    // What was recorded is sent before it ends.
    server.stop();
    assert!(collector.sent.try_recv().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_protocol_that_is_not_spoken_is_said_and_a_server_starts_without_traces() {
    let collector = Collector::start();
    for (name, value) in [
        ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
        ("OTEL_SDK_DISABLED", "true"),
    ] {
        let (server, data) = collector.server_with(&[(name, value)]);
        let said = server.said().join("\n");
        assert!(said.contains("no traces are exported"), "{said}");
        assert!(said.contains(&format!("{name} is {value}")), "{said}");
        change_in_a_loud_trace(&server, &data).await;
        server.stop();
    }
    assert!(collector.sent.try_recv().is_err());
}
