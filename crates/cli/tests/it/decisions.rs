//! Decisions outside of the database: in files, and at a collector of OpenTelemetry logs.

use std::io::{BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::mpsc::{Receiver, channel};
use std::thread;

use burgee_testkit::api::{Api, PATIENCE};
use burgee_testkit::sdk::Sdk;
use opentelemetry_proto::tonic::collector::logs::v1::ExportLogsServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value as Any;
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use prost::Message;
use serde_json::{Value, json};

use crate::kit::{Data, Program, apply, flag_on, run, stderr};
use crate::traces::request;

const PROD: &str = "projects/default/environments/prod";

fn person(key: &str) -> Value {
    json!({"keyId": key, "name": "", "customizedProperties": []})
}

/// A server that logs the decisions of all users of `prod`, and a flag.
async fn logging(variables: &[(&str, &str)]) -> (Program, Data, Api) {
    let data = Data::folder();
    let server = Program::start_in(&data, variables);
    let api = server.api(&data.token());
    apply(&api, flag_on("f")).await;
    let all = json!({"decisionLog": {"sample": 1.0}});
    api.patch(PROD, &all).await.expect(200);
    (server, data, api)
}

/// A collector that is busy at first; gives what it was sent then, and the headers of each request.
fn collector() -> (SocketAddr, Receiver<(String, LogRecord)>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (sender, sent) = channel();
    // Ends with the test's process.
    thread::spawn(move || {
        let mut busy = true;
        for stream in listener.incoming().map_while(Result::ok) {
            let mut reader = BufReader::new(stream);
            while let Some((head, body)) = request(&mut reader, "/v1/logs") {
                let status = if busy { "503 Busy" } else { "200 OK" };
                let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
                if !std::mem::take(&mut busy) {
                    let export = ExportLogsServiceRequest::decode(body.as_slice()).unwrap();
                    let logs = export.resource_logs.into_iter();
                    let records = logs.flat_map(|it| it.scope_logs);
                    for record in records.flat_map(|it| it.log_records) {
                        // Nobody listens any more where the test has ended.
                        let _ = sender.send((head.clone(), record));
                    }
                }
                reader.get_mut().write_all(answer.as_bytes()).unwrap();
            }
        }
    });
    (address, sent)
}

fn text<'r>(record: &'r LogRecord, name: &str) -> &'r str {
    let attribute = record.attributes.iter().find(|it| it.key == name);
    let value = attribute.and_then(|it| it.value.as_ref()?.value.as_ref());
    match value {
        Some(Any::StringValue(text)) => text,
        other => panic!("{name} is {other:?}"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn decisions_are_in_a_file_and_at_a_collector() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("decisions.jsonl");
    let (address, sent) = collector();
    let endpoint = format!("http://{address}");
    let (server, data, api) = logging(&[
        ("BURGEE_DECISION_LOG_FILE", file.to_str().unwrap()),
        ("BURGEE_DECISION_LOG_OTLP", &endpoint),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=the%20ships"),
    ])
    .await;
    let sdk = Sdk::client(server.address, &data.sdk_keys("prod").0, &person("ana"));
    assert_eq!(sdk.value("f"), Some("true"));
    let (head, record) = sent.recv_timeout(PATIENCE).unwrap();
    assert!(head.contains("x-tenant: the ships"), "{head}");
    assert_eq!(record.event_name, "feature_flag.evaluation");
    let logged = api.get(&format!("{PROD}/decisions")).await.expect(200);
    let logged = &logged["items"][0];
    for (name, expected) in [
        ("feature_flag.key", &json!("f")),
        ("feature_flag.context.id", &json!("ana")),
        ("feature_flag.result.variant", &logged["variation"]),
        ("feature_flag.result.reason", &json!("default")),
        ("feature_flag.version", &logged["position"]),
        ("burgee.surface", &json!("stream")),
    ] {
        assert_eq!(text(&record, name), expected.as_str().unwrap(), "{name}");
    }
    drop(sdk);
    // What is under way is written before it ends.
    server.stop();
    let lines = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = lines
        .lines()
        .map(|it| serde_json::from_str(it).unwrap())
        .collect();
    assert_eq!(lines.len(), 1, "{lines:#?}");
    for name in [
        "at",
        "user",
        "flag",
        "variation",
        "surface",
        "reason",
        "version",
        "position",
    ] {
        assert_eq!(lines[0][name], logged[name], "{name}");
    }
}

#[test]
fn a_file_that_cannot_be_written_is_no_start() {
    let (data, place) = (Data::folder(), tempfile::tempdir().unwrap());
    let place = place.path().join("nowhere/decisions.jsonl");
    let arguments = |option: &'static str, value: &str| {
        let mut all = vec!["server".to_owned(), option.to_owned(), value.to_owned()];
        all.extend(data.arguments.iter().cloned());
        all
    };
    for (option, value) in [
        ("--decision-log-file", place.to_str().unwrap()),
        ("--decision-log-otlp", "localhost:4318"),
    ] {
        let all = arguments(option, value);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let output = run(&all);
        assert!(!output.status.success());
        assert!(stderr(&output).contains(option), "{}", stderr(&output));
    }
}
