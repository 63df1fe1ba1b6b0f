//! What writing traffic into the embedded database costs: CPU of the whole process for each row, in
//! batches of 1,000, on a database of its own.
//!
//! `cargo bench --package burgee-store`

#![allow(
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a program that measures and prints"
)]

use std::fs;
use std::time::{Duration, Instant};

use burgee_eval::time::Millis;
use burgee_store::traffic::{Batch, MetricEvent, UserSeen};
use burgee_store::{Location, Store};

const BATCHES: i64 = 50;
const ROWS: i64 = 1_000;

fn main() {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build();
    runtime.expect("a runtime").block_on(async {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(Location::Folder(folder.path().into())).await;
        let store = store.expect("a database");
        store.migrate().await.expect("a schema");
        measure("a new user", &store, 0, users).await;
        measure("a known user", &store, 1_000, users).await;
        measure("a metric event", &store, 2_000, events).await;
    });
}

async fn measure(what: &str, store: &Store, from: i64, rows: fn(i64) -> Batch<'static>) {
    let (begun, spent) = (Instant::now(), cpu());
    for number in 0..BATCHES {
        let batch = Batch {
            sequence: from + number,
            ..rows(number)
        };
        let written = store.traffic().write(&batch).await.expect("written");
        assert_eq!(written.refused, 0);
    }
    let rows = (BATCHES * ROWS) as f64;
    let each = |time: Duration| time.as_secs_f64() * 1e6 / rows;
    let (cpu, wall) = (each(cpu() - spent), each(begun.elapsed()));
    println!("{what:16} {cpu:6.1} µs of CPU, {wall:6.1} µs");
}

fn users(number: i64) -> Batch<'static> {
    let user = |index: i64| UserSeen {
        types: "".into(),
        environment: "0195e0a0-0000-7000-8000-000000000000".into(),
        key: format!("user-{:07}", (number * ROWS + index) * 7_919 % 1_000_003).into(),
        name: format!("User {index}").into(),
        properties: vec![
            ("country".into(), "DE".into()),
            ("age".into(), index.to_string().into()),
            ("email".into(), format!("user-{index}@example.org").into()),
        ],
        at: Millis(1_800_000_000_000),
    };
    Batch {
        sender: "bench".into(),
        users: (0..ROWS).map(user).collect(),
        ..Batch::default()
    }
}

fn events(number: i64) -> Batch<'static> {
    let event = |index: i64| MetricEvent {
        environment: "0195e0a0-0000-7000-8000-000000000000".into(),
        user: format!("user-{:07}", number * ROWS + index).into(),
        event: "clicked".into(),
        value: 1.0,
        route: "index/metric".into(),
        kind: "CustomEvent".into(),
        app_type: "bench".into(),
        at: Millis(1_800_000_000_000),
    };
    Batch {
        sender: "bench".into(),
        metrics: (0..ROWS).map(event).collect(),
        ..Batch::default()
    }
}

/// CPU time of this process so far.
fn cpu() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").expect("/proc");
    let (_, fields) = stat.rsplit_once(')').expect("a name");
    let fields: Vec<u64> = fields
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0))
        .collect();
    Duration::from_millis((fields[11] + fields[12]) * 10)
}
