//! A project as a file: kept, planned, applied.

use std::path::Path;
use std::process::Output;

use burgee_testkit::sdk::Sdk;
use serde_json::{Value, json};

use crate::kit::{Data, Program, apply, flag_on, stderr};

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn export(data: &Data) -> String {
    let made = data.run(&["export", "--project", "default"]);
    assert!(made.status.success(), "{}", stderr(&made));
    stdout(&made)
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_are_kept_in_a_file_and_a_running_server_follows() {
    let data = Data::folder();
    let server = Program::start(&data);
    let api = server.api(&data.token());
    apply(&api, flag_on("f")).await;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flags.yaml");
    let file = path.to_str().unwrap();
    let before = export(&data);
    std::fs::write(&path, &before).unwrap();
    let plan = data.run(&["plan", file]);
    assert_eq!(
        plan.status.code(),
        Some(0),
        "{}{}",
        stdout(&plan),
        stderr(&plan)
    );
    assert_eq!(export(&data), before, "the same each time");

    let (_, secret) = data.sdk_keys("prod");
    let mut sdk = Sdk::server(server.address, &secret);
    assert_eq!(sdk.is_on("f"), Some(true));
    let edited = before.replace("enabled: true", "enabled: false");
    assert_ne!(edited, before);
    std::fs::write(&path, &edited).unwrap();
    let plan = data.run(&["plan", file]);
    assert_eq!(plan.status.code(), Some(2), "{}", stderr(&plan));
    assert!(
        stdout(&plan).contains("flag f: changed"),
        "{}",
        stdout(&plan)
    );
    let unasked = data.run(&["apply", file]);
    assert_eq!(unasked.status.code(), Some(1), "nobody said yes");
    assert_eq!(sdk.is_on("f"), Some(true));
    let applied = data.run(&["apply", file, "--yes", "--comment", "from Git"]);
    assert!(applied.status.success(), "{}", stderr(&applied));
    sdk.until(|sdk| sdk.is_on("f") == Some(false));
    assert_eq!(export(&data), edited);
    let history = api
        .get("projects/default/changes?limit=1")
        .await
        .expect(200);
    assert_eq!(history["items"][0]["comment"], "from Git");
    assert_eq!(history["items"][0]["actor"], "operator");
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn approvals_are_gone_without_for_a_reason_alone() {
    let data = Data::folder();
    let server = Program::start(&data);
    let api = server.api(&data.token());
    apply(&api, flag_on("f")).await;
    let rules = json!({"approvals": {"required": 1}});
    let path = "projects/default/environments/prod/rules";
    api.put(path, &rules).await.expect(200);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("flags.yaml");
    let file = path.to_str().unwrap();
    let edited = export(&data).replace("enabled: true", "enabled: false");
    std::fs::write(&path, &edited).unwrap();
    let plan = data.run(&["plan", file, "--json"]);
    assert_eq!(plan.status.code(), Some(2), "{}", stderr(&plan));
    let plan: Value = serde_json::from_slice(&plan.stdout).unwrap();
    let set = &plan["changeSets"][0];
    assert_eq!(set["needs"][0]["missing"], 1, "{plan}");
    assert_eq!(set["commands"][0]["kind"], "turnOff", "{plan}");
    assert!(set["base"]["default/prod"].is_i64(), "{plan}");
    let refused = data.run(&["apply", file, "--yes"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stdout(&refused).contains("default/prod asks for 1"),
        "{}",
        stdout(&refused)
    );
    let applied = data.run(&["apply", file, "--yes", "--override", "it burns"]);
    assert!(applied.status.success(), "{}", stderr(&applied));
    let history = api
        .get("projects/default/changes?limit=1")
        .await
        .expect(200);
    assert_eq!(history["items"][0]["overridden"]["reason"], "it burns");
    server.stop();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_cannot_be_meant_says_where_and_changes_nothing() {
    let data = Data::folder();
    data.token();
    let before = export(&data);
    let folder = tempfile::tempdir().unwrap();
    let plan = |text: &str| {
        let path = folder.path().join("file");
        std::fs::write(&path, text).unwrap();
        data.run(&["apply", "--yes", path.to_str().unwrap()])
    };
    let flag = |more: serde_json::Value| {
        let mut flag = json!({"type": "boolean", "variations": [{"value": "true"}]});
        for (name, value) in more.as_object().unwrap() {
            flag[name] = value.clone();
        }
        json!({"burgee": 1, "project": "default", "flags": {"f": flag}}).to_string()
    };
    let deep = format!("{}1{}", "[".repeat(100_000), "]".repeat(100_000));
    let bomb = "burgee: 1\nproject: &a default\nflags: {x: *a}\n";
    let missing = flag(json!({"environments": {"nowhere": {"enabled": true}}}));
    let label = flag(json!({"environments": {"prod": {"enabled": true,
        "offVariation": "blue"}}}));
    for (text, said) in [
        ("", "burgee"),
        ("burgee: 2\nproject: default\n", "version"),
        ("burgee: 1\nproject: default\nflag: {}\n", "flag"),
        ("burgee: 1\nproject: nowhere\n", "nowhere"),
        ("burgee: 1\nproject: default\nflags:\n  a: 1\n", ""),
        (&*deep, ""),
        (&*format!("burgee: {deep}"), ""),
        (bomb, ""),
        (&*missing, "/flags/f/environments/nowhere"),
        (&*label, "/flags/f/environments/prod/offVariation"),
        (
            &*flag(json!({"type": "string", "name": "x".repeat(300)})),
            "flag f",
        ),
    ] {
        let refused = plan(text);
        let shown: String = text.chars().take(60).collect();
        assert_eq!(
            refused.status.code(),
            Some(1),
            "{shown}: {}",
            stdout(&refused)
        );
        assert!(
            stderr(&refused).contains(said),
            "{shown}: {}",
            stderr(&refused)
        );
    }
    assert_eq!(export(&data), before);
    let gone = data.run(&["plan", Path::new("/nowhere").to_str().unwrap()]);
    assert_eq!(gone.status.code(), Some(1));
}
