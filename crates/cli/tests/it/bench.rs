//! `burgee bench` against real servers: whether it does what it says, never how fast.

use std::path::PathBuf;

use burgee_bench::rig::server::{Kind, Plan, Server};
use burgee_testkit::sdk::{self, Sdk};
use serde_json::json;

use crate::kit::person;

fn plan(kind: Kind, processes: usize) -> Plan {
    Plan {
        program: PathBuf::from(env!("CARGO_BIN_EXE_burgee")),
        kind,
        listen: None,
        processes,
        core: None,
        quota: None,
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
