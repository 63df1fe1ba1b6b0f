//! Projects, environments and SDK keys: made, seen, renamed, deleted, and refused with a reason.

use burgee_testkit::api::Answer;
use burgee_testkit::sdk::{Kind, Sdk};
use reqwest::Method;
use serde_json::{Value, json};

use crate::kit::{App, Database, create, on_each_database, person, texts};
use crate::permissions::fixture::{on, with};

/// Checks a refusal: status, the field and the rule that it breaks.
#[track_caller]
fn refused(answer: Answer, status: u16, pointer: &str, code: &str) {
    let problem = answer.problem(status);
    assert_eq!(problem.pointers(), [pointer], "{}", problem.body);
    let error = &problem.body["errors"][0];
    assert_eq!(error["code"], code, "{}", problem.body);
    assert!(
        !error["detail"].as_str().unwrap().is_empty(),
        "{}",
        problem.body
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_is_made_renamed_and_deleted() {
    on_each_database(async |app| {
        let owner = &app.owner;
        let made = owner
            .post("projects", &json!({"key": "Web.Shop"}))
            .await
            .expect(201);
        assert_eq!(made["key"], "Web.Shop", "{made}");
        assert_eq!(
            made["name"], "Web.Shop",
            "the key, where no name is given: {made}"
        );
        assert_eq!(made["version"], 0, "{made}");
        // Keys are the same whatever their case.
        assert_eq!(owner.get("projects/web.shop").await.expect(200), made);
        let again = owner.post("projects", &json!({"key": "WEB.SHOP"})).await;
        refused(again, 409, "/key", "taken");

        let edit = json!({"name": "  The shop "});
        let renamed = owner.patch("projects/web.shop", &edit).await.expect(200);
        assert_eq!(renamed["name"], "The shop", "{renamed}");
        assert_eq!(owner.get("projects/web.shop").await.expect(200), renamed);
        let listed = owner.get("projects").await.expect(200);
        assert_eq!(texts(&listed, "key"), ["default", "Web.Shop"]);

        assert_eq!(
            owner.delete("projects/web.shop").await.expect(204),
            Value::Null
        );
        owner.get("projects/web.shop").await.problem(404);
        owner.delete("projects/web.shop").await.problem(404);
        let listed = owner.get("projects").await.expect(200);
        assert_eq!(texts(&listed, "key"), ["default"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_environment_serves_from_the_moment_it_is_made() {
    on_each_database(async |app| {
        let owner = &app.owner;
        let path = "projects/default/environments";
        let new = json!({"key": "stage", "name": "Staging", "description": "a rehearsal"});
        let made = owner.post(path, &new).await.expect(201);
        assert_eq!(made["name"], "Staging", "{made}");
        refused(
            owner.post(path, &json!({"key": "STAGE"})).await,
            409,
            "/key",
            "taken",
        );
        let keys = app.keys("stage").await;
        let mut client = Sdk::client(app.address(), &keys.client.secret, &person("u"));
        Sdk::server(app.address(), &keys.server.secret);

        let listed = owner.get(path).await.expect(200);
        assert_eq!(texts(&listed, "key"), ["prod", "dev", "stage"]);
        let one = format!("{path}/stage");
        let edit = json!({"description": "dress rehearsal"});
        let edited = owner.patch(&one, &edit).await.expect(200);
        assert_eq!(edited["name"], "Staging", "what is absent stays: {edited}");
        assert_eq!(edited["description"], "dress rehearsal", "{edited}");
        assert_eq!(owner.get(&one).await.expect(200), edited);
        let again = owner.patch(&one, &edit).await.expect(200);
        assert_eq!(again, edited, "what is so already moves no version");

        app.apply(json!([create("f"),
            {"kind": "turnOn", "flag": "f", "environment": "stage"}]))
            .await;
        client.until(|sdk| sdk.value("f") == Some("true"));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_environments_of_all_projects_are_one_answer() {
    on_each_database(async |app| {
        let new = json!({"key": "app", "name": "The app"});
        app.owner.post("projects", &new).await.expect(201);
        for key in ["two", "one"] {
            let new = json!({"key": key, "name": format!("Number {key}")});
            let made = app.owner.post("projects/app/environments", &new).await;
            made.expect(201);
        }
        let all = app.owner.get("environments").await.expect(200);
        let names = |all: &Value| -> Vec<String> {
            let items = all["items"].as_array().unwrap().iter();
            let name = |it: &Value| format!("{}/{}", it["project"], it["key"]).replace('"', "");
            items.map(name).collect()
        };
        assert_eq!(
            names(&all),
            ["app/two", "app/one", "default/prod", "default/dev"]
        );
        let one = app.owner.get("projects/app/environments/one").await;
        let one = one.expect(200);
        let listed = &all["items"][1];
        assert_eq!(listed["projectName"], "The app");
        for field in ["id", "name", "colour", "protected"] {
            assert_eq!(listed[field], one[field]);
        }

        // Of what the caller may see.
        let list = json!([
            on("allow", &["project.read"], &["project/*"]),
            on(
                "allow",
                &["environment.read"],
                &["project/*:env/dev", "project/app:env/*"]
            ),
            on("deny", &["project.read"], &["project/app"]),
        ]);
        let seen = with(app, list).await.get("environments").await.expect(200);
        assert_eq!(names(&seen), ["default/dev"]);
        app.owner.delete("projects/app").await.expect(204);
        let left = app.owner.get("environments").await.expect(200);
        assert_eq!(names(&left), ["default/prod", "default/dev"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sdk_keys_are_made_and_revoked() {
    on_each_database(async |app| {
        let path = "projects/default/environments/prod/sdk-keys";
        let new = json!({"kind": "server", "name": "the mobile team"});
        let made = app.owner.post(path, &new).await.expect(201);
        let secret = made["secret"].as_str().unwrap();
        assert_eq!(secret.len(), 44, "{made}");
        assert!(made.get("revokedAt").is_none(), "{made}");
        Sdk::server(app.address(), secret);
        let one = format!("{path}/{}", made["id"].as_str().unwrap());
        app.owner.delete(&one).await.expect(204);
        let mut late = Sdk::connect(app.address(), Kind::Server, secret);
        assert_eq!(late.close_code(), 4003);
        let listed = app.owner.get(path).await.expect(200);
        let revoked = |key: &&Value| key["id"] == made["id"];
        let revoked = listed["items"].as_array().unwrap().iter().find(revoked);
        assert!(revoked.unwrap()["revokedAt"].is_string(), "{listed}");

        // Of another environment it is not there.
        let key = app.keys("dev").await.client.id;
        app.owner
            .delete(&format!("{path}/{key}"))
            .await
            .problem(404);
        app.owner.delete(&format!("{path}/none")).await.problem(404);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_input_is_named() {
    let app = App::start(Database::Sqlite).await;
    let owner = &app.owner;
    let long = "x".repeat(129);
    let keys = [
        json!(""),
        json!("a b"),
        json!("ü"),
        json!(".."),
        json!(long),
        json!("a/b"),
    ];
    for key in keys {
        for path in ["projects", "projects/default/environments"] {
            refused(
                owner.post(path, &json!({"key": key})).await,
                400,
                "/key",
                "keyInvalid",
            );
        }
    }
    let pages = [
        ("projects", ["audit", "Settings"]),
        ("projects/default/environments", ["history", "Compare"]),
    ];
    for (path, keys) in pages {
        for key in keys {
            let answer = owner.post(path, &json!({"key": key})).await;
            refused(answer, 400, "/key", "keyReserved");
        }
    }
    let long = "x".repeat(2_000);
    for (name, code) in [
        ("", "nameEmpty"),
        ("   ", "nameEmpty"),
        ("a\u{0}b", "nulCharacter"),
        ("a\nb", "controlCharacter"),
        (long.as_str(), "textTooLong"),
    ] {
        let check = |answer: Answer| refused(answer, 400, "/name", code);
        let new = json!({"key": "k", "name": name});
        check(owner.post("projects", &new).await);
        let edit = json!({"name": name});
        check(owner.patch("projects/default", &edit).await);
        let path = "projects/default/environments/prod";
        check(owner.patch(path, &edit).await);
        let new = json!({"kind": "client", "name": name});
        check(owner.post(&format!("{path}/sdk-keys"), &new).await);
    }
    let description = json!({"key": "k", "description": "x".repeat(100_000)});
    let path = "projects/default/environments";
    refused(
        owner.post(path, &description).await,
        400,
        "/description",
        "textTooLong",
    );
    owner
        .get("projects/default/environments/k")
        .await
        .problem(404);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_that_cannot_be_read_says_where() {
    let app = App::start(Database::Sqlite).await;
    let post = async |path: &str, body: &str| {
        let sent = app
            .owner
            .try_send(Method::POST, path, Some(body.to_owned()));
        sent.await.unwrap()
    };
    refused(post("projects", "{").await, 400, "", "json");
    refused(post("projects", "").await, 400, "", "json");
    refused(post("projects", "[]").await, 400, "", "json");
    refused(post("projects", r#"["a", "b"]"#).await, 400, "", "json");
    refused(post("projects", "{}").await, 400, "", "json");
    refused(post("projects", r#"{"key":"a"} x"#).await, 400, "", "json");
    refused(post("projects", r#"{"key":7}"#).await, 400, "/key", "json");
    refused(
        post("projects", r#"{"key":"a","nmae":"b"}"#).await,
        400,
        "/nmae",
        "json",
    );
    refused(
        post("projects", r#"{"key":"a","key":"b"}"#).await,
        400,
        "",
        "json",
    );
    let keys = "projects/default/environments/prod/sdk-keys";
    refused(
        post(keys, r#"{"kind":"mobile","name":"m"}"#).await,
        400,
        "/kind",
        "json",
    );
    let deep = "[".repeat(10_000);
    refused(post("projects", &deep).await, 400, "", "json");
    let nameless = format!(r#"{{"commands":[{deep}]}}"#);
    let problem = post("changes", &nameless).await.problem(400);
    assert!(
        problem.pointers()[0].starts_with("/commands/0"),
        "{}",
        problem.body
    );
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_body_must_be_json_and_of_a_size() {
    let app = App::start(Database::Sqlite).await;
    let http = reqwest::Client::new();
    let post = |kind: Option<&'static str>, body: String| {
        let url = format!("http://{}/api/v1/projects", app.address());
        let mut request = http.post(url).bearer_auth(&app.token).body(body);
        if let Some(kind) = kind {
            request = request.header("content-type", kind);
        }
        async move {
            let answer = request.send().await.unwrap();
            let status = answer.status().as_u16();
            (status, answer.json::<Value>().await.unwrap())
        }
    };
    for kind in [None, Some("text/plain"), Some("application/jsonp")] {
        let (status, problem) = post(kind, r#"{"key":"a"}"#.to_owned()).await;
        assert_eq!(status, 415, "{kind:?}: {problem}");
        assert_eq!(problem["status"], 415, "{problem}");
    }
    let json = Some("application/json; charset=utf-8");
    let (status, _) = post(json, r#"{"key":"a"}"#.to_owned()).await;
    assert_eq!(status, 201);
    let (status, problem) = post(json, " ".repeat(17 * 1024 * 1024)).await;
    assert_eq!(status, 413, "{problem}");
    assert!(
        problem["detail"].as_str().unwrap().contains("16"),
        "{problem}"
    );
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn addresses_and_parameters_that_do_not_exist_say_so() {
    let app = App::start(Database::Sqlite).await;
    let owner = &app.owner;
    for path in [
        "nothing",
        "/api/v2/projects",
        "/metrics",
        "projects/default/nothing",
    ] {
        owner.get(path).await.problem(404);
    }
    owner.delete("projects").await.problem(405);
    owner
        .patch("projects/default/changes", &json!({}))
        .await
        .problem(405);
    owner.delete("/api/openapi.json").await.problem(405);
    for path in [
        "projects/none/flags",
        "projects/default/flags/none",
        "projects/default/environments/none",
        "projects/default/environments/none/changes",
        "projects/none/environments/prod/segments",
        "projects/%2e%2e",
        "projects/%00",
        "projects/%C3%BC",
    ] {
        owner.get(path).await.problem(404);
    }
    owner.get("projects/%FF").await.problem(404);
    for (query, pointer) in [
        ("limit=0", "limit"),
        ("limit=501", "limit"),
        ("limit=-1", "limit"),
        ("limit=many", "limit"),
        ("limit=1.5", "limit"),
        ("curser=x", "curser"),
        ("limit=1&limit=2", ""),
    ] {
        for path in [
            "projects",
            "segments",
            "projects/default/flags",
            "projects/default/segments",
            "projects/default/environments/prod/segments",
            "projects/default/changes",
            "projects/default/environments/prod/changes",
        ] {
            let problem = owner.get(&format!("{path}?{query}")).await.problem(400);
            assert_eq!(
                problem.pointers(),
                [pointer],
                "{path}?{query}: {}",
                problem.body
            );
        }
    }
    let problem = owner
        .get("projects/default/flags?state=deleted")
        .await
        .problem(400);
    assert_eq!(problem.pointers(), ["state"], "{}", problem.body);
    app.stop().await;
}
