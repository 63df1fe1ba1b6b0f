//! The log of decisions: what SDKs were given, by whichever way, is there, and the explanation says
//! the same of it; where it cannot, it says so.

use std::sync::{Arc, Mutex};

use burgee_domain::position::Position;
use burgee_edge::sink::{self, DecisionTexts, Sink};
use burgee_server::decision_log::{self, Outlet, Outlets};
use burgee_server::now;
use burgee_server::sink::LocalSink;
use burgee_store::page::PageRequest;
use burgee_store::traffic::{Batch, Decision, DecisionQuery};
use burgee_testkit::api::Api;
use burgee_testkit::sdk::Sdk;
use serde_json::{Value, json};

use crate::deliveries::until;
use crate::kit::{App, flag_on, in_prod, on_each_database, person, person_with, variations};
use crate::permissions::fixture::{allow, on, with};

const PROD: &str = "projects/default/environments/prod";
const DECISIONS: &str = "projects/default/environments/prod/decisions";

/// Logs the decisions of this share of the users of `prod`; its version from then on.
pub(crate) async fn log(app: &App, sample: f64) -> i64 {
    let edit = json!({"decisionLog": {"sample": sample}});
    let prod = app.owner.patch(PROD, &edit).await.expect(200);
    assert_eq!(prod["decisionLog"]["sample"], sample);
    prod["version"].as_i64().unwrap()
}

fn count(page: &Value) -> usize {
    page["items"].as_array().unwrap().len()
}

/// The decisions about a user, once there are so many, with what the explanation says.
pub(crate) async fn decisions(api: &Api, user: &str, wanted: usize) -> Vec<Value> {
    let path = format!("{DECISIONS}?user={user}&check=true");
    let page = until(api, &path, |page| count(page) >= wanted).await;
    let items = page["items"].as_array().unwrap().clone();
    assert_eq!(items.len(), wanted, "{items:#?}");
    items
}

/// Some of an item, in short.
fn of(item: &Value) -> [&Value; 5] {
    ["surface", "flag", "variation", "reason", "version"].map(|name| &item[name])
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_stream_was_sent_is_logged_and_agrees_with_the_explanation() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let (_, off) = variations(&app.owner, "f").await;
        // Nothing is logged until it is asked for.
        let mut before = app.client_sdk("prod", "before").await;
        let condition = json!({"property": "country", "op": "Equal", "value": "de"});
        let mut add = in_prod("addRule", "f");
        add["rule"] = json!({"id": "germany", "variation": off, "conditions": [condition]});
        app.apply(json!([add])).await;
        before.until(|sdk| sdk.value("f") == Some("true"));
        let version = log(app, 1.0).await;
        let keys = app.keys("prod").await;
        let german = person_with("ana", "country", "de");
        let mut ana = Sdk::client(app.address(), &keys.client.secret, &german);
        assert_eq!(ana.value("f"), Some("false"));
        app.apply(json!([in_prod("turnOff", "f")])).await;
        ana.until(|sdk| sdk.value("f") == Some("false"));
        let logged = decisions(&app.owner, "ana", 2).await;
        let stream = json!("stream");
        let (f, off, rule, is_off) = (json!("f"), json!(off), json!("rule"), json!("off"));
        let (first, second) = (json!(version), json!(version + 1));
        assert_eq!(of(&logged[0]), [&stream, &f, &off, &is_off, &second]);
        assert_eq!(of(&logged[1]), [&stream, &f, &off, &rule, &first]);
        assert_eq!(logged[1]["rule"], "germany");
        assert_eq!(logged[0]["rule"], Value::Null);
        for item in &logged {
            assert_eq!(item["check"]["verdict"], "agrees", "{item:#}");
            assert_eq!(item["check"]["version"], item["version"]);
            assert_eq!(item["check"]["explained"]["reason"]["code"], item["reason"]);
            assert_eq!(item["reported"], false);
        }
        // Who was there before it was asked for was told of the change since.
        before.until(|sdk| sdk.value("f") == Some("false"));
        let told = decisions(&app.owner, "before", 1).await;
        assert_eq!(of(&told[0]), [&stream, &f, &off, &is_off, &second]);
        // And nothing more once it is not asked for any more.
        log(app, 0.0).await;
        app.apply(json!([in_prod("turnOn", "f")])).await;
        before.until(|sdk| sdk.value("f") == Some("true"));
        app.client_sdk("prod", "after").await;
        until(&app.owner, &format!("{PROD}/users?search=after"), |page| {
            count(page) == 1
        })
        .await;
        let all = app.owner.get(DECISIONS).await.expect(200);
        assert_eq!(count(&all), 3, "{all:#}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_way_to_be_given_a_flag_is_logged() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        app.apply(flag_on("g")).await;
        let (on, off) = variations(&app.owner, "f").await;
        let version = log(app, 1.0).await;
        let keys = app.keys("prod").await;
        let client = app.nobody().with_sdk_key(&keys.client.secret);
        let poll = "/api/public/sdk/client/latest-all?timestamp=0";
        for _ in 0..2 {
            // The second within a minute is no other decision.
            client.post(poll, &person("poll")).await.expect(200);
        }
        let ask = json!({"user": person("ask"), "filter": {"keys": ["f"]}});
        let path = "/api/public/featureflag/evaluate";
        client.post(path, &ask).await.expect(200);
        let flags = "/ofrep/v1/evaluate/flags";
        let context = |key: &str| json!({"context": {"targetingKey": key}});
        client.post(flags, &context("all")).await.expect(200);
        let one = format!("{flags}/f");
        client.post(&one, &context("one")).await.expect(200);
        // An SDK says what it gave: one is what would have been given here, one is not.
        let given = |variation: &str| {
            json!({"featureFlagKey": "f", "sendToExperiment": false, "timestamp": now().0,
                "variation": {"id": variation, "value": ""}})
        };
        let said = json!([{"user": person("said"), "variations": [given(&on), given(&off)]}]);
        let track = "/api/public/insight/track";
        app.nobody()
            .with_sdk_key(&keys.server.secret)
            .post(track, &said)
            .await
            .expect(200);
        for (user, surface, flags) in [
            ("poll", "poll", &["f", "g"][..]),
            ("all", "ofrep", &["f", "g"]),
            ("one", "ofrep", &["f"]),
            ("said", "track", &["f", "f"]),
        ] {
            let logged = decisions(&app.owner, user, flags.len()).await;
            let mut found: Vec<&str> = logged
                .iter()
                .map(|it| it["flag"].as_str().unwrap())
                .collect();
            found.sort_unstable();
            assert_eq!(found, flags, "{user}");
            for item in &logged {
                assert_eq!(item["surface"], surface);
                let is_said = user == "said";
                assert_eq!(item["reported"], is_said);
                let expected = if is_said { Value::Null } else { json!(version) };
                assert_eq!(item["version"], expected);
                let differs = item["variation"] == off.as_str();
                let verdict = if differs { "differs" } else { "agrees" };
                assert_eq!(item["check"]["verdict"], verdict, "{item:#}");
                if differs {
                    assert_eq!(item["check"]["codes"], json!(["variation"]));
                }
            }
        }
        // What asks without being an end user's SDK makes nobody known.
        let asked = decisions(&app.owner, "ask", 1).await;
        assert_eq!(asked[0]["surface"], "evaluate");
        assert_eq!(asked[0]["check"]["codes"], json!(["userUnknown"]));

        // By flag and by time, page by page.
        let of_g = app
            .owner
            .get(&format!("{DECISIONS}?flag=g"))
            .await
            .expect(200);
        assert_eq!(count(&of_g), 2);
        let first = app
            .owner
            .get(&format!("{DECISIONS}?limit=5"))
            .await
            .expect(200);
        let next = first["next"].as_str().unwrap();
        let rest = format!("{DECISIONS}?limit=5&cursor={next}");
        let rest = app.owner.get(&rest).await.expect(200);
        assert_eq!((count(&first), count(&rest)), (5, 3));
        assert!(rest["next"].is_null());
        let at = |page: &Value| page["items"][0]["at"].as_str().unwrap().to_owned();
        assert!(at(&first) >= at(&rest));
        let ahead = "2200-01-01T00:00:00Z";
        for (query, found) in [("from", 0), ("to", 8)] {
            let page = app.owner.get(&format!("{DECISIONS}?{query}={ahead}")).await;
            assert_eq!(count(&page.expect(200)), found, "{query}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_said_is_not_said() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let version = log(app, 1.0).await;
        let keys = app.keys("prod").await;
        let known = |country: &str| {
            let user = person_with("ana", "country", country);
            Sdk::client(app.address(), &keys.client.secret, &user)
        };
        let _german = known("de");
        let logged = decisions(&app.owner, "ana", 1).await;
        assert_eq!(logged[0]["check"]["verdict"], "agrees");
        // She is somewhere else from now on: what she was then is not known.
        let _french = known("fr");
        app.apply(json!([in_prod("turnOff", "f")])).await;
        let logged = decisions(&app.owner, "ana", 2).await;
        let codes = |item: &Value| item["check"]["codes"].clone();
        let changed = json!(["propertiesChanged"]);
        let versions: Vec<_> = logged
            .iter()
            .map(|it| it["version"].as_i64().unwrap())
            .collect();
        assert_eq!(versions, [version + 1, version]);
        assert_eq!(codes(&logged[0]), json!([]));
        assert_eq!(codes(&logged[1]), changed);

        // A version of another history, and a flag that was not there.
        let prod = app.owner.get(PROD).await.expect(200);
        let position: Vec<&str> = prod["position"].as_str().unwrap().split('.').collect();
        let digest = u64::from_str_radix(position[1], 16).unwrap();
        let made_up = |flag: &str, digest| Decision {
            environment: prod["id"].as_str().unwrap().to_owned().into(),
            user: "ana".into(),
            flag: flag.to_owned().into(),
            flag_id: "another".into(),
            variation: "on".into(),
            surface: "stream".into(),
            reason: Some("default".into()),
            rule: None,
            position: Some(Position {
                version: version + 1,
                digest,
            }),
            at: now(),
        };
        let batch = Batch {
            sender: "made up".into(),
            decisions: vec![made_up("f", digest ^ 1), made_up("f", digest)],
            ..Batch::default()
        };
        app.store.traffic().write(&batch).await.unwrap();
        let logged = decisions(&app.owner, "ana", 4).await;
        let mut found: Vec<String> = logged[..2].iter().map(|it| codes(it).to_string()).collect();
        found.sort_unstable();
        assert_eq!(found, [r#"["flagUnknown"]"#, r#"["historyReplaced"]"#]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_setting_that_is_none_is_refused_and_the_history_has_one_that_is() {
    on_each_database(async |app| {
        for sample in [json!(1.5), json!(-0.1), json!(0.000_000_1)] {
            let edit = json!({"decisionLog": {"sample": sample}});
            let problem = app.owner.patch(PROD, &edit).await.expect(400);
            assert_eq!(
                problem["errors"][0]["pointer"], "/decisionLog/sample",
                "{problem}"
            );
        }
        let before = app.owner.get(PROD).await.expect(200);
        let version = log(app, 0.25).await;
        assert_eq!(json!(version - 1), before["version"]);
        // The same again is no change.
        assert_eq!(log(app, 0.25).await, version);
        let history = app.owner.get("projects/default/changes?limit=1").await;
        let history = history.expect(200);
        let command = &history["items"][0]["commands"][0];
        assert_eq!(command["kind"], "updateEnvironment", "{history:#}");
        assert_eq!(command["decisionSample"], "0.25");
        for (query, name) in [
            ("limit=51&check=true", "limit"),
            ("from=yesterday", "from"),
            ("cursor=x", "cursor"),
            ("users=x", "users"),
        ] {
            let problem = app.owner.get(&format!("{DECISIONS}?{query}")).await;
            let problem = problem.expect(400);
            assert!(problem.to_string().contains(name), "{query}: {problem}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn decisions_go_with_their_user_and_with_their_environment() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        log(app, 1.0).await;
        let prod = app.owner.get(PROD).await.expect(200);
        let prod = prod["id"].as_str().unwrap();
        let mut sdks = Vec::new();
        for user in ["ana", "bea", "cleo"] {
            sdks.push(app.client_sdk("prod", user).await);
            decisions(&app.owner, user, 1).await;
        }
        let delete = format!("{PROD}/users/ana");
        app.owner.delete(&delete).await.expect(204);
        let forget = json!({"key": "bea"});
        let forgotten = app.owner.post("users/forget", &forget).await;
        assert_eq!(forgotten.status, 200, "{forgotten:?}");
        let left = async || {
            let query = DecisionQuery {
                environment: prod,
                user: None,
                flag: None,
                from: None,
                to: None,
            };
            let traffic = app.store.traffic();
            let page = traffic.decisions(&query, &PageRequest::default()).await;
            let items = page.unwrap().items;
            items.into_iter().map(|it| it.user).collect::<Vec<_>>()
        };
        assert_eq!(left().await, ["cleo"]);
        app.owner.delete(PROD).await.expect(204);
        assert_eq!(left().await, [] as [&str; 0]);
    })
    .await;
}

/// Keeps what it is given.
#[derive(Debug, Default)]
struct Kept(Mutex<Vec<decision_log::Decision>>);

impl Outlet for Kept {
    fn take(&self, decisions: &[decision_log::Decision]) {
        self.0.lock().unwrap().extend_from_slice(decisions);
    }

    fn close(&self) {}
}

#[tokio::test(flavor = "multi_thread")]
async fn a_batch_of_which_it_was_not_heard_that_it_is_stored_is_given_on_once() {
    on_each_database(async |app| {
        let kept = Arc::new(Kept::default());
        let outlets = Outlets {
            all: vec![Arc::clone(&kept) as _],
            ..Outlets::default()
        };
        let ours = LocalSink::with(app.store.clone().into(), outlets);
        let others = LocalSink::new(app.store.clone().into());
        let batch = |sequence| {
            let texts = DecisionTexts {
                user: "ana",
                flag: "f",
                ..DecisionTexts::default()
            };
            sink::Batch {
                sender: "relay".into(),
                sequence,
                decisions: vec![sink::Decision::new("e".into(), texts, None, sequence)],
                ..sink::Batch::default()
            }
        };
        let given = || -> Vec<i64> { kept.0.lock().unwrap().iter().map(|it| it.at).collect() };
        for _ in 0..2 {
            ours.write(&batch(1)).await.unwrap();
            assert_eq!(given(), [1]);
        }
        // Another server stored it, and gives it on.
        others.write(&batch(2)).await.unwrap();
        ours.write(&batch(2)).await.unwrap();
        assert_eq!(given(), [1]);
        // It is begun here, and not heard whether it is stored; it is.
        let third = batch(3);
        tokio::select! {
            biased;
            _ = ours.write(&third) => panic!("it takes a moment"),
            () = std::future::ready(()) => {}
        }
        others.write(&batch(3)).await.unwrap();
        // One that comes between is no matter.
        ours.write(&batch(4)).await.unwrap();
        for _ in 0..2 {
            ours.write(&batch(3)).await.unwrap();
            assert_eq!(given(), [1, 4, 3]);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn decisions_of_a_flag_that_was_hidden_by_its_tag_are_hidden_when_it_is_gone() {
    on_each_database(async |app| {
        let mut hushed = flag_on("hushed");
        hushed[0]["tags"] = json!(["hush"]);
        app.apply(hushed).await;
        app.apply(flag_on("f")).await;
        log(app, 1.0).await;
        let client = app.keys("prod").await.client.secret;
        let _ana = Sdk::client(app.address(), &client, &person("ana"));
        decisions(&app.owner, "ana", 2).await;
        let reads = ["project.read", "environment.read", "flag.read", "user.read"];
        let all = "project/default:flag/*;hush";
        let some = [allow(&reads), on("deny", &["flag.read"], &[all])];
        let reader = with(app, json!(some)).await;
        let flags = async || -> Vec<String> {
            let seen = reader.get(DECISIONS).await.expect(200);
            let items = seen["items"].as_array().unwrap().iter();
            items
                .map(|it| it["flag"].as_str().unwrap().into())
                .collect()
        };
        assert_eq!(flags().await, ["f"]);
        let gone = ["archiveFlag", "deleteFlag"];
        app.apply(json!(
            gone.map(|kind| json!({"kind": kind, "flag": "hushed"}))
        ))
        .await;
        assert_eq!(flags().await, ["f"]);
    })
    .await;
}

/// A list is not the text that it is written as, and `1` is `1.0`: what is told of somebody who came
/// with types later knows them too.
#[tokio::test(flavor = "multi_thread")]
async fn somebody_who_comes_with_types_is_explained_and_compared_with_them() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let (_, off) = variations(&app.owner, "f").await;
        let before = app.owner.get(PROD).await.expect(200)["version"].clone();
        let mut add = in_prod("addRule", "f");
        add["rule"] = json!({"id": "admins", "variation": off, "conditions": [
            {"property": "roles", "op": "IsOneOf", "value": r#"["admin"]"#},
            {"property": "age", "op": "Equal", "value": "1.0"}]});
        app.apply(json!([add])).await;
        let after = log(app, 1.0).await;
        let keys = app.keys("prod").await;
        let client = app.nobody().with_sdk_key(&keys.client.secret);
        let context = json!({"targetingKey": "ana", "age": 1, "roles": ["dev", "admin"]});
        let flag = "/ofrep/v1/evaluate/flags/f";
        let given = client.post(flag, &json!({"context": context})).await;
        assert_eq!(given.expect(200)["variant"], off.as_str());

        let logged = decisions(&app.owner, "ana", 1).await;
        assert_eq!(logged[0]["check"]["verdict"], "agrees", "{logged:#?}");
        let explain = format!("{PROD}/evaluate/explain");
        for question in [
            json!({"key": "ana", "flag": "f"}),
            json!({"context": context, "flag": "f"}),
        ] {
            let told = app.owner.post(&explain, &question).await.expect(200);
            assert_eq!(told["items"][0]["reason"]["params"]["rule"], "admins");
            assert_eq!(
                told["user"]["types"],
                json!({"age": "number", "roles": "list"})
            );
            assert_eq!(told["items"][0]["since"]["before"]["value"], "true");
        }
        let effects = format!("{PROD}/effects?from={before}&to={after}");
        let effects = app.owner.get(&effects).await.expect(200);
        assert_eq!(effects["flags"][0]["moved"], 1, "{effects}");

        // The same texts without types are somebody else.
        let texts = json!({"age": "1", "roles": r#"["dev", "admin"]"#});
        let question = json!({"key": "ana", "properties": texts, "flag": "f"});
        let told = app.owner.post(&explain, &question).await.expect(200);
        assert_eq!(told["items"][0]["reason"]["code"], "default");
        assert_eq!(told["user"]["types"], Value::Null);
        let types = json!({"age": "number", "roles": "list"});
        let question = json!({"key": "ana", "properties": texts, "types": types, "flag": "f"});
        let told = app.owner.post(&explain, &question).await.expect(200);
        assert_eq!(told["items"][0]["reason"]["params"]["rule"], "admins");
        let seen = app
            .owner
            .get(&format!("{PROD}/users/ana"))
            .await
            .expect(200);
        assert_eq!(seen["types"], types);

        for (question, pointer) in [
            (json!({}), "/key"),
            (json!({"key": "ana", "context": context}), "/context"),
            (json!({"name": "Ana", "context": context}), "/context"),
            (json!({"types": {}, "context": context}), "/context"),
            (
                json!({"key": "ana", "types": {"age": "number"}}),
                "/types/age",
            ),
            (
                json!({"key": "ana", "properties": {"a/b": "x"}, "types": {"a/b": "number"}}),
                "/types/a~1b",
            ),
            (
                json!({"key": "a", "properties": {"b": "{}"}, "types": {"b": "list"}}),
                "/types/b",
            ),
            (
                json!({"key": "ana", "types": {"age": "date"}}),
                "/types/age",
            ),
            (json!({"context": {"age": 1}}), "/context"),
            (json!({"context": "ana"}), "/context"),
            (
                json!({"context": {"targetingKey": "a", "b": "c".repeat(2_000)}}),
                "/context",
            ),
        ] {
            let refused = app.owner.post(&explain, &question).await.problem(400);
            assert_eq!(refused.pointers(), [pointer], "{question}");
        }
    })
    .await;
}
