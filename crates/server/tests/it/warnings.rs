//! What authors are told of a flag and of a segment whenever they look at them.

use burgee_domain::import::read;
use burgee_store::{Actor, ImportRequest};
use serde_json::{Value, json};

use crate::kit::{App, flag_on, in_prod, on_each_database, variations};

const SEGMENT: &str = "projects/default/environments/prod/segments/beta";

/// The rule's conditions, for the flag `f` in `prod`.
async fn add_rule(app: &App, conditions: Value) {
    let (on, _) = variations(&app.owner, "f").await;
    let mut command = in_prod("addRule", "f");
    command["rule"] = json!({ "variation": on, "conditions": conditions });
    app.apply(json!([command])).await;
}

/// The warnings about the flag `f` in `prod`, with code and pointer.
async fn warned(app: &App) -> Vec<Value> {
    let flag = app.owner.get("projects/default/flags/f").await.expect(200);
    let warnings = flag["environments"]["prod"]["warnings"].as_array();
    let warnings = warnings.unwrap_or_else(|| panic!("{flag}")).iter();
    warnings
        .map(|it| json!([it["code"], it["pointer"]]))
        .collect()
}

fn on_segment(kind: &str) -> Value {
    json!({"kind": kind, "environment": "prod", "segment": "beta"})
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_that_sdks_do_not_know_is_shown_with_a_warning() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        assert_eq!(warned(app).await, [""; 0]);
        let version = json!([{"property": "app", "op": "SemverBiggerThan", "value": "1.2.3"}]);
        add_rule(app, version.clone()).await;
        let at = "/rules/0/conditions/0/op";
        assert_eq!(warned(app).await, [json!(["operatorUnknownToSdks", at])]);
        let flag = app.owner.get("projects/default/flags/f").await.expect(200);
        let words = "server SDKs (Node.js, Python, Java, Go, .NET) take it as no match";
        let message = &flag["environments"]["prod"]["warnings"][0]["message"];
        assert!(message.as_str().unwrap().contains(words), "{message}");

        let mut make = on_segment("createSegment");
        make["rules"] = json!([{ "conditions": version }]);
        app.apply(json!([make])).await;
        let segment = app.owner.get(SEGMENT).await.expect(200);
        assert_eq!(segment["warnings"][0]["pointer"], at, "{segment}");
        let message = &segment["warnings"][0]["message"];
        assert!(message.as_str().unwrap().contains(words), "{message}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_about_a_segment_that_matches_nobody_is_shown_with_a_warning() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        app.apply(json!([on_segment("createSegment")])).await;
        let segment = app.owner.get(SEGMENT).await.expect(200);
        assert_eq!(segment["warnings"], json!([]), "{segment}");
        let list = json!([segment["id"]]).to_string();
        add_rule(
            app,
            json!([{"property": "User is in segment", "value": list}]),
        )
        .await;
        assert_eq!(warned(app).await, [""; 0]);

        let at = "/rules/0/conditions/0/value";
        app.apply(json!([on_segment("archiveSegment")])).await;
        assert_eq!(warned(app).await, [json!(["segmentArchived", at])]);
        // What is archived itself is not served, and has none; restored, it has them again.
        let flag = |kind: &str| json!({ "kind": kind, "flag": "f" });
        app.apply(json!([flag("archiveFlag")])).await;
        assert_eq!(warned(app).await, [""; 0]);
        app.apply(json!([flag("restoreFlag")])).await;
        assert_eq!(warned(app).await, [json!(["segmentArchived", at])]);
        app.apply(json!([on_segment("restoreSegment")])).await;
        assert_eq!(warned(app).await, [""; 0]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_imported_flag_cannot_do_is_shown_with_a_warning() {
    on_each_database(async |app| {
        let everybody = |id: &str| json!([{ "id": id, "rollout": [0, 1], "exptRollout": 1 }]);
        let rule = |property: &str, op: Value, value: &str| {
            json!({ "id": property, "name": property, "dispatchKey": null,
                "includedInExpt": false, "variations": everybody("t"),
                "conditions": [{ "property": property, "op": op, "value": value }] })
        };
        let at = "2024-01-02T03:04:05.678Z";
        let flag = json!({
            "id": "id-of-f", "createdAt": at, "updatedAt": at, "envId": "theirs", "name": "f",
            "key": "f", "variationType": "boolean", "targetUsers": [],
            "variations": [{ "id": "t", "value": "true" }, { "id": "f", "value": "false" }],
            "rules": [
                rule("User is in segment", Value::Null, r#"["gone"]"#),
                // Ids that no database could hold are asked of none.
                rule("User is not in segment", Value::Null, r#"["\u0000"]"#),
                rule("mail", "MatchRegex".into(), "a(?=b)"),
            ],
            "isEnabled": false, "disabledVariationId": "f", "tags": [], "isArchived": false,
            "fallthrough": { "dispatchKey": null, "includedInExpt": false,
                "variations": everybody("f") },
            "exptIncludeAllTargets": true
        });
        let request = ImportRequest {
            rights: None,
            organization: app.organization.id.clone(),
            actor: Actor::operator(),
            project: "default".into(),
            environment: "prod".into(),
            input: read(&json!([flag]).to_string(), "[]").unwrap(),
            override_reason: None,
            dry_run: false,
            now: burgee_server::now(),
        };
        let imported = app.store.import(&request).await.unwrap();
        assert_eq!(imported.report.refused(), 0, "{:?}", imported.report);
        // Off or on: who turns it on should know.
        let at = |rule: usize| format!("/rules/{rule}/conditions/0/value");
        assert_eq!(
            warned(app).await,
            [
                json!(["segmentUnknown", at(0)]),
                json!(["segmentUnknown", at(1)]),
                json!(["notAPattern", at(2)]),
            ]
        );
    })
    .await;
}
