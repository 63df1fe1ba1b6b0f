//! Starting the program and looking at what it says.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;

use burgee_testkit::api::{Answer, Api, PATIENCE};
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

/// A command with nothing from this process's environment that `burgee` would heed.
pub(crate) fn unheeding(program: &str) -> Command {
    let mut command = Command::new(program);
    heed_nothing(&mut command);
    command
}

fn heed_nothing(command: &mut Command) {
    command.env_remove("RUST_LOG");
    for (name, _) in std::env::vars_os() {
        let name = name.to_string_lossy().into_owned();
        if name.starts_with("BURGEE_") || name.starts_with("OTEL_") {
            command.env_remove(name);
        }
    }
}

/// Runs a command to its end.
pub(crate) fn run(arguments: &[&str]) -> Output {
    burgee(arguments).stdin(Stdio::null()).output().unwrap()
}

pub(crate) fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A running server.
pub(crate) struct Program {
    child: Child,
    lines: Receiver<String>,
    /// What it has said so far.
    pub(crate) said: Vec<String>,
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

    /// Starts a relay on a machine, and waits until it serves environments.
    pub(crate) fn relay_on(machine: &Machine, more: &[&str]) -> Self {
        let any = format!("{}:0", machine.address());
        let mut arguments = vec!["relay", "--listen", &any, "--metrics-listen", &any];
        arguments.extend(["--log-format", "json"]);
        arguments.extend(more);
        let mut relay = Self::await_ready(on(machine, &arguments), "the relay listens");
        relay.says("environments are served");
        relay
    }

    /// Runs it, and waits until it says where it listens.
    fn await_ready(mut command: Command, words: &str) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let errors = BufReader::new(child.stderr.take().unwrap());
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in errors.lines().map_while(Result::ok) {
                let _ = sender.send(line);
            }
        });
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut program = Self {
            child,
            lines,
            said: Vec::new(),
            address: nowhere,
            metrics: nowhere,
        };
        let ready = program.says(words);
        let ready: Value = serde_json::from_str(&ready).unwrap();
        program.address = ready["listen"].as_str().unwrap().parse().unwrap();
        program.metrics = ready["metrics"].as_str().unwrap().parse().unwrap();
        program
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

    /// Waits for a line with this text.
    pub(crate) fn says(&mut self, text: &str) -> String {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => {
                    self.said.push(line.clone());
                    if line.contains(text) {
                        return line;
                    }
                }
                Err(_) => panic!("it did not say '{text}', but: {:#?}", self.said),
            }
        }
    }

    /// A caller with a token.
    pub(crate) fn api(&self, token: &str) -> Api {
        Api::new(self.address).with_token(token)
    }

    /// `kill -9`.
    pub(crate) fn kill(&mut self) {
        self.child.kill().unwrap();
        self.ended();
    }

    /// Stops it as it is stopped by whoever runs it.
    pub(crate) fn stop(mut self) {
        self.signal("TERM");
        assert!(self.ended().success());
    }

    /// The process's id.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal: `TERM`, `INT`.
    pub(crate) fn signal(&self, name: &str) {
        // The shell's own: a `kill` to run is not everywhere.
        let order = format!("kill -{name} {}", self.child.id());
        let sent = Command::new("/bin/sh").args(["-c", &order]).status();
        assert!(sent.unwrap().success());
    }

    /// Waits for its end: its standard error ends with it.
    pub(crate) fn ended(&mut self) -> ExitStatus {
        loop {
            match self.lines.recv_timeout(PATIENCE) {
                Ok(line) => self.said.push(line),
                Err(RecvTimeoutError::Disconnected) => return self.child.wait().unwrap(),
                Err(RecvTimeoutError::Timeout) => {
                    panic!("it goes on, having said {:#?}", self.said)
                }
            }
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // Fails where it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            self.said.extend(self.lines.try_iter());
            eprintln!("the program said:\n{}", self.said.join("\n"));
        }
    }
}

/// The address of mail of the owner that the first start makes.
pub(crate) const OWNER: &str = "owner@localhost";

/// What the owner chooses in place of the first password.
pub(crate) const PASSWORD: &str = "correct horse";

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

/// Checks that an answer says: not now, come back then.
pub(crate) fn unavailable(answer: Answer) {
    let problem = answer.problem(503);
    assert_eq!(problem.code(), "unavailable", "{}", problem.body);
    let after = problem.headers["retry-after"].to_str().unwrap();
    assert!(after.parse::<u32>().unwrap() > 0, "{after}");
}

/// Whether a file can be read or written by others than its owner.
pub(crate) fn is_open_to_others(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).unwrap().permissions().mode() & 0o077 != 0
}
