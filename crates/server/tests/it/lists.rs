//! Lists: filters, pages, and the history.

use serde_json::{Value, json};

use crate::kit::{App, create, flag_on, in_prod, on_each_database, texts};

/// All pages of a list; the texts of a field, in order.
async fn all(app: &App, path: &str, field: &str, limit: usize) -> Vec<String> {
    let sign = if path.contains('?') { '&' } else { '?' };
    let mut address = format!("{path}{sign}limit={limit}");
    let mut found = Vec::new();
    loop {
        let page = app.owner.get(&address).await.expect(200);
        let items = texts(&page, field);
        assert!(items.len() <= limit, "{page}");
        found.extend(items);
        let Some(next) = page.get("next") else {
            return found;
        };
        let next = next.as_str().unwrap();
        let url = reqwest::Url::parse_with_params("http://x/", [("cursor", next)]).unwrap();
        address = format!("{path}{sign}limit={limit}&{}", url.query().unwrap());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn flags_are_filtered_and_come_in_pages() {
    on_each_database(async |app| {
        let flag = |key: &str, name: &str, tags: Value| {
            json!({"kind": "createFlag", "flag": key, "type": "boolean", "name": name,
                "tags": tags})
        };
        app.apply(json!([
            flag("alpha", "Größe_1", json!(["blue"])),
            flag("Beta", "per cent %", json!(["blue", "Red"])),
            flag("delta", "plain", json!([])),
            flag("gamma", "plain too", json!(["red"])),
            in_prod("turnOn", "alpha"),
            in_prod("turnOn", "Beta"),
            in_prod("turnOff", "Beta"),
            {"kind": "turnOn", "flag": "Beta", "environment": "dev"},
        ]))
        .await;
        app.apply(json!([{"kind": "archiveFlag", "flag": "gamma"}]))
            .await;
        let list = async |query: &str| {
            let path = format!("projects/default/flags{query}");
            texts(&app.owner.get(&path).await.expect(200), "key")
        };
        assert_eq!(list("").await, ["alpha", "Beta", "delta"]);
        assert_eq!(list("?state=live").await, ["alpha", "Beta", "delta"]);
        assert_eq!(list("?state=archived").await, ["gamma"]);
        assert_eq!(list("?tag=blue").await, ["alpha", "Beta"]);
        assert_eq!(list("?tag=none").await, [""; 0]);
        let on = async |environment: &str, enabled: bool| {
            list(&format!("?environment={environment}&enabled={enabled}")).await
        };
        assert_eq!(on("prod", true).await, ["alpha"]);
        assert_eq!(on("dev", true).await, ["Beta"]);
        assert_eq!(on("prod", false).await, ["Beta", "delta"]);
        assert_eq!(list("?search=BET").await, ["Beta"]);
        assert_eq!(list("?search=Gr%C3%B6").await, ["alpha"]);
        assert_eq!(
            list("?search=%25").await,
            ["Beta"],
            "a percent sign is no wildcard"
        );
        assert_eq!(list("?search=_").await, ["alpha"], "nor is a low line");
        assert_eq!(list("?search=plain&tag=red").await, [""; 0]);
        assert_eq!(list("?search=%27%22%5C").await, [""; 0]);
        for limit in [1, 2, 3] {
            let paged = all(app, "projects/default/flags", "key", limit).await;
            assert_eq!(paged, ["alpha", "Beta", "delta"]);
        }
        let page = app
            .owner
            .get("projects/default/flags?limit=2")
            .await
            .expect(200);
        assert_eq!(page["items"][0]["enabled"], json!({"prod": true}), "{page}");
        assert_eq!(
            page["items"][1]["enabled"],
            json!({"prod": false, "dev": true}),
            "{page}"
        );
        // A cursor that is none of ours begins somewhere, or is refused; it is no fault of ours.
        for cursor in ["nonsense", "%00", "9.9", "%F0%9F%98%80"] {
            for list in [
                "projects/default/flags",
                "projects/default/changes",
                "changes",
                "projects",
            ] {
                let answer = app.owner.get(&format!("{list}?cursor={cursor}")).await;
                assert!([200, 400].contains(&answer.status), "{cursor}: {answer:?}");
            }
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_history_says_what_was_done_by_whom_and_why() {
    on_each_database(async |app| {
        let set = json!({"comment": "begin", "commands": flag_on("f")});
        let first = app
            .owner
            .post("projects/default/changes", &set)
            .await
            .expect(200);
        let mut ids = vec![first["id"].as_str().unwrap().to_owned()];
        for round in 0..6 {
            let kind = if round % 2 == 0 { "turnOff" } else { "turnOn" };
            let done = app.apply(json!([in_prod(kind, "f")])).await;
            ids.insert(0, done["id"].as_str().unwrap().to_owned());
        }
        // Changes of another environment are in the project's history alone.
        let elsewhere = app
            .apply(json!([{"kind": "turnOn", "flag": "f", "environment": "dev"}]))
            .await;
        let prod = "projects/default/environments/prod/changes";
        let in_prod_history = all(app, prod, "id", 3).await;
        assert_eq!(in_prod_history[..ids.len()], ids[..]);
        let project = all(app, "projects/default/changes", "id", 4).await;
        assert_eq!(project[0], elsewhere["id"].as_str().unwrap());
        assert_eq!(project[1..=ids.len()], ids[..]);

        let page = app
            .owner
            .get(&format!("{prod}?limit=500"))
            .await
            .expect(200);
        let items = page["items"].as_array().unwrap();
        let begin = &items[ids.len() - 1];
        assert_eq!(begin["actor"], "olivia", "{begin}");
        assert_eq!(begin["comment"], "begin", "{begin}");
        assert_eq!(begin["versions"], first["versions"], "{begin}");
        assert_eq!(begin["diff"], first["diff"], "{begin}");
        assert_eq!(begin["commands"][1]["kind"], "turnOn", "{begin}");
        assert_eq!(begin["commands"][1]["project"], "default", "{begin}");
        assert!(begin["at"].as_str().unwrap().ends_with('Z'), "{begin}");
        // What the system did before anybody came: the environment with its keys, no secret told.
        let made = items.last().unwrap();
        assert_eq!(made["actor"], "system", "{made}");
        let versions = items
            .iter()
            .map(|it| it["versions"]["default/prod"].as_i64().unwrap());
        let all: Vec<i64> = (1..).take(items.len()).collect();
        assert_eq!(
            versions.rev().collect::<Vec<_>>(),
            all,
            "no step without a word"
        );
        let secret = app.keys("prod").await.server.secret;
        assert!(!page.to_string().contains(&secret));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_organization_s_history_has_the_administration_too() {
    on_each_database(async |app| {
        let owner = &app.owner;
        owner
            .post("projects", &json!({"key": "web"}))
            .await
            .expect(201);
        owner
            .patch("projects/web", &json!({"name": "Web"}))
            .await
            .expect(200);
        app.apply(flag_on("f")).await;
        let page = owner.get("changes?limit=500").await.expect(200);
        let items = page["items"].as_array().unwrap();
        let done = items.iter().map(|it| {
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            let kind = text(&it["commands"][0]["kind"]);
            (kind, text(&it["actor"]), text(&it["actorKind"]))
        });
        let row = |kind: &str, actor: &str, of: &str| (kind.into(), actor.into(), of.into());
        let expected = [
            row("createFlag", "olivia", "token"),
            row("renameProject", "olivia", "token"),
            row("createProject", "olivia", "token"),
            row("createToken", "operator", "operator"),
            row("createEnvironment", "system", "system"),
            row("createEnvironment", "system", "system"),
            row("createProject", "system", "system"),
        ];
        assert_eq!(done.collect::<Vec<_>>(), expected);
        assert_eq!(items[1]["diff"][0]["text"], "web: project renamed, \"Web\"");
        assert!(!page.to_string().contains(&app.token));
        let web = all(app, "projects/web/changes", "id", 1).await;
        assert_eq!(web.len(), 2);
        let every = all(app, "changes", "id", 2).await;
        assert_eq!(every, texts(&page, "id"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn projects_and_segments_come_in_pages() {
    on_each_database(async |app| {
        for key in ["a", "B", "c"] {
            app.owner
                .post("projects", &json!({"key": key}))
                .await
                .expect(201);
        }
        let wanted = ["a", "B", "c", "default"];
        for limit in [1, 2, 500] {
            assert_eq!(all(app, "projects", "key", limit).await, wanted);
        }
        let members = json!([{"kind": "createSegment", "segment": "people",
            "included": ["a", "b"], "excluded": ["c"]}]);
        app.apply(members).await;
        let path = "projects/default/segments";
        let listed = &app.owner.get(path).await.expect(200)["items"][0];
        assert_eq!(
            (&listed["includedCount"], &listed["excludedCount"]),
            (&json!(2), &json!(1))
        );
        assert!(listed.get("included").is_none(), "{listed}");
        assert_eq!(listed["changed"]["by"], "olivia", "{listed}");
        assert!(listed.get("usedByCount").is_none(), "{listed}");
        let one = app
            .owner
            .get("projects/default/segments/people")
            .await
            .expect(200);
        assert_eq!(
            (&one["included"], &one["excluded"]),
            (&json!(["a", "b"]), &json!(["c"]))
        );
        let segments = ["one", "three", "two"];
        let commands = segments.map(|key| json!({"kind": "createSegment", "segment": key}));
        app.apply(json!(commands)).await;
        for limit in [1, 2, 500] {
            let path = "projects/default/segments?search=o";
            assert_eq!(all(app, path, "key", limit).await, ["one", "people", "two"]);
        }
        app.apply(json!([create("late")])).await;
    })
    .await;
}
