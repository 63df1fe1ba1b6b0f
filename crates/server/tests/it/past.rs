//! What was: state at a version, the versions, and going back.

use serde_json::{Value, json};
use uuid::Uuid;

use crate::kit::{App, create, flag_on, in_prod, on_each_database, texts, variations};

const PROD: &str = "projects/default/environments/prod";

async fn version(app: &App) -> i64 {
    let found = app.owner.get(PROD).await.expect(200);
    found["version"].as_i64().unwrap()
}

async fn state(app: &App, query: &str) -> Value {
    let path = format!("{PROD}/state?{query}");
    app.owner.get(&path).await.expect(200)
}

async fn is_on(app: &App, flag: &str) -> bool {
    let path = format!("projects/default/flags/{flag}");
    let flag = app.owner.get(&path).await.expect(200);
    flag["environments"]["prod"]["isEnabled"].as_bool().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_environment_is_shown_as_it_was() {
    on_each_database(async |app| {
        app.apply(flag_on("a")).await;
        let first = version(app).await;
        app.apply(flag_on("b")).await;
        app.apply(
            json!([in_prod("turnOff", "a"), {"kind": "createSegment", "segment": "s",
            "environment": "prod", "included": ["ann"], "tags": ["t"]}]),
        )
        .await;
        app.apply(json!([{"kind": "archiveFlag", "flag": "b"}]))
            .await;
        app.apply(json!([{"kind": "deleteFlag", "flag": "b"}]))
            .await;

        let was = state(app, &format!("version={first}")).await;
        assert_eq!(was["version"], first);
        let flags = was["flags"].as_array().unwrap();
        assert_eq!(flags.len(), 1, "{was}");
        assert_eq!(flags[0]["key"], "a");
        assert_eq!(flags[0]["isEnabled"], true);
        // By its moment.
        let at = was["at"].as_str().unwrap();
        assert_eq!(state(app, &format!("at={at}")).await, was);

        let page = state(app, &format!("version={}&limit=1", first + 2)).await;
        assert_eq!(page["flags"][0]["isEnabled"], false, "{page}");
        let next = page["next"].as_str().unwrap();
        let page = state(app, &format!("version={}&limit=1&cursor={next}", first + 2)).await;
        assert_eq!(page["flags"][0]["key"], "b", "{page}");
        assert!(page.get("next").is_none(), "{page}");

        let newest = state(app, "").await;
        assert_eq!(newest["flags"].as_array().unwrap().len(), 1, "{newest}");
        let segments = state(app, "of=segments").await;
        assert_eq!(segments["segments"][0]["included"], json!(["ann"]));
        assert_eq!(state(app, "version=0").await["flags"], json!([]));

        let path = format!("{PROD}/flags/A?version={first}");
        let flag = app.owner.get(&path).await.expect(200);
        assert_eq!(flag["isEnabled"], true, "{flag}");
        app.owner
            .get(&format!("{PROD}/flags/b?version={first}"))
            .await
            .problem(404);
        app.owner.get(&format!("{PROD}/flags/b")).await.problem(404);
        for (query, parameter) in [
            ("version=99", "version"),
            ("version=-1", "version"),
            ("at=yesterday", "at"),
            ("version=1&at=2026-11-21T08:00:00Z", "at"),
            ("cursor=x", "/cursor"),
        ] {
            let problem = app.owner.get(&format!("{PROD}/state?{query}")).await;
            let problem = problem.problem(400);
            assert_eq!(problem.pointers(), [parameter], "{query}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn versions_say_who_and_what() {
    on_each_database(async |app| {
        app.apply(flag_on("a")).await;
        let oscar = app.caller("oscar", "owner").await;
        let set = json!({"comment": "it burns", "commands": [in_prod("turnOff", "a")]});
        let off = oscar
            .post("projects/default/changes", &set)
            .await
            .expect(200);
        let all = app.owner.get(&format!("{PROD}/versions")).await.expect(200);
        let newest = &all["items"][0];
        assert_eq!(newest["version"], off["versions"]["default/prod"], "{all}");
        assert_eq!(newest["change"], off["id"]);
        assert_eq!(newest["actor"], "oscar");
        assert_eq!(newest["comment"], "it burns");
        let item = json!({"kind": "flag", "key": "a", "facets": ["onOff"]});
        assert_eq!(newest["items"], json!([item]));
        assert_eq!(newest["itemCount"], 1);
        let first = all["items"].as_array().unwrap().len();
        let page = app.owner.get(&format!("{PROD}/versions?limit=1")).await;
        let page = page.expect(200);
        let next = page["next"].as_str().unwrap();
        let rest = format!("{PROD}/versions?cursor={next}");
        let rest = app.owner.get(&rest).await.expect(200);
        assert_eq!(rest["items"].as_array().unwrap().len(), first - 1);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_set_is_reverted_by_a_new_one() {
    on_each_database(async |app| {
        app.apply(flag_on("a")).await;
        let (on, _) = variations(&app.owner, "a").await;
        let done = app
            .apply(
                json!([in_prod("turnOff", "a"), create("b"), in_prod("turnOn", "b"),
                {"kind": "addTargets", "flag": "a", "environment": "prod", "variation": on,
                    "keys": ["ann"]},
                {"kind": "createSegment", "segment": "s", "environment": "prod", "tags": ["t"]}]),
            )
            .await;
        let id = done["id"].as_str().unwrap();
        let path = format!("changes/{id}/revert");
        let before = version(app).await;
        let would = app.owner.post(&path, &json!({"dryRun": true})).await;
        let would = would.expect(200);
        assert_eq!(version(app).await, before);
        let kinds = texts(&json!({"items": would["commands"]}), "kind");
        assert_eq!(
            kinds,
            [
                "removeTargets",
                "turnOn",
                "archiveFlag",
                "deleteFlag",
                "archiveSegment",
                "deleteSegment"
            ]
        );
        assert_eq!(would["base"]["default/prod"], before, "{would}");
        assert_eq!(would["result"]["dryRun"], true);

        let again = Uuid::now_v7().to_string();
        let body = json!({"id": again, "comment": "no"});
        let undone = app.owner.post(&path, &body).await.expect(200);
        assert_eq!(undone["result"]["id"], again.as_str(), "{undone}");
        assert!(is_on(app, "a").await);
        app.owner.get("projects/default/flags/b").await.problem(404);
        app.owner
            .get(&format!("{PROD}/segments/s"))
            .await
            .problem(404);
        // Sent again it is the same answer, and nothing is done.
        let at = version(app).await;
        let repeated = app.owner.post(&path, &body).await.expect(200);
        assert_eq!(repeated["result"], undone["result"], "{repeated}");
        assert_eq!(version(app).await, at);
        let other = format!("{PROD}/revert");
        let body = json!({"id": again, "comment": "no", "version": 1});
        let problem = app.owner.post(&other, &body).await.problem(409);
        assert_eq!(problem.code(), "idReused");

        // And the revert is reverted: what it deleted is made again, with its id and tags.
        let path = format!("changes/{again}/revert");
        app.owner.post(&path, &json!({})).await.expect(200);
        assert!(!is_on(app, "a").await);
        assert!(is_on(app, "b").await);
        let segment = app.owner.get(&format!("{PROD}/segments/s")).await;
        assert_eq!(segment.expect(200)["tags"], json!(["t"]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_changed_again_since_is_named() {
    on_each_database(async |app| {
        app.apply(flag_on("a")).await;
        let (on, off) = variations(&app.owner, "a").await;
        let choose = |variation: &str| {
            json!([{"kind": "setOffVariation", "flag": "a", "environment": "prod",
                "variation": variation}, {"kind": "renameFlag", "flag": "a", "name": variation}])
        };
        let done = app.apply(choose(&on)).await;
        let oscar = app.caller("oscar", "owner").await;
        let set = json!({"comment": "mine", "commands": choose(&off)});
        oscar
            .post("projects/default/changes", &set)
            .await
            .expect(200);
        // Changed and put back is not changed; a name is.
        let path = format!("changes/{}/revert", done["id"].as_str().unwrap());
        let problem = app.owner.post(&path, &json!({})).await.problem(412);
        assert_eq!(problem.code(), "changedSince");
        let conflicts = problem.body["conflicts"].as_array().unwrap();
        assert_eq!(conflicts.len(), 1, "{}", problem.body);
        assert_eq!(conflicts[0]["scope"], "default");
        assert_eq!(conflicts[0]["by"], "oscar");
        assert_eq!(conflicts[0]["facets"], json!(["metadata"]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_environment_goes_back_to_a_version() {
    on_each_database(async |app| {
        app.apply(flag_on("a")).await;
        app.apply(
            json!([{"kind": "createSegment", "segment": "s", "environment": "prod",
            "included": ["ann"]}]),
        )
        .await;
        let good = version(app).await;
        let (on, _) = variations(&app.owner, "a").await;
        app.apply(
            json!([in_prod("turnOff", "a"), {"kind": "setRules", "flag": "a",
            "environment": "prod", "rules": [{"conditions": [], "variation": on}]}]),
        )
        .await;
        app.apply(
            json!([{"kind": "addIncluded", "segment": "s", "environment": "prod",
            "keys": ["bob"]}]),
        )
        .await;
        app.apply(flag_on("late")).await;
        app.apply(json!([{"kind": "renameFlag", "flag": "a", "name": "New"}]))
            .await;
        let path = format!("{PROD}/revert");
        // One flag, with its name.
        let body = json!({"version": good, "flags": ["A"], "definitions": true, "dryRun": true});
        let one = app.owner.post(&path, &body).await.expect(200);
        let kinds = texts(&json!({"items": one["commands"]}), "kind");
        assert_eq!(kinds, ["renameFlag", "removeRule", "turnOn"]);
        // All of it.
        let all = app.owner.post(&path, &json!({ "version": good })).await;
        let all = all.expect(200);
        assert_eq!(all["warnings"][0]["code"], "staysReleased", "{all}");
        assert!(is_on(app, "a").await && !is_on(app, "late").await);
        let segment = app.owner.get(&format!("{PROD}/segments/s")).await;
        assert_eq!(segment.expect(200)["included"], json!(["ann"]));
        let flag = app.owner.get("projects/default/flags/a").await.expect(200);
        assert_eq!(flag["name"], "New", "definitions are everybody's");
        // Nothing more to do.
        let again = app.owner.post(&path, &json!({ "version": good })).await;
        assert_eq!(again.expect(200)["result"]["versions"], json!({}));

        for (body, pointer) in [
            (json!({}), "/version"),
            (json!({"version": 999}), "/version"),
            (json!({"version": 1, "definitions": true}), "/definitions"),
            (json!({"version": good, "flags": ["nowhere"]}), "/flags"),
        ] {
            let problem = app.owner.post(&path, &body).await.problem(400);
            assert_eq!(problem.pointers(), [pointer], "{body}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deleted_flag_is_made_again_and_a_lost_variation_is_a_conflict() {
    on_each_database(async |app| {
        let flag = json!({"kind": "createFlag", "flag": "f", "type": "string", "variations":
            [{"id": "x", "value": "X"}, {"id": "y", "value": "Y"}, {"id": "z", "value": "Z"}]});
        let serve = |variation: &str| {
            json!({"kind": "setDefaultRule", "flag": "f", "environment": "prod",
                "variation": variation})
        };
        app.apply(json!([flag, in_prod("turnOn", "f"), serve("y")]))
            .await;
        let good = version(app).await;
        let fewer = json!([{"id": "x", "value": "X"}, {"id": "z", "value": "Z"}]);
        app.apply(json!([serve("x"), {"kind": "setVariations", "flag": "f", "variations": fewer}]))
            .await;
        let path = format!("{PROD}/revert");
        let body = json!({"version": good, "flags": ["f"]});
        let problem = app.owner.post(&path, &body).await.problem(412);
        assert_eq!(
            problem.body["conflicts"][0]["facets"],
            json!(["variations"])
        );
        let with = json!({"version": good, "flags": ["f"], "definitions": true});
        app.owner.post(&path, &with).await.expect(200);
        let back = app.owner.get("projects/default/flags/f").await.expect(200);
        assert_eq!(back["variations"].as_array().unwrap().len(), 3);

        let id = back["id"].clone();
        app.apply(
            json!([{"kind": "archiveFlag", "flag": "f"}, {"kind": "deleteFlag", "flag": "f"}]),
        )
        .await;
        let skipped = app.owner.post(&path, &body).await.expect(200);
        assert_eq!(skipped["warnings"][0]["code"], "flagDeleted", "{skipped}");
        app.owner.post(&path, &with).await.expect(200);
        let back = app.owner.get("projects/default/flags/f").await.expect(200);
        assert_eq!(back["id"], id);
        assert_eq!(back["environments"]["prod"]["isEnabled"], true, "{back}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_reverts_what_they_may_not_do() {
    on_each_database(async |app| {
        app.apply(flag_on("a")).await;
        let done = app.apply(json!([in_prod("turnOff", "a")])).await;
        let path = format!("changes/{}/revert", done["id"].as_str().unwrap());
        let reader = app.caller("rita", "reader").await;
        let problem = reader.post(&path, &json!({})).await.problem(403);
        assert_eq!(problem.code(), "forbidden");
        // They may look at what it would take.
        let would = reader
            .post(&path, &json!({"dryRun": true}))
            .await
            .expect(200);
        assert_eq!(
            would["result"]["permissions"][0]["allowed"], false,
            "{would}"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_history_is_filtered() {
    on_each_database(async |app| {
        app.apply(flag_on("a")).await;
        app.apply(flag_on("b")).await;
        let segment = json!({"kind": "createSegment", "segment": "people", "included": ["ann"]});
        app.apply(json!([segment])).await;
        let mut off = in_prod("turnOff", "a");
        off["environment"] = json!("dev");
        let set = json!({"commands": [off], "comment": "For Müller, 100%"});
        let other = app.caller("oscar", "developer").await;
        let done = other
            .post("projects/default/changes", &set)
            .await
            .expect(200);
        let ids = async |path: &str| {
            let found = app.owner.get(path).await.expect(200);
            texts(&found, "id")
        };
        let count = async |path: &str| ids(path).await.len();
        let last = vec![done["id"].as_str().unwrap().to_owned()];
        for path in [
            "changes?actor=Oscar",
            "changes?kind=turnOff",
            "changes?text=m%C3%BCller",
            "changes?project=default&environment=dev&flag=a",
            "projects/default/changes?environment=dev&flag=A",
            "projects/default/changes?flag=a&actor=oscar&kind=turnOff&text=100%25",
            "projects/default/environments/dev/changes?kind=turnOff",
        ] {
            assert_eq!(ids(path).await, last, "{path}");
        }
        assert_eq!(count("changes?flag=a").await, 2);
        assert_eq!(count("projects/default/changes?flag=b").await, 1);
        assert_eq!(count("changes?segment=people").await, 1);
        assert_eq!(count("changes?project=default&segment=people").await, 1);
        for nothing in [
            "changes?text=1_0%25",
            "changes?flag=c",
            "changes?kind=turn",
            "changes?project=other&flag=a",
            "changes?actor=osc",
            "projects/default/environments/dev/changes?flag=b",
            "changes?from=2100-01-01T00:00:00Z",
            "changes?to=2000-01-01T00:00:00Z",
        ] {
            assert_eq!(count(nothing).await, 0, "{nothing}");
        }
        // A deleted flag's history is there still.
        app.apply(
            json!([{"kind": "archiveFlag", "flag": "b"}, {"kind": "deleteFlag", "flag": "b"}]),
        )
        .await;
        assert_eq!(count("changes?flag=b&project=default").await, 2);
        let at = format!("changes?flag=a&from={0}&to={0}", "2000-01-01T00:00:00.000Z");
        assert_eq!(count(&at).await, 0);
        assert_eq!(
            count("changes?flag=a&from=2000-01-01T00:00:00Z&limit=1").await,
            1
        );

        let long = "x".repeat(257);
        for (bad, parameter) in [
            ("changes?environment=dev", "environment"),
            ("changes?kind=turn%20On", "kind"),
            ("changes?from=yesterday", "from"),
            (&format!("changes?text={long}"), "text"),
            (&format!("changes?flag={long}"), "flag"),
            ("projects/default/changes?project=default", "project"),
            (
                "projects/default/environments/dev/changes?environment=prod",
                "environment",
            ),
        ] {
            let refused = app.owner.get(bad).await.problem(400);
            assert_eq!(refused.pointers(), [parameter], "{bad}");
        }
        let nowhere = "projects/default/changes?environment=nowhere";
        app.owner.get(nowhere).await.problem(404);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_filter_finds_nothing_by_what_somebody_may_not_see() {
    on_each_database(async |app| {
        let mut secret = create("secret");
        secret["tags"] = json!(["secret"]);
        app.apply(json!([create("open"), secret])).await;
        let policy = json!({"key": "some", "name": "Some", "statements": [
            {"effect": "allow", "actions": ["*.read"], "resources": ["project/default"]},
            {"effect": "deny", "actions": ["flag.read"], "resources": ["project/*:flag/secret"]}]});
        app.owner.post("policies", &policy).await.expect(201);
        let some = app.caller("some", "some").await;
        let count = async |query: &str| {
            let path = format!("projects/default/changes?{query}");
            let found = some.get(&path).await.expect(200);
            texts(&found, "id").len()
        };
        assert_eq!((count("flag=open").await, count("text=open").await), (1, 1));
        assert_eq!(
            (count("flag=secret").await, count("text=secret").await),
            (0, 0)
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn administration_is_not_reverted() {
    on_each_database(async |app| {
        let named = json!({"name": "Live"});
        let path = "projects/default/environments/prod";
        app.owner.patch(path, &named).await.expect(200);
        let token = json!({"kind": "service", "name": "bot", "policies": ["reader"]});
        app.owner.post("tokens", &token).await.expect(201);
        let history = app.owner.get("changes?limit=2").await.expect(200);
        let entries = history["items"].as_array().unwrap();
        let kinds: Vec<_> = entries
            .iter()
            .map(|it| &it["commands"][0]["kind"])
            .collect();
        assert_eq!(kinds, ["createToken", "updateEnvironment"]);
        for entry in entries {
            let path = format!("changes/{}/revert", entry["id"].as_str().unwrap());
            let problem = app.owner.post(&path, &json!({})).await.problem(400);
            assert_eq!(problem.body["errors"][0]["code"], "nothingToRevert");
        }
        let after = app.owner.get("changes?limit=2").await.expect(200);
        assert_eq!(after, history, "nothing says that it was done");
    })
    .await;
}
