//! The audit log by the API: looked through, taken elsewhere, kept as long as wished.

use std::time::Duration;

use burgee_domain::people::Email;
use burgee_server::setup;
use burgee_store::audit::NoNotary;
use burgee_store::first_start::OWNER_EMAIL;
use burgee_testkit::api::PATIENCE;
use reqwest::StatusCode;
use serde_json::{Value, json};

use crate::events::Listener;
use crate::kit::{App, create, on_each_database};

async fn entries(app: &App, query: &str) -> Vec<Value> {
    let page = app.owner.get(&format!("audit?limit=500{query}")).await;
    let page = page.expect(200);
    page["items"].as_array().unwrap().clone()
}

/// Asks again until all entries are sealed. The job that does it tells nobody.
async fn sealed(app: &App) {
    let unsealed = |entry: &Value| entry.get("chain").is_none();
    let waiting = async {
        while entries(app, "").await.iter().any(unsealed) {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    let waited = tokio::time::timeout(PATIENCE, waiting).await;
    waited.expect("it should be sealed by now");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_is_looked_through_sealed_and_exported() {
    on_each_database(async |app| {
        app.apply(json!([create("first"), create("second")])).await;
        let found = entries(app, "&kind=createFlag&text=SECOND").await;
        assert_eq!(found.len(), 1);
        assert_eq!(found[0]["actor"], "olivia");
        assert_eq!(found[0]["commands"][1]["flag"], "second");
        assert!(found[0]["number"].as_i64().unwrap() > 0);
        assert_eq!(entries(app, "&kind=createFlag&actor=nobody").await.len(), 0);
        assert_eq!(
            entries(app, "&kind=createFlag&project=default").await.len(),
            1
        );
        assert_eq!(entries(app, "&from=2999-01-01T00:00:00Z").await.len(), 0);

        // A job seals it.
        sealed(app).await;
        let organization = &app.organization.id;
        let verdict = app.store.verify_audit(organization, &NoNotary).await;
        assert_eq!(verdict.unwrap().bad, None);

        let all = entries(app, "").await;
        let url = format!("http://{}/api/v1/audit/export", app.address());
        let client = reqwest::Client::new();
        let answer = client
            .get(&url)
            .bearer_auth(&app.token)
            .send()
            .await
            .unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        assert_eq!(answer.headers()["content-type"], "application/x-ndjson");
        let text = answer.text().await.unwrap();
        let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
        let mut lines: Vec<Value> = lines.collect();
        let last = lines.pop().unwrap();
        let export = json!({"kind": "exportAudit", "entries": "all"});
        assert_eq!(last["commands"][0], export, "who has it is in it");
        lines.reverse();
        assert_eq!(lines, all, "the same, oldest first");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_that_means_nothing_is_refused() {
    on_each_database(async |app| {
        let long = "x".repeat(257);
        for (query, field) in [
            ("environment=prod", "environment"),
            ("kind=turn%20On", "kind"),
            ("from=yesterday", "from"),
            ("to=2026", "to"),
            (&*format!("text={long}"), "text"),
            (&*format!("actor={long}"), "actor"),
            ("text=%00", "text"),
            ("limit=0", "limit"),
            ("cursor=x", "/cursor"),
            ("nothing=1", "nothing"),
        ] {
            let answer = app.owner.get(&format!("audit?{query}")).await.expect(400);
            let pointer = answer["errors"][0]["pointer"].as_str().unwrap_or_default();
            assert_eq!(pointer, field, "{query}: {answer}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn how_long_the_log_is_kept_is_an_entry_of_it() {
    on_each_database(async |app| {
        let owner = &app.owner;
        assert_eq!(
            owner.get("audit/retention").await.expect(200),
            json!({"days": null})
        );
        for days in [json!(29), json!(3_661), json!(-1)] {
            let refused = owner.put("audit/retention", &json!({"days": days})).await;
            assert_eq!(refused.expect(400)["errors"][0]["pointer"], "/days");
        }
        owner.put("audit/retention", &json!({})).await.expect(400);
        let kept = json!({"days": 90});
        for _ in 0..2 {
            let set = owner.put("audit/retention", &kept).await;
            assert_eq!(set.expect(200), kept);
        }
        assert_eq!(owner.get("audit/retention").await.expect(200), kept);
        let found = entries(app, "&kind=setAuditRetention").await;
        assert_eq!(found.len(), 1, "the second changed nothing");
        assert_eq!(found[0]["diff"][0]["text"], "audit log: kept for 90 days");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn signing_in_and_failing_to_are_entries() {
    on_each_database(async |app| {
        let address = Email::new(OWNER_EMAIL).unwrap();
        let account = app.store.account_by_email(&address).await.unwrap().unwrap();
        let password = setup::temporary_password(&app.store, &account.id)
            .await
            .unwrap();
        let nobody = app.nobody();
        let mut listener = Listener::with_token(app, &app.token).await;
        for (email, password, status) in [
            (OWNER_EMAIL, "not this one", 401),
            ("nobody@example.com", "not this one", 401),
            (OWNER_EMAIL, &*password, 200),
        ] {
            let credentials = json!({"email": email, "password": password});
            nobody.post("session", &credentials).await.expect(status);
        }
        let kind = async |kind: &str| entries(app, &format!("&kind={kind}")).await;
        while listener.next().await.unwrap().data["actorKind"] != "system" {}
        let [failed] = &kind("signInFailed").await[..] else {
            panic!("the account that there is failed once");
        };
        assert_eq!(failed["commands"][0]["email"], OWNER_EMAIL);
        assert_eq!(failed["actor"], "system");
        assert_eq!(kind("signIn").await.len(), 1);
        let reset = &kind("changePassword").await[0];
        assert_eq!(reset["actor"], "operator");
        let all = json!(entries(app, "").await).to_string();
        assert!(!all.contains(&password), "no password is in it");
    })
    .await;
}
