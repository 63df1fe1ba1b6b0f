//! `burgee audit verify`.

use std::time::{Duration, Instant};

use burgee_testkit::api::PATIENCE;
use burgee_testkit::sql;

use crate::kit::{Data, Program, stderr};

/// A second organization, which nothing makes yet.
const NEXT_DOOR: &str = "INSERT INTO organizations \
    (id, key, key_folded, name, version, created_at) \
    VALUES ('n', 'next-door', 'next-door', 'Next door', 0, 1900000000000)";

/// A seal that is of no entry.
const FORGED: &str = "INSERT INTO audit_seals \
    (organization_id, number, change_set_id, salt, body_digest, chain) \
    VALUES ('n', 1, 'x', X'00', X'00', X'00')";

#[tokio::test(flavor = "multi_thread")]
async fn every_organization_is_verified_and_one_where_it_is_named() {
    let data = Data::folder();
    data.token();
    let url = format!("sqlite://{}", data.path().join("burgee.db").display());
    let alone = data.run(&["audit", "verify"]);
    let alone = String::from_utf8(alone.stdout).unwrap();
    assert!(!alone.contains("default"), "there is no other: {alone}");
    sql::run(&url, NEXT_DOOR).await.unwrap();

    let all = data.json(&["audit", "verify", "--json"]);
    let keys = all["organizations"].as_array().unwrap().iter();
    let keys: Vec<_> = keys
        .map(|it| it["organization"].as_str().unwrap())
        .collect();
    assert_eq!(keys, ["default", "next-door"]);

    sql::run(&url, FORGED).await.unwrap();
    let bad = data.run(&["audit", "verify"]);
    assert_eq!(bad.status.code(), Some(1), "{bad:?}");
    let said = String::from_utf8(bad.stdout).unwrap();
    let (first, second) = said.split_once("next-door:").unwrap();
    assert!(!first.contains("BAD") && second.contains("BAD"), "{said}");

    let one = data.run(&["audit", "verify", "--organization", "Default"]);
    assert!(one.status.success(), "{one:?}");
    let one = data.run(&["audit", "verify", "--organization", "next-door"]);
    assert_eq!(one.status.code(), Some(1), "{one:?}");
    let none = data.run(&["audit", "verify", "--organization", "nobody"]);
    assert!(
        stderr(&none).contains("--organization `nobody`"),
        "{none:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_end_that_lost_its_signature_is_bad_where_there_is_a_key() {
    let data = Data::folder();
    let server = Program::start(&data);
    let url = format!("sqlite://{}", data.path().join("burgee.db").display());
    // Sealed and signed within a second.
    let signed = async || {
        let verified = data.run(&["audit", "verify"]);
        String::from_utf8(verified.stdout).unwrap()
    };
    let begun = Instant::now();
    while !signed().await.contains("is signed with the instance key") {
        assert!(begun.elapsed() < PATIENCE, "{}", signed().await);
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    server.stop();
    let stripped = "UPDATE audit_heads SET signature = X''";
    sql::run(&url, stripped).await.unwrap();
    let bad = data.run(&["audit", "verify"]);
    assert_eq!(bad.status.code(), Some(1), "{bad:?}");
    let said = String::from_utf8(bad.stdout).unwrap();
    assert!(said.contains("not signed by any key"), "{said}");
    let entries = data.run(&["audit", "verify", "--without-key"]);
    assert!(entries.status.success(), "{entries:?}");
}
