//! End users through the API: lists, one user's evaluation, what a change would do to them, what
//! was served.

use burgee_eval::time::Millis;
use burgee_server::now;
use burgee_store::traffic::{Batch, Count, UserSeen};
use serde_json::{Value, json};
use sqlx::{AnyConnection, Connection};

use crate::kit::{App, Database, create, flag_on, in_prod, on_each_database, texts, variations};

const PROD: &str = "projects/default/environments/prod";
const DAY: i64 = 86_400_000;

async fn environment(app: &App) -> String {
    let found = app.owner.get(PROD).await.expect(200);
    found["id"].as_str().unwrap().to_owned()
}

/// Users `u000`, `u001`… of two countries by turns.
async fn people(app: &App, count: usize) {
    let environment = environment(app).await;
    let users: Vec<UserSeen<'_>> = (0..count)
        .map(|number| UserSeen {
            types: "".into(),
            environment: environment.as_str().into(),
            key: format!("u{number:03}").into(),
            name: format!("User {number}").into(),
            properties: vec![("country".into(), ["de", "fr"][number % 2].into())],
            at: now(),
        })
        .collect();
    app.store.traffic().put_users(&users).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn users_are_looked_at() {
    on_each_database(async |app| {
        people(app, 30).await;
        let page = app.owner.get(&format!("{PROD}/users?limit=20")).await;
        let page = page.expect(200);
        assert_eq!(page["items"][1]["key"], "u001");
        assert_eq!(page["items"][1]["name"], "User 1");
        assert_eq!(page["items"][1]["properties"], json!({"country": "fr"}));
        let next = page["next"].as_str().unwrap();
        let next = next
            .replace('[', "%5B")
            .replace(']', "%5D")
            .replace('"', "%22");
        let rest = app
            .owner
            .get(&format!("{PROD}/users?limit=20&cursor={next}"))
            .await
            .expect(200);
        assert_eq!(texts(&rest, "key").len(), 10);
        assert!(rest["next"].is_null());
        let found = app
            .owner
            .get(&format!("{PROD}/users?search=user%202"))
            .await;
        let found = texts(&found.expect(200), "key");
        assert_eq!(found.len(), 11, "{found:?}");
        let found = app
            .owner
            .get(&format!("{PROD}/users?contains=R%2029"))
            .await;
        assert_eq!(texts(&found.expect(200), "key"), ["u029"]);

        let seen = app
            .owner
            .get(&format!("{PROD}/properties"))
            .await
            .expect(200);
        let country = json!([{"name": "country", "users": 30, "moreValues": false,
            "values": [{"value": "de", "users": 15}, {"value": "fr", "users": 15}]}]);
        assert_eq!(seen["items"], country);
        assert!(seen.get("sampled").is_none());

        let one = format!("{PROD}/users/u003");
        assert_eq!(app.owner.get(&one).await.expect(200)["key"], "u003");
        app.owner.delete(&one).await.expect(204);
        app.owner.get(&one).await.problem(404);
        app.owner.delete(&one).await.problem(404);
        for bad in ["search=a&contains=b", "cursor=x", "limit=0", "what=1"] {
            app.owner
                .get(&format!("{PROD}/users?{bad}"))
                .await
                .problem(400);
        }
    })
    .await;
}

/// `checkout`: Germans get true by the rule `Germany`, others false.
async fn checkout(app: &App) -> (String, String) {
    app.apply(flag_on("checkout")).await;
    let (yes, no) = variations(&app.owner, "checkout").await;
    let rule = json!({"id": "germany", "name": "Germany", "variation": yes,
        "conditions": [{"property": "country", "op": "Equal", "value": "de"}]});
    app.apply(json!([
        {"kind": "addRule", "flag": "checkout", "environment": "prod", "rule": rule},
        {"kind": "setDefaultRule", "flag": "checkout", "environment": "prod", "variation": no},
    ]))
    .await;
    (yes, no)
}

async fn evaluate(app: &App, question: Value) -> Value {
    let answer = app.owner.post(&format!("{PROD}/evaluate"), &question).await;
    answer.expect(200)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_evaluation_says_how_it_came_to_that() {
    on_each_database(async |app| {
        people(app, 2).await;
        let (_, no) = checkout(app).await;
        let of = |key: &str| json!({"key": key, "flag": "checkout"});
        let german = evaluate(app, of("u000")).await;
        assert_eq!(german["user"]["stored"], true);
        let flag = &german["items"][0];
        assert_eq!(flag["variation"]["value"], "true");
        assert_eq!(flag["reason"]["code"], "rule");
        assert_eq!(flag["reason"]["params"]["rule"], "germany");
        let condition = &flag["steps"][2]["conditions"][0];
        let expected = json!({"property": "country", "op": "Equal", "value": "de",
            "actual": "de", "holds": true});
        assert_eq!(*condition, expected);
        let french = evaluate(app, of("u001")).await;
        assert_eq!(french["items"][0]["variation"]["id"], no.as_str());
        assert_eq!(french["items"][0]["reason"]["code"], "default");
        let steps = french["items"][0]["steps"].as_array().unwrap();
        let results: Vec<_> = steps
            .iter()
            .map(|it| it["result"].as_str().unwrap())
            .collect();
        assert_eq!(results, ["passed", "passed", "passed", "taken"]);

        // Somebody who is not known, as given.
        let given = json!({"key": "nobody", "properties": {"country": "de"}});
        let given = evaluate(app, given).await;
        assert_eq!(given["user"]["stored"], false);
        assert_eq!(given["items"][0]["variation"]["value"], "true");
        assert!(given["items"][0].get("steps").is_none());
        let unknown = json!({"key": "nobody"});
        let answer = app.owner.post(&format!("{PROD}/evaluate"), &unknown).await;
        answer.problem(404);
        app.apply(json!([create("fresh")])).await;
        let fresh = json!({"key": "u000", "flag": "fresh"});
        let fresh = evaluate(app, fresh).await;
        assert_eq!(fresh["items"][0]["reason"]["code"], "notReleased");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_past_and_a_draft_are_evaluated_too() {
    on_each_database(async |app| {
        people(app, 2).await;
        checkout(app).await;
        let value = |answer: &Value| answer["items"][0]["variation"]["value"].clone();
        let version = app.owner.get(PROD).await.expect(200)["version"]
            .as_i64()
            .unwrap();
        let of = |key: &str, over: Value| {
            let mut question = json!({"key": key, "flag": "checkout"});
            let over = over.as_object().unwrap().clone();
            question.as_object_mut().unwrap().extend(over);
            question
        };
        // Before the rule there was the default that serves true.
        let before = evaluate(app, of("u001", json!({"version": version - 1}))).await;
        assert_eq!(value(&before), "true");
        assert_eq!(before["version"], version - 1);
        let draft = json!({"commands": [in_prod("turnOff", "checkout")]});
        let drafted = evaluate(app, of("u000", draft.clone())).await;
        assert_eq!(drafted["items"][0]["reason"]["code"], "off");
        assert_eq!(drafted["draft"], true);
        let now = evaluate(app, of("u000", json!({}))).await;
        assert_eq!(value(&now), "true");
        assert_eq!(now["version"], version);

        let evaluated = format!("{PROD}/evaluate");
        for (over, pointer) in [
            (json!({"version": version + 1}), "/version"),
            (json!({"version": 1, "commands": []}), "/version"),
            (
                json!({"properties": {"a": "x".repeat(1024)}}),
                "/properties/a",
            ),
            (json!({"name": "x".repeat(257)}), "/name"),
            (
                json!({"commands": [{"kind": "turnUp"}]}),
                "/commands/0/kind",
            ),
        ] {
            let answer = app.owner.post(&evaluated, &of("u000", over)).await;
            assert_eq!(answer.problem(400).pointers(), [pointer]);
        }
        // A draft changes nothing: who may look may try it.
        let reader = app.caller("rita", "reader").await;
        let given = json!({"key": "u", "name": "U", "commands": draft["commands"]});
        let tried = reader.post(&evaluated, &given).await.expect(200);
        assert_eq!(tried["items"][0]["reason"]["code"], "off");
        reader
            .post(&evaluated, &json!({"key": "u000"}))
            .await
            .problem(403);
        let shown = reader
            .post(&evaluated, &json!({"key": "u", "name": "U"}))
            .await;
        assert_eq!(shown.expect(200)["items"][0]["flag"], "checkout");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dry_run_says_who_moves() {
    on_each_database(async |app| {
        people(app, 30).await;
        let (yes, no) = checkout(app).await;
        let dry = |commands: Value| json!({"commands": commands, "dryRun": true, "effects": true});
        let ask = async |commands: Value| {
            let answer = app.owner.post("projects/default/changes", &dry(commands)).await;
            answer.expect(200)["effects"].clone()
        };
        let effects = ask(json!([in_prod("turnOff", "checkout")])).await;
        let [prod] = effects.as_array().unwrap().as_slice() else {
            panic!("{effects}");
        };
        assert_eq!((&prod["environment"], &prod["users"]), (&json!("default/prod"), &json!(30)));
        assert!(prod.get("sampled").is_none());
        let moved = &prod["flags"][0];
        assert_eq!((&moved["flag"], &moved["moved"]), (&json!("checkout"), &json!(15)));
        assert_eq!(moved["moves"][0]["from"]["id"], yes.as_str());
        assert_eq!(moved["moves"][0]["to"]["id"], no.as_str());
        let text = "default/prod, checkout: 15 of 30 known users move from ‘true’ to ‘false’";
        assert_eq!(prod["text"], json!([text]));

        // By way of a segment, and to what the code says.
        app.apply(json!([{"kind": "createSegment", "segment": "some", "included": ["u000", "u001"]},
            ])).await;
        let segments = app.owner.get("projects/default/segments/some").await.expect(200);
        let rule = json!({"id": "some", "variation": no, "conditions": [
            {"property": "User is in segment", "op": "", "value": json!([segments["id"]]).to_string()}]});
        let add = json!({"kind": "addRule", "flag": "checkout", "environment": "prod",
            "rule": rule, "before": "germany"});
        let effects = ask(json!([add.clone()])).await;
        assert_eq!(effects[0]["flags"][0]["moved"], 1);
        app.apply(json!([add])).await;
        let more = json!([{"kind": "addIncluded", "segment": "some", "keys": ["u002"]}]);
        let effects = ask(more).await;
        let prod = effects.as_array().unwrap().iter().find(|it| it["environment"] == "default/prod");
        assert_eq!(prod.unwrap()["flags"][0]["moved"], 1);
        let archive = json!([{"kind": "archiveFlag", "flag": "checkout"}]);
        let effects = ask(archive).await;
        assert_eq!(effects[0]["flags"][0]["moved"], 30);
        assert!(effects[0]["flags"][0]["moves"][0]["to"].is_null());
        // Nothing was changed by asking.
        assert_eq!(evaluate(app, json!({"key": "u002"})).await["items"][0]["reason"]["code"], "rule");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn who_may_not_see_users_is_not_told_how_many_move() {
    let app = App::start(Database::Sqlite).await;
    people(&app, 3).await;
    checkout(&app).await;
    let statement = |effect: &str, actions: &[&str]| json!({"effect": effect, "actions": actions, "resources": ["*"]});
    let statements = json!([
        statement("allow", &["*"]),
        statement("deny", &["user.read"])
    ]);
    let policy = json!({"key": "blind", "name": "Blind", "statements": statements});
    app.owner.post("policies", &policy).await.expect(201);
    let blind = app.caller("blind", "blind").await;
    let ask =
        json!({"commands": [in_prod("turnOff", "checkout")], "dryRun": true, "effects": true});
    let answer = blind
        .post("projects/default/changes", &ask)
        .await
        .expect(200);
    assert_eq!(answer["effects"], json!([]));
    let loud = json!({"commands": [], "effects": true});
    let refused = app.owner.post("projects/default/changes", &loud).await;
    assert_eq!(refused.problem(400).pointers(), ["/effects"]);
    app.stop().await;
}

/// Evaluations of a flag, days ago.
pub(crate) async fn served(app: &App, sequence: i64, flag: &str, variation: &str, days: &[i64]) {
    let environment = environment(app).await;
    let shown = app
        .owner
        .get(&format!("projects/default/flags/{flag}"))
        .await;
    let id = shown.expect(200)["id"].as_str().unwrap().to_owned();
    let counts = days.iter().map(|days| Count {
        environment: environment.as_str().into(),
        flag: flag.to_owned().into(),
        flag_id: id.as_str().to_owned().into(),
        variation: variation.to_owned().into(),
        minute: Millis(now().0 - days * DAY),
        count: 7,
    });
    let batch = Batch {
        sender: "test".into(),
        sequence,
        at: now(),
        counts: counts.collect(),
        ..Batch::default()
    };
    app.store.traffic().write(&batch).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn counts_and_staleness_are_told() {
    on_each_database(async |app| {
        for flag in ["used", "constant", "unused"] {
            app.apply(flag_on(flag)).await;
        }
        let (yes, no) = variations(&app.owner, "used").await;
        served(app, 1, "used", &yes, &[40, 0]).await;
        served(app, 2, "used", &no, &[40, 2]).await;
        let (always, _) = variations(&app.owner, "constant").await;
        served(app, 3, "constant", &always, &[40, 0]).await;

        let flags = app.owner.get("projects/default/flags").await.expect(200);
        let of = |page: &Value, key: &str| {
            let mut items = page["items"].as_array().unwrap().iter();
            items.find(|it| it["key"] == key).unwrap().clone()
        };
        assert_eq!(of(&flags, "used")["stale"], Value::Null);
        let constant = &of(&flags, "constant")["stale"];
        assert_eq!(constant["code"], "oneValue", "{constant}");
        assert_eq!(constant["variation"], always.as_str());
        assert!(constant["since"].is_string(), "{constant}");
        // Just made: not stale, though nobody asked for it.
        assert_eq!(of(&flags, "unused")["stale"], Value::Null);
        assert_eq!(of(&flags, "unused")["lastEvaluatedAt"], Value::Null);
        assert!(of(&flags, "used")["firstEvaluatedAt"].is_string());
        let stale = app
            .owner
            .get("projects/default/flags?stale=true")
            .await
            .expect(200);
        assert_eq!(texts(&stale, "key"), ["constant"]);
        let patient = "projects/default/flags?stale=true&staleDays=50";
        let patient = app.owner.get(patient).await.expect(200);
        assert!(texts(&patient, "key").is_empty());
        let bad = app.owner.get("projects/default/flags?staleDays=0").await;
        assert_eq!(bad.problem(400).pointers(), ["staleDays"]);

        let activity = app.owner.get(&format!("{PROD}/activity")).await.expect(200);
        assert_eq!(activity["flags"]["constant"]["stale"], *constant);
        assert!(activity["firstEvaluatedAt"].is_string());

        let counts = "projects/default/flags/used/counts?environment=prod";
        let today = app.owner.get(counts).await.expect(200);
        assert_eq!(today["totals"][&yes], 7);
        assert_eq!(today["spans"].as_array().unwrap().len(), 1);
        let from = Millis(now().0 - 60 * DAY);
        let all = app
            .owner
            .get(&format!("{counts}&from={from}&by=day"))
            .await
            .expect(200);
        assert_eq!(all["totals"], json!({yes.clone(): 14, no.clone(): 14}));
        for bad in [
            "from=yesterday",
            "from=2001-01-01",
            "by=week",
            "from=2002-01-01&to=2001-01-01",
        ] {
            app.owner.get(&format!("{counts}&{bad}")).await.problem(400);
        }
        let nowhere = "projects/default/flags/used/counts?environment=nowhere";
        app.owner.get(nowhere).await.problem(404);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_go_out_and_come_back_the_same() {
    on_each_database(async |app| {
        let odd = [
            (r#"=HYPERLINK("x")"#, "+1", "-2"),
            ("'@quoted", "'", "'='"),
            ("comma, quote \" and\nline", "ünal", "{}"),
        ];
        let environment = environment(app).await;
        let users = odd.map(|(key, name, plan)| UserSeen {
            types: "".into(),
            environment: environment.as_str().into(),
            key: key.into(),
            name: name.into(),
            properties: vec![("plan".into(), plan.into())],
            at: now(),
        });
        app.store.traffic().put_users(&users).await.unwrap();
        let upload = async |to: &str, kind: &str, text: String| {
            let path = format!("projects/default/environments/{to}/users");
            let api = app.owner.clone().with_header("content-type", kind);
            api.try_send(reqwest::Method::POST, &path, Some(text)).await.unwrap()
        };
        let without_times = |mut page: Value| {
            for user in page["items"].as_array_mut().unwrap() {
                user["firstSeen"] = Value::Null;
                user["lastSeen"] = Value::Null;
                user["propertiesSince"] = Value::Null;
            }
            page
        };
        let expected = app.owner.get(&format!("{PROD}/users")).await.expect(200);
        for (query, kind) in [
            ("", "application/x-ndjson"),
            ("?format=csv", "text/csv"),
            ("?format=csv&columns=plan", "text/csv; charset=utf-8"),
        ] {
            let file = app.owner.get(&format!("{PROD}/user-export{query}")).await;
            // Packed it comes whole, too.
            let packed = app.owner.clone().with_header("accept-encoding", "gzip");
            let packed = packed.get(&format!("{PROD}/user-export{query}")).await;
            assert_eq!(packed.headers["content-encoding"], "gzip");
            let cells = file.text.split([',', '\n']).filter(|_| kind != "application/x-ndjson");
            for cell in cells {
                assert!(!cell.starts_with(['=', '+', '-', '@']), "{cell}");
            }
            let done = upload("dev", kind, file.text).await.expect(200);
            assert_eq!((&done["written"], &done["refused"]), (&json!(3), &json!(0)), "{done}");
            let dev = "projects/default/environments/dev/users";
            let found = app.owner.get(dev).await.expect(200);
            assert_eq!(without_times(found), without_times(expected.clone()));
            for (key, ..) in odd {
                let id = app.owner.get("projects/default/environments/dev").await.expect(200);
                let id = id["id"].as_str().unwrap();
                app.store.traffic().forget_user(id, key).await.unwrap();
            }
        }

        let lines = "{\"key\": \"a\"}\n\nnothing\n{\"key\": \" \"}\n{\"key\": \"b\", \"age\": 1}\n{\"key\": \"c\"}";
        let done = upload("dev", "application/x-ndjson", lines.to_owned()).await.expect(200);
        assert_eq!((&done["written"], &done["refused"]), (&json!(2), &json!(3)));
        let wrong = done["errors"].as_array().unwrap().iter();
        let wrong: Vec<_> = wrong.map(|it| (it["line"].as_u64().unwrap(), it["code"].as_str().unwrap())).collect();
        assert_eq!(wrong, [(3, "json"), (4, "userKey"), (5, "json")]);
        let csv = "key,country\na,de\nb\n\"c\"x,de\nd,\"two\nlines\"\n";
        let done = upload("dev", "text/csv", csv.to_owned()).await.expect(200);
        let wrong = done["errors"].as_array().unwrap().iter();
        let wrong: Vec<_> = wrong.map(|it| (it["line"].as_u64().unwrap(), it["code"].as_str().unwrap())).collect();
        assert_eq!(wrong, [(3, "cells"), (4, "quotes")]);
        let dev = "projects/default/environments/dev/users/d";
        assert_eq!(app.owner.get(dev).await.expect(200)["properties"]["country"], "two\nlines");
        upload("dev", "text/csv", "name\nx\n".to_owned()).await.problem(400);
        upload("dev", "text/plain", "key\nx\n".to_owned()).await.problem(415);
        upload("dev", "application/x-ndjson", "x".repeat(300_000)).await.problem(400);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_done_with_users_is_in_the_history_and_names_nobody() {
    on_each_database(async |app| {
        let owner = &app.owner;
        let version = async || owner.get(PROD).await.expect(200)["version"].clone();
        let before = version().await;
        let files = owner.clone();
        let files = files.with_header("content-type", "application/x-ndjson");
        let send = async |lines: &str| {
            let (path, lines) = (format!("{PROD}/users"), Some(lines.to_owned()));
            let sent = files.try_send(reqwest::Method::POST, &path, lines).await;
            sent.unwrap().expect(200)
        };
        // Where nothing is written, nothing was done.
        assert_eq!(send("nothing\n").await["refused"], 1);
        send("{\"key\": \"dear-ana\"}\nnothing\n{\"key\": \"dear-bo\"}\n").await;
        let file = owner.get(&format!("{PROD}/user-export?format=csv")).await;
        assert!(file.text.contains("dear-bo"), "{}", file.text);
        let ana = format!("{PROD}/users/dear-ana");
        owner.delete(&ana).await.expect(204);
        owner.delete(&ana).await.problem(404);
        assert_eq!(version().await, before);

        let acts = [
            "deleteUser",
            "exportUsers",
            "uploadUsers",
            "beginUserUpload",
        ];
        for history in [
            format!("{PROD}/changes?limit=4"),
            "projects/default/changes?environment=prod&limit=4".to_owned(),
            "projects/default/changes?limit=4".to_owned(),
            "audit?project=default&environment=prod&limit=4".to_owned(),
        ] {
            let found = owner.get(&history).await.expect(200);
            let items = found["items"].as_array().unwrap().iter();
            let commands: Vec<&Value> = items.map(|it| &it["commands"][0]).collect();
            let kinds: Vec<&Value> = commands.iter().map(|it| &it["kind"]).collect();
            assert_eq!(kinds, acts, "{history}");
            assert!(!found.to_string().contains("dear-"), "{found}");
            assert_eq!(commands[0]["environment"], "prod");
            assert_eq!(commands[1]["format"], "csv");
            let counts = (&commands[2]["written"], &commands[2]["refused"]);
            assert_eq!(counts, (&json!("2"), &json!("1")));
        }
        let elsewhere = "audit?project=default&environment=dev&kind=deleteUser";
        assert_eq!(owner.get(elsewhere).await.expect(200)["items"], json!([]));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_written_into_the_history_is_not_done() {
    let app = App::start(Database::Sqlite).await;
    people(&app, 1).await;
    let mut raw = AnyConnection::connect(&app.data.url()).await.unwrap();
    let refuse = "CREATE TRIGGER refuse BEFORE INSERT ON change_sets \
        BEGIN SELECT RAISE(ABORT, 'no'); END";
    sqlx::raw_sql(refuse).execute(&mut raw).await.unwrap();
    let (users, user) = (format!("{PROD}/users"), format!("{PROD}/users/u000"));
    let export = format!("{PROD}/user-export");
    for answer in [
        app.owner.post(&users, &json!({"key": "u001"})).await,
        app.owner.get(&export).await,
        app.owner.get("audit/export").await,
        app.owner.delete(&user).await,
    ] {
        assert!(answer.status >= 500, "{answer:?}");
        assert!(!answer.text.contains("u000"), "{answer:?}");
    }
    let allow = "DROP TRIGGER refuse";
    sqlx::raw_sql(allow).execute(&mut raw).await.unwrap();
    let left = app.owner.get(&users).await.expect(200);
    assert_eq!(texts(&left, "key"), ["u000"]);
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_is_forgotten_in_the_whole_organization() {
    on_each_database(async |app| {
        people(app, 3).await;
        let (yes, _) = checkout(app).await;
        let add = json!({"kind": "addTargets", "flag": "checkout", "environment": "prod",
            "variation": yes, "keys": ["u000", "u001"]});
        app.apply(json!([add.clone()])).await;
        let ask = json!({"key": "u001", "comment": "asked to be forgotten"});
        app.caller("dora", "developer")
            .await
            .post("users/forget", &ask)
            .await
            .problem(403);
        let mut add = add;
        add["project"] = json!("default");
        add["keys"] = json!(["u001", "u002"]);
        let waits = json!({"title": "For u001", "commands": [add]});
        let waits = app.owner.post("requests", &waits).await.expect(201);
        let done = app.owner.post("users/forget", &ask).await.expect(200);
        assert_eq!(done["changes"].as_array().unwrap().len(), 1);
        assert_eq!(done["requests"], 1, "{done}");
        let path = format!("requests/{}", waits["id"].as_str().unwrap());
        let waits = app.owner.get(&path).await.expect(200);
        assert_eq!(waits["state"], "stopped", "{waits}");
        assert_eq!(waits["stopped"]["code"], "forgotten");
        assert!(!waits.to_string().contains("u001") && waits.to_string().contains("u002"));
        let apply = app.owner.post(&format!("{path}/apply"), &json!({})).await;
        assert_eq!(apply.problem(409).code(), "requestClosed");
        assert!(done["images"].as_u64().unwrap() >= 1, "{done}");
        assert!(done["entries"].as_u64().unwrap() >= 2, "{done}");
        assert_eq!(done["rows"], 1);
        app.owner
            .get(&format!("{PROD}/users/u001"))
            .await
            .problem(404);
        let flag = app
            .owner
            .get("projects/default/flags/checkout")
            .await
            .expect(200);
        assert!(!flag.to_string().contains("u001") && flag.to_string().contains("u000"));
        let history = app
            .owner
            .get("changes?limit=500")
            .await
            .expect(200)
            .to_string();
        assert!(!history.contains("u001"), "{history}");
        assert!(history.contains("forgetUser"));
        let naming = json!({"key": "u002", "comment": "u002 asked"});
        let refused = app.owner.post("users/forget", &naming).await.problem(400);
        assert_eq!(refused.pointers(), ["/comment"]);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_knows_properties_and_their_presets() {
    on_each_database(async |app| {
        people(app, 2).await;
        let all = "projects/default/user-properties";
        let country = format!("{all}/country");
        app.owner.get(&country).await.problem(404);
        let presets = json!([{"value": "de", "description": "Germany"},
            {"value": "at", "description": ""}]);
        let known = json!({"description": "Where they live", "presets": presets,
            "presetsOnly": true});
        let made = app.owner.put(&country, &known).await.expect(200);
        let mut shown = known.clone();
        shown["name"] = json!("country");
        shown["builtIn"] = json!(false);
        assert_eq!(made, shown);
        assert_eq!(app.owner.get(&country).await.expect(200), shown);
        let plan = json!({"description": " The plan "});
        let odd = format!("{all}/a%2Fb%20%C3%A4");
        let made = app.owner.put(&odd, &plan).await.expect(200);
        assert_eq!(made["name"], "a/b ä");
        assert_eq!(made["description"], "The plan");

        let listed = app.owner.get(all).await.expect(200);
        assert_eq!(
            texts(&listed, "name"),
            ["keyId", "name", "a/b ä", "country"]
        );
        assert_eq!(listed["items"][0]["builtIn"], true);
        let seen = app.owner.get(&format!("{PROD}/properties")).await;
        let seen = seen.expect(200);
        assert_eq!(texts(&seen, "name"), ["country", "a/b ä"]);
        assert_eq!(seen["items"][0]["users"], 2);
        assert_eq!(seen["items"][0]["known"], known);
        assert_eq!(seen["items"][1]["users"], 0);

        // Said twice, the second changes nothing.
        app.owner.put(&country, &known).await.expect(200);
        let acts = app.owner.get("changes?kind=setUserProperty").await;
        assert_eq!(texts(&acts.expect(200), "id").len(), 2);
        app.owner.delete(&country).await.expect(204);
        app.owner.delete(&country).await.problem(404);
        let acts = app.owner.get("changes?kind=deleteUserProperty").await;
        let acts = acts.expect(200);
        assert_eq!(acts["items"][0]["diff"][0]["params"]["property"], "country");

        let twice = json!({"presets": [{"value": "de"}, {"value": "de"}]});
        let refused = app.owner.put(&country, &twice).await.problem(400);
        assert_eq!(refused.pointers(), ["/presets/1/value"]);
        for given in ["keyId", "name"] {
            let path = format!("{all}/{given}");
            let refused = app.owner.put(&path, &plan).await.problem(400);
            assert_eq!(refused.body["errors"][0]["code"], "propertyBuiltIn");
            assert_eq!(app.owner.get(&path).await.expect(200)["builtIn"], true);
        }
        let reader = app.caller("rita", "reader").await;
        reader.get(all).await.expect(200);
        reader.put(&country, &plan).await.problem(403);
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn each_part_of_a_flag_says_for_how_many_it_decides() {
    on_each_database(async |app| {
        people(app, 30).await;
        let (yes, _) = checkout(app).await;
        let path = format!("{PROD}/flags/checkout/audience");
        let found = app.owner.post(&path, &json!({})).await.expect(200);
        assert_eq!(found["users"], 30);
        assert_eq!(found["rules"], json!([{"rule": "germany", "users": 15}]));
        assert_eq!(found["defaultRule"], 15);
        // Of a draft, off as well as on; and nothing was changed by asking.
        let add = json!({"kind": "addTargets", "flag": "checkout", "environment": "prod",
            "variation": yes, "keys": ["u000", "u001", "nobody"]});
        let draft = json!({"commands": [in_prod("turnOff", "checkout"), add]});
        let found = app.owner.post(&path, &draft).await.expect(200);
        assert_eq!(found["targets"], json!({yes.as_str(): 2}));
        assert_eq!(found["rules"][0]["users"], 14);
        assert_eq!(found["defaultRule"], 14);
        let found = app.owner.post(&path, &json!({})).await.expect(200);
        assert_eq!(found["targets"], json!({}));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_segment_says_whom_it_takes_in_before_there_is_one() {
    on_each_database(async |app| {
        people(app, 30).await;
        let path = format!("{PROD}/segment-audience");
        let rule = json!({"id": "r", "name": "", "conditions": [
            {"property": "country", "op": "Equal", "value": "de"}]});
        let asked = json!({"included": ["u001", "u001", "x", "y"], "excluded": ["u000"],
            "rules": [rule]});
        let found = app.owner.post(&path, &asked).await.expect(200);
        assert_eq!(
            (&found["users"], &found["members"]),
            (&json!(30), &json!(15))
        );
        assert_eq!(found["unknownKeys"], 2);
        assert!(found.get("sampled").is_none());
    })
    .await;
}
