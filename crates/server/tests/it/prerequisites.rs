//! Flags that need flags, by the API and on the wire.

use burgee_testkit::api::Api;
use burgee_testkit::sdk::Sdk;
use serde_json::{Value, json};

use crate::decisions::{decisions, log};
use crate::deliveries::until;
use crate::kit::{App, flag_on, in_prod, on_each_database, person, variations};
use crate::permissions::fixture::{allow, on, with};

const PROD: &str = "projects/default/environments/prod";

/// That `flag` needs `needed` to serve this variation, in prod.
fn needs(flag: &str, needed: &str, variation: &str) -> Value {
    let mut command = in_prod("setPrerequisites", flag);
    command["prerequisites"] = json!([{"flag": needed, "variation": variation}]);
    command
}

/// The flags `launch` and `checkout`, both on and serving true; `checkout` needs `launch` to serve
/// that. The ids of the variations of `launch`.
async fn made(app: &App) -> (String, String) {
    app.apply(flag_on("launch")).await;
    app.apply(flag_on("checkout")).await;
    let (yes, no) = variations(&app.owner, "launch").await;
    app.apply(json!([needs("checkout", "launch", &yes)])).await;
    (yes, no)
}

async fn refused(app: &App, commands: Value) -> (String, String) {
    let set = json!({"commands": commands});
    let answer = app.owner.post("projects/default/changes", &set).await;
    assert!((400..500).contains(&answer.status), "{answer:?}");
    let problem: Value = serde_json::from_str(&answer.text).unwrap();
    let text = |name: &str| problem[name].as_str().unwrap_or_default().to_owned();
    (text("code"), text("detail"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_flag_shows_what_it_needs_and_who_needs_it() {
    on_each_database(async |app| {
        let (yes, _) = made(app).await;
        let checkout = app.owner.get("projects/default/flags/checkout").await.expect(200);
        let wanted = json!([{"flag": "launch", "variation": yes}]);
        let here = &checkout["environments"]["prod"];
        assert_eq!(here["prerequisites"], wanted);
        assert_eq!(here["warnings"], json!([]));
        assert_eq!(checkout["neededBy"], json!([]));
        let launch = app.owner.get("projects/default/flags/launch").await.expect(200);
        let by = json!([{"environment": "prod", "flag": "checkout", "name": checkout["name"],
            "variation": yes}]);
        assert_eq!(launch["neededBy"], by);
        assert_eq!(launch["neededByHidden"], 0);
        let graph = app.owner.get(&format!("{PROD}/prerequisites")).await.expect(200);
        let flags = json!([{"flag": "checkout", "name": checkout["name"], "prerequisites": wanted}]);
        assert_eq!(graph, json!({"items": flags, "hidden": 0}));
        let index = "projects/default/flag-index?environments=prod";
        let index = app.owner.get(index).await.expect(200);
        let short = |key: &str| {
            let mut items = index["items"].as_array().unwrap().iter();
            items.find(|it| it["key"] == key).unwrap()["cells"][0]["prerequisites"].clone()
        };
        assert_eq!([short("checkout"), short("launch")], [json!(true), json!(false)]);

        // A percentage cannot be told SDKs that evaluate by themselves.
        let half = json!([{"id": yes, "rollout": [0, 0.5]}, {"id": launch["offVariation"], "rollout": [0.5, 1]}]);
        let mut split = in_prod("setDefaultRule", "launch");
        split["variations"] = half;
        app.apply(json!([split])).await;
        let checkout = app.owner.get("projects/default/flags/checkout").await.expect(200);
        let warnings = &checkout["environments"]["prod"]["warnings"];
        assert_eq!(warnings[0]["code"], "prerequisiteUnknownToSdks", "{warnings}");
        assert_eq!(warnings[0]["pointer"], "/prerequisites");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_would_break_who_needs_it_is_refused() {
    on_each_database(async |app| {
        let (_, no) = made(app).await;
        let (code, detail) = refused(app, json!([{"kind": "archiveFlag", "flag": "launch"}])).await;
        assert_eq!(code, "flagNeeded", "{detail}");
        assert!(detail.contains("'checkout' in prod"), "{detail}");
        let (checkout, _) = variations(&app.owner, "checkout").await;
        let (code, detail) = refused(app, json!([needs("launch", "checkout", &checkout)])).await;
        assert_eq!(code, "prerequisiteCircular");
        assert!(
            detail.contains("launch needs checkout needs launch"),
            "{detail}"
        );
        let (code, _) = refused(app, json!([needs("checkout", "nowhere", &no)])).await;
        assert_eq!(code, "flagNotFound");
        // Without it, nothing is in the way.
        let mut free = in_prod("setPrerequisites", "checkout");
        free["prerequisites"] = json!([]);
        app.apply(json!([{"kind": "archiveFlag", "flag": "launch"}, free]))
            .await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_explanation_finds_the_change_of_the_other_flag() {
    on_each_database(async |app| {
        made(app).await;
        let question = json!({"key": "ana", "properties": {}, "flag": "checkout"});
        let path = format!("{PROD}/evaluate/explain");
        let before = app.owner.post(&path, &question).await.expect(200);
        assert_eq!(before["items"][0]["reason"]["code"], "default");
        app.apply(json!([in_prod("turnOff", "launch")])).await;
        let culprit = app.owner.get(PROD).await.expect(200)["version"].clone();
        app.apply(flag_on("other")).await;
        let explained = app.owner.post(&path, &question).await.expect(200);
        let flag = &explained["items"][0];
        assert_eq!(flag["variation"]["value"], "false");
        assert_eq!(flag["reason"]["code"], "prerequisite");
        assert_eq!(
            flag["reason"]["text"],
            "flag launch serves false, not true: a prerequisite is not met"
        );
        assert_eq!(flag["steps"][1]["prerequisite"]["reason"]["code"], "off");
        assert_eq!(flag["since"]["version"], culprit);
        assert_eq!(flag["since"]["before"]["value"], "true");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_unseen_flag_serves_is_told_by_no_explanation() {
    on_each_database(async |app| {
        made(app).await;
        log(app, 1.0).await;
        let keys = app.keys("prod").await;
        let mut ana = Sdk::client(app.address(), &keys.client.secret, &person("ana"));
        for (turn, value) in [("turnOff", "false"), ("turnOn", "true")] {
            app.apply(json!([in_prod(turn, "launch")])).await;
            ana.until(|sdk| sdk.value("checkout") == Some(value));
        }
        decisions(&app.owner, "ana", 6).await;
        let launch = ["project/default:flag/launch"];
        let statements = [allow(&["*.read"]), on("deny", &["flag.read"], &launch)];
        let blind = with(app, json!(statements)).await;
        let question = json!({"key": "ana", "flag": "checkout"});
        let path = format!("{PROD}/evaluate/explain");
        let told = "flag launch serves false, not true: a prerequisite is not met";
        let hidden = "the prerequisite of flag launch is not met";
        for (api, text, logged) in [(&app.owner, told, 6), (&blind, hidden, 3)] {
            let explained = api.post(&path, &question).await.expect(200);
            let before = &explained["items"][0]["since"]["reasonBefore"];
            assert_eq!(before["text"], text);
            let decisions = decisions(api, "ana", logged).await;
            let mut decisions = decisions.iter();
            let unmet = decisions.find(|it| it["reason"] == "prerequisite").unwrap();
            let check = &unmet["check"];
            assert_eq!(check["verdict"], "agrees", "{check}");
            assert_eq!(check["explained"]["reason"]["text"], text);
            assert!(check["text"].as_str().unwrap().contains(text), "{check}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_draft_of_the_other_flag_says_who_moves() {
    on_each_database(async |app| {
        made(app).await;
        let mut question = json!({"key": "ana", "properties": {}, "flag": "checkout"});
        question["commands"] = json!([in_prod("turnOff", "launch")]);
        let path = format!("{PROD}/evaluate");
        let drafted = app.owner.post(&path, &question).await.expect(200);
        assert_eq!(drafted["items"][0]["variation"]["value"], "false");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_environment_goes_back_but_for_what_needed_a_flag_that_is_gone() {
    on_each_database(async |app| {
        made(app).await;
        app.apply(flag_on("other")).await;
        let prod = app.owner.get(PROD).await.expect(200);
        let position = prod["position"].as_str().unwrap().split_once('.').unwrap();
        let good: i64 = position.0.parse().unwrap();
        let mut free = in_prod("setPrerequisites", "checkout");
        free["prerequisites"] = json!([]);
        app.apply(json!([
            free,
            in_prod("turnOff", "checkout"),
            in_prod("turnOff", "other")
        ]))
        .await;
        let path = format!("{PROD}/revert");
        let back = json!({"version": good, "dryRun": true});
        let all = app.owner.post(&path, &back).await.expect(200);
        assert_eq!(all["warnings"], json!([]));
        assert_eq!(all["commands"].as_array().unwrap().len(), 3, "{all}");

        app.apply(json!([{"kind": "archiveFlag", "flag": "launch"}]))
            .await;
        let done = app
            .owner
            .post(&path, &json!({ "version": good }))
            .await
            .expect(200);
        let warnings = done["warnings"].as_array().unwrap();
        let told = warnings
            .iter()
            .find(|it| it["code"] == "prerequisiteUnknown");
        let told = told.unwrap()["message"].as_str().unwrap();
        assert!(
            told.starts_with("the flag 'checkout' needed 'launch'"),
            "{told}"
        );
        let gets = gets(app, "ana").await;
        assert_eq!((&*gets["checkout"], &*gets["other"]), ("false", "true"));
    })
    .await;
}

/// Somebody who may do everything but read this flag.
async fn blind_to(app: &App, flag: &str) -> Api {
    let flag = [format!("project/default:flag/{flag}")];
    let flag = flag.each_ref().map(String::as_str);
    let statements = [allow(&["*"]), on("deny", &["flag.read"], &flag)];
    with(app, json!(statements)).await
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_unseen_flag_serves_is_told_by_no_flag_between() {
    on_each_database(async |app| {
        made(app).await;
        app.apply(flag_on("last")).await;
        let (yes, _) = variations(&app.owner, "checkout").await;
        app.apply(json!([
            needs("last", "checkout", &yes),
            in_prod("turnOff", "launch")
        ]))
        .await;
        let question = json!({"key": "ana", "properties": {}, "flag": "last"});
        let path = format!("{PROD}/evaluate/explain");
        let blind = blind_to(app, "launch").await;
        for (api, is_told) in [(&app.owner, true), (&blind, false)] {
            let explained = api.post(&path, &question).await.expect(200).to_string();
            assert!(explained.contains("flag checkout serves false, not true"));
            let told = explained.contains("flag launch serves");
            assert_eq!(told, is_told, "{explained}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_see_a_flag_makes_no_other_need_it_and_hears_nothing_of_who_does() {
    on_each_database(async |app| {
        app.apply(flag_on("launch")).await;
        app.apply(flag_on("checkout")).await;
        let (yes, no) = variations(&app.owner, "launch").await;
        let changes = "projects/default/changes";
        let blind = blind_to(app, "launch").await;
        for dry in [true, false] {
            let set = json!({"commands": [needs("checkout", "launch", &yes)], "dryRun": dry});
            let problem = blind.post(changes, &set).await.problem(403);
            let detail = problem.body["detail"].as_str().unwrap();
            assert!(detail.contains("`flag.read`"), "{detail}");
        }
        // What is there may stay.
        app.apply(json!([needs("checkout", "launch", &yes)])).await;
        let set = json!({"commands": [needs("checkout", "launch", &no)]});
        blind.post(changes, &set).await.expect(200);
        app.apply(json!([needs("checkout", "launch", &yes)])).await;

        // Whom a refusal names.
        let archive = json!({"commands": [{"kind": "archiveFlag", "flag": "launch"}]});
        let seen = "the flag 'launch' is a prerequisite of 'checkout' in prod";
        let hidden = "the flag is a prerequisite of others, not all of which you may see";
        for (api, said) in [
            (&app.owner, seen),
            (&blind_to(app, "checkout").await, hidden),
        ] {
            let problem = api.post(changes, &archive).await.problem(400);
            assert_eq!(problem.body["errors"][0]["detail"], said);
        }

        // Whom a change of the needed flag moves.
        let keys = app.keys("prod").await;
        let _ana = Sdk::client(app.address(), &keys.client.secret, &person("ana"));
        let users = format!("{PROD}/users");
        until(&app.owner, &users, |it| it["items"] != json!([])).await;
        let set =
            json!({"commands": [in_prod("turnOff", "launch")], "dryRun": true, "effects": true});
        let blind = blind_to(app, "checkout").await;
        for (api, flags) in [
            (&app.owner, &["checkout", "launch"][..]),
            (&blind, &["launch"]),
        ] {
            let told = api.post(changes, &set).await.expect(200);
            let moved = told["effects"][0]["flags"].as_array().unwrap().iter();
            let moved: Vec<&str> = moved.map(|it| it["flag"].as_str().unwrap()).collect();
            assert_eq!(moved, flags);
        }
    })
    .await;
}

/// What a user gets of each flag: the value.
async fn gets(app: &App, user: &str) -> std::collections::BTreeMap<String, String> {
    let question = json!({"key": user, "properties": {}});
    let path = format!("{PROD}/evaluate");
    let answer = app.owner.post(&path, &question).await.expect(200);
    let items = answer["items"].as_array().unwrap().iter();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    items
        .map(|it| (text(&it["flag"]), text(&it["variation"]["value"])))
        .collect()
}

/// A flag of texts whose values are the ids of its variations, on in prod, split so.
fn split(flag: &str, parts: &[(&str, f64, f64)]) -> Value {
    let ids: std::collections::BTreeSet<&str> = parts.iter().map(|(id, ..)| *id).collect();
    let variations: Vec<Value> = ids
        .iter()
        .map(|id| json!({"id": id, "value": id}))
        .collect();
    json!([
        {"kind": "createFlag", "flag": flag, "type": "string", "variations": variations},
        ranges(flag, parts),
        in_prod("turnOn", flag),
    ])
}

fn ranges(flag: &str, parts: &[(&str, f64, f64)]) -> Value {
    let parts = parts.iter();
    let parts = parts.map(|(id, from, to)| json!({"id": id, "rollout": [from, to]}));
    let mut command = in_prod("setDefaultRule", flag);
    command["variations"] = parts.collect();
    command
}

/// docs/prerequisites.md, "Layers" and "Holdouts".
#[tokio::test(flavor = "multi_thread")]
async fn experiments_in_a_layer_exclude_each_other_and_holdouts_are_out_of_all() {
    let app = App::start(crate::kit::Database::Sqlite).await;
    app.apply(split("holdout", &[("out", 0.0, 0.2), ("in", 0.2, 1.0)]))
        .await;
    let slots = [("colour", 0.0, 0.3), ("form", 0.3, 0.6), ("free", 0.6, 1.0)];
    app.apply(split("layer", &slots)).await;
    for experiment in ["colour", "form"] {
        let parts = [("a", 0.0, 0.5), ("b", 0.5, 1.0)];
        app.apply(split(experiment, &parts)).await;
        let mut add = json!([{"kind": "setVariations", "flag": experiment, "variations": [
            {"id": "a", "value": "a"}, {"id": "b", "value": "b"}, {"id": "none", "value": "none"}]}]);
        let mut off = in_prod("setOffVariation", experiment);
        off["variation"] = json!("none");
        let mut needs = in_prod("setPrerequisites", experiment);
        needs["prerequisites"] = json!([{"flag": "holdout", "variation": "in"},
            {"flag": "layer", "variation": experiment}]);
        add.as_array_mut().unwrap().extend([off, needs]);
        app.apply(add).await;
    }
    let users: Vec<String> = (0..150).map(|n| format!("user-{n}")).collect();
    let mut before = Vec::new();
    for user in &users {
        let gets = gets(&app, user).await;
        let slot = |name: &str| gets["holdout"] == "in" && gets["layer"] == name;
        for experiment in ["colour", "form"] {
            assert_eq!(gets[experiment] != "none", slot(experiment), "{gets:?}");
        }
        before.push(gets);
    }
    let of = |flag: &str, value: &str| before.iter().filter(|it| it[flag] == value).count();
    // There are some of each kind.
    for (flag, value) in [
        ("holdout", "out"),
        ("colour", "a"),
        ("form", "b"),
        ("layer", "free"),
    ] {
        assert!(of(flag, value) > 0, "{flag} {value}");
    }
    // A slot grows into what is free: nobody who is in an experiment moves.
    let grown = [("colour", 0.0, 0.3), ("form", 0.3, 0.8), ("free", 0.8, 1.0)];
    app.apply(json!([ranges("layer", &grown)])).await;
    for (user, before) in users.iter().zip(&before) {
        let after = gets(&app, user).await;
        assert_eq!(after["colour"], before["colour"]);
        if before["form"] != "none" {
            assert_eq!(after["form"], before["form"]);
        }
    }
    app.stop().await;
}
