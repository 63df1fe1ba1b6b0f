//! Several people at once.

use std::collections::BTreeSet;

use burgee_server::Policy;
use serde_json::{Value, json};
use sqlx::{AnyConnection, Connection};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::kit::{App, Database, create, flag_on, in_prod, on_each_database, variations};

const PATH: &str = "projects/default/changes";

#[tokio::test(flavor = "multi_thread")]
async fn of_two_writers_on_one_part_one_wins_and_the_other_is_told() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let (on, _) = variations(&app.owner, "f").await;
        let oscar = app.caller("oscar", Policy::Owner).await;
        for _ in 0..5 {
            let flag = app.owner.get("projects/default/flags/f").await.expect(200);
            let base = json!({"default/prod": flag["versions"]["default/prod"]});
            let set = |author: &str| {
                json!({"base": base, "comment": author, "commands": [
                    {"kind": "setTargets", "flag": "f", "environment": "prod",
                        "variation": on, "keys": [author, Uuid::now_v7()]}]})
            };
            let (one, two) = (set("one"), set("two"));
            let (one, two) = tokio::join!(app.owner.post(PATH, &one), oscar.post(PATH, &two));
            let mut statuses = [one.status, two.status];
            statuses.sort_unstable();
            assert_eq!(statuses, [200, 412], "{one:?} {two:?}");
            let (winner, name, won, lost) = match one.status {
                200 => ("one", "olivia", one, two),
                _ => ("two", "oscar", two, one),
            };
            let (won, problem) = (won.expect(200), lost.problem(412));
            let conflicts = problem.body["conflicts"].as_array().unwrap();
            assert_eq!(conflicts.len(), 1, "{}", problem.body);
            let conflict = &conflicts[0];
            assert_eq!(conflict["by"], name, "{conflict}");
            assert_eq!(conflict["comment"], winner, "{conflict}");
            assert_eq!(conflict["key"], "f", "{conflict}");
            assert_eq!(conflict["facets"], json!([{"targets": on}]), "{conflict}");
            let version = &won["versions"]["default/prod"];
            assert_eq!(conflict["version"], *version, "{conflict}");
            let flag = app.owner.get("projects/default/flags/f").await.expect(200);
            let targets = &flag["environments"]["prod"]["targets"][0]["keyIds"];
            assert_eq!(targets[0], winner, "{flag}");
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_request_from_eight_clients_at_once_has_one_effect_and_one_answer() {
    on_each_database(async |app| {
        app.apply(flag_on("f")).await;
        let before = app.owner.get("projects/default/flags/f").await.expect(200);
        // What takes a lock that orders them, and what takes none.
        let rows = [
            (json!([in_prod("turnOff", "f")]), 1),
            (
                json!([{"kind": "createSegment", "project": "default", "segment": "s"}]),
                1,
            ),
            (json!([]), 0),
        ];
        let mut at = before["versions"]["default/prod"].as_i64().unwrap();
        for (commands, moves) in rows {
            let set = json!({"id": Uuid::now_v7(), "commands": commands});
            let mut clients = JoinSet::new();
            for _ in 0..8 {
                // With a connection of its own each.
                let client = app.nobody().with_token(&app.token);
                let set = set.clone();
                clients.spawn(async move { client.post(PATH, &set).await.expect(200) });
            }
            let answers = clients.join_all().await;
            assert!(answers.iter().all(|it| *it == answers[0]), "{answers:?}");
            let prod = app.owner.get("projects/default/environments/prod").await;
            at += moves;
            assert_eq!(prod.expect(200)["version"], at);
        }
        let history = app
            .owner
            .get("projects/default/environments/prod/changes")
            .await;
        let history = history.expect(200);
        assert_eq!(
            history["items"].as_array().unwrap().len() as i64,
            at,
            "{history}"
        );
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_without_a_base_all_get_through_and_no_version_is_skipped() {
    on_each_database(async |app| {
        const WRITERS: usize = 8;
        const EACH: usize = 5;
        let made: Vec<Value> = (0..WRITERS).map(|n| create(&format!("f{n}"))).collect();
        app.apply(json!(made)).await;
        let start = app
            .owner
            .get("projects/default/environments/prod")
            .await
            .expect(200);
        let start = start["version"].as_i64().unwrap();
        let mut sdk = app.server_sdk("prod").await;
        let mut writers = JoinSet::new();
        for writer in 0..WRITERS {
            let owner = app.owner.clone();
            writers.spawn(async move {
                let mut versions = Vec::new();
                for round in 0..EACH {
                    let kind = if round % 2 == 0 { "turnOn" } else { "turnOff" };
                    let set = json!({"commands": [in_prod(kind, &format!("f{writer}"))]});
                    let done = owner.post(PATH, &set).await.expect(200);
                    versions.push(done["versions"]["default/prod"].as_i64().unwrap());
                }
                assert!(versions.is_sorted(), "{versions:?}");
                versions
            });
        }
        let versions: BTreeSet<i64> = writers.join_all().await.into_iter().flatten().collect();
        let total = (WRITERS * EACH) as i64;
        let wanted: BTreeSet<i64> = (start + 1..=start + total).collect();
        assert_eq!(versions, wanted);
        sdk.until(|sdk| (0..WRITERS).all(|n| sdk.is_on(&format!("f{n}")) == Some(true)));
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_writer_of_another_process_is_waited_for_and_nobody_else_waits() {
    let app = App::start(Database::Sqlite).await;
    app.apply(flag_on("f")).await;
    let mut other = AnyConnection::connect(&app.data.url()).await.unwrap();
    sqlx::raw_sql("BEGIN IMMEDIATE")
        .execute(&mut other)
        .await
        .unwrap();
    let set = json!({"commands": [in_prod("turnOff", "f")]});
    let owner = app.owner.clone();
    let writing = tokio::spawn(async move { owner.post(PATH, &set).await });
    // Looking, connecting and being served go on meanwhile.
    app.owner.get("projects/default/flags/f").await.expect(200);
    let mut sdk = app.server_sdk("prod").await;
    assert_eq!(sdk.is_on("f"), Some(true));
    assert!(!writing.is_finished());
    sqlx::raw_sql("COMMIT").execute(&mut other).await.unwrap();
    writing.await.unwrap().expect(200);
    sdk.until(|sdk| sdk.is_on("f") == Some(false));
    app.stop().await;
}
