//! PostgreSQL, or the network to it, goes away while a server serves: what is connected goes on, what cannot be done says
//! so, and everything is well when it is back.

use std::time::{Duration, Instant};

use burgee_testkit::api::{Api, PATIENCE};
use burgee_testkit::cluster::ledger::Ledger;
use burgee_testkit::postgres::Postgres;
use burgee_testkit::sdk::{self, Kind, Sdk};
use burgee_testkit::sql;
use serde_json::{Value, json};

use crate::kit::{Data, Program, apply, flag_on, in_prod, person, unavailable, write};
use crate::wire::Wire;

const PATH: &str = "projects/default/changes";

/// A server on a database that can be taken away.
struct House {
    postgres: Postgres,
    program: Program,
    api: Api,
    client: String,
    server: String,
}

async fn house() -> House {
    let postgres = tokio::task::spawn_blocking(|| Postgres::start().unwrap())
        .await
        .unwrap();
    let data = Data::postgres(postgres.database().await.unwrap());
    let program = Program::start(&data);
    let api = program.api(&data.token());
    apply(&api, flag_on("f")).await;
    let (client, server) = data.sdk_keys("prod");
    House {
        postgres,
        program,
        api,
        client,
        server,
    }
}

/// A secret that nobody made.
fn forged(number: usize) -> String {
    format!("{number:0>44}")
}

#[tokio::test(flavor = "multi_thread")]
async fn serving_goes_on_without_the_database() {
    let mut house = house().await;
    let address = house.program.address;
    let mut client = Sdk::client(address, &house.client, &person("u"));
    let mut server = Sdk::server(address, &house.server);
    house.postgres.crash().unwrap();

    unavailable(house.api.post(PATH, &turn("turnOff")).await);
    unavailable(house.api.get("projects").await);
    client.settle();
    server.settle();
    client.identify(&person("someone else"), 0);
    assert_eq!(client.value("f"), Some("true"));
    let newcomer = Sdk::client(address, &house.client, &person("v"));
    assert_eq!(newcomer.value("f"), Some("true"));
    let polled = Api::new(address).with_sdk_key(&house.server);
    let polled = polled
        .get("/api/public/sdk/server/latest-all")
        .await
        .expect(200);
    assert_eq!(polled["data"]["featureFlags"][0]["key"], "f", "{polled}");
    let ready = Api::new(address).get("/health/readiness").await;
    assert_eq!(ready.status, 200, "what is here is served");

    // Who is not known may be known to the database: come back later, not never.
    let mut unknown = Sdk::connect(address, Kind::Client, &forged(1));
    assert_eq!(unknown.close_code(), 1011);
    let unknown = Api::new(address).with_sdk_key(&forged(2));
    let asked = unknown.get("/api/public/sdk/server/latest-all").await;
    assert_eq!(asked.status, 503, "{asked:?}");

    house.postgres.come_back().unwrap();
    let done = until_it_works(&house.api).await;
    assert!(done["versions"]["default/prod"].is_i64(), "{done}");
    client.until(|sdk| sdk.value("f") == Some("false"));
    server.until(|sdk| sdk.is_on("f") == Some(false));
    let mut unknown = Sdk::connect(address, Kind::Client, &forged(3));
    assert_eq!(unknown.close_code(), 4003);
    // A further change finds its way as ever.
    apply(&house.api, json!([in_prod("turnOn", "f")])).await;
    client.until(|sdk| sdk.value("f") == Some("true"));
}

fn turn(kind: &str) -> Value {
    json!({ "commands": [in_prod(kind, "f")] })
}

/// Turns the flag off as soon as the database lets us.
async fn until_it_works(api: &Api) -> Value {
    let start = Instant::now();
    loop {
        let answer = api.post(PATH, &turn("turnOff")).await;
        if answer.status == 503 && start.elapsed() < PATIENCE {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        }
        return answer.expect(200);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_stops_politely_without_its_database() {
    let mut house = house().await;
    let mut client = Sdk::client(house.program.address, &house.client, &person("u"));
    house.postgres.crash().unwrap();
    house.program.signal("TERM");
    assert_eq!(client.close_code(), 1001);
    assert!(
        house.program.ended().success(),
        "{:?}",
        house.program.said()
    );
}

/// What happens to the network.
type Disaster = fn(&Wire);

#[tokio::test(flavor = "multi_thread")]
async fn a_network_that_breaks_again_and_again_halves_no_change() {
    lost_again_and_again(Wire::cut, 3).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_network_that_falls_silent_halves_no_change() {
    lost_again_and_again(Wire::stall, 1).await;
}

/// A network that is well again for whoever connects anew, and never again for who was connected.
fn forget(wire: &Wire) {
    wire.stall();
    wire.forget();
}

#[tokio::test(flavor = "multi_thread")]
async fn connections_that_were_forgotten_are_made_anew() {
    // Those that are lost in one round are fewer than a pool has.
    let rounds = std::env::var_os("BURGEE_LONG_TESTS").map_or(1, |_| 3);
    lost_again_and_again(forget, rounds).await;
}

/// A database, its address past the wire, and data by the wire.
async fn by_wire() -> (Postgres, Wire, String, Data) {
    let postgres = tokio::task::spawn_blocking(|| Postgres::start().unwrap());
    let postgres = postgres.await.unwrap();
    let wire = Wire::to(&postgres.socket());
    let direct = postgres.database().await.unwrap();
    let name = direct.split_once('?').unwrap().0;
    let name = name.rsplit_once('/').unwrap().1;
    let data = Data::postgres(format!("postgres://postgres@{}/{name}", wire.address));
    (postgres, wire, direct, data)
}

async fn lost_again_and_again(disaster: Disaster, rounds: usize) {
    let (_postgres, wire, _direct, data) = by_wire().await;
    let token = data.token();
    let program = Program::start(&data);
    let api = program.api(&token);
    let ledger = Ledger::open(&api).await;
    let (client_key, server_key) = data.sdk_keys("prod");
    let mut client = Sdk::client(program.address, &client_key, &person("0"));
    let mut server = Sdk::server(program.address, &server_key);
    for round in 0..rounds {
        let mut writing = write(&ledger, &api, round * 1_000_000);
        // Of each: their flags are released by what they write first.
        writing.well_again().await;
        disaster(&wire);
        writing.refused().await;
        // Whoever is connected stays so, and whoever comes is served.
        client.settle();
        let newcomer = Sdk::client(program.address, &client_key, &person("1"));
        assert!(newcomer.value("left-0").is_some());
        wire.mend();
        writing.well_again().await;
        writing.end().await;
        ledger.check(&api, program.address, &data.keys()).await;
        let fresh = Sdk::server(program.address, &server_key);
        server.until(|sdk| sdk.flags == fresh.flags);
    }
}

/// Waits until a question has this answer.
async fn until_it_is(url: &str, question: &str, wanted: i64) {
    let begun = Instant::now();
    while sql::number(url, question).await.unwrap() != wanted {
        assert!(begun.elapsed() < PATIENCE * 6, "{question}: never {wanted}");
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn traffic_that_was_being_written_on_a_forgotten_connection_is_written_and_counts_once() {
    let (_postgres, wire, direct, data) = by_wire().await;
    let program = Program::start(&data);
    let api = program.api(&data.token());
    apply(&api, flag_on("f")).await;
    let flag = api.get("projects/default/flags/f").await.expect(200);
    let (client, _) = data.sdk_keys("prod");
    // In the middle of a statement, for as long as it takes to see that.
    let lock =
        "BEGIN; LOCK TABLE counts_minute IN ACCESS EXCLUSIVE MODE; SELECT pg_sleep(8); COMMIT";
    let (locked, url) = (lock.to_owned(), direct.clone());
    let locking = tokio::spawn(async move { sql::run(&url, &locked).await.unwrap() });
    let held = "SELECT COUNT(*) FROM pg_locks WHERE granted AND mode = 'AccessExclusiveLock' \
                AND relation = 'counts_minute'::regclass";
    until_it_is(&direct, held, 1).await;
    let told = json!([{ "user": person("u"), "metrics": [], "variations": [{
        "featureFlagKey": "f", "sendToExperiment": false, "timestamp": sdk::now(),
        "variation": { "id": flag["variations"][0]["id"], "value": "true" } }] }]);
    let sdk = Api::new(program.address).with_sdk_key(&client);
    let track = "/api/public/insight/track";
    assert_eq!(sdk.post(track, &told).await.status, 200);
    let waits = "SELECT LEAST(COUNT(*), 1) FROM pg_locks WHERE NOT granted";
    until_it_is(&direct, waits, 1).await;
    wire.forget();
    locking.await.unwrap();
    let counted = "SELECT CAST(COALESCE(SUM(count), 0) AS BIGINT) FROM counts_minute";
    until_it_is(&direct, counted, 1).await;
    program.stop();
    assert_eq!(sql::number(&direct, counted).await.unwrap(), 1);
}
