//! Several organizations on one instance: each is a house of its own.

use burgee_testkit::api::Api;
use serde_json::json;

use crate::kit::{Data, OWNER, PASSWORD, Program, run, sign_in, stderr};

const CREATE: [&str; 4] = ["organization", "create", "--key", "acme"];

#[tokio::test(flavor = "multi_thread")]
async fn another_organization_has_an_owner_and_sees_nothing_of_the_first() {
    let data = Data::folder();
    let program = Program::start(&data);
    let made = data.run(&[&CREATE[..], &["--owner", "zoe@acme.example"]].concat());
    assert!(made.status.success(), "{}", stderr(&made));
    let password = String::from_utf8(made.stdout).unwrap();

    let nobody = Api::new(program.address);
    let answer = sign_in(&nobody, "zoe@acme.example", password.trim()).await;
    let zoe = nobody.clone().in_session_of(&answer);
    let seen = answer.expect(200);
    assert_eq!(seen["passwordMustChange"], true);
    assert_eq!(seen["organizations"][0]["key"], "acme", "{seen}");
    let change = json!({ "current": password.trim(), "new": PASSWORD });
    zoe.post("me/password", &change).await.expect(204);
    let zoe = nobody
        .clone()
        .in_session_of(&sign_in(&nobody, "zoe@acme.example", PASSWORD).await);
    let projects = zoe.get("projects").await.expect(200);
    assert_eq!(projects["items"], json!([]));
    zoe.get("projects/default").await.problem(404);
    let new = json!({ "key": "shop", "name": "Shop" });
    zoe.post("projects", &new).await.expect(201);
    let history = zoe.get("changes").await.expect(200);
    let made = history["items"].as_array().unwrap().last().unwrap();
    assert_eq!(made["commands"][0]["kind"], "createOrganization", "{made}");
    assert_eq!(made["actorKind"], "operator");

    let first = program.api(&data.token());
    first.get("projects/shop").await.problem(404);
    let command = ["token", "create", "--name", "t", "--policy", "owner"];
    let theirs = data.json(&[&command[..], &["--json", "--organization", "ACME"]].concat());
    let theirs = program.api(theirs["token"].as_str().unwrap());
    theirs.get("projects/shop").await.expect(200);
    theirs.get("projects/default").await.problem(404);
}

#[tokio::test(flavor = "multi_thread")]
async fn who_has_an_account_owns_another_organization_with_it() {
    let data = Data::folder();
    let mut program = Program::start(&data);
    program.owner().await;
    let made = data.run(&[&CREATE[..], &["--owner", OWNER]].concat());
    assert!(made.status.success(), "{}", stderr(&made));
    assert!(made.stdout.is_empty(), "their password stays");
    let nobody = Api::new(program.address);
    let seen = sign_in(&nobody, OWNER, PASSWORD).await.expect(200);
    let theirs = seen["organizations"].as_array().unwrap().iter();
    let keys: Vec<_> = theirs.map(|it| it["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["acme", "default"]);
    let listed = data.json(&["organization", "list", "--json"]);
    let first = json!({ "key": "acme", "name": "acme" });
    assert_eq!(listed[0], first, "{listed}");
}

#[test]
fn what_cannot_be_an_organization_is_refused_with_the_option_that_is_wrong() {
    let data = Data::folder();
    assert!(
        data.run(&["token", "create", "--name", "t", "--policy", "owner"])
            .status
            .success()
    );
    for (options, told) in [
        (["--key", "a b", "--owner", "zoe@acme.example"], "--key"),
        (
            ["--key", "DEFAULT", "--owner", "zoe@acme.example"],
            "--key: an organization with this key exists",
        ),
        (["--key", "acme", "--owner", "zoe"], "--owner"),
    ] {
        let refused = data.run(&[&["organization", "create"][..], &options].concat());
        assert!(!refused.status.success());
        assert!(stderr(&refused).contains(told), "{}", stderr(&refused));
    }
    let keys = ["sdk-keys", "--project", "default", "--environment", "prod"];
    let refused = data.run(&[&keys[..], &["--organization", "nobody"]].concat());
    assert!(
        stderr(&refused).contains("--organization `nobody`"),
        "{}",
        stderr(&refused)
    );
    assert!(run(&["organization", "--help"]).status.success());
}
