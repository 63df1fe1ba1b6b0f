//! A running server on temporary data, and short ways to say what stories are made of.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use burgee_domain::model::Organization;
use burgee_relay::backbone::Backbone;
use burgee_server::{Config, Rates, Server, setup};
use burgee_store::{Location, Store};
use burgee_testkit::api::Api;
use burgee_testkit::sdk::Sdk;
use serde_json::{Value, json};
use tempfile::TempDir;

/// Where a story is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Database {
    Sqlite,
    Postgres,
}

/// Tells a story on SQLite, then on PostgreSQL.
pub(crate) async fn on_each_database(story: impl AsyncFn(&App)) {
    for database in [Database::Sqlite, Database::Postgres] {
        let app = App::start(database).await;
        story(&app).await;
        app.stop().await;
    }
}

/// Empty data, to be served.
pub(crate) struct Data {
    pub(crate) location: Location,
    /// The NATS that its servers join.
    pub(crate) backbone: Option<Backbone>,
    /// Removed at the end.
    own: TempDir,
}

impl Data {
    pub(crate) async fn new(database: Database) -> Self {
        let own = tempfile::tempdir().unwrap();
        let location = match database {
            Database::Sqlite => Location::Folder(own.path().join("data")),
            Database::Postgres => {
                Location::Postgres(burgee_testkit::postgres::database().await.unwrap())
            }
        };
        Self {
            location,
            backbone: None,
            own,
        }
    }

    /// Starts a server on it, on a free port.
    pub(crate) async fn serve(&self) -> Server {
        let any = SocketAddr::from(([127, 0, 0, 1], 0));
        let config = Config {
            listen: any,
            metrics_listen: any,
            // Stories ask as fast as they can.
            rates: Rates::of(None),
            instance_key_file: Some(self.own.path().join("instance.key")),
            backbone: self.backbone.clone(),
            ..Config::new(self.location.clone())
        };
        Server::start(config).await.unwrap()
    }

    /// The folder of an embedded database.
    pub(crate) fn folder(&self) -> &Path {
        match &self.location {
            Location::Folder(folder) => folder,
            Location::Postgres(_) => panic!("it lies in no folder"),
        }
    }

    /// The database's URL, for a look past the store.
    pub(crate) fn url(&self) -> String {
        let file = |folder: &PathBuf| format!("sqlite://{}/burgee.db", folder.display());
        match &self.location {
            Location::Folder(folder) => file(folder),
            Location::Postgres(url) => url.clone(),
        }
    }
}

/// A running server with a caller of each policy.
pub(crate) struct App {
    pub(crate) data: Data,
    server: Server,
    /// The same data, as another process would have it open.
    pub(crate) store: Store,
    pub(crate) organization: Organization,
    /// May do everything.
    pub(crate) owner: Api,
    /// The owner's token.
    pub(crate) token: String,
}

impl App {
    pub(crate) async fn start(database: Database) -> Self {
        Self::start_on(Data::new(database).await).await
    }

    /// Starts on empty data.
    pub(crate) async fn start_on(data: Data) -> Self {
        let server = data.serve().await;
        let store = Store::open(data.location.clone()).await.unwrap();
        let organization = setup::organization(&store).await.unwrap();
        let token =
            setup::create_token(&store, &organization, "olivia", &["owner".to_owned()]).await;
        let token = token.unwrap();
        Self {
            owner: Api::new(server.address()).with_token(&token),
            data,
            server,
            store,
            organization,
            token,
        }
    }

    pub(crate) async fn stop(self) {
        self.store.close().await;
        self.server.stop().await;
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.server.address()
    }

    /// What it counts, as Prometheus reads it.
    pub(crate) async fn metrics(&self) -> String {
        let url = format!("http://{}/metrics", self.server.metrics_address());
        let answer = reqwest::get(url).await.unwrap();
        answer.text().await.unwrap()
    }

    /// Without a token.
    pub(crate) fn nobody(&self) -> Api {
        Api::new(self.address())
    }

    /// With a new token of this policy.
    pub(crate) async fn caller(&self, name: &str, policy: &str) -> Api {
        let policies = [policy.to_owned()];
        let token = setup::create_token(&self.store, &self.organization, name, &policies).await;
        self.nobody().with_token(&token.unwrap())
    }

    /// The server goes away and comes back, on the same data but on another port.
    pub(crate) async fn restart(self) -> Self {
        self.server.stop().await;
        let server = self.data.serve().await;
        Self {
            owner: Api::new(server.address()).with_token(&self.token),
            server,
            ..self
        }
    }

    /// As [`Self::restart`]; `then` is done while no server runs.
    pub(crate) async fn restart_with(self, then: impl AsyncFnOnce()) -> Self {
        self.server.stop().await;
        then().await;
        let server = self.data.serve().await;
        Self {
            owner: Api::new(server.address()).with_token(&self.token),
            server,
            ..self
        }
    }

    /// The server stops, `then` is done to its data, and it comes back.
    pub(crate) async fn restart_after(self, then: impl FnOnce(&Data)) -> Self {
        self.store.close().await;
        self.server.stop().await;
        then(&self.data);
        let store = Store::open(self.data.location.clone()).await.unwrap();
        let server = self.data.serve().await;
        Self {
            owner: Api::new(server.address()).with_token(&self.token),
            server,
            store,
            ..self
        }
    }

    /// The keys of an environment.
    pub(crate) async fn keys(&self, environment: &str) -> Keys {
        keys(&self.owner, environment).await
    }

    /// Applies commands in the project `default`, which must work; the answer.
    pub(crate) async fn apply(&self, commands: Value) -> Value {
        apply(&self.owner, commands).await
    }

    /// A server SDK in an environment of `default`.
    pub(crate) async fn server_sdk(&self, environment: &str) -> Sdk {
        Sdk::server(self.address(), &self.keys(environment).await.server.secret)
    }

    /// A client SDK in an environment of `default`, for this user.
    pub(crate) async fn client_sdk(&self, environment: &str, user: &str) -> Sdk {
        let keys = self.keys(environment).await;
        Sdk::client(self.address(), &keys.client.secret, &person(user))
    }
}

/// An SDK key.
pub(crate) struct Key {
    pub(crate) id: String,
    pub(crate) secret: String,
}

/// The first keys of an environment.
pub(crate) struct Keys {
    pub(crate) client: Key,
    pub(crate) server: Key,
}

/// The first keys of an environment of `default`.
pub(crate) async fn keys(api: &Api, environment: &str) -> Keys {
    let path = format!("projects/default/environments/{environment}/sdk-keys");
    let listed = api.get(&path).await.expect(200);
    let of = |kind: &str| {
        let keys = listed["items"].as_array().unwrap();
        let key = keys.iter().find(|key| key["kind"] == kind).unwrap();
        Key {
            id: key["id"].as_str().unwrap().to_owned(),
            secret: key["secret"].as_str().unwrap().to_owned(),
        }
    };
    Keys {
        client: of("client"),
        server: of("server"),
    }
}

/// Applies commands in the project `default`, which must work; the answer.
pub(crate) async fn apply(api: &Api, commands: Value) -> Value {
    let body = json!({ "commands": commands });
    api.post("projects/default/changes", &body)
        .await
        .expect(200)
}

/// A user without properties.
pub(crate) fn person(key: &str) -> Value {
    json!({ "keyId": key, "name": key, "customizedProperties": [] })
}

/// A user with one property.
pub(crate) fn person_with(key: &str, property: &str, value: &str) -> Value {
    json!({ "keyId": key, "name": key,
        "customizedProperties": [{ "name": property, "value": value }] })
}

/// A new boolean flag.
pub(crate) fn create(flag: &str) -> Value {
    json!({ "kind": "createFlag", "flag": flag, "type": "boolean" })
}

/// A command without further fields on a flag's targeting in `prod`.
pub(crate) fn in_prod(kind: &str, flag: &str) -> Value {
    json!({ "kind": kind, "flag": flag, "environment": "prod" })
}

/// The commands that make a boolean flag which is on in `prod`.
pub(crate) fn flag_on(flag: &str) -> Value {
    json!([create(flag), in_prod("turnOn", flag)])
}

/// The ids of a boolean flag's variations: of true and of false.
pub(crate) async fn variations(api: &Api, flag: &str) -> (String, String) {
    let flag = api
        .get(&format!("projects/default/flags/{flag}"))
        .await
        .expect(200);
    let id = |value: &str| {
        let variations = flag["variations"].as_array().unwrap();
        let found = variations.iter().find(|it| it["value"] == value).unwrap();
        found["id"].as_str().unwrap().to_owned()
    };
    (id("true"), id("false"))
}

/// The texts of a field of a page's items.
pub(crate) fn texts(page: &Value, field: &str) -> Vec<String> {
    let items = page["items"].as_array().unwrap();
    items
        .iter()
        .map(|item| item[field].as_str().unwrap().to_owned())
        .collect()
}
