//! Starting the program and looking at what it says.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::time::Duration;

use burgee_testkit::api::{Answer, Api};
pub(crate) use burgee_testkit::cluster::ledger::writers::unavailable;
use burgee_testkit::cluster::ledger::writers::{Pace, Writing};
use burgee_testkit::cluster::ledger::{Keys, Ledger};
pub(crate) use burgee_testkit::cluster::process::unheeding;
use burgee_testkit::cluster::process::{Process, heed_nothing};
use burgee_testkit::lan::Machine;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Data of one test, and how the program is told of it.
pub(crate) struct Data {
    /// Arguments: `--data-dir …` or `--database …`.
    pub(crate) arguments: Vec<String>,
    /// Removed at the end.
    _folder: TempDir,
}

impl Data {
    /// A folder that is not there yet.
    pub(crate) fn folder() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("data");
        Self {
            arguments: vec!["--data-dir".to_owned(), data.to_str().unwrap().to_owned()],
            _folder: folder,
        }
    }

    /// A PostgreSQL database.
    pub(crate) fn postgres(url: String) -> Self {
        Self {
            arguments: vec!["--database".to_owned(), url],
            _folder: tempfile::tempdir().unwrap(),
        }
    }

    /// The folder's path.
    pub(crate) fn path(&self) -> PathBuf {
        PathBuf::from(&self.arguments[1])
    }

    /// Runs an admin command on it.
    pub(crate) fn run(&self, command: &[&str]) -> Output {
        let data = self.arguments.iter().map(String::as_str);
        run(&command.iter().copied().chain(data).collect::<Vec<_>>())
    }

    /// Runs an admin command that must work and answer JSON.
    pub(crate) fn json(&self, command: &[&str]) -> Value {
        let output = self.run(command);
        assert!(output.status.success(), "{command:?}: {}", stderr(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }

    /// A new owner's token.
    pub(crate) fn token(&self) -> String {
        let command = [
            "token", "create", "--name", "me", "--policy", "owner", "--json",
        ];
        let made = self.json(&command);
        made["token"].as_str().unwrap().to_owned()
    }

    /// The keys of an environment of `default`: client's and server's.
    pub(crate) fn sdk_keys(&self, environment: &str) -> (String, String) {
        self.sdk_keys_of("default", environment)
    }

    /// The keys of both environments of `default`.
    pub(crate) fn keys(&self) -> Keys {
        Keys {
            prod: self.sdk_keys("prod"),
            dev: self.sdk_keys("dev"),
        }
    }

    /// The keys of a project's environment.
    pub(crate) fn sdk_keys_of(&self, project: &str, environment: &str) -> (String, String) {
        let command = [
            "sdk-keys",
            "--project",
            project,
            "--environment",
            environment,
            "--json",
        ];
        let keys = self.json(&command);
        let key = |kind: &str| keys[kind].as_str().unwrap().to_owned();
        (key("client"), key("server"))
    }
}

/// The program under test.
pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_burgee");

/// `burgee` with arguments.
pub(crate) fn burgee(arguments: &[&str]) -> Command {
    let mut command = unheeding(PROGRAM);
    command.args(arguments);
    command
}

/// `burgee` with arguments, on a machine of a network of the test's.
fn on(machine: &Machine, arguments: &[&str]) -> Command {
    let mut command = machine.command(PROGRAM);
    heed_nothing(&mut command);
    command.args(arguments);
    command
}

/// Runs a command to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    burgee(arguments).stdin(Stdio::null()).output().unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A running server, or a relay.
pub(crate) struct Program {
    process: Process,
    pub(crate) address: SocketAddr,
    pub(crate) metrics: SocketAddr,
}

impl Program {
    /// Starts a server on free ports, and waits until it is ready.
    pub(crate) fn start(data: &Data) -> Self {
        Self::start_with(data, &[])
    }

    pub(crate) fn start_with(data: &Data, more: &[&str]) -> Self {
        Self::launch(data, more, burgee)
    }

    /// With variables set.
    pub(crate) fn start_in(data: &Data, variables: &[(&str, &str)]) -> Self {
        Self::launch(data, &[], |arguments| {
            let mut command = burgee(arguments);
            command.envs(variables.iter().copied());
            command
        })
    }

    /// By a command of the test's that ends as the program, given its arguments.
    pub(crate) fn start_by(data: &Data, command: impl FnOnce(&[&str]) -> Command) -> Self {
        Self::launch(data, &[], command)
    }

    /// On a machine of a network of the test's.
    pub(crate) fn start_on(machine: &Machine, data: &Data) -> Self {
        let any = format!("{}:0", machine.address());
        let command = |arguments: &[&str]| on(machine, arguments);
        Self::launch_at(&any, data, &[], command)
    }

    fn launch(data: &Data, more: &[&str], command: impl FnOnce(&[&str]) -> Command) -> Self {
        Self::launch_at("127.0.0.1:0", data, more, command)
    }

    fn launch_at(
        any: &str,
        data: &Data,
        more: &[&str],
        command: impl FnOnce(&[&str]) -> Command,
    ) -> Self {
        let mut arguments = vec!["server", "--listen", any, "--metrics-listen", any];
        // Tests ask as fast as they can.
        arguments.extend(["--log-format", "json", "--requests-per-second", "0"]);
        arguments.extend(data.arguments.iter().map(String::as_str));
        arguments.extend(more);
        Self::await_ready(command(&arguments), "burgee is ready")
    }

    /// Starts a relay on a machine, and waits until it listens.
    pub(crate) fn relay_on(machine: &Machine, more: &[&str]) -> Self {
        Self::relay_at(machine.address(), more, |arguments| on(machine, arguments))
    }

    /// The same here, by a command that is given its arguments.
    pub(crate) fn relay(more: &[&str], command: impl FnOnce(&[&str]) -> Command) -> Self {
        Self::relay_at("127.0.0.1", more, command)
    }

    fn relay_at(
        address: impl std::fmt::Display,
        more: &[&str],
        command: impl FnOnce(&[&str]) -> Command,
    ) -> Self {
        let any = format!("{address}:0");
        let mut arguments = vec!["relay", "--listen", &any, "--metrics-listen", &any];
        arguments.extend(["--log-format", "json"]);
        arguments.extend(more);
        Self::await_ready(command(&arguments), "the relay listens")
    }

    /// Runs it, and waits until it says where it listens.
    fn await_ready(command: Command, words: &str) -> Self {
        let mut process = Process::start(command);
        let ready: Value = serde_json::from_str(&process.says(words)).unwrap();
        let at = |field: &str| ready[field].as_str().unwrap().parse().unwrap();
        Self {
            address: at("listen"),
            metrics: at("metrics"),
            process,
        }
    }

    /// The owner's first password, which a first start says; to be called once.
    pub(crate) fn first_password(&mut self) -> String {
        let beginning = format!("Sign in as {OWNER} with the password ");
        let line = self.says(&beginning);
        let rest = line.strip_prefix(&beginning).unwrap();
        rest.split_once(" (").unwrap().0.to_owned()
    }

    /// The first password, and the owner in a session, who has chosen [`PASSWORD`].
    pub(crate) async fn owner(&mut self) -> (String, Api) {
        let first = self.first_password();
        let nobody = Api::new(self.address);
        let answer = sign_in(&nobody, OWNER, &first).await;
        let owner = nobody.in_session_of(&answer);
        let change = json!({ "current": first, "new": PASSWORD });
        let changed = owner.post("me/password", &change).await;
        assert_eq!(changed.status, 204, "{}", changed.text);
        (first, owner.in_session_of(&changed))
    }

    /// Waits for a line with this text, after those that were waited for before.
    pub(crate) fn says(&mut self, text: &str) -> String {
        self.process.says(text)
    }

    /// What it has said so far.
    pub(crate) fn said(&self) -> Vec<String> {
        self.process.said()
    }

    /// A caller with a token.
    pub(crate) fn api(&self, token: &str) -> Api {
        Api::new(self.address).with_token(token)
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) {
        self.process.kill();
    }

    /// Stops it as it is stopped by whoever runs it.
    pub(crate) fn stop(mut self) {
        self.signal("TERM");
        assert!(self.ended().success());
    }

    /// The process's id.
    pub(crate) fn id(&self) -> u32 {
        self.process.id()
    }

    /// Sends a signal: `TERM`, `INT`.
    pub(crate) fn signal(&self, name: &str) {
        self.process.signal(name);
    }

    /// Waits for its end.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        self.process.ended()
    }
}

/// Says that something was not tried, as this machine lacks what it takes. Where everything has to be
/// there (`CI`), the test fails.
pub(crate) fn not_tried(why: &str) {
    assert!(std::env::var_os("CI").is_none(), "{why}");
    eprintln!("{why}: not tried");
}

/// Whether anybody may mount a filesystem in memory here, in a namespace of their own.
pub(crate) fn may_mount() -> bool {
    let trial = Command::new("unshare")
        .args(["-Urm", "mount", "-t", "tmpfs", "burgee", "/mnt"])
        .output();
    trial.is_ok_and(|trial| trial.status.success())
}

/// The address of mail of the owner that the first start makes.
pub(crate) const OWNER: &str = "owner@localhost";

/// What the owner chooses in place of the first password.
pub(crate) const PASSWORD: &str = "correct horse";

/// People write to a server as fast as they can, until it is gone; their first set has this number.
pub(crate) fn write(ledger: &Ledger, api: &Api, first: usize) -> Writing {
    let pace = Pace {
        first,
        pause: Duration::ZERO,
        insists: false,
    };
    ledger.write(std::slice::from_ref(api), pace)
}

/// Signs in, or tries to.
pub(crate) async fn sign_in(nobody: &Api, email: &str, password: &str) -> Answer {
    let credentials = json!({ "email": email, "password": password });
    nobody.post("session", &credentials).await
}

/// Applies commands in the project `default`, which must work; the answer.
pub(crate) async fn apply(api: &Api, commands: Value) -> Value {
    let body = json!({ "commands": commands });
    api.post("projects/default/changes", &body)
        .await
        .expect(200)
}

/// The commands that make a boolean flag which is on in `prod`.
pub(crate) fn flag_on(flag: &str) -> Value {
    json!([{ "kind": "createFlag", "flag": flag, "type": "boolean" },
        in_prod("turnOn", flag)])
}

/// A command without further fields on a flag's targeting in `prod`.
pub(crate) fn in_prod(kind: &str, flag: &str) -> Value {
    json!({ "kind": kind, "flag": flag, "environment": "prod" })
}

/// A user without properties.
pub(crate) fn person(key: &str) -> Value {
    json!({ "keyId": key, "name": key, "customizedProperties": [] })
}

/// Whether a file can be read or written by others than its owner.
pub(crate) fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o077 != 0
}

/// Ten evaluations of a flag, told to a node: each has been counted, or will be.
pub(crate) async fn evaluate(node: SocketAddr, key: &str, flag: &Value) {
    let status = try_evaluate(node, key, flag).await;
    assert_eq!(status, Some(200));
}

/// The same, of a node that may not answer; what it answered.
pub(crate) async fn try_evaluate(node: SocketAddr, key: &str, flag: &Value) -> Option<u16> {
    let one = json!({ "featureFlagKey": flag["key"], "sendToExperiment": false,
        "timestamp": burgee_testkit::sdk::now(),
        "variation": { "id": flag["variations"][0]["id"], "value": "true" } });
    let told = json!([{ "user": person("u"), "metrics": [], "variations": vec![one; 10] }]);
    let to = Api::new(node).with_sdk_key(key);
    let track = "/api/public/insight/track";
    let answer = to.try_send(reqwest::Method::POST, track, Some(told.to_string()));
    Some(answer.await.ok()?.status)
}

/// How often the flag was evaluated in `prod`, as the API says.
pub(crate) async fn counted(api: &Api, flag: &str) -> i64 {
    let path = format!("projects/default/flags/{flag}/counts?environment=prod");
    let counts = api.get(&path).await.expect(200);
    let totals = counts["totals"].as_object().unwrap().values();
    totals.filter_map(Value::as_i64).sum()
}
