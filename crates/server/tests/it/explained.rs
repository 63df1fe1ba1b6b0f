//! "What did this user get then, and which change made it so": explanations, and what changes did to
//! the users that are known.

use burgee_eval::time::Millis;
use burgee_server::now;
use burgee_store::traffic::UserSeen;
use serde_json::{Value, json};

use crate::kit::{App, flag_on, in_prod, on_each_database, variations};

const PROD: &str = "projects/default/environments/prod";
const DAY: i64 = 86_400_000;

/// Lets it be seen that a user of this key has these properties, at a moment.
async fn seen(app: &App, key: &str, country: &str, at: Millis) {
    let environment = app.owner.get(PROD).await.expect(200);
    let user = UserSeen {
        types: "".into(),
        environment: environment["id"].as_str().unwrap().to_owned().into(),
        key: key.to_owned().into(),
        name: "".into(),
        properties: vec![("country".into(), country.to_owned().into())],
        at,
    };
    app.store.traffic().put_users(&[user]).await.unwrap();
}

/// Applies commands with a comment; the version of `prod` that they made.
async fn change(app: &App, comment: &str, commands: Value) -> i64 {
    let set = json!({"comment": comment, "commands": commands});
    let path = "projects/default/changes";
    app.owner.post(path, &set).await.expect(200);
    app.owner.get(PROD).await.expect(200)["version"]
        .as_i64()
        .unwrap()
}

fn with(mut command: Value, more: Value) -> Value {
    let more = more.as_object().unwrap().clone();
    command.as_object_mut().unwrap().extend(more);
    command
}

async fn explain(app: &App, question: Value) -> Value {
    let path = format!("{PROD}/evaluate/explain");
    app.owner.post(&path, &question).await.expect(200)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_explanation_names_the_change_since_which_it_is_so() {
    on_each_database(async |app| {
        let made = change(app, "for the launch", flag_on("checkout")).await;
        let (yes, no) = variations(&app.owner, "checkout").await;
        let condition = json!({"property": "country", "op": "Equal", "value": "de"});
        let rule = json!({"id": "germany", "variation": no, "conditions": [condition]});
        let culprit = change(
            app,
            "the bank of Germany is away",
            json!([with(in_prod("addRule", "checkout"), json!({"rule": rule}))]),
        )
        .await;
        // Neither another flag nor a change that moves others makes it newer.
        change(app, "", flag_on("other")).await;
        let targeted = json!({"variation": yes, "keys": ["zoe"]});
        let targets = with(in_prod("addTargets", "checkout"), targeted);
        let newest = change(app, "", json!([targets])).await;

        let of = |country: &str| json!({"key": "ana", "properties": {"country": country}, "flag": "checkout"});
        let german = explain(app, of("de")).await;
        let flag = &german["items"][0];
        assert_eq!(german["version"], newest);
        assert_eq!(flag["reason"]["code"], "rule");
        assert_eq!(flag["steps"].as_array().unwrap().len(), 4, "{flag}");
        assert_eq!(flag["warnings"], json!([]));
        let since = &flag["since"];
        assert_eq!(since["version"], culprit);
        assert_eq!(since["comment"], "the bank of Germany is away");
        assert_eq!(since["actorKind"], "token");
        assert_eq!(since["before"]["id"], yes.as_str());
        assert_eq!(since["reasonBefore"]["code"], "default");
        assert_eq!(since["atLeast"], false);
        let change_set = format!("changes/{}", since["change"].as_str().unwrap());
        let change_set = app.owner.get(&change_set).await.expect(200);
        assert_eq!(change_set["comment"], "the bank of Germany is away");

        // Of somebody else it is the change that released it.
        let french = explain(app, of("fr")).await;
        let since = &french["items"][0]["since"];
        assert_eq!(since["version"], made);
        assert_eq!(since["before"], Value::Null);

        // And then, it was so as well.
        let then = with(of("de"), json!({"version": culprit - 1}));
        let then = explain(app, then).await;
        assert_eq!(then["items"][0]["since"]["version"], made);
        assert_eq!(then["items"][0]["variation"]["value"], "true");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_segment_s_change_is_found_too() {
    on_each_database(async |app| {
        change(app, "", flag_on("f")).await;
        let (on, off) = variations(&app.owner, "f").await;
        let condition = json!({"property": "User is in segment", "value": "[\"id-of-s\"]"});
        let rule = json!({"id": "r", "variation": off, "conditions": [condition]});
        let segment = json!({"kind": "createSegment", "segment": "s", "id": "id-of-s",
            "environment": "prod"});
        let add = with(in_prod("addRule", "f"), json!({"rule": rule}));
        change(app, "", json!([segment, add])).await;
        let include = json!({"kind": "addIncluded", "segment": "s", "environment": "prod",
            "keys": ["ana"]});
        let culprit = change(app, "ana is a friend", json!([include])).await;
        let given = json!({"key": "ana", "name": "Ana", "flag": "f"});
        let ana = explain(app, given).await;
        let flag = &ana["items"][0];
        assert_eq!(flag["variation"]["id"], off.as_str());
        assert_eq!(flag["since"]["version"], culprit);
        assert_eq!(flag["since"]["comment"], "ana is a friend");
        assert_eq!(flag["since"]["before"]["id"], on.as_str());

        // Of an archived segment that is warned of.
        let archive = json!({"kind": "archiveSegment", "segment": "s", "environment": "prod"});
        let archived = change(app, "", json!([archive])).await;
        let ana = explain(app, json!({"key": "ana", "name": "Ana", "flag": "f"})).await;
        let flag = &ana["items"][0];
        assert_eq!(flag["since"]["version"], archived);
        assert_eq!(flag["warnings"][0]["code"], "segmentArchived");
        assert_eq!(flag["warnings"][0]["of"], "flag");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_moment_is_evaluated_and_says_since_when_properties_are_so() {
    on_each_database(async |app| {
        change(app, "", flag_on("f")).await;
        let was = app.owner.get(&format!("{PROD}/versions")).await.expect(200);
        let at = was["items"][0]["at"].as_str().unwrap().to_owned();
        change(app, "", json!([in_prod("turnOff", "f")])).await;
        let long_ago = Millis(now().0 - 2 * DAY);
        let lately = Millis(now().0 - DAY);
        seen(app, "ana", "de", long_ago).await;
        let ana = json!({"key": "ana", "flag": "f", "at": at});
        let then = explain(app, ana.clone()).await;
        assert_eq!(then["at"], at.as_str());
        assert_eq!(then["items"][0]["variation"]["value"], "true");
        assert_eq!(then["user"]["propertiesSince"], long_ago.to_string());
        // She has moved since.
        seen(app, "ana", "fr", lately).await;
        seen(app, "ana", "fr", now()).await;
        let then = explain(app, ana).await;
        assert_eq!(then["user"]["properties"]["country"], "fr");
        assert_eq!(then["user"]["propertiesSince"], lately.to_string());
        let listed = app.owner.get(&format!("{PROD}/users/ana")).await;
        assert_eq!(listed.expect(200)["propertiesSince"], lately.to_string());
        // Before all nothing was there.
        let before = json!({"key": "ana", "at": "2001-01-01T00:00:00Z"});
        let before = explain(app, before).await;
        assert_eq!(before["version"], 0);
        assert_eq!(before["at"], Value::Null);
        assert_eq!(before["items"], json!([]));

        let path = format!("{PROD}/evaluate/explain");
        for (over, pointer) in [
            (json!({"version": 1, "at": at}), "/at"),
            (json!({"at": "on tuesday"}), "/at"),
            (json!({"at": at, "commands": []}), "/at"),
            (json!({"version": -1}), "/version"),
        ] {
            let question = with(json!({"key": "ana", "flag": "f"}), over);
            let answer = app.owner.post(&path, &question).await;
            assert_eq!(answer.problem(400).pointers(), [pointer]);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_versions_are_compared_over_the_users_that_are_known() {
    on_each_database(async |app| {
        for (key, country) in [("ana", "de"), ("bob", "fr"), ("cem", "de")] {
            seen(app, key, country, now()).await;
        }
        let made = change(app, "", flag_on("f")).await;
        let (_, no) = variations(&app.owner, "f").await;
        let condition = json!({"property": "country", "op": "Equal", "value": "de"});
        let rule = json!({"id": "germany", "variation": no, "conditions": [condition]});
        let add = with(in_prod("addRule", "f"), json!({"rule": rule}));
        let ruled = change(app, "", json!([add])).await;
        let off = change(app, "", json!([in_prod("turnOff", "f")])).await;

        let effects = async |query: String| {
            let answer = app.owner.get(&format!("{PROD}/effects?{query}")).await;
            answer.expect(200)
        };
        let between = effects(format!("from={made}&to={ruled}")).await;
        assert_eq!(between["users"], 3);
        assert_eq!(between["flags"][0]["flag"], "f");
        assert_eq!(between["flags"][0]["moved"], 2, "{between}");
        let said = "default/prod, f: 2 of 3 known users move from ‘true’ to ‘false’";
        assert_eq!(between["text"], json!([said]));
        // What was taken back in between moves nobody.
        let back = change(app, "", json!([in_prod("turnOn", "f")])).await;
        assert_eq!(
            effects(format!("from={ruled}&to={off}")).await["flags"][0]["moved"],
            1
        );
        assert_eq!(
            effects(format!("from={ruled}&to={back}")).await["flags"],
            json!([])
        );
        assert_eq!(
            effects(format!("from={made}")).await["flags"][0]["moved"],
            2
        );

        for (query, parameter) in [
            ("to=1", "from"),
            ("from=1&fromAt=2026-11-21T08:00:00Z", "fromAt"),
            ("from=99", "from"),
            ("from=1&to=99", "to"),
            ("from=2&to=1", "to"),
        ] {
            let answer = app.owner.get(&format!("{PROD}/effects?{query}")).await;
            assert_eq!(answer.problem(400).pointers(), [parameter], "{query}");
        }
        let reader = app.caller("rita", "reader").await;
        let path = format!("{PROD}/effects?from={made}");
        reader.get(&path).await.problem(403);
    })
    .await;
}
