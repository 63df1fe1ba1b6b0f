//! `burgee evaluate`, `burgee explain` and `burgee diff` ask a server that runs.

use std::process::{Command, Output, Stdio};
use std::time::Instant;

use burgee_testkit::api::{Api, PATIENCE};
use burgee_testkit::sdk::Sdk;
use serde_json::{Value, json};

use crate::kit::{Data, Program, burgee, flag_on, in_prod, run, stderr};

/// A server with a flag that is off for users in Germany, since its second change.
struct Asked {
    program: Program,
    api: Api,
    token: String,
    data: Data,
    /// The versions of those changes.
    launch: String,
    culprit: String,
}

impl Asked {
    async fn new() -> Self {
        let data = Data::folder();
        let token = data.token();
        let program = Program::start(&data);
        let mut asked = Self {
            api: program.api(&token),
            program,
            token,
            data,
            launch: String::new(),
            culprit: String::new(),
        };
        asked.launch = asked.change("for the launch", flag_on("checkout")).await;
        let flag = asked.api.get("projects/default/flags/checkout").await;
        let off = flag.expect(200)["variations"][1]["id"].clone();
        let conditions = json!([{ "property": "country", "op": "Equal", "value": "de" }]);
        let mut add = in_prod("addRule", "checkout");
        add["rule"] = json!({ "name": "Germany", "variation": off, "conditions": conditions });
        let comment = "the bank of Germany is away";
        asked.culprit = asked.change(comment, json!([add])).await;
        asked
    }

    /// Applies commands; the version of `prod` that they made.
    async fn change(&self, comment: &str, commands: Value) -> String {
        let set = json!({ "comment": comment, "commands": commands });
        let path = "projects/default/changes";
        let made = self.api.post(path, &set).await.expect(200);
        made["versions"]["default/prod"].to_string()
    }

    fn burgee(&self, arguments: &[&str]) -> Output {
        self.burgee_in("prod", &self.token, arguments)
    }

    fn burgee_in(&self, environment: &str, token: &str, arguments: &[&str]) -> Output {
        let command = self.command(environment, token, arguments).output();
        command.unwrap()
    }

    fn command(&self, environment: &str, token: &str, arguments: &[&str]) -> Command {
        let mut command = burgee(arguments);
        let url = format!("http://{}", self.program.address);
        command.args(["--url", &url, "--token", token]);
        command.args(["--project", "default", "--environment", environment]);
        command.stdin(Stdio::null());
        command
    }

    /// What a command prints that must work.
    fn says(&self, arguments: &[&str]) -> String {
        let output = self.burgee(arguments);
        assert!(output.status.success(), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_says_what_a_user_gets_and_which_change_made_it_so() {
    let asked = Asked::new().await;
    let newest = asked.change("", flag_on("other")).await;
    let german = ["--user", "ana", "--property", "country=de"];
    let ask = |command: &[&str], more: &[&str]| asked.says(&[command, &german, more].concat());

    let all = ask(&["evaluate"], &[]);
    let lines: Vec<&str> = all.lines().map(str::trim).collect();
    let head = format!("ana (as given) in default/prod, version {newest} of ");
    assert!(lines[0].starts_with(&head), "{all}");
    assert!(lines[1].starts_with("checkout  false"), "{all}");
    assert!(lines[1].contains("rule 1 (Germany)"), "{all}");
    assert!(lines[2].starts_with("other     true "), "{all}");
    let one = ask(&["evaluate", "checkout"], &["--at", &asked.launch]);
    let head = format!("version {} of ", asked.launch);
    assert!(
        one.contains(&head) && one.contains("checkout  true "),
        "{one}"
    );
    assert!(!one.contains("other"), "{one}");

    let told = ask(&["explain", "checkout"], &[]);
    for part in [
        "checkout: false, since rule 1 (Germany)",
        "switched off: no",
        "rule 1 (Germany): takes the user",
        "country Equal de: yes, the user has “de”",
        "default rule: not asked",
        &format!("Since version {} of ", asked.culprit),
        ": the bank of Germany is away",
        "before it: true, since ",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }
    let typed = r#"{"targetingKey": "ana", "country": ["fr", "de"]}"#;
    let told = asked.says(&["explain", "checkout", "--context", typed]);
    assert!(told.contains("Germany): takes the user"), "{told}");
    let flag = asked.api.get("projects/default/flags/checkout").await;
    let yes = flag.expect(200)["onVariation"].clone();
    let mut needs = in_prod("setPrerequisites", "other");
    needs["prerequisites"] = json!([{"flag": "checkout", "variation": yes}]);
    asked.change("", json!([needs])).await;
    let told = ask(&["explain", "other"], &[]);
    for part in [
        "other: false, since flag checkout serves false, not true",
        "prerequisite checkout: not met\n       rule 1 (Germany) takes the user",
    ] {
        assert!(told.contains(part), "{part}\n{told}");
    }

    // Who has read enough, as `head` has, is not told of a fault.
    let command = [&["explain", "other"], &german[..]].concat();
    let mut unread = asked.command("prod", &asked.token, &command);
    unread.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut unread = unread.spawn().unwrap();
    drop(unread.stdout.take());
    let unread = unread.wait_with_output().unwrap();
    assert!(unread.status.success(), "{}", stderr(&unread));
    assert_eq!(stderr(&unread), "");

    let path = "projects/default/environments/prod/changes";
    let at = asked.api.get(path).await.expect(200)["items"][0]["at"].clone();
    let json = ask(
        &["explain", "checkout", "--json"],
        &["--at", at.as_str().unwrap()],
    );
    let json: Value = serde_json::from_str(&json).unwrap();
    let since = &json["items"][0]["since"]["version"];
    assert_eq!(since.to_string(), asked.culprit);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_difference_is_told_by_who_moved_and_by_the_exit_code() {
    let asked = Asked::new().await;
    let (client, _) = asked.data.sdk_keys("prod");
    let user = json!({ "keyId": "ana", "name": "Ana",
        "customizedProperties": [{ "name": "country", "value": "de" }] });
    let _here = Sdk::client(asked.program.address, &client, &user);
    let begun = Instant::now();
    let path = "projects/default/environments/prod/users?search=ana";
    while asked.api.get(path).await.expect(200)["items"] == json!([]) {
        assert!(begun.elapsed() < PATIENCE, "she is never known");
        tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    }
    let known = asked.says(&["evaluate", "checkout", "--user", "ana"]);
    assert!(known.starts_with("ana (as known here"), "{known}");

    let (launch, culprit) = (asked.launch.as_str(), asked.culprit.as_str());
    let moved = asked.burgee(&["diff", "--from", launch, "--to", culprit]);
    assert_eq!(moved.status.code(), Some(2), "{}", stderr(&moved));
    let text = String::from_utf8(moved.stdout).unwrap();
    assert!(text.contains("checkout: 1 of 1"), "{text}");
    let same = asked.says(&["diff", "--from", culprit]);
    assert_eq!(same, "default/prod: no flag differs\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_asked_is_refused_in_a_sentence() {
    let asked = Asked::new().await;
    let refused = |output: Output| {
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        stderr(&output)
    };
    let evaluate = ["evaluate", "--user", "ana"];
    let said = refused(asked.burgee(&evaluate));
    assert!(said.contains("ana"), "nobody knows her: {said}");
    let given = ["evaluate", "--user", "ana", "--name", ""];
    let said = refused(asked.burgee_in("nowhere", &asked.token, &given));
    assert!(said.contains("nowhere"), "{said}");
    for (token, part) in [("bgt_wrong", "token"), ("a\nb", "--token")] {
        let said = refused(asked.burgee_in("prod", token, &given));
        assert!(said.contains(part), "{said}");
    }
    let said = refused(asked.burgee(&["explain", "nothing", "--user", "a", "--name", ""]));
    assert!(said.contains("nothing"), "{said}");
    for (who, part) in [
        (&[][..], "--user"),
        (&["--user", "a", "--context", "{}"], "--context"),
        (&["--context", "{"], "--context"),
        (&["--context", "{}"], "context.targetingKey"),
    ] {
        let said = refused(asked.burgee(&[&["evaluate"], who].concat()));
        assert!(said.contains(part), "{said}");
    }
    let said = refused(asked.burgee(&["diff", "--from", "yesterday"]));
    assert!(said.contains("fromAt"), "{said}");
    // Not the code by which it says that somebody moved.
    let said = refused(asked.burgee(&["diff", "--form", "1"]));
    assert!(said.contains("--form"), "{said}");
    let of = ["--token", "t", "--project", "p", "--environment", "e"];
    for url in ["ftp://there", "nowhere", "http://127.0.0.1:9"] {
        let said = refused(run(&[&given[..], &["--url", url], &of].concat()));
        assert!(said.contains("--url"), "{said}");
    }
}
