//! Versions of the program side by side: a schema that is newer than the program, and one that grew
//! under it.

use burgee_testkit::cluster::verdict::Loss;
use burgee_testkit::cluster::{Cluster, Plan};
use burgee_testkit::sql;

use super::{PAUSE, plan};
use crate::kit::{Data, stderr};

#[tokio::test(flavor = "multi_thread")]
async fn a_newer_schema_is_refused_with_the_reason() {
    let postgres = burgee_testkit::postgres::database().await.unwrap();
    for data in [Data::folder(), Data::postgres(postgres)] {
        data.token();
        let url = match data.arguments[0].as_str() {
            "--database" => data.arguments[1].clone(),
            _ => format!("sqlite://{}/burgee.db", data.arguments[1]),
        };
        let newer =
            "INSERT INTO schema_migrations (part, version, digest) VALUES ('truth', 9999, '')";
        sql::run(&url, newer).await.unwrap();
        for command in ["migrate", "server"] {
            let refused = data.run(&[command]);
            assert!(!refused.status.success(), "{command}");
            let why = stderr(&refused);
            assert!(why.contains("made by another version"), "{why}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_goes_on_under_a_schema_that_has_more() {
    let cluster = Cluster::start(Plan {
        relays: 0,
        ..plan(2, 0)
    })
    .await;
    let watchers = cluster.watch(1);
    let mut writing = cluster.write(1, PAUSE);
    writing.well_again().await;
    // The first step of an upgrade, by a newer server beside these: what is new has a default.
    for table in [
        "flags",
        "targetings",
        "environments",
        "change_sets",
        "change_log",
        "versions",
        "segments",
        "histories",
        "sdk_keys",
    ] {
        let more = format!("ALTER TABLE {table} ADD COLUMN of_tomorrow TEXT NOT NULL DEFAULT ''");
        sql::run(&cluster.database, &more).await.unwrap();
    }
    let more = "CREATE TABLE of_tomorrow (id TEXT PRIMARY KEY)";
    sql::run(&cluster.database, more).await.unwrap();
    writing.acknowledged(20).await;
    writing.well_again().await;
    writing.end().await;
    cluster.verdict(watchers, Loss::None).await;
}
