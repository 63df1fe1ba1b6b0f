//! `burgee bench` against real servers: whether it does what it says, never how fast.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use burgee_bench::rig::server::{Kind, Plan, Server};
use burgee_testkit::sdk::{self, Sdk};
use serde_json::{Value, json};

use crate::kit::{burgee, person, run, stderr};

fn plan(kind: Kind, processes: usize) -> Plan {
    Plan {
        program: PathBuf::from(env!("CARGO_BIN_EXE_burgee")),
        kind,
        listen: None,
        processes,
        core: None,
        quota: None,
        database: None,
        backbone: None,
    }
}

#[test]
fn the_published_test_has_five_flags_and_the_ceiling_answers_as_much() {
    let demo = Server::start(&plan(Kind::Demo, 1)).unwrap();
    let published = Server::start(&plan(Kind::Published, 1)).unwrap();
    let (all, five) = (demo.state_size().unwrap(), published.state_size().unwrap());
    assert!(
        five * 8 < all * 6,
        "{five} of {all} bytes are not five of eight flags"
    );
    let ceiling = Server::start(&plan(Kind::Ceiling(five), 1)).unwrap();
    let target = ceiling.target();
    assert_eq!(target.name, "ceiling");
    let mut sdk = Sdk::connect(target.address, sdk::Kind::Client, &target.client_key);
    let answer = sdk.identify(&person("u"), 0);
    let envelope = r#"{"messageType":"data-sync","data":}"#;
    assert_eq!(answer.to_string().len() + envelope.len(), five);
}

#[test]
fn several_processes_share_port_and_data() {
    let server = Server::start(&plan(Kind::Demo, 3)).unwrap();
    let target = server.target();
    assert_eq!(target.pids.len(), 3);
    // Enough that the kernel spreads them over all three.
    let users = (0..40).map(|number| person(&format!("user-{number}")));
    let mut sdks: Vec<Sdk> = users
        .map(|user| Sdk::client(target.address, &target.client_key, &user))
        .collect();
    let off = json!({ "kind": "turnOff", "flag": target.flag, "environment": target.environment });
    target
        .api()
        .unwrap()
        .change(&target.project, &[off])
        .unwrap();
    for sdk in &mut sdks {
        sdk.until(|sdk| sdk.value(&target.flag) == Some("false"));
    }
}

#[test]
fn what_a_server_says_when_it_does_not_start_is_told() {
    let taken = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let mut plan = plan(Kind::Demo, 1);
    plan.listen = Some(address.parse().unwrap());
    let error = Server::start(&plan).unwrap_err().to_string();
    assert!(error.contains(&address), "{error}");
}

/// Runs `burgee bench …` to its end; its report.
fn bench(arguments: &[&str]) -> Value {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    let json = ["--json", file.to_str().unwrap()];
    let output = run(&[&["bench"], arguments, &json].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap()
}

/// A scenario with servers of its own: both did what was asked, without an error.
fn works(arguments: &[&str], subjects: &[&str]) {
    let report = bench(arguments);
    let found = report["subjects"].as_array().unwrap();
    let names: Vec<&str> = found
        .iter()
        .map(|it| it["name"].as_str().unwrap())
        .collect();
    assert_eq!(names, subjects, "{arguments:?}");
    for subject in found {
        assert_eq!(subject["errors"], json!([]), "{arguments:?}: {subject}");
        assert_eq!(subject["processes"], 1);
    }
    assert_eq!(report["scenario"], arguments[0]);
    assert!(report["machine"]["cores"].as_u64().unwrap() >= 1);
}

const BOTH: &[&str] = &["burgee", "ceiling"];

#[test]
fn connections_come_and_go() {
    let load = ["--rate", "50", "--ramp", "0.5", "--duration", "1"];
    works(&[&["connect"], &load[..]].concat(), BOTH);
    works(&[&["ramp"], &load[..]].concat(), BOTH);
    let load = [
        "--short",
        "--connections",
        "50",
        "--rate",
        "20",
        "--duration",
        "2",
    ];
    works(&[&["churn"], &load[..]].concat(), BOTH);
}

#[test]
fn evaluation_is_measured_beside_the_http_stack_alone() {
    let load = ["evaluate", "--short", "--duration", "0.2"];
    works(&load, &["burgee", "constant"]);
}

#[test]
fn connections_are_held_and_hear_of_changes() {
    works(&["hold", "--short", "--connections", "50"], BOTH);
    works(&["push", "--short", "--connections", "50"], BOTH);
    let servers = ["--short", "--connections", "20", "--server-sdks"];
    works(&[&["push"], &servers[..]].concat(), BOTH);
}

#[test]
fn a_herd_is_served() {
    works(&["herd", "--short", "--connections", "20"], &["burgee"]);
}

#[test]
fn growth_is_told_at_each_size() {
    let report = bench(&["growth", "--short", "--duration", "1"]);
    let burgee = &report["subjects"][0];
    assert_eq!(burgee["errors"], json!([]));
    let figures = burgee["figures"].as_array().unwrap();
    let value = |name: &str| {
        let figure = figures.iter().find(|figure| figure["name"] == name);
        figure.unwrap_or_else(|| panic!("{name}: {burgee}"))["value"]
            .as_f64()
            .unwrap()
    };
    // Ten times as many flags, and a little around them.
    let bytes = value("50 flags: sync") / value("5 flags: sync");
    assert!(bytes > 5.0 && bytes < 10.0, "{bytes}");
    for name in [
        "CPU of a byte, most flags to a tenth",
        "CPU of a connection, most targets to fewest",
        "CPU of a connection, most environments to fewest",
    ] {
        assert!(value(name) > 0.0, "{name}");
    }
}

#[test]
fn an_overload_is_survived() {
    // Far more than a debug build can answer.
    let load = [
        "--short",
        "--rate",
        "3000",
        "--cpus",
        "0.1",
        "--duration",
        "3",
        "--patience",
        "60",
    ];
    let report = bench(&[&["overload"], &load[..]].concat());
    let burgee = &report["subjects"][0];
    assert_eq!(burgee["name"], "burgee");
    // How soon it is well again depends on the machine: somebody may be refused later than a goal
    // allows, and nothing else may happen.
    for error in burgee["errors"].as_array().unwrap() {
        assert_eq!(error["what"], "upgrade refused with 503", "{burgee}");
    }
}

#[test]
fn the_most_connections_are_found() {
    let load = [
        "--short",
        "--rate",
        "50",
        "--duration",
        "0.3",
        "--connections",
        "500",
    ];
    works(&[&["capacity"], &load[..]].concat(), BOTH);
}

#[test]
fn the_published_test_gives_its_tables() {
    let load = [
        "--rate",
        "1000",
        "--ramp",
        "0.2",
        "--duration",
        "0.5",
        "--runs",
        "1",
    ];
    let report = bench(&[&["seed"], &load[..]].concat());
    let tables = report["tables"].as_array().unwrap();
    let first_row = |table: &Value| table["rows"][0].clone();
    let response = first_row(&tables[0]);
    assert_eq!(
        response.as_array().unwrap()[..4],
        ["1000", "5.4", "24.7", "96.7"]
    );
    assert_ne!(response[4], "–");
    // Half of 1,000/s in 0.2 s.
    assert_eq!(first_row(&tables[3])[1], "100");
}

#[test]
fn several_processes_hold_and_make_what_one_may_not() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.json");
    // Not more than 281 connections for a process that may open 600 files.
    let script = "ulimit -n 600; exec \"$0\" bench seed --rate 1000 --ramp 0.8 --duration 1 \
        --runs 1 --json \"$1\"";
    let ended = Command::new("bash")
        .args(["-c", script, env!("CARGO_BIN_EXE_burgee")])
        .arg(&file)
        .output()
        .unwrap();
    assert!(ended.status.success(), "{}", stderr(&ended));
    let report: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    for subject in report["subjects"].as_array().unwrap() {
        assert_eq!(subject["processes"], 2);
        assert_eq!(subject["errors"], json!([]));
    }
    // Together they hold half of 1,000/s in 0.8 s.
    assert_eq!(report["tables"][3]["rows"][0][1], "400");
}

#[test]
fn all_is_one_table_of_goals() {
    let output = run(&["bench", "all", "--short", "--only", "push"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(
        text.contains("| what | goal | Burgee | ceiling | ratio | met |"),
        "{text}"
    );
    assert!(text.contains("| one change to 18,000 clients"), "{text}");
    assert!(
        text.contains("| one change to 10,000 server SDKs"),
        "{text}"
    );
    let lost = text
        .lines()
        .filter(|line| line.starts_with("| deliveries lost"));
    let none: Vec<bool> = lost.map(|line| line.ends_with("| yes |")).collect();
    assert_eq!(none, [true, true], "{text}");
    let nothing = run(&["bench", "all", "--short", "--only", "nothing"]);
    assert!(!nothing.status.success());
}

#[test]
fn each_goal_of_track_is_measured_once() {
    let only = ["--runs", "1", "--only", "track"];
    let output = run(&[&["bench", "all", "--short"][..], &only].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8(output.stdout).unwrap();
    let cells = |line: &'_ str| line.split(" | ").map(str::to_owned).collect::<Vec<_>>();
    let rows: Vec<Vec<String>> = text
        .lines()
        .filter(|line| line.starts_with("| track: "))
        .map(cells)
        .collect();
    let goals: Vec<&str> = rows.iter().map(|row| row[1].as_str()).collect();
    assert_eq!(goals, ["≥ 200,000", "≥ 20,000", "≤ 0"], "{text}");
}

#[test]
fn a_change_on_one_server_is_heard_on_another() {
    let report = bench(&["nodes", "--short", "--connections", "50"]);
    let subjects = report["subjects"].as_array().unwrap();
    let names: Vec<&Value> = subjects.iter().map(|it| &it["name"]).collect();
    assert_eq!(names, ["two nodes", "one node"]);
    for subject in subjects {
        assert_eq!(subject["errors"], json!([]), "{subject}");
        assert_eq!(subject["figures"][0]["value"], json!(50.0));
        let counts = subject["latencies"].as_array().unwrap();
        let counts: Vec<&Value> = counts.iter().map(|it| &it["count"]).collect();
        // The last delivery of four changes, each of them to 50, and four answers.
        assert_eq!(counts, [4, 200, 4], "{subject}");
    }
    let goals: Vec<&Value> = report["tables"][0]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| &row[1])
        .collect();
    assert_eq!(goals, ["≤ 150 ms", "≤ 2 × one node", "≤ 0"]);
    let odd = run(&["bench", "nodes", "--short", "--changes", "3"]);
    assert!(stderr(&odd).contains("--changes"), "{}", stderr(&odd));
}

#[test]
fn servers_and_relays_are_added_and_counted() {
    let report = bench(&["fleet", "--short", "--connections", "5", "--idle", "0.5"]);
    let kinds = [
        "servers on one PostgreSQL",
        "relays on one NATS",
        "relays on one server",
    ];
    for (index, name) in kinds.iter().enumerate() {
        let subject = &report["subjects"][index];
        assert_eq!(subject["name"], *name);
        assert_eq!(subject["errors"], json!([]), "{subject}");
        let table = &report["tables"][index];
        let columns = table["columns"].as_array().unwrap().len();
        let rows = table["rows"].as_array().unwrap();
        let sizes: Vec<&Value> = rows.iter().map(|row| &row[0]).collect();
        assert_eq!(sizes, ["1", "2"], "{table}");
        for row in rows {
            assert_eq!(row.as_array().unwrap().len(), columns, "{table}");
            // A change is written: the database was asked for it, and its statements were counted.
            let statements: f64 = row[4].as_str().unwrap().parse().unwrap();
            assert!(statements > 0.0, "{table}");
        }
    }
}

#[test]
fn connections_of_many_relays_hear_of_one_change() {
    let load = ["--short", "--connections", "101", "--relays", "3"];
    let report = bench(&[&["million"], &load[..]].concat());
    let burgee = &report["subjects"][0];
    assert_eq!(burgee["errors"], json!([]), "{burgee}");
    assert_eq!(burgee["processes"], 3);
    let figures = burgee["figures"].as_array().unwrap();
    assert_eq!(figures[0]["value"], json!(101.0), "{burgee}");
    // Each of four changes, to all of them.
    assert_eq!(burgee["latencies"][1]["count"], 404, "{burgee}");
}

#[test]
fn an_audience_counts_what_fails_and_ends_with_its_input() {
    let server = Server::start(&plan(Kind::Demo, 1)).unwrap();
    let address = server.target().address.to_string();
    let key = &server.target().client_key;
    let load = ["--address", &address, "--client-key", key, "--connections"];
    let load = [&["bench", "audience"], &load[..], &["3", "--rate", "100"]].concat();
    let mut audience = burgee(&load);
    audience.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut audience = audience.spawn().unwrap();
    let mut lines = BufReader::new(audience.stdout.take().unwrap()).lines();
    let mut line = || -> Value { serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap() };
    assert_eq!(line()["held"]["connections"], 3);
    let mut words = audience.stdin.take().unwrap();
    writeln!(words, "listen").unwrap();
    assert_eq!(line(), "listening");
    // The server goes, and with it its connections: none of them gets the change.
    drop(server);
    assert_eq!(line()["arrived"]["missing"], 3);
    // Of the next one nobody is there to hear.
    writeln!(words, "listen").unwrap();
    assert_eq!(line(), "listening");
    assert_eq!(line()["arrived"]["missing"], 0);
    drop(words);
    let ended = line();
    assert_eq!(ended["ended"]["connections"], 0, "{ended}");
    assert_eq!(ended["ended"]["errors"][0]["count"], 3, "{ended}");
    assert!(audience.wait().unwrap().success());
}

#[test]
fn who_ends_it_ends_its_servers() {
    let mut command = burgee(&["bench", "hold", "--connections", "10", "--duration", "600"]);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut progress = BufReader::new(child.stderr.take().unwrap());
    progress.read_line(&mut String::new()).unwrap();
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let children = std::fs::read_to_string(children).unwrap();
    assert_eq!(children.split_whitespace().count(), 1);
    let id = child.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    assert!(!child.wait().unwrap().success());
    let server = Path::new("/proc").join(children.trim());
    assert!(!server.exists());
}
