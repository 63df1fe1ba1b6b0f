//! First start, admin commands with and without a server, and what bad options are told.

use std::process::Stdio;

use burgee_server::auth::totp::SecondFactor;
use burgee_server::now;
use burgee_testkit::api::Api;
use burgee_testkit::sdk::{Kind, Sdk};
use serde_json::{Value, json};

use crate::kit::{
    Data, OWNER, PASSWORD, Program, apply, burgee, flag_on, is_open_to_others, person, run,
    sign_in, stderr,
};

#[tokio::test(flavor = "multi_thread")]
async fn the_first_start_makes_a_place_to_begin_and_says_what_is_next() {
    let data = Data::folder();
    let mut program = Program::start(&data);
    let hint = program.says("burgee token create");
    assert!(
        program
            .said()
            .iter()
            .any(|line| line.contains("burgee sdk-keys")),
        "{hint}"
    );
    for health in ["/health/liveness", "/health/readiness"] {
        for address in [program.address, program.metrics] {
            assert_eq!(Api::new(address).get(health).await.status, 200, "{health}");
        }
    }
    let metrics = Api::new(program.metrics).get("/metrics").await;
    assert_eq!(metrics.status, 200);
    assert!(metrics.text.ends_with("# EOF\n"), "{}", metrics.text);
    Api::new(program.address).get("/metrics").await.problem(404);
    assert!(!is_open_to_others(&data.path()), "the folder holds secrets");

    // Commands on the data of a running server, which notices.
    let api = program.api(&data.token());
    let environments = api.get("projects/default/environments").await.expect(200);
    assert_eq!(
        environments["items"].as_array().unwrap().len(),
        2,
        "{environments}"
    );
    apply(&api, flag_on("f")).await;
    let (client, server) = data.sdk_keys("prod");
    let sdk = Sdk::client(program.address, &client, &person("u"));
    assert_eq!(sdk.value("f"), Some("true"));
    assert_eq!(Sdk::server(program.address, &server).is_on("f"), Some(true));
    assert!(data.run(&["migrate"]).status.success());

    // The second start is an ordinary one.
    program.kill();
    let mut again = Program::start(&data);
    apply(&again.api(&data.token()), json!([])).await;
    again.signal("TERM");
    assert!(again.ended().success());
    assert!(
        !again.said().iter().any(|line| line.contains("first start")),
        "{:?}",
        again.said()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn admin_commands_may_come_before_the_first_server() {
    let url = burgee_testkit::postgres::database().await.unwrap();
    for data in [Data::folder(), Data::postgres(url)] {
        assert!(data.run(&["migrate"]).status.success());
        let (token, (client, _)) = (data.token(), data.sdk_keys("dev"));
        assert!(token.starts_with("bgt_"), "{token}");
        let program = Program::start_with(&data, &["--demo"]);
        program
            .api(&token)
            .get("projects/demo/flags")
            .await
            .expect(200);
        Sdk::client(program.address, &client, &person("u"));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_policy_on_the_command_line_is_what_the_api_grants() {
    let data = Data::folder();
    let program = Program::start(&data);
    let command = [
        "token",
        "create",
        "--name",
        "dashboard",
        "--policy",
        "reader",
        "--json",
    ];
    let made = data.json(&command);
    let reader = program.api(made["token"].as_str().unwrap());
    reader.get("projects").await.expect(200);
    reader
        .post("projects", &json!({"key": "mine"}))
        .await
        .problem(403);
    // For people: the token alone on standard output.
    let output = data.run(&["token", "create", "--name", "me", "--policy", "owner"]);
    let token = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(token.lines().count(), 1, "{token}");
    program.api(token.trim()).get("projects").await.expect(200);
    assert!(
        stderr(&output).contains("not shown again"),
        "{}",
        stderr(&output)
    );
    let output = data.run(&["sdk-keys", "--project", "default", "--environment", "prod"]);
    let (client, server) = data.sdk_keys("prod");
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(
        shown.contains(&client) && shown.contains(&server),
        "{shown}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn options_can_be_variables() {
    let data = Data::folder();
    data.token();
    let mut command = burgee(&["sdk-keys", "--project", "default", "--environment", "prod"]);
    command
        .env("BURGEE_DATA_DIR", data.path())
        // Set to nothing, as a compose file does, is as good as not set.
        .env("BURGEE_DATABASE", "")
        .stdin(Stdio::null());
    assert!(command.output().unwrap().status.success());
    for (demo, status) in [("1", 200), ("0", 404), ("true", 200), ("", 404)] {
        let data = Data::folder();
        let program = Program::start_in(&data, &[("BURGEE_DEMO", demo)]);
        let api = program.api(&data.token());
        assert_eq!(api.get("projects/demo").await.status, status, "{demo}");
    }
}

/// Checks that a command fails quickly, with words that say why, and without a backtrace.
fn refuses(arguments: &[&str], words: &[&str]) {
    let output = run(arguments);
    let said = stderr(&output);
    assert!(!output.status.success(), "{arguments:?} worked");
    assert!(
        output.stdout.is_empty(),
        "{arguments:?}: errors go to standard error"
    );
    for word in words {
        assert!(
            said.contains(word),
            "{arguments:?} says nothing of '{word}': {said}"
        );
    }
    assert!(!said.contains("panicked"), "{arguments:?}: {said}");
    assert!(said.lines().count() < 15, "{arguments:?}: {said}");
}

#[test]
fn bad_options_are_named() {
    let data = Data::folder();
    let folder = data.arguments[1].as_str();
    refuses(&["serve"], &["unrecognized subcommand", "serve"]);
    refuses(&["server", "--port", "1"], &["--port"]);
    refuses(&["server", "--listen", "5100"], &["--listen", "5100"]);
    refuses(
        &["server", "--listen", "localhost"],
        &["--listen", "localhost"],
    );
    refuses(
        &["server", "--log-format", "xml"],
        &["--log-format", "text", "json"],
    );
    refuses(&["token", "create", "--policy", "owner"], &["--name"]);
    let named = ["token", "create", "--data-dir", folder, "--name"];
    refuses(
        &[&named[..], &["n", "--policy", "admin"]].concat(),
        &["--policy", "`admin`"],
    );
    refuses(
        &[&named[..], &["  ", "--policy", "owner"]].concat(),
        &["name"],
    );
    let long = "x".repeat(257);
    refuses(
        &[&named[..], &[&long, "--policy", "owner"]].concat(),
        &["name"],
    );
    let of = ["sdk-keys", "--data-dir", folder, "--project"];
    refuses(&[&of[..], &["default"]].concat(), &["--environment"]);
    refuses(
        &[&of[..], &["none", "--environment", "prod"]].concat(),
        &["--project", "none"],
    );
    let none = [&of[..], &["default", "--environment", "none"]].concat();
    refuses(&none, &["--environment", "none", "default"]);
    refuses(
        &[&of[..], &["a b", "--environment", "prod"]].concat(),
        &["--project", "letters"],
    );
}

#[test]
fn a_place_that_cannot_hold_data_is_named() {
    let any = [
        "server",
        "--listen",
        "127.0.0.1:0",
        "--metrics-listen",
        "127.0.0.1:0",
    ];
    let with = |more: &[&'static str]| [&any[..], more].concat();
    refuses(
        &with(&["--data-dir", "/dev/null/x"]),
        &["/dev/null/x", "Not a directory"],
    );
    refuses(&["migrate", "--data-dir", "/proc/x"], &["/proc/x"]);
    for url in ["mysql://x/y", "nonsense", "postgres://:::/"] {
        refuses(&["migrate", "--database", url], &["--database"]);
    }
    let url = "postgres://u:hidden@127.0.0.1:1/none";
    for command in [
        with(&["--database", url]),
        vec!["migrate", "--database", url],
    ] {
        refuses(&command, &["database", "refused"]);
        assert!(
            !stderr(&run(&command)).contains("hidden"),
            "the password is told"
        );
    }
}

#[test]
fn an_address_in_use_is_named() {
    let data = Data::folder();
    let program = Program::start(&data);
    let used = program.address.to_string();
    let folder = data.arguments[1].as_str();
    let listen = ["server", "--data-dir", folder, "--listen", &used];
    let free = ["--metrics-listen", "127.0.0.1:0"];
    refuses(
        &[&listen[..], &free].concat(),
        &["--listen", &used, "in use"],
    );
    let used = program.metrics.to_string();
    let listen = ["server", "--data-dir", folder, "--listen", "127.0.0.1:0"];
    refuses(
        &[&listen[..], &["--metrics-listen", &used]].concat(),
        &["--metrics-listen", &used],
    );
}

#[test]
fn data_of_another_version_is_left_alone() {
    let data = Data::folder();
    data.token();
    let file = data.path().join("burgee.db");
    let bytes = b"this is no database at all, whatever its name may say".repeat(200);
    for name in ["burgee.db-wal", "burgee.db-shm"] {
        let _ = std::fs::remove_file(data.path().join(name));
    }
    std::fs::write(&file, &bytes).unwrap();
    refuses(
        &["migrate", "--data-dir", data.arguments[1].as_str()],
        &["not a database"],
    );
    assert_eq!(std::fs::read(&file).unwrap(), bytes);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_secret_is_logged() {
    let url = burgee_testkit::postgres::database().await.unwrap();
    for data in [Data::folder(), Data::postgres(url)] {
        no_secret_of_it_is_logged(&data).await;
    }
}

async fn no_secret_of_it_is_logged(data: &Data) {
    let (token, (client, server)) = (data.token(), data.sdk_keys("prod"));
    let folder = tempfile::tempdir().unwrap();
    let key_file = folder.path().join("instance.key");
    let variables = [
        ("RUST_LOG", "trace"),
        ("BURGEE_INSTANCE_KEY_FILE", key_file.to_str().unwrap()),
    ];
    let mut program = Program::start_in(data, &variables);
    let mut secrets = secrets_of_people(&mut program).await;
    let key = std::fs::read_to_string(&key_file).unwrap();
    secrets.push(key.trim().to_owned());
    let api = program.api(&token);
    apply(&api, flag_on("f")).await;
    api.post("projects", &json!({"key": "a b"}))
        .await
        .problem(400);
    let path = "projects/default/environments/prod/sdk-keys";
    let new = json!({"kind": "server", "name": "further"});
    let made = api.post(path, &new).await.expect(201);
    let further = made["secret"].as_str().unwrap();
    let mut sdk = Sdk::client(program.address, &client, &person("u"));
    Sdk::server(program.address, &server);
    Sdk::server(program.address, further);
    let polling = Api::new(program.address).with_sdk_key(&server);
    polling
        .get("/api/public/sdk/server/latest-all")
        .await
        .expect(200);
    let unknown = "0".repeat(44);
    assert_eq!(
        Sdk::connect(program.address, Kind::Client, &unknown).close_code(),
        4003
    );
    program.signal("TERM");
    assert_eq!(sdk.close_code(), 1001);
    assert!(program.ended().success());
    let more = |line: &String| line.contains("DEBUG");
    assert!(program.said().iter().any(more), "{:?}", program.said());
    secrets.extend([token, client, server, further.to_owned(), unknown]);
    // What is said to whoever starts it is no log line: that has the first password.
    let logged = program
        .said()
        .into_iter()
        .filter(|line| line.starts_with('{'));
    let logged: Vec<String> = logged.collect();
    for secret in &secrets {
        let told = logged.iter().find(|line| line.contains(secret.as_str()));
        assert_eq!(told, None, "{secret}");
    }
}

/// Signs in, invites, resets and sets up a second factor: everything secret that this gave.
async fn secrets_of_people(program: &mut Program) -> Vec<String> {
    let (first, owner) = program.owner().await;
    let mut secrets = vec![first, PASSWORD.to_owned(), "wrong horse".to_owned()];
    let nobody = Api::new(program.address);
    let answer = sign_in(&nobody, OWNER, PASSWORD).await;
    let cookie = answer.headers["set-cookie"].to_str().unwrap();
    let cookie = cookie.split(';').next().unwrap();
    secrets.push(cookie.split_once('=').unwrap().1.to_owned());

    let link = |answer: &Value| {
        let link = answer["link"].as_str().unwrap();
        link.split_once('#').unwrap().1.to_owned()
    };
    let invitation = json!({ "email": "ada@example.com", "policies": ["reader"] });
    let invited = owner.post("invitations", &invitation).await.expect(201);
    secrets.push(link(&invited));
    let follow = json!({ "link": link(&invited), "password": "battery staple" });
    let ada = nobody.post("links/follow", &follow).await.expect(200);
    secrets.push("battery staple".to_owned());
    let path = format!("members/{}/reset-link", ada["id"].as_str().unwrap());
    secrets.push(link(&owner.post(&path, &json!({})).await.expect(200)));

    secrets.extend(second_factor(&owner).await);
    // Refused: what was tried is as secret.
    sign_in(&nobody, OWNER, "wrong horse").await.problem(401);
    secrets
}

/// Sets up the owner's second factor: its seed and recovery codes.
async fn second_factor(owner: &Api) -> Vec<String> {
    let begun = owner.post("me/second-factor/seed", &json!({})).await;
    let seed = begun.expect(200)["seed"].as_str().unwrap().to_owned();
    let (factor, _) = SecondFactor::of_typed(&seed, OWNER).unwrap();
    let proof = json!({ "seed": seed, "code": factor.code(now()), "password": PASSWORD });
    let set = owner.put("me/second-factor", &proof).await.expect(200);
    let codes = set["codes"].as_array().unwrap().iter();
    let codes = codes.map(|code| code.as_str().unwrap().to_owned());
    codes.chain([seed]).collect()
}
