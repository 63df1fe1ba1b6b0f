//! A server's clock jumps, by two hours and back: what has to rise rises, what is due is due by the
//! database's clock, and no SDK is told that it is wrong.

use std::path::{Path, PathBuf};

use burgee_eval::time::Millis;
use burgee_testkit::api::Api;
use burgee_testkit::cluster::Cluster;
use burgee_testkit::cluster::verdict::Loss;
use burgee_testkit::sdk;
use serde_json::{Value, json};

use super::{PAUSE, is_past, plan, until};
use crate::kit::{OWNER, PASSWORD, apply, flag_on, not_tried, sign_in};

/// Debian's `faketime`: what a program is told of the time, by a file that can be changed meanwhile.
fn library() -> Option<PathBuf> {
    let folders = std::fs::read_dir("/usr/lib").ok()?.flatten();
    let found = folders.map(|it| it.path().join("faketime/libfaketime.so.1"));
    found.into_iter().find(|it| it.exists())
}

/// A request to turn a new flag off in so many ms, or later where that is past by the time it arrives;
/// its id.
async fn in_ms(api: &Api, flag: &str, ms: i64) -> String {
    apply(api, flag_on(flag)).await;
    let turn = json!({ "kind": "turnOff", "project": "default", "environment": "prod",
        "flag": flag });
    let mut ahead = ms;
    loop {
        let at = Millis(sdk::now() + ahead).to_string();
        let new = json!({ "title": "later", "steps": [{ "at": at, "commands": [turn] }] });
        let made = api.post("requests", &new).await;
        if !is_past(&made) {
            return made.expect(201)["id"].as_str().unwrap().to_owned();
        }
        ahead *= 2;
    }
}

async fn state(api: &Api, request: &str) -> Value {
    let seen = api.get(&format!("requests/{request}")).await.expect(200);
    seen["steps"][0]["state"].clone()
}

fn set_clock(file: &Path, offset: &str) {
    // In one step, as it is read at any moment.
    let new = file.with_extension("new");
    std::fs::write(&new, offset).unwrap();
    std::fs::rename(new, file).unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_servers_clock_jumps() {
    let Some(library) = library() else {
        return not_tried("there is no libfaketime on this machine");
    };
    let folder = tempfile::tempdir().unwrap();
    let clock = folder.path().join("clock");
    set_clock(&clock, "+0");
    let mut cluster = Cluster::start(plan(2, 1)).await;
    let jumping = &mut cluster.servers[0];
    jumping.kill();
    jumping.launch.variables = [
        ("LD_PRELOAD", library.display().to_string()),
        ("FAKETIME_TIMESTAMP_FILE", clock.display().to_string()),
        ("FAKETIME_NO_CACHE", "1".to_owned()),
        ("FAKETIME_DONT_FAKE_MONOTONIC", "1".to_owned()),
    ]
    .map(|(name, value)| (name.to_owned(), value))
    .to_vec();
    jumping.start().await;
    let watchers = cluster.watch(1);
    let mut writing = cluster.write(1, PAUSE);
    writing.well_again().await;
    let first = cluster.run(&["user", "reset-password", OWNER]);
    let first = first.trim().to_owned();
    let nobody = Api::new(cluster.servers[1].address);
    let session = nobody
        .clone()
        .in_session_of(&sign_in(&nobody, OWNER, &first).await);
    let change = json!({ "current": first, "new": PASSWORD });
    let changed = session.post("me/password", &change).await;
    let session = session.in_session_of(&changed);

    let later = in_ms(&cluster.api(1), "later", 3_600_000).await;
    for (round, offset) in ["+7200", "-7200", "+0"].into_iter().enumerate() {
        set_clock(&clock, offset);
        writing.well_again().await;
        writing.acknowledged(10).await;
        // Who came before stays signed in, on either server.
        for server in &cluster.servers {
            session.at(server.address).get("session").await.expect(200);
        }
        // Of two things that wait the one is done, the other waits on.
        let soon = in_ms(&cluster.api(1), &format!("soon-{round}"), 1_000).await;
        until(async || (state(&cluster.api(0), &soon).await == "applied").then_some(())).await;
        assert_eq!(state(&cluster.api(0), &later).await, "waiting");
    }
    writing.end().await;
    cluster.verdict(watchers, Loss::None).await;
}
