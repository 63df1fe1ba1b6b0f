//! What authors are told of a flag and of a segment whenever they look at them.

use burgee_domain::import::read;
use burgee_eval::time::Millis;
use burgee_server::now;
use burgee_store::traffic::{Batch, Count};
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
            comment: "Imported from FeatBit".to_owned(),
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

/// Evaluations of a flag in an environment, so many hours ago each.
async fn evaluated(app: &App, sequence: i64, flag: &str, environment: &str, hours: &[i64]) {
    let path = format!("projects/default/environments/{environment}");
    let environment = app.owner.get(&path).await.expect(200);
    let path = format!("projects/default/flags/{flag}");
    let flag = app.owner.get(&path).await.expect(200);
    let text = |of: &Value, name: &str| of[name].as_str().unwrap().to_owned();
    let counts = hours.iter().map(|hours| Count {
        environment: text(&environment, "id").into(),
        flag: text(&flag, "key").into(),
        flag_id: text(&flag, "id").into(),
        variation: text(&flag["variations"][0], "id").into(),
        minute: Millis(now().0 - hours * 3_600_000),
        count: 7,
    });
    let batch = Batch {
        sender: "test".into(),
        sequence,
        at: now(),
        counts: counts.collect(),
        ..Batch::default()
    };
    app.store.traffic().write(&batch).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn who_archives_a_flag_that_is_still_evaluated_is_told() {
    on_each_database(async |app| {
        for flag in ["used", "unused"] {
            app.apply(flag_on(flag)).await;
        }
        evaluated(app, 1, "used", "prod", &[1, 30, 200]).await;
        evaluated(app, 2, "used", "dev", &[100]).await;
        evaluated(app, 3, "unused", "prod", &[169]).await;
        let archive = json!([{"kind": "archiveFlag", "flag": "unused"},
            {"kind": "archiveFlag", "flag": "used"}]);
        let ask = async |by: &burgee_testkit::api::Api| {
            let ask = json!({"commands": archive, "dryRun": true});
            let answer = by.post("projects/default/changes", &ask).await.expect(200);
            answer["warnings"].clone()
        };
        let told = ask(&app.owner).await;
        let [warning] = told.as_array().unwrap().as_slice() else {
            panic!("{told}");
        };
        assert_eq!(warning["code"], "flagStillEvaluated");
        assert_eq!(warning["command"], 1);
        let params = &warning["params"];
        assert_eq!(params["flag"], "used");
        assert_eq!(params["environments"], "prod,dev");
        assert_eq!(params["evaluations"], "21");
        let last = Millis::parse(params["lastEvaluatedAt"].as_str().unwrap()).unwrap();
        assert_eq!((now().0 - last.0) / 3_600_000, 1);

        // Of the places that they may see.
        let policy = json!({"key": "dev-alone", "name": "Dev", "statements": [
            {"effect": "allow", "actions": ["*"], "resources": ["*"]},
            {"effect": "deny", "actions": ["environment.read"], "resources": ["project/*:env/prod"]}]});
        app.owner.post("policies", &policy).await.expect(201);
        let told = ask(&app.caller("dora", "dev-alone").await).await;
        assert_eq!(told[0]["params"]["environments"], "dev", "{told}");
        assert_eq!(told[0]["params"]["evaluations"], "7");

        // A request shows it to its reviewers, and who applies it is told.
        let mut commands = archive.clone();
        for command in commands.as_array_mut().unwrap() {
            command["project"] = json!("default");
        }
        let ask = json!({"title": "Away with it", "commands": commands});
        let request = app.owner.post("requests", &ask).await.expect(201);
        assert_eq!(request["now"]["warnings"][0]["code"], "flagStillEvaluated", "{request}");
        let apply = format!("requests/{}/apply", request["id"].as_str().unwrap());
        let done = app.owner.post(&apply, &json!({})).await.expect(200);
        assert_eq!(done["warnings"][0]["code"], "flagStillEvaluated", "{done}");

        // What is archived is not taken away once more.
        let delete = json!([{"kind": "deleteFlag", "flag": "used"}]);
        assert_eq!(app.apply(delete).await["warnings"], json!([]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_live_flag_is_not_deleted() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let set = json!({"commands": [{"kind": "deleteFlag", "flag": "f"}]});
        let refused = app.owner.post("projects/default/changes", &set).await;
        let refused = refused.problem(400);
        assert_eq!(refused.body["errors"][0]["code"], "flagNotArchived");
        app.owner.get("projects/default/flags/f").await.expect(200);
    })
    .await;
}
