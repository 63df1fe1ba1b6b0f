//! Requests: change sets that wait for others.

use burgee_domain::access::{DEVELOPER, READER};
use burgee_testkit::api::Api;
use serde_json::{Value, json};

use crate::kit::{App, create, flag_on, in_prod, on_each_database, texts, variations};
use crate::people::joined;
use crate::permissions::fixture::{allow, id, on, with};
use crate::rules::{one_approval, set_rules};

/// Commands of the project `default`.
pub(crate) fn of_default(commands: Value) -> Value {
    let mut commands = commands;
    for command in commands.as_array_mut().unwrap() {
        command["project"] = json!("default");
    }
    commands
}

/// A request with commands of `default`.
fn asking(commands: Value) -> Value {
    json!({"title": "Please", "commands": of_default(commands)})
}

/// Makes a request that must be fine; its id.
pub(crate) async fn ask(api: &Api, commands: Value) -> String {
    id(&api.post("requests", &asking(commands)).await.expect(201))
}

pub(crate) async fn look(api: &Api, id: &str) -> Value {
    api.get(&format!("requests/{id}")).await.expect(200)
}

/// A review of the newest revision.
pub(crate) async fn review(api: &Api, id: &str, verdict: &str) -> Value {
    let revision = &look(api, id).await["revision"];
    let body = json!({"verdict": verdict, "revision": revision});
    api.post(&format!("requests/{id}/reviews"), &body)
        .await
        .expect(200)
}

pub(crate) fn apply_path(id: &str) -> String {
    format!("requests/{id}/apply")
}

/// Whether a flag of `default` is on in `prod`.
async fn is_on(app: &App, flag: &str) -> bool {
    let path = format!("projects/default/flags/{flag}");
    let flag = app.owner.get(&path).await.expect(200);
    flag["environments"]["prod"]["isEnabled"] == true
}

/// A flag that is on in `prod`, which asks for one approval; two developers.
pub(crate) async fn house(app: &App) -> (Api, Api) {
    app.apply(flag_on("f")).await;
    set_rules(app, "prod", one_approval()).await;
    let ann = person(app, "ann", DEVELOPER).await;
    (ann, person(app, "bob", DEVELOPER).await)
}

/// Somebody by a token of their own, which has their name.
pub(crate) async fn person(app: &App, name: &str, policy: &str) -> Api {
    let token = personal(app, name, policy).await;
    app.nobody().with_token(&token)
}

/// The text of such a token.
pub(crate) async fn personal(app: &App, name: &str, policy: &str) -> String {
    let email = format!("{name}@example.com");
    let session = joined(app, &app.owner, &email, &[policy]).await;
    let token = json!({"kind": "personal", "name": name});
    let token = session.post("tokens", &token).await.expect(201);
    token["token"].as_str().unwrap().to_owned()
}

/// How many requests wait for somebody: for their review, and of their own.
pub(crate) async fn inbox(api: &Api) -> (i64, i64) {
    let told = api.get("inbox").await.expect(200);
    let of = |name: &str| told[name].as_i64().unwrap();
    (of("review"), of("mine"))
}

fn off() -> Value {
    json!([in_prod("turnOff", "f")])
}

#[tokio::test(flavor = "multi_thread")]
async fn another_approves_and_then_it_is_applied_once() {
    on_each_database(async |app| {
        let (ann, bob) = house(app).await;
        let reader = app.caller("rita", READER).await;
        let asked = ask(&ann, off()).await;
        let seen = look(&bob, &asked).await;
        assert_eq!(
            (&seen["state"], &seen["awaitsYou"]),
            (&json!("waiting"), &json!(true))
        );
        assert_eq!(seen["needs"][0]["missing"], 1, "{seen}");
        assert_eq!(seen["diff"][0]["code"], "turnedOff", "{seen}");
        assert_eq!(seen["now"]["diff"], seen["diff"], "{seen}");
        assert_eq!(look(&ann, &asked).await["awaitsYou"], false);

        let apply = apply_path(&asked);
        let problem = ann.post(&apply, &json!({})).await.problem(403);
        assert_eq!(problem.code(), "approvalRequired", "{}", problem.body);
        let own = json!({"verdict": "approve", "revision": 1});
        let reviews = format!("requests/{asked}/reviews");
        let problem = ann.post(&reviews, &own).await.problem(403);
        assert_eq!(problem.code(), "ownRequest", "{}", problem.body);
        reader.post(&reviews, &own).await.problem(403);
        assert!(is_on(app, "f").await);

        let approved = review(&bob, &asked, "approve").await;
        assert_eq!(approved["state"], "approved", "{approved}");
        assert_eq!(approved["needs"][0]["approvedBy"], json!(["bob"]));
        assert_eq!(approved["awaitsYou"], false);
        reader.post(&apply, &json!({})).await.problem(403);
        let done = ann.post(&apply, &json!({})).await.expect(200);
        assert!(!is_on(app, "f").await);
        let entry = app.owner.get(&format!("changes/{}", id(&done))).await;
        let entry = entry.expect(200);
        assert_eq!(entry["request"], asked.as_str());
        assert_eq!(entry["actor"], "ann");

        // Once more gives the same, and does nothing.
        let again = bob.post(&apply, &json!({})).await.expect(200);
        assert_eq!(again["id"], done["id"]);
        assert_eq!(again["versions"], done["versions"]);
        let seen = look(&ann, &asked).await;
        assert_eq!(
            (&seen["state"], &seen["changeSet"]),
            (&json!("applied"), &done["id"])
        );
        let problem = bob.post(&reviews, &own).await.problem(409);
        assert_eq!(problem.code(), "requestClosed");

        let history = app.owner.get("changes?limit=4").await.expect(200);
        let codes = history["items"].as_array().unwrap().iter();
        let codes: Vec<&Value> = codes.map(|it| &it["diff"][0]["code"]).collect();
        assert_eq!(codes[..3], ["turnedOff", "approveRequest", "createRequest"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_revision_is_approved_by_nobody_and_its_author_does_not_review() {
    on_each_database(async |app| {
        let (ann, bob) = house(app).await;
        let (on_variation, _) = variations(&app.owner, "f").await;
        let asked = ask(&ann, off()).await;
        review(&bob, &asked, "approve").await;
        let mut set = in_prod("setOffVariation", "f");
        set["variation"] = json!(on_variation);
        let more = json!({"comment": "better", "commands": of_default(json!([set]))});
        let revised = ann
            .post(&format!("requests/{asked}/revisions"), &more)
            .await;
        let revised = revised.expect(200);
        assert_eq!(
            (&revised["revision"], &revised["state"]),
            (&json!(2), &json!("waiting"))
        );
        assert_eq!(revised["comment"], "better");
        // What each was to do, for who wants to know what is different.
        let said = |revision: usize| &revised["revisions"][revision]["steps"][0]["diff"];
        assert_eq!(revised["revisions"].as_array().unwrap().len(), 2);
        assert_eq!(said(0)[0]["code"], "turnedOff");
        assert_eq!(said(1)[0]["code"], "offVariationSet");
        ann.post(&apply_path(&asked), &json!({})).await.problem(403);
        let reviews = format!("requests/{asked}/reviews");
        let old = json!({"verdict": "approve", "revision": 1});
        let problem = bob.post(&reviews, &old).await.problem(409);
        assert_eq!(problem.code(), "revised");

        // Who writes in it is one of its authors, for good.
        let theirs = json!({"commands": of_default(off())});
        let path = format!("requests/{asked}/revisions");
        bob.post(&path, &theirs).await.expect(200);
        for author in [&ann, &bob] {
            let review = json!({"verdict": "approve", "revision": 3});
            let problem = author.post(&reviews, &review).await.problem(403);
            assert_eq!(problem.code(), "ownRequest");
        }
        let cem = person(app, "cem", DEVELOPER).await;
        review(&cem, &asked, "approve").await;
        // The one that was meant, and no other.
        let meant = json!({"revision": 2});
        let problem = ann.post(&apply_path(&asked), &meant).await.problem(409);
        assert_eq!(problem.code(), "revised");
        let meant = json!({"revision": 3});
        ann.post(&apply_path(&asked), &meant).await.expect(200);
        assert!(!is_on(app, "f").await);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_and_who_may_review_is_decided_when_it_is_applied() {
    on_each_database(async |app| {
        let (ann, _) = house(app).await;
        let bob = with(app, json!([allow(&["*.read", "change.review"])])).await;
        let asked = ask(&ann, off()).await;
        assert_eq!(review(&bob, &asked, "approve").await["state"], "approved");
        let two = json!({"comment": "required", "approvals": {"required": 2}});
        set_rules(app, "prod", two).await;
        assert_eq!(look(&ann, &asked).await["state"], "waiting");
        let problem = ann.post(&apply_path(&asked), &json!({})).await.problem(400);
        assert_eq!(problem.code(), "commentRequired", "{}", problem.body);
        set_rules(app, "prod", json!({"approvals": {"required": 2}})).await;
        let problem = ann.post(&apply_path(&asked), &json!({})).await.problem(403);
        assert_eq!(problem.body["needs"][0]["missing"], 1, "{}", problem.body);
        set_rules(app, "prod", one_approval()).await;
        assert_eq!(look(&ann, &asked).await["state"], "approved");

        // Bob's token is revoked: he counts no more.
        let tokens = app.owner.get("tokens").await.expect(200);
        let tokens = tokens["items"].as_array().unwrap();
        let token = |name: &str| id(tokens.iter().find(|it| it["name"] == name).unwrap());
        app.owner
            .delete(&format!("tokens/{}", token("tried")))
            .await;
        assert_eq!(look(&ann, &asked).await["state"], "waiting");
        ann.post(&apply_path(&asked), &json!({})).await.problem(403);

        // So does an author: nothing is applied in the name of who is gone.
        let cem = person(app, "cem", DEVELOPER).await;
        review(&cem, &asked, "approve").await;
        app.owner.delete(&format!("tokens/{}", token("ann"))).await;
        let problem = cem.post(&apply_path(&asked), &json!({})).await.problem(403);
        assert_eq!(problem.code(), "authorGone", "{}", problem.body);
        let refused = &look(&cem, &asked).await["now"]["refused"];
        assert_eq!(refused["code"], "authorGone");
        assert!(is_on(app, "f").await);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_author_who_may_not_any_more_has_nothing_applied() {
    on_each_database(async |app| {
        let (_, bob) = house(app).await;
        let policy = |actions: &[&str]| {
            json!({"key": "switch", "name": "Switch",
                "statements": [allow(&["*.read"]), allow(actions)]})
        };
        let made = app.owner.post("policies", &policy(&["flag.turnOff"])).await;
        made.expect(201);
        let ann = person(app, "sue", "switch").await;
        let asked = ask(&ann, off()).await;
        review(&bob, &asked, "approve").await;
        // She may ask, not apply.
        let problem = ann.post(&apply_path(&asked), &json!({})).await.problem(403);
        assert!(
            problem.body["detail"]
                .as_str()
                .unwrap()
                .contains("`change.apply`")
        );
        let mut less = policy(&["flag.turnOn"]);
        less.as_object_mut().unwrap().remove("key");
        app.owner.put("policies/switch", &less).await.expect(200);
        let problem = bob.post(&apply_path(&asked), &json!({})).await.problem(403);
        assert_eq!(problem.code(), "authorForbidden", "{}", problem.body);
        assert!(is_on(app, "f").await);
        // Nor does she ask for what she may not do.
        ann.post("requests", &asking(off())).await.problem(403);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn approval_is_asked_where_the_effect_is() {
    on_each_database(async |app| {
        let (ann, bob) = house(app).await;
        let shared = json!({"commands": [{"kind": "createSegment", "segment": "staff"}],
            "override": {"reason": "to begin with"}});
        app.owner.post("changes", &shared).await.expect(200);
        let (on_variation, _) = variations(&app.owner, "f").await;
        let name = json!([{"kind": "updateVariation", "flag": "f", "variation": on_variation,
            "name": "Yes"}]);
        let staff = json!({"title": "Staff",
            "commands": [{"kind": "addIncluded", "segment": "staff", "keys": ["ann"]}]});
        for new in [asking(name), staff] {
            let asked = ann.post("requests", &new).await.expect(201);
            assert_eq!(asked["needs"][0]["environment"], "prod", "{asked}");
            let asked = id(&asked);
            ann.post(&apply_path(&asked), &json!({})).await.problem(403);
            review(&bob, &asked, "approve").await;
            ann.post(&apply_path(&asked), &json!({})).await.expect(200);
        }
        // Where nobody is asked, a request waits for who applies it.
        let dev = json!([{"kind": "turnOn", "flag": "f", "environment": "dev"}]);
        let asked = ask(&ann, dev).await;
        assert_eq!(look(&ann, &asked).await["state"], "approved");
        ann.post(&apply_path(&asked), &json!({})).await.expect(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_reviewed_is_applied_or_nothing() {
    on_each_database(async |app| {
        let (ann, bob) = house(app).await;
        set_rules(app, "prod", json!({})).await;
        let (on_variation, off_variation) = variations(&app.owner, "f").await;
        let set = |variation: &str| {
            let mut set = in_prod("setOffVariation", "f");
            set["variation"] = json!(variation);
            json!([set])
        };
        let asked = ask(&ann, set(&on_variation)).await;
        // Beside it, others may change what they want.
        app.apply(json!([in_prod("turnOff", "f")])).await;
        app.apply(
            json!([{"kind": "setVariations", "flag": "f", "variations": [
            {"id": on_variation, "value": "true"}, {"id": off_variation, "value": "false"}]}]),
        )
        .await;
        assert_eq!(look(&ann, &asked).await["now"]["conflicts"], json!([]));
        // The same part: it is held up, and released when that is taken back.
        let oscar = app.caller("oscar", DEVELOPER).await;
        let theirs = json!({"comment": "mine", "commands": set(&on_variation)});
        oscar
            .post("projects/default/changes", &theirs)
            .await
            .expect(200);
        let problem = ann.post(&apply_path(&asked), &json!({})).await.problem(412);
        assert_eq!(problem.code(), "rebaseNeeded", "{}", problem.body);
        let conflict = &problem.body["conflicts"][0];
        assert_eq!(conflict["facets"], json!(["offVariation"]), "{conflict}");
        assert_eq!(
            (&conflict["by"], &conflict["comment"]),
            (&json!("oscar"), &json!("mine"))
        );
        assert_eq!(look(&ann, &asked).await["now"]["conflicts"][0], *conflict);
        // What is so already is nothing to ask for.
        let rebase = format!("requests/{asked}/rebase");
        let problem = ann.post(&rebase, &Value::Null).await.problem(400);
        assert_eq!(problem.pointers(), ["/commands"]);
        app.apply(set(&off_variation)).await;
        ann.post(&apply_path(&asked), &json!({})).await.expect(200);

        // A rebase says what differs, keeps the ids that were shown, and asks everybody again.
        set_rules(app, "prod", one_approval()).await;
        let mut rule = in_prod("addRule", "f");
        rule["rule"] = json!({"variation": on_variation, "conditions": []});
        let asked = ask(&ann, json!([rule, in_prod("turnOn", "f")])).await;
        review(&bob, &asked, "approve").await;
        let both = json!({"commands": [in_prod("turnOn", "f")], "override": {"reason": "now"}});
        app.owner
            .post("projects/default/changes", &both)
            .await
            .expect(200);
        ann.post(&apply_path(&asked), &json!({})).await.problem(412);
        let rebase = format!("requests/{asked}/rebase");
        let rebased = ann.post(&rebase, &Value::Null).await.expect(200);
        assert_eq!(
            rebased["differences"][0]["facets"],
            json!(["onOff"]),
            "{rebased}"
        );
        let request = &rebased["request"];
        assert_eq!(
            (&request["revision"], &request["state"]),
            (&json!(2), &json!("waiting"))
        );
        assert_eq!(request["revisions"][1]["rebased"], true);
        assert_eq!(request["diff"].as_array().unwrap().len(), 1, "{request}");
        ann.post(&apply_path(&asked), &json!({})).await.problem(403);
        review(&bob, &asked, "approve").await;
        ann.post(&apply_path(&asked), &json!({})).await.expect(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_does_not_fit_any_more_says_why() {
    on_each_database(async |app| {
        let (ann, bob) = house(app).await;
        set_rules(app, "prod", json!({})).await;
        let asked = ask(&ann, off()).await;
        let archive = json!([{"kind": "archiveFlag", "flag": "f"}]);
        app.apply(archive).await;
        for path in ["apply", "rebase"] {
            let path = format!("requests/{asked}/{path}");
            let problem = bob.post(&path, &json!({})).await.problem(412);
            let conflict = &problem.body["conflicts"][0];
            assert_eq!(conflict["by"], "olivia", "{}", problem.body);
            assert_eq!(conflict["facets"], json!(["life"]));
        }
        let refused = &look(&bob, &asked).await["now"]["refused"];
        assert_eq!(refused["code"], "baseConflict", "{refused}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_declines_holds_it_until_they_change_their_mind() {
    on_each_database(async |app| {
        let (ann, bob) = house(app).await;
        let cem = person(app, "cem", DEVELOPER).await;
        let asked = ask(&ann, off()).await;
        review(&bob, &asked, "approve").await;
        let declined = review(&cem, &asked, "decline").await;
        assert_eq!(declined["state"], "declined", "{declined}");
        assert_eq!(declined["needs"][0]["declinedBy"], json!(["cem"]));
        let problem = ann.post(&apply_path(&asked), &json!({})).await.problem(403);
        assert_eq!(problem.code(), "approvalRequired");
        let comments = format!("requests/{asked}/comments");
        let why = json!({"text": "Why not?"});
        ann.post(&comments, &why).await.expect(200);
        let empty = json!({"text": " "});
        let problem = ann.post(&comments, &empty).await.problem(400);
        assert_eq!(problem.pointers(), ["/text"]);
        review(&cem, &asked, "approve").await;
        let seen = look(&ann, &asked).await;
        assert_eq!(seen["state"], "approved");
        let kinds: Vec<&Value> = seen["events"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| &it["kind"])
            .collect();
        assert_eq!(kinds, ["approve", "decline", "comment", "approve"]);
        ann.post(&apply_path(&asked), &json!({})).await.expect(200);
        // Discussion goes on.
        bob.post(&comments, &why).await.expect(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_approves_their_own_by_way_of_a_token() {
    on_each_database(async |app| {
        house(app).await;
        let group = json!({"key": "core", "name": "Core"});
        app.owner.post("groups", &group).await.expect(201);
        let rules = json!({"approvals": {"required": 1, "reviewers": {"groups": ["core"]}}});
        set_rules(app, "prod", rules).await;
        let ann = joined(app, &app.owner, "dora@example.com", &["administrator"]).await;
        let bob = joined(app, &app.owner, "emil@example.com", &["developer"]).await;
        let cem = joined(app, &app.owner, "finn@example.com", &["developer"]).await;
        let members = app.owner.get("members").await.expect(200);
        for member in members["items"].as_array().unwrap() {
            if ["dora@example.com", "emil@example.com"].contains(&member["email"].as_str().unwrap())
            {
                let grants = json!({"policies": member["policies"], "groups": ["core"]});
                let path = format!("members/{}", member["id"].as_str().unwrap());
                app.owner.put(&path, &grants).await.expect(200);
            }
        }
        let token = json!({"kind": "service", "name": "bot", "policies": ["developer"]});
        let token = ann.post("tokens", &token).await.expect(201);
        let bot = app.nobody().with_token(token["token"].as_str().unwrap());

        let asked = ask(&ann, off()).await;
        let body = json!({"verdict": "approve", "revision": 1});
        let problem = bot
            .post(&format!("requests/{asked}/reviews"), &body)
            .await
            .problem(403);
        assert_eq!(problem.code(), "ownRequest");
        // Not of the group: heard, not counted.
        assert_eq!(look(&cem, &asked).await["awaitsYou"], false);
        assert_eq!(review(&cem, &asked, "approve").await["state"], "waiting");
        assert_eq!(look(&bob, &asked).await["awaitsYou"], true);
        assert_eq!(review(&bob, &asked, "approve").await["state"], "approved");
        bot.post(&apply_path(&asked), &json!({})).await.expect(200);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_operator_s_tokens_are_one_reviewer_and_it_is_the_author() {
    on_each_database(async |app| {
        house(app).await;
        set_rules(app, "prod", json!({"approvals": {"required": 2}})).await;
        let asked = ask(&app.owner, off()).await;
        let body = json!({"verdict": "approve", "revision": 1});
        let reviews = format!("requests/{asked}/reviews");
        let child = json!({"kind": "service", "name": "child", "policies": ["developer"]});
        let child = app.owner.post("tokens", &child).await.expect(201);
        let tokens = app.owner.get("tokens").await.expect(200);
        let mut tokens = tokens["items"].as_array().unwrap().iter();
        let first = tokens.find(|it| it["name"] == "olivia").unwrap();
        assert_eq!(child["madeBy"], first["id"]);
        let child = app.nobody().with_token(child["token"].as_str().unwrap());
        let other = app.caller("other", DEVELOPER).await;
        for token in [&app.owner, &child, &other] {
            let problem = token.post(&reviews, &body).await.problem(403);
            assert_eq!(problem.code(), "ownRequest");
        }
        // They share the voice alone: what another may do, one of them does not.
        let mine = other.get("requests?mine=true").await.expect(200);
        assert_eq!(mine["items"], json!([]));
        let guest = with(app, json!([on("allow", &["*.read"], &["organization"])])).await;
        guest.get(&format!("requests/{asked}")).await.problem(403);
        // Of somebody else's request they approve once.
        let ann = person(app, "gwen", DEVELOPER).await;
        let asked = ask(&ann, off()).await;
        for token in [&child, &other] {
            review(token, &asked, "approve").await;
        }
        let seen = look(&ann, &asked).await;
        assert_eq!(seen["needs"][0]["missing"], 1, "{seen}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn two_who_apply_at_once_apply_once() {
    on_each_database(async |app| {
        let (ann, bob) = house(app).await;
        for _ in 0..4 {
            let kind = if is_on(app, "f").await {
                "turnOff"
            } else {
                "turnOn"
            };
            let asked = ask(&ann, json!([in_prod(kind, "f")])).await;
            review(&bob, &asked, "approve").await;
            let before = app.owner.get("changes?limit=1").await.expect(200);
            let (path, body) = (apply_path(&asked), json!({}));
            let both = tokio::join!(ann.post(&path, &body), bob.post(&path, &body));
            let (one, other) = (both.0.expect(200), both.1.expect(200));
            assert_eq!(one["id"], other["id"]);
            let after = app.owner.get("changes?limit=2").await.expect(200);
            assert_eq!(after["items"][0]["id"], one["id"]);
            assert_eq!(after["items"][1], before["items"][0]);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_overridden_by_who_may() {
    on_each_database(async |app| {
        let (ann, _) = house(app).await;
        let asked = ask(&ann, off()).await;
        let now = json!({"override": {"reason": "it burns"}});
        let problem = ann.post(&apply_path(&asked), &now).await.problem(403);
        assert!(
            problem.body["detail"]
                .as_str()
                .unwrap()
                .contains("`change.override`")
        );
        let done = app.owner.post(&apply_path(&asked), &now).await.expect(200);
        assert_eq!(done["overridden"]["reason"], "it burns");
        assert_eq!(done["diff"][0]["code"], "approvalOverridden");
        assert!(!is_on(app, "f").await);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_is_made_once_and_withdrawn_by_its_author() {
    on_each_database(async |app| {
        let (ann, bob) = house(app).await;
        let mut new = asking(off());
        new["id"] = json!("5d1c3a52-4d7a-4f0e-9a55-000000000002");
        let asked = id(&ann.post("requests", &new).await.expect(201));
        assert_eq!(id(&ann.post("requests", &new).await.expect(201)), asked);
        new["title"] = json!("Something else");
        let problem = ann.post("requests", &new).await.problem(409);
        assert_eq!(problem.code(), "idReused");
        let nothing = asking(json!([in_prod("turnOn", "f")]));
        let problem = ann.post("requests", &nothing).await.problem(400);
        assert_eq!(problem.pointers(), ["/commands"]);
        for (field, value) in [("title", json!(" ")), ("comment", json!("x".repeat(2_001)))] {
            let mut bad = asking(off());
            bad[field] = value;
            let problem = ann.post("requests", &bad).await.problem(400);
            assert_eq!(problem.pointers(), [format!("/{field}")]);
        }
        let withdraw = format!("requests/{asked}/withdraw");
        bob.post(&withdraw, &Value::Null).await.problem(403);
        for _ in 0..2 {
            let seen = ann.post(&withdraw, &Value::Null).await.expect(200);
            assert_eq!(seen["state"], "withdrawn");
        }
        let problem = ann.post(&apply_path(&asked), &json!({})).await.problem(409);
        assert_eq!(problem.code(), "requestClosed");
        for unknown in ["5d1c3a52-4d7a-4f0e-9a55-00000000dead", "x"] {
            ann.get(&format!("requests/{unknown}")).await.problem(404);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_show_what_concerns_somebody() {
    on_each_database(async |app| {
        let (ann, bob) = house(app).await;
        app.apply(json!([create("g")])).await;
        let in_dev = json!([{"kind": "turnOn", "flag": "g", "environment": "dev"}]);
        let dev = ask(&ann, in_dev).await;
        let prod = ask(&ann, off()).await;
        let mine = ask(&bob, json!([in_prod("turnOn", "g")])).await;
        let list = async |api: &Api, query: &str| {
            texts(
                &api.get(&format!("requests?{query}")).await.expect(200),
                "id",
            )
        };
        assert_eq!(list(&bob, "").await, [mine.as_str(), &prod, &dev]);
        assert_eq!(list(&bob, "mine=true").await, [mine.as_str()]);
        assert_eq!(list(&bob, "forMe=true").await, [prod.as_str()]);
        assert_eq!(list(&bob, "state=approved").await, [dev.as_str()]);
        assert_eq!(list(&bob, "state=waiting").await, [mine.as_str(), &prod]);
        assert_eq!(list(&bob, "project=default").await.len(), 3);
        assert_eq!(
            list(&bob, "project=default&environment=dev").await,
            [dev.as_str()]
        );
        bob.get("requests?environment=dev").await.problem(400);
        bob.get("requests?cursor=x").await.problem(400);
        bob.get("requests?state=lost").await.problem(400);
        // In dev nobody is asked.
        assert_eq!((inbox(&ann).await, inbox(&bob).await), ((1, 1), (1, 0)));
        review(&bob, &prod, "approve").await;
        assert!(list(&bob, "forMe=true").await.is_empty());
        assert_eq!((inbox(&ann).await, inbox(&bob).await), ((1, 2), (0, 0)));

        let mut found = Vec::new();
        let mut query = "limit=1".to_owned();
        loop {
            let page = ann.get(&format!("requests?{query}")).await.expect(200);
            found.extend(texts(&page, "id"));
            let Some(next) = page["next"].as_str() else {
                break;
            };
            query = format!("limit=1&cursor={next}");
        }
        assert_eq!(found, [mine.as_str(), &prod, &dev]);

        // Who sees dev alone sees what is about dev alone.
        let there = ["project/default:env/dev"];
        let guest = with(app, json!([on("allow", &["*.read"], &there)])).await;
        assert_eq!(list(&guest, "").await, [dev.as_str()]);
        guest.get(&format!("requests/{prod}")).await.problem(403);

        // What waits is of what one may see, and to be applied by who may.
        let reviews = allow(&["change.review"]);
        let sees = |there: &[&str]| json!([on("allow", &["*.read"], there), reviews]);
        let reviewer = with(app, sees(&there)).await;
        assert_eq!(inbox(&reviewer).await, (0, 0));
        assert!(list(&reviewer, "forMe=true").await.is_empty());
        let reviewer = with(app, sees(&["*"])).await;
        assert_eq!(inbox(&reviewer).await, (1, 0));
        assert_eq!(list(&reviewer, "forMe=true").await, [mine.as_str()]);
        let asks = [on("allow", &["flag.*", "*.read"], &["*"])];
        let author = with(app, json!(asks)).await;
        let in_dev = json!([{"kind": "turnOn", "flag": "f", "environment": "dev"}]);
        ask(&author, in_dev).await;
        assert_eq!(inbox(&author).await, (0, 0));
    })
    .await;
}
