//! Keys of relays, and the relays that use them, by the API.

use burgee_domain::id::Id;
use burgee_domain::position::Position;
use burgee_server::now;
use burgee_store::{AgentPosition, AgentSeen, RelayKind};
use serde_json::{Value, json};

use crate::access::neighbour;
use crate::kit::{App, create, in_prod, on_each_database};
use crate::people;
use crate::permissions::fixture::{id, on, with};

fn everywhere(name: &str) -> Value {
    json!({"name": name, "scope": {"all": true}})
}

fn place(environment: &str) -> Value {
    json!({"project": "default", "environment": environment})
}

fn scope(environments: &[&str]) -> Value {
    let places: Vec<Value> = environments.iter().map(|it| place(it)).collect();
    json!({ "environments": places })
}

async fn made(app: &App, body: Value) -> Value {
    app.owner.post("relay-keys", &body).await.expect(201)
}

fn text<'a>(of: &'a Value, field: &str) -> &'a str {
    of[field].as_str().unwrap()
}

/// Whether a relay with this secret would be fed.
async fn works(app: &App, secret: &str) -> bool {
    app.store.relay_scope(secret).await.unwrap().is_some()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_says_who_made_it() {
    on_each_database(async |app| {
        let ana = people::owner(app).await;
        ana.patch("me", &json!({"name": "Ana"})).await.expect(200);
        let key = ana.post("relay-keys", &everywhere("hers")).await;
        assert_eq!(key.expect(201)["createdBy"], "Ana");
        let token = json!({"kind": "personal", "name": "a script of hers"});
        let token = ana.post("tokens", &token).await.expect(201);
        let script = app.nobody().with_token(text(&token, "token"));
        let key = script
            .post("relay-keys", &everywhere("by her script"))
            .await;
        let key = key.expect(201);
        assert_eq!(key["createdBy"], "Ana");
        // What the operator made, nobody did.
        let other = made(app, everywhere("the operator's")).await;
        assert!(other.get("createdBy").is_none(), "{other}");

        ana.patch("me", &json!({"name": "Anna"})).await.expect(200);
        let list = app.owner.get("relay-keys").await.expect(200);
        let makers: Vec<_> = (0..3)
            .map(|n| list["items"][n]["createdBy"].clone())
            .collect();
        assert_eq!(json!(makers), json!(["Anna", "Anna", null]));
        let path = format!("relay-keys/{}", id(&key));
        let edited = app.owner.patch(&path, &json!({"name": "ours"})).await;
        assert_eq!(edited.expect(200)["createdBy"], "Anna");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_made_shown_once_changed_rotated_and_revoked() {
    on_each_database(async |app| {
        let new = json!({"name": " EU ", "description": "Frankfurt", "scope": scope(&["prod"])});
        let key = made(app, new).await;
        let secret = text(&key, "secret").to_owned();
        assert_eq!(key["name"], "EU");
        assert_eq!(key["prefix"], secret[..11]);
        let expected = json!({"all": false, "environments": [place("prod")], "hidden": 0});
        assert_eq!(key["scope"], expected);
        let path = format!("relay-keys/{}", id(&key));
        let shown = app.owner.get(&path).await.expect(200);
        let mut without = key.clone();
        without.as_object_mut().unwrap().remove("secret");
        assert_eq!(shown, without);
        let list = app.owner.get("relay-keys").await.expect(200);
        assert_eq!(list["items"], json!([without]));

        // The keys of environments match without regard to case; each is named once.
        let wide = json!({"scope": scope(&["PROD", "dev", "prod"])});
        let changed = app.owner.patch(&path, &wide).await.expect(200);
        let both = json!([place("dev"), place("prod")]);
        assert_eq!(changed["scope"]["environments"], both);
        assert_eq!(changed["description"], "Frankfurt");
        let all = json!({"name": "All", "scope": {"all": true}});
        let changed = app.owner.patch(&path, &all).await.expect(200);
        let expected = json!({"all": true, "environments": [], "hidden": 0});
        assert_eq!(
            (&changed["name"], &changed["scope"]),
            (&json!("All"), &expected)
        );

        let rotate = format!("{path}/rotate");
        let rotated = app
            .owner
            .post(&rotate, &json!({"graceSeconds": 3600}))
            .await;
        let rotated = rotated.expect(200);
        let second = text(&rotated, "secret").to_owned();
        assert!(rotated["previousEndsAt"].is_string() && rotated["rotatedAt"].is_string());
        assert!(works(app, &secret).await && works(app, &second).await);
        let rotated = app
            .owner
            .post(&rotate, &json!({"graceSeconds": 0}))
            .await
            .expect(200);
        let third = text(&rotated, "secret").to_owned();
        assert!(rotated["previousEndsAt"].is_null());
        assert!(!works(app, &secret).await && !works(app, &second).await);

        for _ in 0..2 {
            app.owner.delete(&path).await.expect(204);
        }
        assert!(!works(app, &third).await);
        assert!(app.owner.get(&path).await.expect(200)["revokedAt"].is_string());
        let refused = app.owner.patch(&path, &all).await.problem(409);
        assert_eq!(refused.code(), "keyRevoked");
        let refused = app.owner.post(&rotate, &json!({"graceSeconds": 0})).await;
        assert_eq!(refused.problem(409).code(), "keyRevoked");

        let audit = app.owner.get("audit?limit=500").await.expect(200);
        for kind in [
            "createRelayKey",
            "updateRelayKey",
            "rotateRelayKey",
            "revokeRelayKey",
        ] {
            let log = app
                .owner
                .get(&format!("audit?kind={kind}"))
                .await
                .expect(200);
            let commands = &log["items"][0]["commands"][0];
            assert_eq!(commands["relayKey"], key["id"], "{kind}: {log}");
        }
        for secret in [&secret, &second, &third] {
            assert!(!audit.to_string().contains(&secret[11..]));
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_ends_a_former_secret_by_itself_when_it_is_time() {
    on_each_database(async |app| {
        let key = made(app, everywhere("k")).await;
        let path = format!("relay-keys/{}", id(&key));
        let grace = json!({"graceSeconds": 1});
        let rotated = app.owner.post(&format!("{path}/rotate"), &grace).await;
        let rotated = rotated.expect(200);
        while app.owner.get(&path).await.expect(200)["previousEndsAt"].is_string() {}
        assert!(!works(app, text(&key, "secret")).await);
        assert!(works(app, text(&rotated, "secret")).await);
        let log = app.owner.get("audit?kind=endRelaySecret").await.expect(200);
        assert_eq!(log["items"][0]["actorKind"], "system");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_is_refused_by_its_field() {
    on_each_database(async |app| {
        let many: Vec<Value> = (0..501).map(|_| place("prod")).collect();
        let nowhere = json!([place("dev"), place("nowhere")]);
        for (body, pointer, code) in [
            (
                json!({"name": "", "scope": {"all": true}}),
                "/name",
                "nameEmpty",
            ),
            (json!({"name": "k"}), "", "json"),
            (
                json!({"name": "k", "scope": {}}),
                "/scope/environments",
                "listEmpty",
            ),
            (
                json!({"name": "k", "scope": {"all": true, "environments": [place("dev")]}}),
                "/scope/environments",
                "listNotEmpty",
            ),
            (
                json!({"name": "k", "scope": {"environments": many}}),
                "/scope/environments",
                "listTooLong",
            ),
            (
                json!({"name": "k", "scope": {"environments": nowhere}}),
                "/scope/environments/1",
                "environmentNotFound",
            ),
            (
                json!({"name": "k", "scope": {"every": true}}),
                "/scope/every",
                "json",
            ),
            (
                json!({"name": "k", "description": "x".repeat(2_001), "scope": {"all": true}}),
                "/description",
                "textTooLong",
            ),
        ] {
            let refused = app.owner.post("relay-keys", &body).await.problem(400);
            let found = (refused.pointers(), &refused.body["errors"][0]["code"]);
            assert_eq!(found, (vec![pointer], &json!(code)), "{}", refused.body);
        }
        let key = made(app, everywhere("k")).await;
        let path = format!("relay-keys/{}", id(&key));
        for (body, pointer) in [
            (json!({"name": ""}), "/name"),
            (
                json!({"scope": {"environments": [place("nowhere")]}}),
                "/scope/environments/0",
            ),
            (json!({"prefix": "x"}), "/prefix"),
        ] {
            let refused = app.owner.patch(&path, &body).await.problem(400);
            assert_eq!(refused.pointers(), [pointer]);
        }
        let rotate = format!("{path}/rotate");
        for seconds in [-1, 90 * 24 * 3_600 + 1] {
            let refused = app
                .owner
                .post(&rotate, &json!({ "graceSeconds": seconds }))
                .await;
            assert_eq!(refused.problem(400).pointers(), ["/graceSeconds"]);
        }
        for (query, pointer) in [
            ("relay-keys?limit=0", "limit"),
            ("relay-keys?cursor=x", "/cursor"),
            ("relay-agents?key=x", "key"),
            ("relay-agents?cursor=x", "/cursor"),
        ] {
            let refused = app.owner.get(query).await.problem(400);
            assert_eq!(refused.pointers(), [pointer], "{query}");
        }
        for nothing in ["relay-keys/x", "relay-keys/%00"] {
            app.owner.get(nothing).await.problem(404);
        }
        app.owner.delete("relay-agents/%00").await.problem(404);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_of_a_key_that_was_changed_meanwhile_is_refused() {
    on_each_database(async |app| {
        let key = made(app, everywhere("k")).await;
        let path = format!("relay-keys/{}", id(&key));
        let seen = app.owner.get(&path).await;
        let tag = seen.headers["etag"].to_str().unwrap().to_owned();
        let condition = app.owner.clone().with_header("if-match", &tag);
        condition
            .patch(&path, &json!({"name": "one"}))
            .await
            .expect(200);
        let refused = condition.patch(&path, &json!({"name": "two"})).await;
        assert_eq!(refused.problem(412).code(), "changedMeanwhile");
        condition.delete(&path).await.problem(412);
        assert_eq!(app.owner.get(&path).await.expect(200)["name"], "one");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_is_given_what_its_maker_may_see() {
    on_each_database(async |app| {
        let dev = "project/default:env/dev";
        let caller = with(
            app,
            json!([
                on("allow", &["relayKey.*"], &["*"]),
                on("allow", &["sdkKey.reveal", "environment.read"], &[dev]),
            ]),
        )
        .await;
        let new = |scope: Value| json!({"name": "k", "scope": scope});
        let own = caller
            .post("relay-keys", &new(scope(&["dev"])))
            .await
            .expect(201);
        // Whether or not it is there.
        for refused in [scope(&["prod"]), scope(&["nowhere"]), json!({"all": true})] {
            let problem = caller.post("relay-keys", &new(refused)).await.problem(403);
            let detail = problem.body["detail"].as_str().unwrap();
            assert!(detail.contains("`sdkKey.reveal`"), "{detail}");
        }
        let path = format!("relay-keys/{}", id(&own));
        let wider = json!({"scope": scope(&["dev", "prod"])});
        caller.patch(&path, &wider).await.problem(403);
        app.owner.patch(&path, &wider).await.expect(200);
        // What they may not see is counted, and its secret not theirs to have.
        let shown = caller.get(&path).await.expect(200);
        let expected = json!({"all": false, "environments": [place("dev")], "hidden": 1});
        assert_eq!(shown["scope"], expected);
        let rotate = format!("{path}/rotate");
        caller
            .post(&rotate, &json!({"graceSeconds": 0}))
            .await
            .problem(403);
        caller
            .patch(&path, &json!({"name": "ours"}))
            .await
            .expect(200);
        caller
            .patch(&path, &json!({"scope": scope(&["dev"])}))
            .await
            .expect(200);
        caller
            .post(&rotate, &json!({"graceSeconds": 0}))
            .await
            .expect(200);
    })
    .await;
}

/// A relay that was seen just now, and serves `prod` as it was.
async fn seen(app: &App, key: &str, agent: &str, version: i64) -> AgentSeen {
    let prod = app.owner.get("projects/default/environments/prod").await;
    let environment = Id::new(id(&prod.expect(200)));
    let position = Position { version, digest: 7 };
    let seen = AgentSeen {
        agent: agent.into(),
        key: Id::new(key),
        told_by: Id::new(key),
        organization: app.organization.id.clone(),
        name: "tokyo-1".into(),
        version: "1.2.3".into(),
        kind: RelayKind::Burgee,
        address: "192.0.2.7".into(),
        node: "node-a".into(),
        connections: 12,
        environments: vec![AgentPosition {
            environment,
            position,
        }],
        connected_at: now(),
        at: now(),
    };
    app.store.relay_agent_seen(&seen).await.unwrap();
    seen
}

async fn end(app: &App, seen: &AgentSeen) {
    let gone = seen.connection();
    app.store.relay_agent_gone(&gone, now()).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn relays_are_listed_with_how_far_they_are_and_removed() {
    on_each_database(async |app| {
        app.apply(json!([create("f")])).await;
        let (one, two) = (
            made(app, everywhere("1")).await,
            made(app, everywhere("2")).await,
        );
        let prod = app.owner.get("projects/default/environments/prod").await;
        let version = prod.expect(200)["version"].as_i64().unwrap();
        let of_one = seen(app, &id(&one), "a", version).await;
        let of_two = seen(app, &id(&two), "b", version).await;
        app.apply(json!([in_prod("turnOn", "f")])).await;
        let list = async |query: &str| {
            let page = app
                .owner
                .get(&format!("relay-agents{query}"))
                .await
                .expect(200);
            page["items"].as_array().unwrap().clone()
        };
        let found = list(&format!("?key={}", id(&one))).await;
        let serves = json!([{"project": "default", "environment": "prod",
            "version": version, "behind": 1}]);
        let expected = json!([{"id": "a", "key": one["id"], "name": "tokyo-1",
            "version": "1.2.3", "kind": "burgee", "address": "192.0.2.7", "node": "node-a",
            "connected": true,
            "connections": 12, "environments": serves,
            "connectedAt": of_one.connected_at.to_string(),
            "lastSeenAt": of_one.at.to_string()}]);
        assert_eq!(json!(found), expected);
        assert_eq!(list("").await.len(), 2);

        let refused = app.owner.delete("relay-agents/a").await.problem(409);
        assert_eq!(refused.code(), "relayConnected");
        end(app, &of_one).await;
        let gone = &list("?limit=1").await[0];
        assert_eq!(gone["connected"], false);
        assert!(gone["disconnectedAt"].is_string());
        let stranger = neighbour(app).await;
        stranger.delete("relay-agents/a").await.problem(404);
        let theirs = stranger.get("relay-agents").await.expect(200);
        assert_eq!(theirs["items"], json!([]));
        app.owner.delete("relay-agents/a").await.expect(204);
        app.owner.delete("relay-agents/a").await.problem(404);
        let log = app
            .owner
            .get("audit?kind=removeRelayAgent")
            .await
            .expect(200);
        assert_eq!(log["items"][0]["commands"][0]["relayAgent"], "a");

        // By key, and no more of environments than they see.
        let key = format!("relay/{}", id(&two));
        let caller = with(app, json!([on("allow", &["relayAgent.*"], &[&key])])).await;
        let third = seen(app, &id(&one), "c", version).await;
        let page = caller.get("relay-agents").await.expect(200);
        let items = page["items"].as_array().unwrap();
        assert_eq!(items.len(), 1, "{page}");
        assert_eq!(
            (&items[0]["id"], &items[0]["environments"]),
            (&json!("b"), &json!([]))
        );
        end(app, &third).await;
        caller.delete("relay-agents/c").await.problem(403);
        end(app, &of_two).await;
        caller.delete("relay-agents/b").await.expect(204);
    })
    .await;
}
