//! What only owners do, and what tokens may.

use serde_json::{Value, json};

use super::{joined, owner, text};
use crate::kit::{App, Database};

#[tokio::test]
async fn only_an_owner_makes_owners_by_whatever_way() {
    let app = App::start(Database::Sqlite).await;
    let owner = owner(&app).await;
    let admin = joined(&app, &owner, "adam@x.org", &["administrator"]).await;
    let ann = joined(&app, &owner, "ann@x.org", &["reader"]).await;
    let of = |me: &Value| format!("members/{}", me["id"].as_str().unwrap());
    let (ann, boss) = (
        of(&ann.get("session").await.expect(200)),
        of(&owner.get("session").await.expect(200)),
    );
    let everything = json!([{"effect": "allow", "actions": ["*"], "resources": ["*"]}]);
    let own = json!([{"effect": "allow", "actions": ["*.own"], "resources": ["organization"]}]);
    let give = json!({"policies": ["Owner"], "groups": []});
    admin.put(&ann, &give).await.problem(403);
    let invitation = json!({"email": "new@x.org", "policies": ["owner"]});
    admin.post("invitations", &invitation).await.problem(403);
    let group = json!({"key": "bosses", "name": "Bosses", "policies": ["owner"]});
    admin.post("groups", &group).await.problem(403);
    for statements in [&everything, &own] {
        let policy = json!({"key": "mine", "name": "Mine", "statements": statements});
        admin.post("policies", &policy).await.problem(403);
        let token = json!({"kind": "service", "name": "t", "statements": statements});
        admin.post("tokens", &token).await.problem(403);
    }
    let reader = json!({"policies": ["reader"], "groups": []});
    admin.put(&boss, &reader).await.problem(403);
    admin.delete(&boss).await.problem(403);
    admin
        .post(&format!("{boss}/reset-link"), &json!({}))
        .await
        .problem(403);

    owner.post("groups", &group).await.expect(201);
    let in_group = json!({"policies": [], "groups": ["bosses"]});
    admin.put(&ann, &in_group).await.problem(403);
    admin.delete("groups/bosses").await.problem(403);
    owner.put(&ann, &in_group).await.expect(200);
    owner.put(&boss, &reader).await.expect(200);
    app.stop().await;
}

#[tokio::test]
async fn nobody_locks_the_owner_out_or_outlives_their_rights() {
    let app = App::start(Database::Sqlite).await;
    let owner = owner(&app).await;
    let adam = joined(&app, &owner, "adam@x.org", &["owner"]).await;
    let deny = json!({"key": "no", "name": "No", "statements": [
        {"effect": "deny", "actions": ["*"], "resources": ["*"]}]});
    adam.post("policies", &deny).await.expect(201);
    let me = owner.get("session").await.expect(200);
    let boss = format!("members/{}", me["id"].as_str().unwrap());
    let both = json!({"policies": ["owner", "no"], "groups": []});
    adam.put(&boss, &both).await.expect(200);
    owner.get("projects").await.expect(200);

    // What a token makes is bound to the person behind it, and goes with them.
    let service = json!({"kind": "service", "name": "t", "policies": ["owner"]});
    let made = adam.post("tokens", &service).await.expect(201);
    let parent = app.nobody().with_token(made["token"].as_str().unwrap());
    let made = parent.post("tokens", &service).await.expect(201);
    let child = app.nobody().with_token(made["token"].as_str().unwrap());
    child.get("projects").await.expect(200);
    let personal = json!({"kind": "personal", "name": "t"});
    parent.post("tokens", &personal).await.problem(400);
    let mine = adam.post("tokens", &personal).await.expect(201);
    let mine = app.nobody().with_token(mine["token"].as_str().unwrap());
    mine.post("tokens", &personal).await.problem(403);
    let me = adam.get("session").await.expect(200);
    let id = me["id"].as_str().unwrap();

    // A reset link is worth nothing once its person is another one.
    let reset = owner
        .post(&format!("members/{id}/reset-link"), &json!({}))
        .await
        .expect(200);
    let same = json!({"policies": ["reader"], "groups": []});
    owner
        .put(&format!("members/{}", id.replace('-', "")), &same)
        .await
        .expect(200);
    let follow = json!({"link": text(&reset["link"]), "password": "another password"});
    app.nobody()
        .post("links/follow", &follow)
        .await
        .problem(404);
    owner.delete(&format!("members/{id}")).await.expect(204);
    for token in [parent, child, mine] {
        token.get("projects").await.problem(401);
    }
    app.stop().await;
}

#[tokio::test]
async fn a_token_may_be_bound_to_networks_and_to_days() {
    let app = App::start(Database::Sqlite).await;
    let owner = owner(&app).await;
    let make = async |more: Value| {
        let mut token = json!({"kind": "personal", "name": "t"});
        token
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        owner.post("tokens", &token).await
    };
    let with = |made: &Value| app.nobody().with_token(made["token"].as_str().unwrap());
    let here = make(json!({"networks": ["127.0.0.0/8"], "expiresInDays": 1}))
        .await
        .expect(201);
    with(&here).get("projects").await.expect(200);
    let elsewhere = make(json!({"networks": ["192.0.2.0/24"]}))
        .await
        .expect(201);
    with(&elsewhere).get("projects").await.problem(401);
    let wrong = make(json!({"networks": ["here"]})).await.problem(400);
    assert_eq!(wrong.body["errors"][0]["pointer"], "/networks/0");
    let wrong = make(json!({"expiresInDays": 0})).await.problem(400);
    assert_eq!(wrong.body["errors"][0]["pointer"], "/expiresInDays");

    let listed = owner.get("tokens").await.expect(200);
    assert!(!listed.to_string().contains(here["token"].as_str().unwrap()));
    let path = format!("tokens/{}", here["id"].as_str().unwrap());
    owner.delete(&path).await.expect(204);
    with(&here).get("projects").await.problem(401);
    app.stop().await;
}
