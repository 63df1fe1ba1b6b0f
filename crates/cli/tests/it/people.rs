//! The owner's first password, the instance key, and what a server is told about the outside.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use burgee_testkit::api::Api;
use serde_json::{Value, json};

use crate::kit::{Data, OWNER, PASSWORD, Program, sign_in, stderr};

/// Whether there is a file that nobody but its owner may read.
fn is_private_file(path: &Path) -> bool {
    let found = std::fs::metadata(path);
    found.is_ok_and(|it| it.is_file() && it.permissions().mode() & 0o777 == 0o600)
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_start_says_a_password_and_later_ones_do_not() {
    let data = Data::folder();
    let mut program = Program::start(&data);
    let nobody = Api::new(program.address);
    let first = program.first_password();
    let answer = sign_in(&nobody, OWNER, &first).await;
    let owner = nobody.clone().in_session_of(&answer);
    assert_eq!(answer.expect(200)["passwordMustChange"], true);
    let refused = owner.get("projects").await.problem(403);
    assert_eq!(refused.code(), "passwordMustChange");
    let change = json!({ "current": first, "new": PASSWORD });
    let changed = owner.post("me/password", &change).await;
    assert_eq!(changed.status, 204, "{}", changed.text);
    let owner = owner.in_session_of(&changed);
    owner.get("projects").await.expect(200);
    assert!(is_private_file(&data.path().join("instance.key")));

    program.kill();
    let mut again = Program::start(&data);
    let nobody = Api::new(again.address);
    sign_in(&nobody, OWNER, PASSWORD).await.expect(200);
    sign_in(&nobody, OWNER, &first).await.problem(401);
    again.signal("TERM");
    assert!(again.ended().success());
    let told = again
        .said()
        .into_iter()
        .find(|line| line.contains("Sign in as"));
    assert_eq!(told, None);
}

#[test]
fn the_instance_key_is_where_it_is_said_to_be() {
    let elsewhere = tempfile::tempdir().unwrap();
    let (one, other) = (Data::folder(), Data::folder());
    let file = elsewhere.path().join("option/instance.key");
    let option = ["--instance-key-file", file.to_str().unwrap()];
    let _by_option = Program::start_with(&one, &option);
    assert!(is_private_file(&file));
    let file = elsewhere.path().join("variable/instance.key");
    let variable = ("BURGEE_INSTANCE_KEY_FILE", file.to_str().unwrap());
    let _by_variable = Program::start_in(&other, &[variable]);
    assert!(is_private_file(&file));
    for data in [one, other] {
        assert!(!data.path().join("instance.key").exists());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn only_a_trusted_proxy_says_whom_it_forwards() {
    let trusting = ["--trusted-proxies", "10.0.0.0/8,127.0.0.0/8"];
    for (options, address) in [(&trusting[..], "203.0.113.7"), (&[], "127.0.0.1")] {
        let data = Data::folder();
        let mut program = Program::start_with(&data, options);
        let password = program.first_password();
        let forwarded = Api::new(program.address).with_header("x-forwarded-for", "203.0.113.7");
        let answer = sign_in(&forwarded, OWNER, &password).await;
        let owner = forwarded.in_session_of(&answer);
        let sessions = owner.get("me/sessions").await.expect(200);
        assert_eq!(sessions["items"][0]["address"], address, "{sessions}");
    }
}

/// The cookie that signing in sets and an invitation's link, with these options.
async fn cookie_and_link(options: &[&str]) -> (String, String) {
    let data = Data::folder();
    let mut program = Program::start_with(&data, options);
    let (_, owner) = program.owner().await;
    let answer = sign_in(&Api::new(program.address), OWNER, PASSWORD).await;
    let cookie = answer.headers["set-cookie"].to_str().unwrap().to_owned();
    let invitation = json!({ "email": "ada@example.com", "policies": ["reader"] });
    let invited: Value = owner.post("invitations", &invitation).await.expect(201);
    let link = invited["link"].as_str().unwrap().to_owned();
    (cookie, link)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_public_address_is_in_links_and_makes_cookies_secure() {
    let is_secure = |cookie: &str| cookie.split("; ").any(|it| it == "Secure");
    let options = ["--public-url", "https://flags.example.com"];
    let (cookie, link) = cookie_and_link(&options).await;
    assert!(cookie.starts_with("__Host-burgee="), "{cookie}");
    assert!(is_secure(&cookie), "{cookie}");
    assert!(link.starts_with("https://flags.example.com/"), "{link}");

    let (cookie, link) = cookie_and_link(&[]).await;
    assert!(cookie.starts_with("burgee="), "{cookie}");
    assert!(!is_secure(&cookie), "{cookie}");
    assert!(link.starts_with("http://127.0.0.1:"), "{link}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reset_password_works_until_it_is_changed_as_it_must_be() {
    let data = Data::folder();
    let mut program = Program::start(&data);
    let (_, before) = program.owner().await;
    let output = data.run(&["user", "reset-password", "Owner@LocalHost"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let printed = String::from_utf8(output.stdout).unwrap();
    assert_eq!(printed.lines().count(), 1, "{printed}");
    let password = printed.trim();
    before.get("projects").await.problem(401);

    let nobody = Api::new(program.address);
    let answer = sign_in(&nobody, OWNER, password).await;
    let owner = nobody.clone().in_session_of(&answer);
    assert_eq!(answer.expect(200)["passwordMustChange"], true);
    let change = json!({ "current": password, "new": "battery staple" });
    let changed = owner.post("me/password", &change).await;
    assert_eq!(changed.status, 204, "{}", changed.text);
    let owner = owner.in_session_of(&changed);
    owner.get("projects").await.expect(200);
    sign_in(&nobody, OWNER, password).await.problem(401);
}

#[test]
fn nobody_s_password_cannot_be_reset() {
    let data = Data::folder();
    assert!(data.run(&["migrate"]).status.success());
    for (email, why) in [
        ("ada@example.com", "nobody signs in by `ada@example.com`"),
        ("ada", "`ada`: an e-mail address has the form name@host"),
    ] {
        let refused = data.run(&["user", "reset-password", email]);
        assert!(!refused.status.success(), "{email}");
        assert!(refused.stdout.is_empty(), "{email}");
        let said = stderr(&refused);
        assert!(said.starts_with("burgee: ") && said.contains(why), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
    }
}
