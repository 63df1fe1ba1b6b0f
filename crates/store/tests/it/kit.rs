//! Stores to tell stories on.

use std::collections::BTreeMap;
use std::path::PathBuf;

use burgee_domain::access::Rights;
use burgee_domain::key::Key;
use burgee_domain::model::{Environment, Organization, Project};
use burgee_eval::time::Millis;
use burgee_store::dialect::Dialect;
use burgee_store::edge::State;
use burgee_store::{Actor, Applied, ChangeSetRequest, Location, Store};
use serde_json::{Value, json};
use sqlx::{AnyConnection, Connection};
use tempfile::TempDir;

/// A moment that stories begin at.
pub(crate) const NOW: Millis = Millis(1_800_000_000_000);

/// A moment `ms` after [`NOW`].
pub(crate) fn later(ms: i64) -> Millis {
    Millis(NOW.0 + ms)
}

pub(crate) fn key(text: &str) -> Key {
    Key::new(text).unwrap()
}

/// An empty database with its schema, and how to open it once more.
pub(crate) struct Database {
    pub(crate) store: Store,
    location: Location,
    /// Removed at the end.
    _folder: Option<TempDir>,
}

impl Database {
    /// Opens the same database as another process would.
    pub(crate) async fn another(&self) -> Store {
        Store::open(self.location.clone()).await.unwrap()
    }

    /// Where it is, for another process.
    pub(crate) fn location_text(&self) -> String {
        match &self.location {
            Location::Folder(folder) => format!("folder:{}", folder.display()),
            Location::Postgres(url) => url.clone(),
        }
    }

    /// The files of an embedded database that have a text somewhere.
    pub(crate) fn files_with(&self, text: &str) -> Vec<PathBuf> {
        let Location::Folder(folder) = &self.location else {
            return Vec::new();
        };
        let files = std::fs::read_dir(folder).unwrap();
        let files = files.map(|file| file.unwrap().path());
        let has = |file: &PathBuf| {
            let bytes = std::fs::read(file).unwrap();
            bytes.windows(text.len()).any(|it| it == text.as_bytes())
        };
        files.filter(has).collect()
    }

    /// A connection past the store, to the truth.
    pub(crate) async fn raw(&self) -> AnyConnection {
        self.connect("burgee.db").await
    }

    /// A connection past the store, to the traffic.
    pub(crate) async fn raw_traffic(&self) -> AnyConnection {
        self.connect("traffic.db").await
    }

    async fn connect(&self, file: &str) -> AnyConnection {
        let url = match &self.location {
            Location::Folder(folder) => format!("sqlite://{}/{file}", folder.display()),
            Location::Postgres(url) => url.clone(),
        };
        AnyConnection::connect(&url).await.unwrap()
    }
}

/// An empty database of one kind.
pub(crate) async fn database(dialect: Dialect) -> Database {
    let (location, folder) = match dialect {
        Dialect::Sqlite => {
            let folder = tempfile::tempdir().unwrap();
            (Location::Folder(folder.path().join("data")), Some(folder))
        }
        Dialect::Postgres => {
            let url = burgee_testkit::postgres::database().await.unwrap();
            (Location::Postgres(url), None)
        }
    };
    let store = Store::open(location.clone()).await.unwrap();
    store.migrate().await.unwrap();
    Database {
        store,
        location,
        _folder: folder,
    }
}

/// Tells a story on SQLite, then on PostgreSQL.
pub(crate) async fn for_each_database(story: impl AsyncFn(&Database)) {
    for dialect in [Dialect::Sqlite, Dialect::Postgres] {
        let database = database(dialect).await;
        story(&database).await;
        database.store.close().await;
    }
}

/// The default organization and project after a first start, with `prod` and `dev`.
pub(crate) struct House {
    pub(crate) organization: Organization,
    pub(crate) project: Project,
    pub(crate) prod: Environment,
    pub(crate) dev: Environment,
}

pub(crate) async fn house(store: &Store) -> House {
    let organization = store.first_start(NOW).await.unwrap().organization;
    let project = store
        .project(&organization.id, &key("default"))
        .await
        .unwrap();
    House {
        prod: store.environment(&project.id, &key("prod")).await.unwrap(),
        dev: store.environment(&project.id, &key("dev")).await.unwrap(),
        organization,
        project,
    }
}

/// A change set by the operator at [`NOW`]; `commands` is a JSON list.
pub(crate) fn request(house: &House, commands: Value) -> ChangeSetRequest {
    ChangeSetRequest {
        id: None,
        organization: house.organization.id.clone(),
        actor: Actor::operator(),
        rights: Rights::everything(),
        comment: String::new(),
        base: BTreeMap::new(),
        commands: serde_json::from_value(commands).unwrap(),
        override_reason: None,
        dry_run: false,
        now: NOW,
    }
}

/// Applies a change set that must succeed.
pub(crate) async fn apply(store: &Store, house: &House, commands: Value) -> Applied {
    store.apply(&request(house, commands)).await.unwrap()
}

/// A boolean flag `key`, turned on in `prod`.
pub(crate) fn flag_on(key: &str) -> Value {
    json!([
        {"kind": "createFlag", "project": "default", "flag": key, "type": "boolean"},
        {"kind": "turnOn", "project": "default", "environment": "prod", "flag": key},
    ])
}

/// A command on a flag in an environment of the default project.
pub(crate) fn on_flag(kind: &str, environment: &str, key: &str) -> Value {
    json!({"kind": kind, "project": "default", "environment": environment, "flag": key})
}

/// A command on a flag as a whole.
pub(crate) fn on_whole(kind: &str, key: &str) -> Value {
    json!({"kind": kind, "project": "default", "flag": key})
}

/// What an environment serves.
pub(crate) async fn state(store: &Store, environment: &Environment) -> State {
    let state = store.edge().state(environment.id.as_str()).await.unwrap();
    state.unwrap()
}

/// The ids of a flag's variations: what is served while on, and while off.
pub(crate) async fn variations(store: &Store, house: &House, flag: &str) -> (String, String) {
    let flag = store
        .flag(&house.project.id, &key(flag))
        .await
        .unwrap()
        .flag;
    (flag.default_on, flag.default_off)
}
