//! A network that loses packets and tells nobody, between real processes on machines of their own:
//! connections stand half open, and whoever waits for an answer waits for nothing.

use std::time::{Duration, Instant};

use burgee_testkit::api::{Api, PATIENCE};
use burgee_testkit::cluster::ledger::Ledger;
use burgee_testkit::lan::{Lan, Machine};
use burgee_testkit::postgres::Postgres;
use burgee_testkit::sdk::{Kind, Sdk};
use serde_json::{Value, json};
use tempfile::TempDir;
use uuid::Uuid;

use crate::kit::{Data, Program, apply, counted, evaluate, flag_on, in_prod, person, write};

/// A network with a database on a machine of its own.
pub(crate) struct Site {
    pub(crate) data: Data,
    pub(crate) token: String,
    pub(crate) database: Machine,
    _postgres: Postgres,
    // Last: it ends what still runs.
    pub(crate) lan: Lan,
}

impl Site {
    pub(crate) async fn new() -> Self {
        let lan = Lan::new().unwrap();
        let database = lan.machine("database").unwrap();
        let there = database.clone();
        let start = move || Postgres::start_on(Some(&there)).unwrap();
        let postgres = tokio::task::spawn_blocking(start).await.unwrap();
        let data = Data::postgres(postgres.database().await.unwrap());
        Self {
            token: data.token(),
            data,
            database,
            _postgres: postgres,
            lan,
        }
    }

    /// A server on a machine of its own.
    pub(crate) fn server(&self, name: &str) -> (Machine, Program) {
        let machine = self.lan.machine(name).unwrap();
        let program = Program::start_on(&machine, &self.data);
        (machine, program)
    }
}

/// Waits until a server says that it serves what it knew, or what is: it says so once the feed, which
/// is not a writer, has noticed.
async fn until_degraded(program: &Program, wanted: bool) {
    let begun = Instant::now();
    loop {
        let ready = Api::new(program.address).get("/health/readiness").await;
        assert_eq!(ready.status, 200, "what is here is served: {}", ready.text);
        if ready.text.contains("degraded") == wanted {
            return;
        }
        assert!(begun.elapsed() < PATIENCE * 2, "it stays {}", ready.text);
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

/// Waits until these servers serve all that was written on any of them: what one acknowledges, the
/// others hear of a moment later, and versions are served in their order.
async fn until_all_is_served(api: &Api, data: &Data, programs: [&Program; 2]) {
    let environments = ["prod", "dev"];
    let mut commands = vec![json!({ "kind": "createFlag", "flag": "last", "type": "boolean" })];
    commands.extend(
        environments.map(|it| json!({ "kind": "turnOn", "flag": "last", "environment": it })),
    );
    apply(api, json!(commands)).await;
    for environment in environments {
        let (_, server_key) = data.sdk_keys(environment);
        for program in programs {
            let mut sdk = Sdk::server(program.address, &server_key);
            sdk.until(|sdk| sdk.is_on("last") == Some(true));
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_parted_from_its_database_serves_on_and_catches_up() {
    let site = Site::new().await;
    let (parted, near) = site.server("parted");
    let (_, whole) = site.server("whole");
    let (near_api, far_api) = (near.api(&site.token), whole.api(&site.token));
    let ledger = Ledger::open(&far_api).await;
    let (client_key, server_key) = site.data.sdk_keys("prod");
    let mut writing_near = write(&ledger, &near_api, 0);
    let mut writing_far = write(&ledger, &far_api, 1_000_000);
    writing_near.well_again().await;
    writing_far.well_again().await;
    let mut client = Sdk::client(near.address, &client_key, &person("0"));
    let mut server = Sdk::server(near.address, &server_key);
    let mut elsewhere = Sdk::server(whole.address, &server_key);

    // Both ends stay up, with connections that nobody ends, in the middle of transactions.
    site.lan.part(&parted, &site.database).unwrap();
    writing_near.refused().await;
    client.settle();
    server.settle();
    let newcomer = Sdk::client(near.address, &client_key, &person("1"));
    assert!(newcomer.value("left-0").is_some());
    until_degraded(&near, true).await;
    // Locks that the other held when it went do not stop the rest for good.
    writing_far.well_again().await;
    elsewhere.settle();
    let before = elsewhere.newest();
    writing_far.acknowledged(30).await;
    elsewhere.until(|sdk| sdk.newest() > before);

    site.lan.heal().unwrap();
    writing_near.well_again().await;
    writing_near.end().await;
    writing_far.end().await;
    until_all_is_served(&far_api, &site.data, [&near, &whole]).await;
    for program in [&near, &whole] {
        ledger
            .check(
                &program.api(&site.token),
                program.address,
                &site.data.keys(),
            )
            .await;
    }
    let fresh = Sdk::server(whole.address, &server_key);
    server.until(|sdk| sdk.flags == fresh.flags);
    elsewhere.until(|sdk| sdk.flags == fresh.flags);
    let fresh = Sdk::client(whole.address, &client_key, &person("0"));
    client.until(|sdk| sdk.flags == fresh.flags);
    until_degraded(&near, false).await;
}

/// A relay on a machine of its own, and SDKs that hang on it.
struct Far {
    machine: Machine,
    relay: Program,
    client: Sdk,
    server: Sdk,
    _folder: TempDir,
}

impl Far {
    fn new(site: &Site, name: &str, upstream: &Program, key: &str) -> Self {
        let machine = site.lan.machine(name).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let mut relay = relay(&machine, upstream, key, &folder);
        relay.says("environments are served");
        let (client_key, server_key) = site.data.sdk_keys("prod");
        Self {
            machine,
            client: Sdk::client(relay.address, &client_key, &person("u")),
            server: Sdk::server(relay.address, &server_key),
            relay,
            _folder: folder,
        }
    }

    async fn until_connected(&self, wanted: bool) {
        until_connected(&self.relay, wanted).await;
    }
}

fn relay(machine: &Machine, upstream: &Program, key: &str, folder: &TempDir) -> Program {
    let upstream = format!("http://{}", upstream.address);
    let data = folder.path().to_str().unwrap();
    let fed = ["--upstream", &upstream, "--key", key, "--data-dir", data];
    Program::relay_on(machine, &fed)
}

async fn relay_key(api: &Api) -> String {
    let everywhere = json!({"name": "far", "scope": {"all": true}});
    let key = api.post("relay-keys", &everywhere).await.expect(201);
    key["secret"].as_str().unwrap().to_owned()
}

async fn is_connected(relay: &Program) -> bool {
    let metrics = Api::new(relay.metrics).get("/metrics").await;
    let mut lines = metrics.text.lines();
    lines.any(|it| it == "burgee_relay_upstream_connected 1")
}

/// Waits until a relay knows that its upstream is away, or there. The kernel tells it of neither.
async fn until_connected(relay: &Program, wanted: bool) {
    let begun = Instant::now();
    while is_connected(relay).await != wanted {
        assert!(
            begun.elapsed() < PATIENCE * 6,
            "connected is never {wanted}"
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn relays_that_are_parted_from_their_upstream_in_any_direction_serve_on_and_catch_up() {
    let site = Site::new().await;
    let (source, upstream) = site.server("upstream");
    let api = upstream.api(&site.token);
    apply(&api, flag_on("f")).await;
    let key = relay_key(&api).await;
    let mut relays = ["both", "down", "up"].map(|name| Far::new(&site, name, &upstream, &key));
    let (client_key, _) = site.data.sdk_keys("prod");
    let flag = api.get("projects/default/flags/f").await.expect(200);
    for far in &relays {
        far.until_connected(true).await;
        evaluate(far.relay.address, &client_key, &flag).await;
    }

    let [both, down, up] = [0, 1, 2].map(|it| relays[it].machine.clone());
    site.lan.part(&source, &both).unwrap();
    site.lan.cut(&source, &down).unwrap();
    site.lan.cut(&up, &source).unwrap();
    apply(&api, json!([in_prod("turnOff", "f")])).await;
    for far in &mut relays {
        evaluate(far.relay.address, &client_key, &flag).await;
        far.client.settle();
        far.server.settle();
        let newcomer = Sdk::client(far.relay.address, &client_key, &person("v"));
        assert!(newcomer.value("f").is_some());
        // Whether there is such a key only the database says.
        let unknown = Sdk::connect(far.relay.address, Kind::Client, &"x".repeat(44));
        assert_eq!({ unknown }.close_code(), 1011);
    }
    // What is cut one way only: who sends nothing that arrives is gone to the other, too.
    for far in &mut relays {
        far.until_connected(false).await;
        far.client.settle();
        far.server.settle();
        evaluate(far.relay.address, &client_key, &flag).await;
    }

    site.lan.heal().unwrap();
    for far in &mut relays {
        far.until_connected(true).await;
        far.client.until(|sdk| sdk.value("f") == Some("false"));
        far.server.until(|sdk| sdk.is_on("f") == Some(false));
    }
    apply(&api, json!([in_prod("turnOn", "f")])).await;
    for far in &mut relays {
        far.client.until(|sdk| sdk.value("f") == Some("true"));
        far.server.until(|sdk| sdk.is_on("f") == Some(true));
    }
    // Three times ten at each of three, also where an answer was lost and a batch sent again.
    let begun = Instant::now();
    while counted(&api, "f").await < 90 {
        assert!(
            begun.elapsed() < PATIENCE * 2,
            "{}",
            counted(&api, "f").await
        );
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    for far in relays {
        far.relay.stop();
    }
    assert_eq!(counted(&api, "f").await, 90);
}

/// A flag that weighs about two megabytes, and hardly less when it is packed.
fn heavy(flag: &str) -> Value {
    let keys: Vec<String> = (0..50_000).map(|_| Uuid::new_v4().to_string()).collect();
    let ids = [Uuid::new_v4(), Uuid::new_v4()];
    json!([{ "kind": "createFlag", "flag": flag, "type": "boolean",
            "variations": [{ "id": ids[0], "value": "true" }, { "id": ids[1], "value": "false" }] },
        { "kind": "setTargets", "flag": flag, "environment": "prod", "variation": ids[0],
            "keys": keys },
        in_prod("turnOn", flag)])
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_on_a_narrow_line_gets_megabytes_and_keeps_nobody_waiting() {
    let site = Site::new().await;
    let (_, upstream) = site.server("upstream");
    let api = upstream.api(&site.token);
    for flag in ["a", "b", "c", "d"] {
        apply(&api, heavy(flag)).await;
    }
    apply(&api, flag_on("f")).await;
    let (client_key, _) = site.data.sdk_keys("prod");
    let mut client = Sdk::client(upstream.address, &client_key, &person("u"));
    let (machine, folder) = (
        site.lan.machine("far").unwrap(),
        tempfile::tempdir().unwrap(),
    );
    site.lan.slow(&machine, "1mbit").unwrap();
    let relay = relay(&machine, &upstream, &relay_key(&api).await, &folder);

    // It takes half a minute, in which all goes on as ever for everybody else.
    let mut meanwhile = 0;
    for round in 0..20 {
        let way = ["turnOff", "turnOn"][round % 2];
        apply(&api, json!([in_prod(way, "f")])).await;
        let wanted = ["false", "true"][round % 2];
        client.until(|sdk| sdk.value("f") == Some(wanted));
        if is_connected(&relay).await {
            break;
        }
        meanwhile += 1;
    }
    assert!(meanwhile > 0, "all waited, or the line is not narrow");
    until_connected(&relay, true).await;
    let mut far = Sdk::client(relay.address, &client_key, &person("u"));
    apply(&api, json!([in_prod("turnOff", "f")])).await;
    far.until(|sdk| sdk.value("f") == Some("false"));
    client.until(|sdk| sdk.value("f") == Some("false"));
    assert_eq!(far.flags, client.flags);
}
