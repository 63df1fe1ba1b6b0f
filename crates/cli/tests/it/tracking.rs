//! `burgee bench track` and `evaluate` against a real server: what they say was counted is what the
//! database holds afterwards.

use burgee_bench::report::json;
use burgee_bench::report::model::Report;
use burgee_eval::time::Millis;
use burgee_store::{Location, Store};

use crate::kit::{Data, Program, run, stderr};

/// Runs a scenario in its short form; its report.
fn bench(scenario: &str, program: &Program, keys: &(String, String), data: &Data) -> Report {
    let file = data.path().join(format!("{scenario}.json"));
    let (address, pid) = (program.address.to_string(), program.id().to_string());
    let output = run(&[
        "bench",
        scenario,
        "--short",
        "--duration",
        "1",
        "--address",
        &address,
        "--pid",
        &pid,
        "--client-key",
        &keys.0,
        "--server-key",
        &keys.1,
        "--json",
        file.to_str().unwrap(),
    ]);
    assert!(output.status.success(), "{}", stderr(&output));
    json::read(&file).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn evaluations_that_were_answered_are_in_the_database_each_once() {
    let data = Data::folder();
    let mut program = Program::start_with(&data, &["--demo"]);
    let keys = data.sdk_keys_of("demo", "prod");
    let report = bench("track", &program, &keys, &data);
    let subject = &report.subjects[0];
    assert_eq!(subject.errors, []);
    let sent = subject.latency("evaluations").unwrap().count * 50;
    assert!(sent > 0 && subject.latency("metric events").unwrap().count > 0);

    // What waits is written before it ends.
    program.signal("TERM");
    assert!(program.ended().success());
    let store = Store::open(Location::Folder(data.path())).await.unwrap();
    let (environment, _) = store.edge().find_key(&keys.1).await.unwrap().unwrap();
    let counts = store
        .traffic()
        .counts(environment.as_str(), Millis(0), Millis(i64::MAX))
        .await
        .unwrap();
    let stored: i64 = counts.iter().map(|count| count.count).sum();
    assert_eq!(stored, i64::try_from(sent).unwrap());
}

#[test]
fn every_evaluation_by_http_is_answered_with_flags() {
    let data = Data::folder();
    let program = Program::start_with(&data, &["--demo"]);
    let keys = data.sdk_keys_of("demo", "prod");
    let report = bench("evaluate", &program, &keys, &data);
    let subject = &report.subjects[0];
    assert_eq!(subject.errors, []);
    assert!(subject.latency("evaluate").unwrap().count > 0);
    assert!(subject.figure("longest answer").unwrap() > 500.0);
}
