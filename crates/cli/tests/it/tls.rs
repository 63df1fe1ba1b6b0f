//! TLS of the program's own: a relay is fed over it, and what cannot be used is said at the start.

use std::path::{Path, PathBuf};

use burgee_testkit::sdk::Sdk;
use serde_json::json;

use crate::kit::{Data, Program, apply, burgee, flag_on, person, run, stderr};

fn fixture(name: &str) -> String {
    let edge: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../edge/tests/tls");
    edge.join(name).to_str().unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_is_fed_over_tls_by_whom_it_believes() {
    let data = Data::folder();
    let plain = Program::start(&data);
    let api = plain.api(&data.token());
    let key = api
        .post(
            "relay-keys",
            &json!({ "name": "near", "scope": { "all": true } }),
        )
        .await
        .expect(201);
    apply(&api, flag_on("over-tls")).await;
    plain.stop();

    let (certificate, its_key) = (fixture("first.crt"), fixture("first.key"));
    let server = Program::start_with(&data, &["--tls-cert", &certificate, "--tls-key", &its_key]);
    let said = server.said().join("\n");
    assert!(said.contains("\"https://127.0.0.1:"), "{said}");

    let folder = tempfile::tempdir().unwrap();
    let upstream = format!("https://localhost:{}", server.address.port());
    let more = [
        "--upstream",
        &upstream,
        "--key",
        key["secret"].as_str().unwrap(),
        "--data-dir",
        folder.path().to_str().unwrap(),
    ];
    let mut relay = Program::relay(&more, |arguments| {
        let mut command = burgee(arguments);
        command.env("SSL_CERT_FILE", &certificate);
        command
    });
    relay.says("environments are served");
    let (client, _) = data.sdk_keys("prod");
    let sdk = Sdk::client(relay.address, &client, &person("bob"));
    assert_eq!(sdk.value("over-tls"), Some("true"));
    drop(sdk);
    relay.stop();
    server.stop();
}

#[test]
fn what_cannot_be_used_ends_the_start_with_option_and_file() {
    let data = Data::folder();
    let (certificate, key) = (fixture("first.crt"), fixture("second.key"));
    let output = data.run(&["server", "--tls-cert", &certificate, "--tls-key", &key]);
    assert!(!output.status.success());
    let said = stderr(&output);
    let expected =
        format!("--tls-key {key}: it is not the key of the certificate in {certificate}");
    assert!(said.contains(&expected), "{said}");
    assert!(!data.path().exists(), "nothing was begun");

    let output = run(&[
        "relay",
        "--upstream",
        "http://127.0.0.1:1",
        "--key",
        "rp-x",
        "--tls-cert",
        &certificate,
    ]);
    assert!(!output.status.success());
    assert!(stderr(&output).contains("--tls-key"), "{}", stderr(&output));
}
