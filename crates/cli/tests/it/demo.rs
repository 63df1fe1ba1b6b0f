//! `--demo`: made once, and never in the way of a start.

use std::thread;

use serde_json::{Value, json};

use crate::kit::{Data, Program};

const FLAGS: &str = "projects/demo/flags";

async fn flags(api: &burgee_testkit::api::Api) -> Vec<String> {
    let listed = api.get(FLAGS).await.expect(200);
    let items = listed["items"].as_array().unwrap();
    let key = |flag: &Value| flag["key"].as_str().unwrap().to_owned();
    items.iter().map(key).collect()
}

fn on_each(flags: &[String], kind: &str) -> Value {
    let commands: Vec<Value> = flags
        .iter()
        .map(|flag| json!({ "kind": kind, "flag": flag }))
        .collect();
    json!({ "commands": commands })
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_archived_or_deleted_of_it_stays_so() {
    let data = Data::folder();
    let mut program = Program::start_with(&data, &["--demo"]);
    let api = program.api(&data.token());
    let all = flags(&api).await;
    assert_eq!(all.len(), 8);
    api.post("projects/demo/changes", &on_each(&all, "archiveFlag"))
        .await
        .expect(200);
    api.post("projects/demo/changes", &on_each(&all[..4], "deleteFlag"))
        .await
        .expect(200);
    api.delete("projects/demo/environments/dev")
        .await
        .expect(204);
    program.kill();

    let program = Program::start_with(&data, &["--demo"]);
    let api = program.api(&data.token());
    assert!(flags(&api).await.is_empty());
    let archived = api
        .get(&format!("{FLAGS}?state=archived"))
        .await
        .expect(200);
    assert_eq!(archived["items"].as_array().unwrap().len(), 4);
    api.get("projects/demo/environments/dev").await.problem(404);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_that_was_only_begun_is_finished_and_one_in_use_is_left_alone() {
    let data = Data::folder();
    let mut program = Program::start(&data);
    let api = program.api(&data.token());
    api.post("projects", &json!({ "key": "demo" }))
        .await
        .expect(201);
    program.kill();
    let mut program = Program::start_with(&data, &["--demo"]);
    let api = program.api(&data.token());
    assert_eq!(flags(&api).await.len(), 8);

    // Somebody takes it all away, and makes something else of that name.
    api.delete("projects/demo").await.expect(204);
    api.post("projects", &json!({ "key": "demo" }))
        .await
        .expect(201);
    let mine = json!({ "commands": [{ "kind": "createFlag", "flag": "mine", "type": "boolean" }] });
    api.post("projects/demo/changes", &mine).await.expect(200);
    program.kill();
    let program = Program::start_with(&data, &["--demo"]);
    assert_eq!(flags(&program.api(&data.token())).await, ["mine"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn several_servers_at_once_make_it_once() {
    let url = burgee_testkit::postgres::database().await.unwrap();
    for data in [Data::folder(), Data::postgres(url)] {
        let programs: Vec<Program> = thread::scope(|scope| {
            let starting: Vec<_> = (0..3)
                .map(|_| scope.spawn(|| Program::start_with(&data, &["--demo"])))
                .collect();
            starting.into_iter().map(|it| it.join().unwrap()).collect()
        });
        let token = data.token();
        for program in &programs {
            let api = program.api(&token);
            assert_eq!(flags(&api).await.len(), 8);
            let history = api.get("projects/demo/changes").await.expect(200);
            let history = history["items"].as_array().unwrap();
            let seeds = history.iter().filter(|it| it["comment"] == "The demo data");
            assert_eq!(seeds.count(), 1, "{history:#?}");
        }
    }
}
