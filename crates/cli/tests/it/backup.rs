//! A copy of the data, made while a server runs, and put back.

use burgee_testkit::api::Api;
use burgee_testkit::sdk::{Kind, Sdk};
use serde_json::{Value, json};

use crate::kit::{Data, Program, stderr};

fn change(kind: &str, flag: &str) -> Value {
    json!({"kind": kind, "environment": "prod", "flag": flag})
}

async fn apply(api: &Api, commands: Value) {
    let body = json!({ "commands": commands });
    api.post("projects/default/changes", &body)
        .await
        .expect(200);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_restored_is_what_programs_get_though_they_are_ahead() {
    let data = Data::folder();
    let server = Program::start(&data);
    let api = Api::new(server.address).with_token(&data.token());
    let create = json!({"kind": "createFlag", "flag": "f", "type": "boolean"});
    apply(&api, json!([create, change("turnOn", "f")])).await;
    let copies = tempfile::tempdir().unwrap();
    let to = copies.path().join("monday");
    let to = to.to_str().unwrap();
    let made = data.run(&["backup", "--to", to]);
    assert!(made.status.success(), "{}", stderr(&made));
    let again = data.run(&["backup", "--to", to]);
    assert!(!again.status.success(), "a backup is not written over");

    // What the copy does not know, and an SDK that has it.
    apply(&api, json!([change("turnOff", "f")])).await;
    let lost = json!({"kind": "createFlag", "flag": "lost", "type": "boolean"});
    apply(&api, json!([lost, change("turnOn", "lost")])).await;
    let (_, secret) = data.sdk_keys("prod");
    let ahead = Sdk::server(server.address, &secret);
    assert_eq!(ahead.is_on("f"), Some(false));

    let refused = data.run(&["restore", "--from", to, "--overwrite"]);
    assert!(!refused.status.success());
    assert!(
        stderr(&refused).contains("stop the server"),
        "{}",
        stderr(&refused)
    );
    apply(&api, json!([change("turnOff", "lost")])).await;
    server.stop();
    let refused = data.run(&["restore", "--from", to]);
    assert!(!refused.status.success());
    assert!(
        stderr(&refused).contains("--overwrite"),
        "{}",
        stderr(&refused)
    );
    let restored = data.run(&["restore", "--from", to, "--overwrite"]);
    assert!(restored.status.success(), "{}", stderr(&restored));

    let server = Program::start(&data);
    let mut sdk = Sdk::connect(server.address, Kind::Server, &secret);
    let answer = sdk.sync(ahead.newest());
    assert_eq!(answer["eventType"], "full", "{answer}");
    assert_eq!(sdk.is_on("f"), Some(true));
    assert!(!sdk.flags.contains_key("lost"));
    assert!(sdk.newest() > ahead.newest(), "SDKs take nothing older");
    let verified = data.run(&["audit", "verify"]);
    assert!(verified.status.success(), "{verified:?}");
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_that_is_not_whole_is_refused_and_changes_nothing() {
    let data = Data::folder();
    data.token();
    let copies = tempfile::tempdir().unwrap();
    let to = copies.path().join("copy");
    let made = data.run(&["backup", "--to", to.to_str().unwrap()]);
    assert!(made.status.success(), "{}", stderr(&made));
    let before = std::fs::read(data.path().join("burgee.db")).unwrap();
    let whole = std::fs::read(to.join("burgee.db")).unwrap();
    let mut damaged = whole.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    for bytes in [damaged, whole[..middle].to_vec()] {
        std::fs::write(to.join("burgee.db"), bytes).unwrap();
        let refused = data.run(&["restore", "--from", to.to_str().unwrap(), "--overwrite"]);
        assert!(!refused.status.success());
        assert_eq!(
            std::fs::read(data.path().join("burgee.db")).unwrap(),
            before
        );
    }
    std::fs::remove_file(to.join("backup.json")).unwrap();
    let refused = data.run(&["restore", "--from", to.to_str().unwrap(), "--overwrite"]);
    assert!(!refused.status.success());

    // A copy goes into a folder that is not there yet.
    std::fs::remove_dir_all(&to).unwrap();
    data.run(&["backup", "--to", to.to_str().unwrap()]);
    let other = Data::folder();
    let restored = other.run(&["restore", "--from", to.to_str().unwrap()]);
    assert!(restored.status.success(), "{}", stderr(&restored));
    assert_eq!(other.sdk_keys("prod"), data.sdk_keys("prod"));
}

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_is_left_to_its_own_tools() {
    let url = burgee_testkit::postgres::database().await.unwrap();
    let data = Data::postgres(url);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path().join("copy");
    for command in [["backup", "--to"], ["restore", "--from"]] {
        let [command, option] = command;
        let refused = data.run(&[command, option, folder.to_str().unwrap()]);
        assert!(!refused.status.success());
        assert!(stderr(&refused).contains("pg_dump"), "{}", stderr(&refused));
    }
}
