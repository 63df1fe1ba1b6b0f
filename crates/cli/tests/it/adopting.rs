//! `import featbit --sdk-key`: all of it or nothing.

use serde_json::{Value, json};

use crate::kit::{Data, stderr};

/// A secret of FeatBit's form.
fn secret(letter: &str) -> String {
    letter.repeat(44)
}

/// The arguments of an import of one flag into an environment.
fn import(data: &Data, environment: &'static str, keys: &[String]) -> std::process::Output {
    let file = data.path().parent().unwrap().join("flags.json");
    let flag = json!([{
        "id": "0a2d1a60-0e4f-4d6f-9d57-0f7cf1b0b0a1", "key": "moved", "name": "moved",
        "envId": "6a0c33a4-4b0c-4f0e-9fb5-2b4b2f8f1f11", "variationType": "boolean",
        "variations": [{ "id": "t", "value": "true", "name": "on" },
            { "id": "f", "value": "false", "name": "off" }],
        "targetUsers": [], "rules": [], "isEnabled": true, "disabledVariationId": "f",
        "fallthrough": { "includedInExpt": false,
            "variations": [{ "id": "t", "rollout": [0, 1], "exptRollout": 1 }] },
        "exptIncludeAllTargets": true, "isArchived": false,
        "createdAt": "2025-01-01T00:00:00Z", "updatedAt": "2025-01-01T00:00:00Z" }]);
    std::fs::write(&file, flag.to_string()).unwrap();
    let place = ["--project", "default", "--environment", environment];
    let mut arguments = vec!["import", "featbit", "--flags", file.to_str().unwrap()];
    arguments.extend(place);
    arguments.extend(keys.iter().flat_map(|key| ["--sdk-key", key]));
    arguments.push("--json");
    data.run(&arguments)
}

fn report(output: &std::process::Output) -> Value {
    assert!(output.status.success(), "{}", stderr(output));
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn a_secret_that_cannot_be_adopted_stops_the_import_before_it_begins() {
    let data = Data::folder();
    data.token();
    let (_, taken) = data.sdk_keys("dev");
    let good = format!("client={}", secret("a"));
    let bad = [
        ("server=short".to_owned(), "44 characters"),
        (format!("relay={}", secret("b")), "client=SECRET"),
        (format!("server={taken}"), "in use"),
        (format!("server={}", secret("a")), "twice"),
    ];
    for (bad, why) in bad {
        let refused = import(&data, "prod", &[good.clone(), bad]);
        assert!(!refused.status.success());
        let said = stderr(&refused);
        assert!(said.contains("--sdk-key") && said.contains(why), "{said}");
        assert!(!said.contains(&secret("a")), "a secret is shown: {said}");
    }
    // Nothing was done: all is new now, and all is there the second time.
    let imported = report(&import(&data, "prod", std::slice::from_ref(&good)));
    assert_eq!(imported["items"][0]["result"], "created", "{imported}");
    let adopted = json!([{ "kind": "client", "result": "created" }]);
    assert_eq!(imported["sdkKeys"], adopted);
    assert_eq!(data.sdk_keys("prod").0, secret("a"));
    let again = report(&import(&data, "prod", &[good]));
    assert_eq!(again["items"][0]["result"], "unchanged", "{again}");
    assert_eq!(again["sdkKeys"][0]["result"], "unchanged");
}
