//! `burgee import featbit`: files in, programs go on with the secrets that they have.

use std::path::PathBuf;

use burgee_testkit::sdk::Sdk;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::kit::{Data, Program, person, stderr};

/// Files to be imported.
struct Files {
    folder: TempDir,
}

impl Files {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    fn write(&self, name: &str, text: &str) -> String {
        let path: PathBuf = self.folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }
}

fn flag(key: &str, segment: &str) -> Value {
    json!({
        "id": format!("id-of-{key}"), "createdAt": "2023-01-16T02:56:19.531Z",
        "updatedAt": "2023-01-28T02:04:55.616Z", "envId": "theirs", "name": key, "key": key,
        "description": "", "variationType": "string", "tags": [], "isArchived": false,
        "variations": [{"id": "a", "value": "A"}, {"id": "b", "value": "B"}],
        "targetUsers": [{"keyIds": ["ann"], "variationId": "b"}],
        "rules": [{"id": "r", "name": "staff", "dispatchKey": null, "includedInExpt": false,
            "conditions": [{"property": "User is in segment", "op": null,
                "value": json!([segment]).to_string()}],
            "variations": [{"id": "b", "rollout": [0, 1], "exptRollout": 1}]}],
        "isEnabled": true, "disabledVariationId": "b", "exptIncludeAllTargets": true,
        "fallthrough": {"dispatchKey": null, "includedInExpt": true,
            "variations": [{"id": "a", "rollout": [0, 1], "exptRollout": 1}]}
    })
}

const SEGMENT: &str = "5f9f3a8e-0000-4000-8000-000000000001";

fn segment() -> Value {
    json!({"id": SEGMENT, "envId": "theirs", "name": "Staff", "description": "",
        "createdAt": "2023-01-16T02:56:19.531Z", "updatedAt": "2023-02-01T00:00:00Z",
        "included": ["sam"], "excluded": [], "rules": [], "isArchived": false})
}

/// A secret as FeatBit makes them: 44 characters.
const SECRET: &str = "JbRr7hNL0kqKqV5bq6Yd9ABuT0z7Kq0UWl8hd1y2JbRr";

#[tokio::test(flavor = "multi_thread")]
async fn a_team_moves_while_its_programs_keep_their_secrets() {
    let (data, files) = (Data::folder(), Files::new());
    let flags = files.write("flags.json", &json!([flag("theme", SEGMENT)]).to_string());
    let segments = files.write("segments.json", &json!([segment()]).to_string());
    let program = Program::start(&data);
    let key = format!("client={SECRET}");
    let command = [
        "import",
        "featbit",
        "--project",
        "default",
        "--environment",
        "prod",
        "--json",
        "--flags",
        &flags,
        "--segments",
        &segments,
        "--sdk-key",
        &key,
    ];
    let report = data.json(&command);
    assert_eq!(report["items"].as_array().unwrap().len(), 2, "{report}");

    // The server that runs notices; the old secret opens it.
    let sdk = |user: &str| Sdk::client(program.address, SECRET, &person(user));
    for (user, value) in [("ann", "B"), ("sam", "B"), ("zoe", "A")] {
        assert_eq!(sdk(user).value("theme"), Some(value), "{user}");
    }
    let api = program.api(&data.token());
    let path = "projects/default/environments/prod";
    let version = api.get(path).await.expect(200)["version"].clone();
    let history = api.get(&format!("{path}/changes")).await.expect(200);
    assert!(
        history["items"].to_string().contains("operator"),
        "{history}"
    );

    // Again: nothing to do.
    data.json(&command);
    assert_eq!(api.get(path).await.expect(200)["version"], version);
}

#[test]
fn what_cannot_be_imported_is_told_and_nothing_is_half_done() {
    let (data, files) = (Data::folder(), Files::new());
    data.token();
    let good = files.write("flags.json", &json!([flag("theme", SEGMENT)]).to_string());
    let broken = files.write("broken.json", "[{]");
    let other = files.write("other.json", r#"{"success": true}"#);
    let refused = |more: &[&str], words: &[&str]| {
        let base = [
            "import",
            "featbit",
            "--project",
            "default",
            "--environment",
            "prod",
        ];
        let output = data.run(&[&base[..], more].concat());
        let said = stderr(&output);
        assert!(!output.status.success(), "{more:?} worked");
        for word in words {
            assert!(
                said.contains(word),
                "{more:?} says nothing of '{word}': {said}"
            );
        }
    };
    refused(
        &["--flags", "/none.json"],
        &["--flags", "/none.json", "No such file"],
    );
    refused(&["--flags", &broken], &["flags", "line 1"]);
    refused(&["--flags", &other], &["flags"]);
    refused(
        &["--flags", &good, "--sdk-key", "mobile=x"],
        &["--sdk-key", "client="],
    );
    refused(
        &["--flags", &good, "--sdk-key", "client=short"],
        &["--sdk-key", "44"],
    );
    assert!(
        !data
            .run(&[
                "import",
                "featbit",
                "--project",
                "none",
                "--environment",
                "prod",
                "--flags",
                &good
            ])
            .status
            .success()
    );
}
