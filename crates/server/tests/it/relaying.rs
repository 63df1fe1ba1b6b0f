//! Relays: fed by a server, by NATS or by each other, and on their own when nobody feeds them.

mod decided;
mod delivered;
mod featbit;
mod meddling;
mod nats;
mod published;
mod queued;

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use burgee_domain::id::Id;
use burgee_relay::backbone::{Backbone, Follow};
use burgee_relay::{Config, From, GRACE, Relay, state_file};
use burgee_server::relays;
use burgee_store::{Actor, NewRelayKey, RelayKeyEdit, RelayKeyScope};
use burgee_testkit::nats::Nats;
use burgee_testkit::network::Network;
use burgee_testkit::sdk::{Kind, Sdk};
use serde_json::{Value, json};

use crate::kit::{App, Data, Database, create, flag_on, in_prod, person};

/// A new relay key: of all environments, or of these of `default`.
async fn relay_key(app: &App, environments: &[&str]) -> (String, String) {
    let mut chosen = Vec::new();
    for key in environments {
        chosen.push(Id::new(id(app, key).await));
    }
    let scope = match chosen.is_empty() {
        true => RelayKeyScope::All,
        false => RelayKeyScope::Chosen(chosen),
    };
    let new = NewRelayKey {
        organization: app.organization.id.clone(),
        name: "near".into(),
        description: String::new(),
        scope,
    };
    let made = app
        .store
        .create_relay_key(&new, &Actor::operator(), burgee_server::now())
        .await;
    let (key, secret) = made.unwrap();
    (key.id.to_string(), secret)
}

async fn revoke(app: &App, key: String) {
    let (organization, key) = (&app.organization.id, Id::new(key));
    let (actor, now) = (Actor::operator(), burgee_server::now());
    let revoked = app.store.revoke_relay_key(organization, &key, &actor, now);
    revoked.await.unwrap();
}

/// How relays are fed.
#[derive(Clone, Copy)]
enum Fed {
    Upstream,
    Nats,
}

/// A server, and what relays of it connect to.
struct Rig {
    app: App,
    nats: Option<Nats>,
}

impl Rig {
    async fn start(database: Database, fed: Fed) -> Self {
        let mut data = Data::new(database).await;
        let nats = match fed {
            Fed::Upstream => None,
            Fed::Nats => Some(Nats::start("").unwrap()),
        };
        data.backbone = nats.as_ref().map(|nats| backbone(&nats.url()));
        let app = App::start_on(data).await;
        Self { app, nats }
    }

    /// Where relays connect.
    fn address(&self) -> SocketAddr {
        let nats = self.nats.as_ref().map(Nats::address);
        nats.unwrap_or_else(|| self.app.address())
    }

    /// A relay below `folder`, fed from `address`, with all environments or these of `default`.
    async fn relay(&self, address: SocketAddr, environments: &[&str], folder: &Path) -> Relay {
        if self.nats.is_none() {
            let (_, key) = relay_key(&self.app, environments).await;
            return relay(address, &key, folder).await;
        }
        let mut scope = Vec::new();
        for key in environments {
            scope.push(id(&self.app, key).await);
        }
        let url = format!("nats://{address}");
        follower(&url, Some(scope).filter(|it| !it.is_empty()), folder).await
    }

    async fn stop(self) {
        self.app.stop().await;
    }
}

/// Tells a story with each way to feed relays, on each database.
async fn on_each_feed(story: impl AsyncFn(&Rig)) {
    for fed in [Fed::Upstream, Fed::Nats] {
        for database in [Database::Sqlite, Database::Postgres] {
            let rig = Rig::start(database, fed).await;
            story(&rig).await;
            rig.stop().await;
        }
    }
}

fn backbone(url: &str) -> Backbone {
    Backbone {
        servers: url.parse().unwrap(),
        credentials: None,
    }
}

/// The id of an environment of `default`.
async fn id(app: &App, key: &str) -> String {
    let path = format!("projects/default/environments/{key}");
    let found = app.owner.get(&path).await.expect(200);
    found["id"].as_str().unwrap().to_owned()
}

/// A relay below `folder` that follows NATS.
async fn follower(url: &str, scope: Option<Vec<String>>, folder: &Path) -> Relay {
    let from = From::Backbone {
        follow: Follow {
            backbone: backbone(url),
            scope,
        },
        folder: folder.join("relay"),
        name: "near".into(),
        spool: 1 << 20,
    };
    Relay::start(config(from)).await.unwrap()
}

/// A relay below `folder`, fed from `upstream`.
async fn relay(upstream: SocketAddr, key: &str, folder: &Path) -> Relay {
    let config = config(from_upstream(upstream, key, folder));
    Relay::start(config).await.unwrap()
}

fn from_upstream(upstream: SocketAddr, key: &str, folder: &Path) -> From {
    From::Upstream {
        address: format!("http://{upstream}").parse().unwrap(),
        key: key.to_owned(),
        folder: folder.join("relay"),
        name: "near".into(),
        spool: 1 << 20,
    }
}

fn config(from: From) -> Config {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    Config {
        listen: any,
        share_port: false,
        tls: None,
        metrics_listen: any,
        from,
        grace: GRACE,
        drain: Duration::from_secs(5),
    }
}

/// How long something may take to come about before a test fails.
const PATIENCE: Duration = Duration::from_secs(60);

/// Looks again and again, until there is something.
async fn until_some<T>(mut look: impl AsyncFnMut() -> Option<T>) -> T {
    let looking = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    };
    let found = tokio::time::timeout(PATIENCE, looking).await;
    found.expect("it comes about")
}

/// Waits until the API lists a user of `prod`.
async fn until_known(app: &App, user: &str) -> Value {
    let path = format!("projects/default/environments/prod/users/{user}");
    until_some(async || {
        let found = app.owner.get(&path).await;
        (found.status == 200).then(|| found.expect(200))
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_serves_what_its_key_opens() {
    on_each_feed(async |rig| {
        let app = &rig.app;
        let folder = tempfile::tempdir().unwrap();
        app.apply(flag_on("f")).await;
        let near = rig.relay(rig.address(), &["prod"], folder.path()).await;
        near.ready().await;
        let keys = app.keys("prod").await;
        let mut client = Sdk::client(near.address(), &keys.client.secret, &person("ana"));
        let mut server = Sdk::server(near.address(), &keys.server.secret);
        assert_eq!(client.value("f"), Some("true"));
        assert_eq!(server.flags, app.server_sdk("prod").await.flags);

        // What changes, comes; so does who was there, the other way.
        app.apply(json!([in_prod("turnOff", "f"), create("g")]))
            .await;
        client.until(|sdk| sdk.value("f") == Some("false"));
        server.until(|sdk| sdk.is_on("f") == Some(false));
        until_known(app, "ana").await;

        // A key that was made a moment ago is good here too, until it is revoked.
        let path = "projects/default/environments/prod/sdk-keys";
        let new = json!({"kind": "server", "name": "late"});
        let made = app.owner.post(path, &new).await.expect(201);
        let mut late = Sdk::server(near.address(), made["secret"].as_str().unwrap());
        assert_eq!(late.is_on("f"), Some(false));
        let one = format!("{path}/{}", made["id"].as_str().unwrap());
        app.owner.delete(&one).await.expect(204);
        assert_eq!(late.close_code(), 4003);

        // That there is no such key is for the store to say; it does not say it of others' keys.
        let stranger = "x".repeat(44);
        let mut stranger = Sdk::connect(near.address(), Kind::Server, &stranger);
        assert_eq!(stranger.close_code(), 4003);
        let dev = app.keys("dev").await.server.secret;
        let mut outside = Sdk::connect(near.address(), Kind::Server, &dev);
        assert_eq!(outside.close_code(), 1011);
        near.stop().await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_whose_key_is_revoked_gets_no_more_and_one_with_a_wrong_key_nothing() {
    let app = App::start(Database::Sqlite).await;
    let folder = tempfile::tempdir().unwrap();
    app.apply(flag_on("f")).await;
    let (id, key) = relay_key(&app, &[]).await;
    let near = relay(app.address(), &key, folder.path()).await;
    near.ready().await;
    let keys = app.keys("prod").await;
    let mut sdk = Sdk::server(near.address(), &keys.server.secret);
    revoke(&app, id).await;
    near.disconnected().await;
    app.apply(json!([in_prod("turnOff", "f")])).await;
    // It goes on with what it has: SDKs are not to suffer for a relay's key.
    sdk.settle();
    assert_eq!(sdk.is_on("f"), Some(true));
    // What it does not know, nobody tells it.
    let mut stranger = Sdk::connect(near.address(), Kind::Server, &"x".repeat(44));
    assert_eq!(stranger.close_code(), 1011);
    near.stop().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sdks_of_an_environment_that_a_relay_loses_are_told_to_come_back() {
    let app = App::start(Database::Sqlite).await;
    let folder = tempfile::tempdir().unwrap();
    app.apply(flag_on("f")).await;
    let (id, key) = relay_key(&app, &["prod", "dev"]).await;
    let near = relay(app.address(), &key, folder.path()).await;
    near.ready().await;
    let prod = app.keys("prod").await.server.secret;
    let mut sdk = Sdk::server(near.address(), &prod);
    let dev = app.owner.get("projects/default/environments/dev").await;
    let dev = Id::new(dev.expect(200)["id"].as_str().unwrap());
    let (organization, id) = (&app.organization.id, Id::new(id));
    let narrower = RelayKeyEdit {
        scope: Some(RelayKeyScope::Chosen(vec![dev])),
        ..RelayKeyEdit::default()
    };
    let (actor, now) = (Actor::operator(), burgee_server::now());
    let edited = app
        .store
        .update_relay_key(organization, &id, &narrower, &actor, now);
    edited.await.unwrap();
    // Their keys are good, and nobody says otherwise.
    assert_eq!(sdk.close_code(), 1001);
    let mut again = Sdk::connect(near.address(), Kind::Server, &prod);
    assert_eq!(again.close_code(), 1011);
    near.stop().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_goes_on_without_its_upstream_and_catches_up() {
    for fed in [Fed::Upstream, Fed::Nats] {
        let rig = Rig::start(Database::Sqlite, fed).await;
        goes_on_and_catches_up(rig).await;
    }
}

async fn goes_on_and_catches_up(rig: Rig) {
    let app = &rig.app;
    let folder = tempfile::tempdir().unwrap();
    app.apply(flag_on("f")).await;
    let network = Network::to(rig.address()).await;
    let near = rig.relay(network.address(), &[], folder.path()).await;
    near.ready().await;
    let keys = app.keys("prod").await;
    let mut sdk = Sdk::server(near.address(), &keys.server.secret);

    // The connection breaks; meanwhile things change, and somebody new comes.
    network.cut();
    near.disconnected().await;
    app.apply(json!([in_prod("turnOff", "f")])).await;
    let alone = Sdk::client(near.address(), &keys.client.secret, &person("ben"));
    assert_eq!(alone.value("f"), Some("true"));
    near.spooled().await;
    network.mend();
    sdk.until(|sdk| sdk.is_on("f") == Some(false));
    until_known(app, "ben").await;

    // It starts from its disk, with nobody there; what waited on the disk still waits.
    network.cut();
    near.disconnected().await;
    drop(Sdk::client(
        near.address(),
        &keys.client.secret,
        &person("cleo"),
    ));
    near.spooled().await;
    near.stop().await;
    let near = rig.relay(network.address(), &[], folder.path()).await;
    near.ready().await;
    let mut sdk = Sdk::server(near.address(), &keys.server.secret);
    assert_eq!(sdk.is_on("f"), Some(false));
    app.apply(json!([in_prod("turnOn", "f")])).await;
    let rig = Rig {
        app: rig.app.restart().await,
        ..rig
    };
    network.point(rig.address());
    network.mend();
    sdk.until(|sdk| sdk.is_on("f") == Some(true));
    until_known(&rig.app, "cleo").await;
    near.stop().await;
    rig.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_that_starts_gives_its_upstream_a_moment_to_be_newer_than_its_disk() {
    let app = App::start(Database::Sqlite).await;
    let folder = tempfile::tempdir().unwrap();
    app.apply(flag_on("f")).await;
    let network = Network::to(app.address()).await;
    let (_, key) = relay_key(&app, &[]).await;
    let near = relay(network.address(), &key, folder.path()).await;
    near.ready().await;
    near.stop().await;
    app.apply(json!([in_prod("turnOff", "f")])).await;
    let client = app.keys("prod").await.client.secret;

    network.stall(true, true);
    let config = Config {
        // However slow this machine is.
        grace: PATIENCE,
        ..config(from_upstream(network.address(), &key, folder.path()))
    };
    let near = Relay::start(config).await.unwrap();
    let mend = async {
        // What is on the disk could be served long before.
        tokio::time::sleep(Duration::from_millis(200)).await;
        network.mend();
    };
    let come = async {
        near.ready().await;
        Sdk::client(near.address(), &client, &person("ana"))
    };
    let ((), sdk) = tokio::join!(mend, come);
    assert_eq!(sdk.value("f"), Some("false"));
    near.stop().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_behind_a_relay_gets_what_both_keys_open() {
    let app = App::start(Database::Sqlite).await;
    let (first, second) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    app.apply(flag_on("f")).await;
    let (_, key) = relay_key(&app, &["prod"]).await;
    let (id, further) = relay_key(&app, &["prod", "dev"]).await;
    let near = relay(app.address(), &key, first.path()).await;
    near.ready().await;
    let far = relay(near.address(), &further, second.path()).await;
    far.ready().await;
    let keys = app.keys("prod").await;
    let mut sdk = Sdk::client(far.address(), &keys.client.secret, &person("dora"));
    app.apply(json!([in_prod("turnOff", "f")])).await;
    sdk.until(|sdk| sdk.value("f") == Some("false"));
    until_known(&app, "dora").await;
    let dev = app.keys("dev").await.server.secret;
    let mut outside = Sdk::connect(far.address(), Kind::Server, &dev);
    assert_eq!(outside.close_code(), 1011);
    // A key that nobody has is refused by the store, two relays away.
    let mut stranger = Sdk::connect(far.address(), Kind::Server, &"x".repeat(44));
    assert_eq!(stranger.close_code(), 4003);
    revoke(&app, id).await;
    far.disconnected().await;
    far.stop().await;
    near.stop().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_without_a_network_serves_a_file_and_a_newer_one() {
    let app = App::start(Database::Sqlite).await;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("state");
    app.apply(flag_on("f")).await;
    let keys = app.keys("prod").await;
    let environments = app.store.environments_of(&app.organization.id).await;
    let ids: Vec<String> = environments.unwrap().into_iter().map(|it| it.id).collect();
    let export = async || {
        let whole = relays::whole(&app.store, &ids).await.unwrap();
        state_file::write(&file, &whole).unwrap();
    };
    export().await;
    let relay = Relay::start(config(From::File(file.clone())))
        .await
        .unwrap();
    relay.ready().await;
    let mut sdk = Sdk::client(relay.address(), &keys.client.secret, &person("eve"));
    assert_eq!(sdk.value("f"), Some("true"));
    let mut stranger = Sdk::connect(relay.address(), Kind::Server, &"x".repeat(44));
    assert_eq!(stranger.close_code(), 1011);
    // One that is cut off is not taken; the one after it is.
    std::fs::write(&file, b"burgee-state-1\n\0\0\0\x09half").unwrap();
    app.apply(json!([in_prod("turnOff", "f")])).await;
    export().await;
    sdk.until(|sdk| sdk.value("f") == Some("false"));
    relay.stop().await;
    app.stop().await;
}
