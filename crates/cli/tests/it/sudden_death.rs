//! `kill -9` while people write, again and again; what must be true after it says [`ledger`].
//!
//! [`ledger`]: crate::ledger

use std::time::Duration;

use burgee_testkit::cluster::ledger::Ledger;
use burgee_testkit::sdk::Sdk;
use uuid::Uuid;

use crate::kit::{Data, Program, write};

/// Set for many rounds.
const LONG: &str = "BURGEE_LONG_TESTS";

fn rounds(few: usize) -> usize {
    match std::env::var_os(LONG) {
        Some(_) => 50,
        None => few,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_on_sqlite() {
    die_again_and_again(&Data::folder(), rounds(5)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_acknowledged_is_lost_on_postgresql() {
    let url = burgee_testkit::postgres::database().await.unwrap();
    die_again_and_again(&Data::postgres(url), rounds(2)).await;
}

async fn die_again_and_again(data: &Data, rounds: usize) {
    let token = data.token();
    let mut program = Program::start(data);
    let ledger = Ledger::open(&program.api(&token)).await;
    // Another server on the same data, which nobody kills, and an SDK of it.
    let neighbour = Program::start(data);
    let mut watching = Sdk::server(neighbour.address, &data.sdk_keys("prod").1);
    for round in 0..rounds {
        let mut writing = write(&ledger, &program.api(&token), round * 1_000_000);
        // Any moment: after some acknowledgements and a part of the next write.
        let moment = Uuid::new_v4().as_u128();
        writing.acknowledged(1 + (moment % 20) as usize).await;
        tokio::time::sleep(Duration::from_micros((moment >> 64) as u64 % 5_000)).await;
        program.kill();
        writing.end().await;
        program = Program::start(data);
        ledger
            .check(&program.api(&token), program.address, &data.keys())
            .await;
        let fresh = Sdk::server(program.address, &data.sdk_keys("prod").1);
        watching.until(|sdk| sdk.flags == fresh.flags);
        // Who is silent for long is let go.
        watching.settle();
    }
}
