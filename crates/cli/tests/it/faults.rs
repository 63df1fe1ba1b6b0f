//! Bad days of a whole installation, by [the rig](burgee_testkit::cluster): what is promised in
//! `docs/reliability.md`, a test for each row.

mod backbone;
mod kills;
mod soak;

use std::time::Duration;

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

/// Any moment.
fn moment() -> Duration {
    Duration::from_micros(Uuid::new_v4().as_u128() as u64 % 50_000)
}
