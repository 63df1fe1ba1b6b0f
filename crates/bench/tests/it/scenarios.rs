//! Scenarios against a server with known faults: each must be found, and no other.

use std::collections::{BTreeMap, HashSet};
use std::time::Duration;

use burgee_bench::load::engine::{Config, Engine};
use burgee_bench::load::{Failure, Sdk, What};
use burgee_bench::options::Options;
use burgee_bench::progress::Silent;
use burgee_bench::report::model::{Latency, Subject};
use burgee_bench::rig::limits::Limits;
use burgee_bench::scenario::{Run, churn, connect, hold, push};

use crate::server::{Faults, Server};

/// A hundred connections in two seconds.
fn few() -> Options {
    Options {
        rate: Some(50.0),
        ramp: Some(Duration::ZERO),
        duration: Some(Duration::from_secs(2)),
        short: true,
        ..Options::default()
    }
}

fn measure(run: Run, options: &Options, server: &Server) -> Subject {
    run(options, &server.target(), &mut Silent).unwrap()
}

fn errors(subject: &Subject) -> BTreeMap<&str, u64> {
    let errors = subject.errors.iter();
    errors
        .map(|error| (error.what.as_str(), error.count))
        .collect()
}

fn latency<'a>(subject: &'a Subject, name: &str) -> &'a Latency {
    subject.latency(name).unwrap()
}

#[test]
fn a_latency_injected_is_the_latency_reported() {
    let injected = Duration::from_millis(400);
    let server = Server::start(Faults {
        answer_after: injected,
        ..Faults::default()
    });
    let found = measure(connect::run, &few(), &server);
    assert_eq!(errors(&found), BTreeMap::new());
    let (sync, ms) = (latency(&found, "sync"), injected.as_millis() as f64);
    assert_eq!(sync.count, 100);
    assert!(sync.p50 >= ms && sync.p50 < 2.0 * ms, "{sync:?}");
    let upgrade = latency(&found, "connect and upgrade");
    assert!(upgrade.p50 < ms, "{upgrade:?}");
    let whole = latency(&found, "connect to answer");
    assert!(whole.p50 >= sync.p50, "{whole:?}");
    assert_eq!(sync.histogram().unwrap().len(), 100);
}

#[test]
fn connections_begin_when_they_should_however_slowly_they_are_accepted() {
    // Two seconds' connections take ten to be accepted.
    let server = Server::start(Faults {
        accept_after: Duration::from_millis(100),
        ..Faults::default()
    });
    let found = measure(connect::run, &few(), &server);
    assert_eq!(errors(&found), BTreeMap::new());
    let upgrade = latency(&found, "connect and upgrade");
    assert_eq!(upgrade.count, 100);
    // A closed loop would have found 100 ms each: it counts from when it was its turn.
    assert!(
        upgrade.p50 > 2_000.0 && upgrade.max > 6_000.0,
        "{upgrade:?}"
    );
}

#[test]
fn connections_come_from_many_addresses() {
    let server = Server::start(Faults::default());
    let found = measure(connect::run, &few(), &server);
    assert_eq!(errors(&found), BTreeMap::new());
    let peers = server.peers();
    let different: HashSet<_> = peers.iter().collect();
    assert_eq!(different.len(), peers.len());
}

#[test]
fn an_answer_that_does_not_come_is_an_error() {
    let server = Server::start(Faults {
        silent_to: 10,
        ..Faults::default()
    });
    let options = Options {
        patience: Some(Duration::from_secs(3)),
        ..few()
    };
    let found = measure(connect::run, &options, &server);
    // 101 connections, with the first look.
    assert_eq!(errors(&found), [("no answer to data-sync", 10)].into());
    assert_eq!(latency(&found, "sync").count, 90);
    assert_eq!(found.figure("errors"), Some(10.0));
}

#[test]
fn a_connection_that_ends_is_an_error() {
    let server = Server::start(Faults {
        hangs_up_on: 20,
        ..Faults::default()
    });
    let found = measure(connect::run, &few(), &server);
    assert_eq!(
        errors(&found),
        [("ended by the server without a word", 5)].into()
    );
}

#[test]
fn an_answer_with_a_flag_too_few_is_an_error() {
    let server = Server::start(Faults {
        short_to: 50,
        ..Faults::default()
    });
    let found = measure(connect::run, &few(), &server);
    assert_eq!(errors(&found), [("an answer of another shape", 2)].into());
}

#[test]
fn a_server_that_does_not_answer_at_all_is_told() {
    let server = Server::start(Faults {
        hangs_up_on: 1,
        ..Faults::default()
    });
    let refused = connect::run(&few(), &server.target(), &mut Silent).unwrap_err();
    assert!(refused.to_string().contains("without a word"), "{refused}");
}

#[test]
fn held_connections_send_heartbeats() {
    let server = Server::start(Faults::default());
    let options = Options {
        connections: Some(90),
        ..few()
    };
    let found = measure(hold::run, &options, &server);
    assert_eq!(errors(&found), BTreeMap::new());
    assert_eq!(found.figure("connections"), Some(90.0));
    // Each one every 18 s.
    assert_eq!(latency(&found, "heartbeat").count, 10);
    let phases: Vec<&str> = found
        .phases
        .iter()
        .map(|phase| phase.name.as_str())
        .collect();
    assert_eq!(phases, ["opening", "settling", "idle", "heartbeats"]);
}

fn pushes(faults: Faults) -> Subject {
    let server = Server::start(faults);
    let options = Options {
        connections: Some(60),
        duration: Some(Duration::from_secs(3)),
        ..few()
    };
    measure(push::run, &options, &server)
}

#[test]
fn a_change_reaches_everybody() {
    let found = pushes(Faults::default());
    assert_eq!(errors(&found), BTreeMap::new());
    assert_eq!(latency(&found, "push").count, 60 * 4);
    assert!(found.figure("first delivery") <= found.figure("last delivery"));
}

#[test]
fn a_state_that_is_pushed_whole_is_a_delivery() {
    let found = pushes(Faults {
        pushes_whole: true,
        ..Faults::default()
    });
    assert_eq!(errors(&found), BTreeMap::new());
    assert_eq!(latency(&found, "push").count, 60 * 4);
}

#[test]
fn a_lost_push_is_found() {
    let found = pushes(Faults {
        loses_change: 4,
        ..Faults::default()
    });
    let expected = [
        ("a change that did not arrive", 20),
        ("a connection that ended on an old version", 20),
    ];
    assert_eq!(errors(&found), expected.into());
    assert_eq!(latency(&found, "push").count, 60 * 4 - 20);
}

#[test]
fn a_version_that_goes_back_is_found() {
    let found = pushes(Faults {
        stamps_old: 2,
        ..Faults::default()
    });
    let expected = [
        ("a change that did not arrive", 60),
        ("a version went back", 60),
    ];
    assert_eq!(errors(&found), expected.into());
}

#[test]
fn a_churn_with_nothing_wrong_finds_nothing() {
    let server = Server::start(Faults::default());
    let options = Options {
        connections: Some(50),
        ..few()
    };
    let found = measure(churn::run, &options, &server);
    assert_eq!(errors(&found), BTreeMap::new());
    assert!(found.figure("identifies") >= Some(48.0), "{found:?}");
    assert_eq!(found.figure("changes").unwrap() % 2.0, 0.0);
}

#[test]
fn a_churn_holds_as_many_as_it_should_however_late_they_are_answered() {
    // Sixty are on their way at a time: for a while more come than can leave.
    let server = Server::start(Faults {
        answer_after: Duration::from_millis(300),
        ..Faults::default()
    });
    let options = Options {
        connections: Some(20),
        rate: Some(200.0),
        ..few()
    };
    let found = measure(churn::run, &options, &server);
    assert_eq!(errors(&found), BTreeMap::new());
    assert_eq!(found.figure("connections"), Some(20.0));
}

#[test]
fn the_last_descriptors_are_not_for_connections() {
    let server = Server::start(Faults::default());
    let mut config = Config::new(server.target().address, Sdk::Client("c".repeat(44)));
    assert!(config.most < Limits::prepare().files as usize);
    config.most = 3;
    let mut engine = Engine::new(config).unwrap();
    let keys: Vec<_> = (0..4).map(|user| engine.open(user, engine.now())).collect();
    let mut happened = Vec::new();
    while happened.is_empty() {
        engine.turn(engine.now(), &mut happened).unwrap();
    }
    let refused = happened.iter().filter_map(|event| match &event.what {
        What::Failed(failure) => Some((event.key, failure.clone())),
        _ => None,
    });
    assert_eq!(
        refused.collect::<Vec<_>>(),
        [(keys[3], Failure::NoFileLeft)]
    );
    assert_eq!(engine.open_sockets(), 3);
}

#[test]
fn a_churn_finds_a_version_that_goes_back() {
    let server = Server::start(Faults {
        stamps_old: 2,
        ..Faults::default()
    });
    let options = Options {
        connections: Some(50),
        ..few()
    };
    let found = measure(churn::run, &options, &server);
    assert!(
        errors(&found).contains_key("a version went back"),
        "{found:?}"
    );
}
