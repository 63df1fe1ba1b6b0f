//! What all answers have in common: refusals name what is wrong, and nobody keeps an answer.

use burgee_testkit::api::Problem;
use serde_json::json;

use crate::kit::{App, Database};

#[tokio::test(flavor = "multi_thread")]
async fn refusals_name_the_rule_and_its_limit() {
    let app = App::start(Database::Sqlite).await;
    let owner = &app.owner;
    let rules = "projects/default/environments/prod/rules";
    let said = |problem: Problem| {
        let error = &problem.body["errors"][0];
        let text = |name: &str| error[name].as_str().unwrap().to_owned();
        (text("pointer"), text("code"), text("detail"))
    };
    for (body, pointer) in [
        (
            json!({"approvals": {"required": 300}}),
            "/approvals/required",
        ),
        (
            json!({"approvals": {"required": -1}}),
            "/approvals/required",
        ),
    ] {
        let (at, _, why) = said(owner.put(rules, &body).await.problem(400));
        assert_eq!(at, pointer);
        assert!(
            why.contains("from 0 to 255") && !why.contains("u8"),
            "{why}"
        );
    }
    let long = "x".repeat(513);
    for path in [
        "projects/default/flags",
        "projects/default/segments",
        "segments",
        "members",
    ] {
        let (at, _, why) = said(
            owner
                .get(&format!("{path}?search={long}"))
                .await
                .problem(400),
        );
        assert_eq!(at, "search");
        assert!(why.contains("512"), "{why}");
        let (at, _, why) = said(owner.get(&format!("{path}?limit=x")).await.problem(400));
        assert_eq!(at, "limit");
        assert!(why.contains("a whole number"), "{why}");
    }
    let token = json!({"kind": "service", "name": "x", "policies": ["nope"]});
    let (_, code, _) = said(owner.post("tokens", &token).await.problem(400));
    assert_eq!(code, "policyNotFound");
    let (_, code, _) = said(
        owner
            .put("audit/retention", &json!({"days": 1}))
            .await
            .problem(400),
    );
    assert_eq!(code, "range");
    let revert = "projects/default/environments/prod/revert";
    for (body, pointer, code) in [
        (json!({"version": -1}), "/version", "range"),
        (json!({"version": 999}), "/version", "range"),
        (json!({"at": "soon"}), "/at", "moment"),
        (
            json!({"version": 0, "flags": ["nope"]}),
            "/flags",
            "flagNotFound",
        ),
    ] {
        let (at, named, _) = said(owner.post(revert, &body).await.problem(400));
        assert_eq!((at.as_str(), named.as_str()), (pointer, code));
    }
    let provider = json!({"issuer": "https://id.test", "clientId": "x",
        "domains": ["example.com"], "newcomers": {"policies": ["nope"], "groups": []}});
    let refused = owner.put("organization/sign-in", &provider).await;
    let (at, code, _) = said(refused.problem(400));
    assert_eq!(
        (at.as_str(), code.as_str()),
        ("/newcomers/policies", "policyNotFound")
    );
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_are_kept_by_nobody_and_are_what_they_say() {
    let app = App::start(Database::Sqlite).await;
    let token = json!({"kind": "service", "name": "x", "policies": ["reader"]});
    let shown_once = app.owner.post("tokens", &token).await;
    let refused = app.nobody().get("tokens").await;
    for answer in [&shown_once, &refused] {
        assert_eq!(answer.headers["cache-control"], "no-store");
        assert_eq!(answer.headers["x-content-type-options"], "nosniff");
    }
    // What is asked for again by its tag has to be kept by who asks.
    let index = "projects/default/flag-index";
    let index = app.owner.get(index).await;
    let kept = index.headers["cache-control"].to_str().unwrap();
    assert!(
        index.headers.contains_key("etag") && !kept.contains("no-store"),
        "{kept}"
    );
    app.stop().await;
}
