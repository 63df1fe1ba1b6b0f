//! Scenarios of connections against a real server: whether they find it without fault, never how
//! fast it is.

use std::path::Path;

use serde_json::Value;

use crate::kit::{Data, Program, run, stderr};

/// Runs a scenario in its short form; what it found, as JSON. The server must be without fault.
fn measure(scenario: &str, more: &[&str]) -> Value {
    let data = Data::folder();
    let server = Program::start_with(&data, &["--demo"]);
    let keys = data.json(&[
        "sdk-keys",
        "--project",
        "demo",
        "--environment",
        "prod",
        "--json",
    ]);
    let key = |kind: &str| keys[kind].as_str().unwrap().to_owned();
    let (address, token) = (server.address.to_string(), data.token());
    let file = data.path().join("report.json");
    let file = file.to_str().unwrap();
    let (client, server_key) = (key("client"), key("server"));
    let mut command = vec!["bench", scenario, "--short", "--address", &address];
    command.extend(["--client-key", &client, "--server-key", &server_key]);
    command.extend(["--token", &token, "--json", file]);
    command.extend(more);
    let output = run(&command);
    assert!(output.status.success(), "{}", stderr(&output));
    let report = std::fs::read_to_string(Path::new(file)).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["scenario"], scenario);
    let subject = report["subjects"][0].clone();
    assert_eq!(subject["errors"], Value::Array(Vec::new()), "{subject:#}");
    subject
}

fn figure(subject: &Value, name: &str) -> f64 {
    let figures = subject["figures"].as_array().unwrap();
    let found = figures.iter().find(|figure| figure["name"] == name);
    found.unwrap_or_else(|| panic!("{subject:#}"))["value"]
        .as_f64()
        .unwrap()
}

fn count(subject: &Value, latency: &str) -> u64 {
    let latencies = subject["latencies"].as_array().unwrap();
    let found = latencies.iter().find(|found| found["name"] == latency);
    found.unwrap_or_else(|| panic!("{subject:#}"))["count"]
        .as_u64()
        .unwrap()
}

#[test]
fn connections_come_and_each_gets_all_flags() {
    let found = measure(
        "connect",
        &["--rate", "40", "--ramp", "1", "--duration", "2"],
    );
    assert_eq!(count(&found, "sync"), 20 + 80);
    assert_eq!(count(&found, "connect and upgrade"), 20 + 80);
}

#[test]
fn server_sdks_connect_too() {
    let found = measure(
        "connect",
        &["--server-sdks", "--ramp", "0", "--duration", "1"],
    );
    assert_eq!(count(&found, "sync"), 200);
}

#[test]
fn connections_are_held() {
    let found = measure("hold", &["--connections", "180"]);
    assert_eq!(figure(&found, "connections"), 180.0);
    assert_eq!(count(&found, "heartbeat"), 20);
}

#[test]
fn changes_reach_all_held_connections() {
    let found = measure("push", &["--connections", "200"]);
    assert_eq!(count(&found, "push"), 4 * 200);
}

#[test]
fn changes_reach_all_server_sdks() {
    let found = measure("push", &["--connections", "100", "--server-sdks"]);
    assert_eq!(count(&found, "push"), 4 * 100);
}

#[test]
fn a_herd_comes_back() {
    let found = measure("herd", &["--connections", "40"]);
    assert_eq!(figure(&found, "connections"), 40.0);
    assert_eq!(figure(&found, "flags"), 300.0);
    let each = figure(&found, "state") / 300.0;
    assert!((1_700.0..1_800.0).contains(&each), "{each} bytes a flag");
}

#[test]
fn everything_at_once_goes_well() {
    let found = measure("churn", &["--connections", "200"]);
    assert!(figure(&found, "identifies") > 200.0, "{found:#}");
    assert!(figure(&found, "changes") >= 2.0, "{found:#}");
}
