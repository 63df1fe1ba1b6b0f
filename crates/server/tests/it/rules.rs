//! The rules of environments: asked of every change set that changes what is served there, by
//! whichever way it comes.

use burgee_domain::access::OWNER;
use burgee_domain::import::read;
use burgee_store::{Actor, ApplyError, ImportRequest};
use burgee_testkit::api::Problem;
use serde_json::{Value, json};

use crate::kit::{App, create, flag_on, in_prod, on_each_database, variations};
use crate::permissions::fixture::{allow, on, with};

const CHANGES: &str = "projects/default/changes";

/// Sets the rules of an environment of `default`.
pub(crate) async fn set_rules(app: &App, environment: &str, rules: Value) {
    let path = format!("projects/default/environments/{environment}/rules");
    app.owner.put(&path, &rules).await.expect(200);
}

/// One approval by anybody.
pub(crate) fn one_approval() -> Value {
    json!({"approvals": {"required": 1}})
}

/// The environments that did not let a change set pass.
fn held(problem: &Problem) -> Vec<String> {
    let needs = problem.body["needs"].as_array().unwrap();
    let text = |of: &Value, name: &str| of[name].as_str().unwrap().to_owned();
    let place = |it: &Value| format!("{}/{}", text(it, "project"), text(it, "environment"));
    needs.iter().map(place).collect()
}

/// Asserts that commands are refused for want of approval in these environments, and that they
/// changed nothing.
async fn refused(app: &App, commands: Value, places: &[&str]) {
    let before = app.owner.get("changes").await.expect(200);
    let set = json!({ "commands": commands });
    let problem = app.owner.post(CHANGES, &set).await.problem(403);
    assert_eq!(problem.code(), "approvalRequired", "{}", problem.body);
    assert_eq!(held(&problem), places, "{}", problem.body);
    assert_eq!(app.owner.get("changes").await.expect(200), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_changed_alone_where_approval_is_asked_for() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let (on_variation, _) = variations(&app.owner, "f").await;
        set_rules(app, "prod", one_approval()).await;
        refused(app, json!([in_prod("turnOff", "f")]), &["default/prod"]).await;
        // Where the effect is, not where a command points.
        let value = json!({"kind": "updateVariation", "flag": "f", "variation": on_variation,
            "value": "true", "name": "Yes"});
        refused(app, json!([value]), &["default/prod"]).await;
        let archive = json!({"kind": "archiveFlag", "flag": "f"});
        refused(app, json!([archive]), &["default/prod"]).await;
        let shared = json!([{"kind": "createSegment", "segment": "s"}]);
        refused(app, shared, &["default/prod"]).await;
        // All or nothing.
        let dev = json!({"kind": "turnOn", "flag": "f", "environment": "dev"});
        refused(
            app,
            json!([dev, in_prod("turnOff", "f")]),
            &["default/prod"],
        )
        .await;
        // Names, and what is only served elsewhere, wait for nobody.
        let rename = json!({"kind": "renameFlag", "flag": "f", "name": "New"});
        app.apply(json!([rename, dev, create("g")])).await;
        // Nobody is asked about what is so already.
        app.apply(json!([in_prod("turnOn", "f")])).await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_is_asked_for_and_turning_off_can_be_exempt() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let rules = json!({"comment": "required",
            "approvals": {"required": 2, "exempt": ["turnOff"]}});
        set_rules(app, "prod", rules).await;
        let off =
            |comment: &str| json!({"commands": [in_prod("turnOff", "f")], "comment": comment});
        for silent in ["", "  "] {
            let problem = app.owner.post(CHANGES, &off(silent)).await.problem(400);
            assert_eq!(problem.code(), "commentRequired", "{}", problem.body);
            assert_eq!(problem.pointers(), ["/comment"]);
            assert_eq!(held(&problem), ["default/prod"]);
        }
        app.owner.post(CHANGES, &off("it fails")).await.expect(200);
        let mut on_again = off("it works");
        on_again["commands"] = json!([in_prod("turnOn", "f")]);
        app.owner.post(CHANGES, &on_again).await.problem(403);
        // A dry run says what it would take.
        on_again["dryRun"] = json!(true);
        let answer = app.owner.post(CHANGES, &on_again).await.expect(200);
        let needs = &answer["needs"][0];
        assert_eq!(needs["environment"], "prod", "{answer}");
        assert_eq!(
            (&needs["approvals"], &needs["missing"]),
            (&json!(2), &json!(2))
        );
        assert_eq!(needs["comment"], true);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_override_takes_a_permission_and_a_reason_and_stands_out() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        set_rules(app, "prod", one_approval()).await;
        let set = |reason: &str| {
            json!({"commands": [in_prod("turnOff", "f")], "override": {"reason": reason}})
        };
        let problem = app.owner.post(CHANGES, &set(" ")).await.problem(400);
        assert_eq!(problem.pointers(), ["/override/reason"]);
        let but = on("deny", &["change.override"], &["project/default:env/prod"]);
        let other = with(app, json!([allow(&["*"]), but])).await;
        let problem = other.post(CHANGES, &set("it burns")).await.problem(403);
        assert_eq!(problem.code(), "forbidden", "{}", problem.body);

        let done = app.owner.post(CHANGES, &set("it burns")).await.expect(200);
        let overridden = json!({"reason": "it burns", "environments": ["default/prod"]});
        assert_eq!(done["overridden"], overridden);
        let id = done["id"].as_str().unwrap();
        let entry = app.owner.get(&format!("changes/{id}")).await.expect(200);
        assert_eq!(entry["overridden"], overridden);
        assert_eq!(entry["diff"][0]["code"], "approvalOverridden", "{entry}");
        assert_eq!(entry["diff"][0]["params"]["reason"], "it burns");

        // Where nothing is missing there is nothing to override.
        let dev = json!([{"kind": "turnOn", "flag": "f", "environment": "dev"}]);
        let set = json!({"commands": dev, "override": {"reason": "just so"}});
        let done = other.post(CHANGES, &set).await.expect(200);
        assert!(done.get("overridden").is_none(), "{done}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn loosening_is_a_permission_of_its_own() {
    on_each_database(async |app| {
        let path = "projects/default/environments/prod/rules";
        let rules = app.owner.get(path).await.expect(200);
        assert_eq!(rules["comment"], "optional");
        assert_eq!(rules["approvals"]["required"], 0);
        let no = on(
            "deny",
            &["environment.loosenRules"],
            &["project/default:env/prod"],
        );
        let tightener = with(app, json!([allow(&["*"]), no])).await;
        tightener.put(path, &one_approval()).await.expect(200);
        let two = json!({"comment": "required", "approvals": {"required": 2}});
        let kept = tightener.put(path, &two).await.expect(200);
        for looser in [one_approval(), json!({})] {
            let problem = tightener.put(path, &looser).await.problem(403);
            let detail = problem.body["detail"].as_str().unwrap();
            assert!(detail.contains("`environment.loosenRules`"), "{detail}");
        }
        assert_eq!(app.owner.get(path).await.expect(200), kept);
        app.owner.put(path, &json!({})).await.expect(200);

        // It is in the environment's history, once for each change.
        app.owner.put(path, &json!({})).await.expect(200);
        let history = "projects/default/environments/prod/changes";
        let history = app.owner.get(history).await.expect(200);
        let entries = history["items"].as_array().unwrap().iter();
        let rules = entries.filter(|it| it["diff"][0]["code"] == "setEnvironmentRules");
        let texts: Vec<&Value> = rules.map(|it| &it["diff"][0]["text"]).collect();
        assert_eq!(
            texts,
            [
                "default/prod: comment optional, no approvals",
                "default/prod: comment required, approvals: 2",
                "default/prod: comment optional, approvals: 1",
            ]
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reviewers_must_be_there() {
    on_each_database(async |app| {
        let path = "projects/default/environments/prod/rules";
        for (kind, who) in [("members", "nobody"), ("groups", "nothing")] {
            let rules = json!({"approvals": {"reviewers": {kind: [who]}}});
            let problem = app.owner.put(path, &rules).await.problem(400);
            let pointer = format!("/approvals/reviewers/{kind}");
            assert_eq!(problem.pointers(), [pointer]);
        }
        let group = json!({"key": "Core", "name": "Core"});
        app.owner.post("groups", &group).await.expect(201);
        let rules = json!({"approvals": {"required": 1, "reviewers": {"groups": ["CORE"]}}});
        let kept = app.owner.put(path, &rules).await.expect(200);
        assert_eq!(kept["approvals"]["reviewers"]["groups"], json!(["core"]));
        assert_eq!(app.owner.get(path).await.expect(200), kept);
        // While they name it, the group stays, and others join it by who may loosen them.
        let problem = app.owner.delete("groups/core").await.problem(409);
        assert_eq!(problem.code(), "inUse", "{}", problem.body);
        let people = with(app, json!([allow(&["member.*"])])).await;
        let invitation = json!({"email": "new@example.com", "policies": [], "groups": ["core"]});
        let problem = people.post("invitations", &invitation).await.problem(403);
        let detail = problem.body["detail"].as_str().unwrap();
        assert!(detail.contains("`environment.loosenRules`"), "{detail}");
        app.owner.put(path, &json!({})).await.expect(200);
        people.post("invitations", &invitation).await.expect(201);
        app.owner.delete("groups/core").await.expect(204);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_is_asked_like_all_others() {
    on_each_database(async |app| {
        set_rules(app, "prod", one_approval()).await;
        let flag = json!({"id": "6f0c5d1e-0000-4000-8000-000000000001", "key": "f", "name": "f",
            "variationType": "boolean", "isEnabled": true, "disabledVariationId": "off",
            "variations": [{"id": "on", "value": "true"}, {"id": "off", "value": "false"}],
            "fallthrough": {"variations": [{"id": "on", "rollout": [0, 1]}]}});
        let mut request = ImportRequest {
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
        let refused = app.store.import(&request).await.unwrap_err();
        assert!(matches!(refused, ApplyError::ApprovalRequired(needs) if needs.len() == 1));
        app.owner.get("projects/default/flags/f").await.problem(404);
        request.override_reason = Some("moving in".to_owned());
        let imported = app.store.import(&request).await.unwrap();
        assert_eq!(imported.applied.overridden.unwrap().reason, "moving in");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_id_with_an_override_is_another_change_set() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let owner = app.caller("oscar", OWNER).await;
        let id = "5d1c3a52-4d7a-4f0e-9a55-000000000001";
        let set = json!({"id": id, "commands": [in_prod("turnOff", "f")]});
        owner.post(CHANGES, &set).await.expect(200);
        let mut again = set.clone();
        again["override"] = json!({"reason": "why not"});
        let problem = owner.post(CHANGES, &again).await.problem(409);
        assert_eq!(problem.code(), "idReused");
        owner.post(CHANGES, &set).await.expect(200);
    })
    .await;
}
