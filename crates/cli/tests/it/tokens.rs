//! `burgee token`: from the first to the last day of a token.

use burgee_server::{now, setup};
use burgee_store::{Actor, Grant, Location, NewToken, Store};
use serde_json::{Value, json};

use crate::kit::{Data, OWNER, Program, stderr};

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_token_is_worth_nothing_at_once() {
    let data = Data::folder();
    let program = Program::start(&data);
    let (kept, lost) = (data.token(), data.token());
    program.api(&lost).get("projects").await.expect(200);
    let listed = data.json(&["token", "list", "--json"]);
    let listed = listed.as_array().unwrap();
    assert_eq!(listed.len(), 2);
    let of = |token: &str| {
        let of = |it: &&serde_json::Value| token.starts_with(it["prefix"].as_str().unwrap());
        listed.iter().find(of).unwrap()
    };
    assert_eq!(of(&lost)["policies"][0], "owner");
    assert!(of(&lost)["lastUsedAt"].is_string(), "{listed:?}");
    assert!(of(&kept)["lastUsedAt"].is_null(), "{listed:?}");
    let id = of(&lost)["id"].as_str().unwrap();
    let shown = String::from_utf8(data.run(&["token", "list"]).stdout).unwrap();
    assert!(shown.contains(id) && !shown.contains(&lost), "{shown}");

    for _ in 0..2 {
        assert!(data.run(&["token", "revoke", id]).status.success());
    }
    program.api(&lost).get("projects").await.problem(401);
    program.api(&kept).get("projects").await.expect(200);
    let shown = String::from_utf8(data.run(&["token", "list"]).stdout).unwrap();
    assert!(!shown.contains(id), "{shown}");
    let listed = data.json(&["token", "list", "--json"]);
    let revoked = listed.as_array().unwrap().iter();
    let revoked = revoked.filter(|it| it["revokedAt"].is_string());
    assert_eq!(revoked.count(), 1);
}

/// Makes a token that has expired.
async fn expired(data: &Data) {
    let store = Store::open(Location::Folder(data.path())).await.unwrap();
    let new = NewToken {
        organization: setup::organization(&store).await.unwrap().id,
        name: "over".to_owned(),
        account: None,
        grant: Grant::Service {
            policies: vec!["reader".to_owned()],
            statements: Vec::new(),
        },
        networks: Vec::new(),
        expires_at: Some(now()),
    };
    let made = store.create_token(&new, &Actor::operator(), now()).await;
    made.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn whose_a_token_is_and_what_it_may_do_is_listed() {
    let data = Data::folder();
    let mut program = Program::start(&data);
    let (_, owner) = program.owner().await;
    let me = owner.get("session").await.expect(200);
    let mine = json!({ "kind": "personal", "name": "mine" });
    owner.post("tokens", &mine).await.expect(201);
    let statement = json!({ "effect": "allow", "actions": ["flag.read"], "resources": ["*"] });
    let robot = json!({ "kind": "service", "name": "robot", "statements": [statement],
        "networks": ["10.0.0.0/8"], "expiresInDays": 1 });
    owner.post("tokens", &robot).await.expect(201);
    expired(&data).await;

    let listed = data.json(&["token", "list", "--json"]);
    let of = |name: &str| -> &Value {
        let mut listed = listed.as_array().unwrap().iter();
        listed.find(|it| it["name"] == name).unwrap()
    };
    assert_eq!(of("mine")["kind"], "personal");
    assert_eq!(of("mine")["account"], me["id"]);
    assert_eq!(of("mine")["statements"], json!([]));
    assert_eq!(of("robot")["kind"], "service");
    assert_eq!(of("robot")["statements"], json!([statement]));
    assert_eq!(of("robot")["networks"], json!(["10.0.0.0/8"]));
    assert!(of("over")["expiresAt"].is_string());
    assert_eq!(of("over")["account"], Value::Null);

    let shown = String::from_utf8(data.run(&["token", "list"]).stdout).unwrap();
    let line = |name: &str| shown.lines().find(|line| line.ends_with(name));
    assert!(line("mine").is_some_and(|it| it.contains(OWNER)), "{shown}");
    assert!(line("robot").is_some_and(|it| it.contains("statements")));
    assert_eq!(line("over"), None);
}

#[test]
fn a_token_that_is_not_there_cannot_be_revoked() {
    let data = Data::folder();
    data.token();
    let refused = data.run(&["token", "revoke", "nobody"]);
    assert!(!refused.status.success());
    assert!(
        stderr(&refused).contains("`nobody`"),
        "{}",
        stderr(&refused)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_misspelt_place_does_not_become_a_new_one() {
    let url = burgee_testkit::postgres::database().await.unwrap();
    let environment = ["--project", "default", "--environment", "prod"];
    let commands = [
        vec!["token", "list"],
        vec!["token", "revoke", "x"],
        [&["sdk-keys"][..], &environment].concat(),
        [&["import", "featbit"][..], &environment].concat(),
    ];
    for data in [Data::folder(), Data::postgres(url)] {
        for command in &commands {
            let refused = data.run(command);
            let said = stderr(&refused);
            assert!(!refused.status.success(), "{command:?} worked");
            assert!(said.contains("there is no Burgee data"), "{said}");
            assert!(said.contains(&data.arguments[0]), "{said}");
        }
        assert!(!data.path().exists());
        assert!(data.run(&["migrate"]).status.success());
        assert!(data.run(&commands[0]).status.success());
    }
}

#[test]
fn what_was_wrong_is_said_once_and_names_the_option() {
    let data = Data::folder();
    for (name, sentence) in [
        (" ", "burgee: --name: a name must not be empty\n"),
        (
            "a\tb",
            "burgee: --name: a name has no control characters; this one has U+0009\n",
        ),
    ] {
        let command = ["token", "create", "--policy", "owner", "--name", name];
        assert_eq!(stderr(&data.run(&command)), sentence);
    }
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), "{}").unwrap();
    let flags = file.path().to_str().unwrap();
    let mut command = vec!["import", "featbit", "--project", "default"];
    command.extend(["--environment", "prod", "--flags", flags]);
    let said = stderr(&data.run(&command));
    assert_eq!(
        said,
        "burgee: the flags file must hold a JSON array of objects: \
         invalid type: map, expected a sequence at line 1 column 0\n"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_start_on_postgres_says_nothing_of_its_tables() {
    let data = Data::postgres(burgee_testkit::postgres::database().await.unwrap());
    for _ in 0..2 {
        let program = Program::start_in(&data, &[("RUST_LOG", "info")]);
        let remarks = program
            .said()
            .into_iter()
            .filter(|line| line.contains("exists"));
        assert_eq!(remarks.collect::<Vec<_>>(), [""; 0]);
    }
}
