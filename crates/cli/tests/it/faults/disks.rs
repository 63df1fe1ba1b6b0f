//! Full disks, of PostgreSQL and of a relay. (That of the embedded database: [`crate::disk_full`].)

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;

use burgee_testkit::cluster::Cluster;
use burgee_testkit::cluster::verdict::Loss;
use burgee_testkit::postgres::Postgres;
use burgee_testkit::sdk::Sdk;
use serde_json::json;

use super::{PAUSE, plan, until};
use crate::kit::{may_mount, not_tried};

/// What a machine lacks where nobody may mount.
const MOUNTS: &str = "nobody may mount on this machine";

#[tokio::test(flavor = "multi_thread")]
async fn postgresql_has_no_room() {
    let postgres = tokio::task::block_in_place(|| Postgres::start_small().unwrap());
    let Some(postgres) = postgres else {
        return not_tried(MOUNTS);
    };
    let mut cluster = Cluster::start_on(plan(2, 1), Some(postgres)).await;
    let watchers = cluster.watch(1);
    let mut writing = cluster.write(1, PAUSE);
    writing.well_again().await;
    cluster.postgres().fill().unwrap();
    writing.refused().await;
    for node in cluster.nodes() {
        assert!(node.is_ready().await, "{} serves", node.name);
    }
    cluster.postgres().make_room().unwrap();
    // Where it could not write its log it ended, and has to be started as ever.
    tokio::task::block_in_place(|| cluster.postgres().come_back().unwrap());
    writing.well_again().await;
    writing.end().await;
    cluster.verdict(watchers, Loss::None).await;
}

/// Makes a filesystem in memory that only the program sees, and becomes the program.
const MOUNT: &str = r#"mkdir -p "$1" && mount -t tmpfs -o size=256k,mode=700 burgee "$1" && shift &&
    exec "$@""#;

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_has_no_room() {
    if !may_mount() {
        return not_tried(MOUNTS);
    }
    let mut cluster = Cluster::start(plan(1, 1)).await;
    let relay = &mut cluster.relays[0];
    let folder = relay.folder.display().to_string();
    relay.stop();
    std::fs::remove_dir_all(&folder).unwrap();
    let before = ["unshare", "-Urm", "/bin/sh", "-c", MOUNT, "sh", &folder];
    relay.launch.before = before.map(str::to_owned).to_vec();
    relay.start().await;
    let inside = PathBuf::from(format!(
        "/proc/{}/root{folder}/ballast",
        relay.process().id()
    ));
    let watchers = cluster.watch(1);
    let mut writing = cluster.write(1, PAUSE);
    writing.well_again().await;

    let mut ballast = File::create(&inside).unwrap();
    for size in [4096, 1] {
        while ballast.write_all(&vec![1; size]).is_ok() {}
    }
    // What it cannot keep it serves, and it takes what it is told.
    let (near, far) = (cluster.servers[0].address, cluster.relays[0].address);
    let mut sdk = Sdk::server(far, &cluster.keys.prod.1);
    writing.acknowledged(30).await;
    let newest = Sdk::server(near, &cluster.keys.prod.1).newest();
    sdk.until(|sdk| sdk.newest() >= newest);
    let told = burgee_testkit::api::Api::new(far).with_sdk_key(&cluster.keys.prod.0);
    let user = json!({ "keyId": "told", "name": "told", "customizedProperties": [] });
    let track = json!([{ "user": user, "variations": [], "metrics": [] }]);
    let answer = told.post("/api/public/insight/track", &track).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    drop(ballast);
    std::fs::remove_file(&inside).unwrap();
    writing.well_again().await;
    writing.end().await;
    let user = "projects/default/environments/prod/users/told";
    until(async || (cluster.api(0).get(user).await.status == 200).then_some(())).await;
    cluster.verdict(watchers, Loss::None).await;
}
