//! `kill -9` while writing: what was acknowledged is there, and nothing is half there.

use std::collections::BTreeSet;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use burgee_eval::flag::Flag;
use burgee_eval::time::Millis;
use burgee_store::edge::Changes;
use burgee_store::traffic::{Batch, Count};
use burgee_store::{Location, Store};
use serde_json::{Value, json};

use crate::kit::{Database, House, apply, flag_on, for_each_database, house, later, state};

const LOCATION: &str = "BURGEE_TEST_LOCATION";
const ROUNDS: usize = 6;
const FLAGS: [&str; 3] = ["f0", "f1", "f2"];

/// Renames all flags to `n` in one change set.
fn rename(n: i64) -> Value {
    let command = |flag| json!({"kind": "renameFlag", "project": "default", "flag": flag, "name": n.to_string()});
    Value::Array(FLAGS.into_iter().map(command).collect())
}

fn batch(n: i64) -> Batch<'static> {
    Batch {
        sender: "killed".into(),
        sequence: n,
        at: later(n),
        counts: ["a", "b"]
            .map(|variation| Count {
                environment: "e".into(),
                flag: "f".into(),
                flag_id: "i".into(),
                variation: variation.into(),
                minute: later(0),
                count: 1,
            })
            .into(),
        ..Batch::default()
    }
}

/// The number that the flags are named by; they must agree.
async fn number(store: &Store, house: &House) -> i64 {
    let flags = state(store, &house.prod).await.flags;
    let names: BTreeSet<&str> = flags.iter().map(|flag| flag.name.as_str()).collect();
    assert_eq!(
        (flags.len(), names.len()),
        (3, 1),
        "half of a change set: {names:?}"
    );
    names.first().unwrap().parse().unwrap()
}

/// How many batches were counted; both variations must agree.
async fn batches(store: &Store) -> i64 {
    let traffic = store.traffic();
    let counts = traffic
        .counts("e", Millis(0), later(86_400_000))
        .await
        .unwrap();
    let counts: BTreeSet<i64> = counts.iter().map(|it| it.count).collect();
    assert!(counts.len() < 2, "half of a batch: {counts:?}");
    counts.first().copied().unwrap_or(0)
}

#[tokio::test]
#[ignore = "the process that the test below kills"]
async fn writer() {
    let location = std::env::var(LOCATION).unwrap();
    let location = match location.strip_prefix("folder:") {
        Some(folder) => Location::Folder(PathBuf::from(folder)),
        None => Location::Postgres(location),
    };
    let store = Store::open(location).await.unwrap();
    let house = house(&store).await;
    // The one before may have been killed between the change and its batch; if not, this one is
    // a repetition, and counts nothing.
    let before = number(&store, &house).await;
    store.traffic().write(&batch(before)).await.unwrap();
    for n in before + 1.. {
        apply(&store, &house, rename(n)).await;
        store.traffic().write(&batch(n)).await.unwrap();
        println!("acknowledged {n}");
    }
}

/// Starts a writer, kills it after some answers, and tells the last one.
fn kill_a_writer(location: &str, answers: usize) -> i64 {
    let mut writer = Command::new(std::env::current_exe().unwrap())
        .args(["kill::writer", "--exact", "--ignored", "--nocapture"])
        .env(LOCATION, location)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = BufReader::new(writer.stdout.take().unwrap());
    let (mut last, mut seen) = (None, 0);
    while seen < answers {
        let mut line = String::new();
        assert!(
            output.read_line(&mut line).unwrap() > 0,
            "the writer failed"
        );
        if let Some(n) = line.trim().strip_prefix("acknowledged ") {
            last = Some(n.parse().unwrap());
            seen += 1;
        }
    }
    // SIGKILL.
    writer.kill().unwrap();
    writer.wait().unwrap();
    let mut rest = String::new();
    output.read_to_string(&mut rest).unwrap();
    let answers = rest
        .lines()
        .filter_map(|line| line.strip_prefix("acknowledged "));
    answers.fold(last, |_, n| Some(n.parse().unwrap())).unwrap()
}

async fn nothing_is_missing_and_nothing_half_done(database: &Database, acknowledged: i64) {
    let store = database.another().await;
    let house = house(&store).await;
    let found = number(&store, &house).await;
    assert!(
        found == acknowledged || found == acknowledged + 1,
        "{found} of {acknowledged}"
    );
    let counted = batches(&store).await;
    let expected = [acknowledged + 1, acknowledged + 2];
    assert!(
        expected.contains(&counted),
        "{counted} of {expected:?}: 0 counts too"
    );

    let now = state(&store, &house.prod).await;
    let position = now.environment.position;
    let items = store
        .items_at(house.prod.id.as_str(), position.version)
        .await
        .unwrap();
    let images = items
        .iter()
        .map(|item| serde_json::from_str(&item.image).unwrap());
    let (mut images, mut flags): (Vec<Flag>, Vec<Flag>) = (images.collect(), now.flags);
    images.sort_by(|a, b| a.key.cmp(&b.key));
    flags.sort_by(|a, b| a.key.cmp(&b.key));
    assert_eq!(images, flags, "the log says the same");
    let before = items.iter().map(|item| item.version).min().unwrap();
    assert_eq!(
        before, position.version,
        "all of the change set is in one version"
    );
    let changes = store
        .edge()
        .changes(house.prod.id.as_str(), position)
        .await
        .unwrap();
    assert!(matches!(changes, Changes::Since(_)));
}

#[tokio::test]
async fn what_was_acknowledged_is_there_after_kill_9() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        for flag in FLAGS {
            apply(store, &house, flag_on(flag)).await;
        }
        apply(store, &house, rename(0)).await;
        let location = database.location_text();
        for round in 0..ROUNDS {
            let location = location.clone();
            let killed =
                tokio::task::spawn_blocking(move || kill_a_writer(&location, 1 + 3 * round));
            let acknowledged = killed.await.unwrap();
            nothing_is_missing_and_nothing_half_done(database, acknowledged).await;
        }
    })
    .await;
}
