//! Bad days of a whole installation, by [the rig](burgee_testkit::cluster): what is promised in
//! `docs/reliability.md`, a test for each row.

mod backbone;
mod clocks;
mod database;
mod disks;
mod jobs;
mod kills;
mod restore;
mod schema;
mod soak;

use std::time::{Duration, Instant};

use burgee_testkit::api::{Answer, PATIENCE};
use burgee_testkit::cluster::Plan;
use uuid::Uuid;

use crate::kit::PROGRAM;

/// Set for many rounds.
const LONG: &str = "BURGEE_LONG_TESTS";

/// How often a disaster happens: `few` times, or many.
fn rounds(few: usize) -> usize {
    match std::env::var_os(LONG) {
        Some(_) => 30,
        None => few,
    }
}

/// Servers and relays on one PostgreSQL.
fn plan(servers: usize, relays: usize) -> Plan {
    Plan {
        program: PROGRAM.into(),
        servers,
        relays,
        ..Plan::default()
    }
}

/// How long people wait between two changes.
const PAUSE: Duration = Duration::from_millis(10);

/// Waits for what tells nobody that it has come.
async fn until<T>(is_there: impl AsyncFn() -> Option<T>) -> T {
    let begun = Instant::now();
    loop {
        if let Some(found) = is_there().await {
            return found;
        }
        assert!(begun.elapsed() < PATIENCE * 2, "it does not come");
        tokio::time::sleep(PAUSE).await;
    }
}

/// Whether something was not scheduled as its moment was past when it arrived: on a busy machine that
/// may be any moment. Who doubles the time ahead is in time before long.
fn is_past(answer: &Answer) -> bool {
    answer.status == 400 && answer.text.contains("momentPast")
}

/// Any moment.
fn moment() -> Duration {
    Duration::from_micros(Uuid::new_v4().as_u128() as u64 % 50_000)
}
