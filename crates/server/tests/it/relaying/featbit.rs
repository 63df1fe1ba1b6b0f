//! Agents of FeatBit's: fed by a server or a relay, as FeatBit feeds them.
//!
//! The agent here is the test kit's, made after what the real one does (`docs/protocol.md`).

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use burgee_domain::id::Id;
use burgee_store::{Actor, RelayKeyEdit, RelayKeyScope};
use burgee_testkit::agent::{Agent, Kept};
use serde_json::{Value, json};

use super::{id, relay, relay_key, revoke, until_known, until_some};
use crate::kit::{App, Database, create, flag_on, in_prod, on_each_database};

/// An answer to a request as bytes: its status, and its body.
fn posted(address: SocketAddr, path: &str, key: &str, body: &str) -> (u16, String) {
    // As .NET sends JSON: in chunks.
    let chunk = format!("{:x}\r\n{body}\r\n0\r\n\r\n", body.len());
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\nauthorization: {key}\r\n\
         user-agent: featbit-agent\r\ncontent-type: application/json; charset=utf-8\r\n\
         transfer-encoding: chunked\r\n\r\n"
    );
    let mut stream = TcpStream::connect(address).unwrap();
    stream
        .write_all(format!("{head}{chunk}").as_bytes())
        .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap();
    (status.parse().unwrap(), body.to_owned())
}

fn register(address: SocketAddr, key: &str, body: &str) -> (u16, String) {
    posted(address, "/api/public/agent/register", key, body)
}

/// What an agent has of `prod` is what server SDKs there are sent.
async fn has_all_of_prod(app: &App, kept: &Kept) {
    let (prod, sdk) = (id(app, "prod").await, app.server_sdk("prod").await);
    assert_eq!(kept.flags(&prod), sdk.flags);
    assert_eq!(kept.segments(&prod), sdk.segments);
}

async fn rescope(app: &App, key: &str, environments: &[&str]) {
    let mut chosen = Vec::new();
    for environment in environments {
        chosen.push(Id::new(id(app, environment).await));
    }
    let edit = RelayKeyEdit {
        scope: Some(RelayKeyScope::Chosen(chosen)),
        ..RelayKeyEdit::default()
    };
    let (organization, key) = (&app.organization.id, Id::new(key));
    let (actor, now) = (Actor::operator(), burgee_server::now());
    let edited = app
        .store
        .update_relay_key(organization, &key, &edit, &actor, now);
    edited.await.unwrap();
}

/// What the API lists of the agents, without what differs from run to run.
async fn listed(app: &App) -> Vec<Value> {
    let page = app.owner.get("relay-agents").await.expect(200);
    page["items"].as_array().unwrap().clone()
}

async fn until_listed(app: &App, wanted: impl Fn(&Value) -> bool) -> Value {
    until_some(async || listed(app).await.into_iter().find(&wanted)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_gets_everything_and_then_what_changes() {
    on_each_database(async |app| {
        let segment = json!({"kind": "createSegment", "segment": "staff", "included": ["sam"]});
        let set = json!({"commands": [segment]});
        app.owner.post("changes", &set).await.expect(200);
        app.apply(flag_on("f")).await;
        app.apply(flag_on("old")).await;
        app.apply(json!([{"kind": "archiveFlag", "flag": "old"}]))
            .await;
        app.apply(flag_on("g")).await;
        let (_, key) = relay_key(app, &["prod", "dev"]).await;
        let (prod, dev) = (id(app, "prod").await, id(app, "dev").await);

        let mut agent = Agent::fed(app.address(), &key);
        let keys = app.keys("prod").await;
        let secret = json!({"type": "client", "projectKey": "default", "envId": prod,
            "envKey": "prod", "value": keys.client.secret});
        assert!(agent.kept.secrets.contains(&secret), "{:?}", agent.kept);
        assert!(agent.kept.knows(&keys.server.secret));
        assert!(agent.kept.knows(&app.keys("dev").await.server.secret));
        assert_eq!(agent.kept.secrets.len(), 4);
        // Also tombstones that server SDKs are spared: it answers SDKs by what came after a time.
        assert_eq!(agent.kept.flags(&prod)["old"]["isArchived"], true);
        let mut living = agent.kept.flags(&prod);
        living.remove("old");
        assert_eq!(living, app.server_sdk("prod").await.flags);
        assert_eq!(agent.kept.segments(&dev).len(), 1);

        // What changes comes in a patch, and nothing else does.
        app.apply(json!([in_prod("turnOff", "f")])).await;
        assert_eq!(agent.event(), "rp_patch");
        assert_eq!(agent.kept.is_on(&prod, "f"), Some(false));
        assert_eq!(agent.kept.pushed.len(), 1);
        // A set of changes: SDKs are told items with rising stamps, whatever they are.
        let add = json!({"kind": "addIncluded", "segment": "staff", "keys": ["otto"]});
        let turn =
            json!({"kind": "turnOn", "flag": "f", "project": "default", "environment": "prod"});
        let set = json!({"commands": [turn, add]});
        app.owner.post("changes", &set).await.expect(200);
        agent.until(|kept| kept.pushed.len() == 4);
        assert_eq!(agent.kept.is_on(&prod, "f"), Some(true));
        let of_prod = agent.kept.pushed.iter().filter(|(of, _)| *of == prod);
        let stamps: Vec<&str> = of_prod
            .map(|(_, it)| it["updatedAt"].as_str().unwrap())
            .collect();
        assert!(stamps.is_sorted_by(|a, b| a < b), "{stamps:?}");

        assert_eq!(agent.settle(), 0);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_was_away_is_told_what_it_missed_then_everything() {
    let app = App::start(Database::Sqlite).await;
    app.apply(flag_on("f")).await;
    app.apply(flag_on("g")).await;
    let (_, key) = relay_key(&app, &["prod"]).await;
    let prod = id(&app, "prod").await;
    let kept = Agent::fed(app.address(), &key).kept;

    app.apply(json!([in_prod("turnOff", "f")])).await;
    let new = json!({"kind": "server", "name": "late"});
    let path = "projects/default/environments/prod/sdk-keys";
    let made = app.owner.post(path, &new).await.expect(201);
    let app = app.restart().await;
    let mut agent = Agent::come_back(app.address(), &key, kept);
    agent.ask();
    // Its SDKs are told of patches alone.
    assert_eq!(agent.event(), "rp_patch");
    let pushed: Vec<&str> = agent
        .kept
        .pushed
        .iter()
        .map(|(_, it)| it["key"].as_str().unwrap())
        .collect();
    assert_eq!(pushed, ["f"]);
    assert_eq!(agent.kept.is_on(&prod, "f"), Some(false));
    // Keys are in no patch.
    let late = made["secret"].as_str().unwrap();
    assert!(!agent.kept.knows(late));
    assert_eq!(agent.event(), "rp_full");
    assert!(agent.kept.knows(late));
    has_all_of_prod(&app, &agent.kept).await;

    // One that asks again is answered again; with nothing new it is told so.
    agent.ask();
    assert_eq!(agent.event(), "rp_patch");
    assert_eq!(agent.kept.pushed.len(), 1);
    agent.say(r#"{"messageType":"DATA-SYNC","data":{"timestamp":null}}"#);
    assert_eq!(agent.event(), "rp_full");
    assert_eq!(agent.settle(), 0);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_scopes_and_reused_names_come_as_everything_anew() {
    let app = App::start(Database::Sqlite).await;
    app.apply(flag_on("f")).await;
    let (key_id, key) = relay_key(&app, &["prod"]).await;
    let (prod, dev) = (id(&app, "prod").await, id(&app, "dev").await);
    let mut agent = Agent::fed(app.address(), &key);

    let path = "projects/default/environments/prod/sdk-keys";
    let new = json!({"kind": "server", "name": "late"});
    let made = app.owner.post(path, &new).await.expect(201);
    let late = made["secret"].as_str().unwrap();
    agent.until(|kept| kept.knows(late));
    let one = format!("{path}/{}", made["id"].as_str().unwrap());
    app.owner.delete(&one).await.expect(204);
    agent.until(|kept| !kept.knows(late));
    assert!(agent.kept.pushed.is_empty());

    rescope(&app, &key_id, &["prod", "dev"]).await;
    let of_dev = app.keys("dev").await.client.secret;
    agent.until(|kept| kept.knows(&of_dev));
    app.apply(json!([{"kind": "turnOn", "flag": "f", "environment": "dev"}]))
        .await;
    agent.until(|kept| kept.is_on(&dev, "f") == Some(true));
    rescope(&app, &key_id, &["dev"]).await;
    agent.until(|kept| !kept.flags(&prod).contains_key("f"));
    app.apply(json!([in_prod("turnOff", "f")])).await;
    assert_eq!(agent.settle(), 0);
    rescope(&app, &key_id, &["prod", "dev"]).await;
    agent.until(|kept| kept.is_on(&prod, "f") == Some(false));

    // A key that is used again is another flag, of which one alone is there.
    app.apply(json!([{"kind": "archiveFlag", "flag": "f"}]))
        .await;
    app.apply(json!([{"kind": "deleteFlag", "flag": "f"}]))
        .await;
    let before = agent.kept.items();
    app.apply(flag_on("f")).await;
    agent.until(|kept| kept.is_on(&prod, "f") == Some(true) && kept.items() == before);

    // An agent that comes back with what it may not have any more.
    let kept = agent.kept.clone();
    drop(agent);
    rescope(&app, &key_id, &["dev"]).await;
    let mut agent = Agent::come_back(app.address(), &key, kept);
    agent.ask();
    agent.until(|kept| kept.flags(&prod).is_empty());
    revoke(&app, key_id).await;
    assert_eq!(agent.close_code(), 4003);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_comes_with_a_wrong_key_is_sent_away_and_may_not_register() {
    on_each_database(async |app| {
        let (key_id, key) = relay_key(app, &[]).await;
        for wrong in ["", "rp-made-up", "made-up", "%00"] {
            let mut agent = Agent::connect(app.address(), wrong);
            // As it does at once when it is connected.
            agent.ask();
            assert_eq!(agent.close_code(), 4003, "{wrong:?}");
        }
        assert_eq!(register(app.address(), "rp-made-up", r#""eu-1""#).0, 401);
        assert_eq!(register(app.address(), &key, "eu-1").0, 400);
        assert_eq!(register(app.address(), &key, r#""""#).0, 400);
        let long = json!("x".repeat(201)).to_string();
        assert_eq!(register(app.address(), &key, &long).0, 400);
        // The body is what it is called from then on, so it is no JSON.
        let good = register(app.address(), &key, r#""eu-1""#);
        assert_eq!(good, (200, "eu-1".to_owned()));
        assert_eq!(listed(app).await, [] as [Value; 0]);
        revoke(app, key_id).await;
        assert_eq!(register(app.address(), &key, r#""eu-1""#).0, 401);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_that_tell_how_they_are_are_listed() {
    let app = App::start(Database::Sqlite).await;
    app.apply(flag_on("f")).await;
    let (key_id, key) = relay_key(&app, &["prod"]).await;
    let mut agent = Agent::fed(app.address(), &key);
    agent.tell("eu-1");
    let found = until_listed(&app, |it| it["name"] == "eu-1").await;
    let at = app.owner.get("projects/default/environments/prod").await;
    let serves = json!([{"project": "default", "environment": "prod",
        "version": at.expect(200)["version"], "behind": 0}]);
    assert_eq!(found["kind"], "featbit");
    assert_eq!(found["version"], "");
    assert_eq!(found["key"], key_id.as_str());
    assert_eq!(found["connected"], true);
    assert_eq!(found["environments"], serves);

    // One of that name with another key is another.
    let (_, other) = relay_key(&app, &["prod"]).await;
    let mut second = Agent::fed(app.address(), &other);
    second.tell("eu-1");
    until_listed(&app, |it| it["key"] != key_id.as_str()).await;
    drop(agent);
    let gone = until_listed(&app, |it| it["connected"] == false).await;
    assert_eq!(gone["id"], found["id"]);
    assert_eq!(listed(&app).await.len(), 2);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_does_not_read_gets_the_newest_when_it_does() {
    let app = App::start(Database::Sqlite).await;
    // More than lies in sockets' buffers: an agent's are small.
    let long = "long ".repeat(2_800);
    for batch in 0..20 {
        let flags = (0..50).map(|number| {
            json!({"kind": "createFlag", "flag": format!("f{batch}-{number}"), "type": "string",
                "variations": [{"value": long}, {"value": "short"}]})
        });
        let names = (0..50).map(|number| in_prod("turnOn", &format!("f{batch}-{number}")));
        let set: Vec<Value> = flags.chain(names).collect();
        app.apply(json!(set)).await;
    }
    let (_, key) = relay_key(&app, &["prod"]).await;
    let prod = id(&app, "prod").await;
    let mut agent = Agent::connect(app.address(), &key);
    agent.ask();
    for round in 0..30 {
        let kind = if round % 2 == 0 { "turnOff" } else { "turnOn" };
        app.apply(json!([in_prod(kind, "f0-0")])).await;
    }
    app.apply(json!([in_prod("turnOff", "f1-1")])).await;
    assert_eq!(agent.event(), "rp_full");
    let mut patches = 0;
    while agent.kept.is_on(&prod, "f1-1") != Some(false) {
        assert_eq!(agent.event(), "rp_patch");
        patches += 1;
    }
    assert!(patches <= 2, "{patches} patches for what it slept through");
    has_all_of_prod(&app, &agent.kept).await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_means_nothing_is_passed_over_and_what_is_too_long_is_refused() {
    let app = App::start(Database::Sqlite).await;
    app.apply(flag_on("f")).await;
    let (_, key) = relay_key(&app, &["prod"]).await;
    let mut agent = Agent::connect(app.address(), &key);
    for text in [
        "",
        "{",
        "null",
        r#"{"messageType":"data-sync","data":{"timestamp":"x"}}"#,
    ] {
        agent.say(text);
    }
    agent.say_bytes(vec![0xff; 100]);
    agent.say(r#"{"messageType":"Echo","data":{"a":[1]}}"#);
    assert_eq!(
        agent.message(),
        json!({"messageType": "echo", "data": {"a": [1]}})
    );
    // Of environments that nobody has, and from a future that nobody knows.
    let odd = json!({"messageType": "data-sync", "data": {"timestamp": 7,
        "envs": [{"envId": "x", "timestamp": -7},
            {"envId": id(&app, "prod").await, "timestamp": i64::MAX}]}});
    agent.say(&odd.to_string());
    assert_eq!(agent.event(), "rp_patch");
    assert_eq!(agent.event(), "rp_full");
    has_all_of_prod(&app, &agent.kept).await;
    agent.say(&"x".repeat(2 << 20));
    assert_eq!(agent.close_code(), 1009);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_can_hang_on_a_relay_and_what_it_forwards_is_taken() {
    let app = App::start(Database::Sqlite).await;
    let folder = tempfile::tempdir().unwrap();
    app.apply(flag_on("f")).await;
    let (_, near_key) = relay_key(&app, &["prod"]).await;
    let (key_id, key) = relay_key(&app, &["prod", "dev"]).await;
    let near = relay(app.address(), &near_key, folder.path()).await;
    near.ready().await;
    assert_eq!(register(near.address(), &key, r#""far""#).0, 200);
    let mut agent = Agent::fed(near.address(), &key);
    // What both keys open.
    let prod = id(&app, "prod").await;
    assert_eq!(agent.kept.secrets.len(), 2);
    assert_eq!(agent.kept.secrets[0]["projectKey"], "default");
    has_all_of_prod(&app, &agent.kept).await;
    app.apply(json!([in_prod("turnOff", "f"), create("g")]))
        .await;
    agent.until(|kept| kept.is_on(&prod, "f") == Some(false));
    agent.tell("far");
    until_listed(&app, |it| it["kind"] == "featbit" && it["name"] == "far").await;

    // It passes on what SDKs track, with their keys, to wherever its events go.
    let flag = app.owner.get("projects/default/flags/f").await.expect(200);
    let body = json!([{"user": {"keyId": "fay", "name": "Fay", "customizedProperties": []},
        "variations": [{"featureFlagKey": "f", "sendToExperiment": false,
            "timestamp": burgee_server::now().0, "variation": flag["variations"][0]}],
        "metrics": []}]);
    let secret = app.keys("prod").await.server.secret;
    for (address, user) in [(app.address(), "fay"), (near.address(), "guy")] {
        let body = body.to_string().replace("fay", user);
        let (status, _) = posted(address, "/api/public/insight/track", &secret, &body);
        assert_eq!(status, 200);
        until_known(&app, user).await;
    }

    // Nobody can say whether its key is good: it is to come back.
    revoke(&app, key_id).await;
    assert_eq!(agent.close_code(), 4003);
    let (_, late) = relay_key(&app, &["prod"]).await;
    app.stop().await;
    near.disconnected().await;
    let mut agent = Agent::connect(near.address(), &late);
    assert_eq!(agent.close_code(), 1011);
    assert_eq!(register(near.address(), &late, r#""far""#).0, 503);
    near.stop().await;
}
