//! A whole installation out of real processes: servers on one PostgreSQL, relays behind them or
//! behind NATS, people who change flags and SDKs that listen, all the time. A test takes parts of it
//! away, and asks at the end whether all is as was promised ([`Cluster::verdict`]).
//!
//! It is driven from outside, by signals, the API and SDK connections: it knows of `burgee` only the
//! command line.
#![allow(
    clippy::panic,
    clippy::expect_used,
    reason = "a test that cannot go on stops here"
)]

pub mod ledger;
pub mod node;
pub mod process;
pub mod verdict;
pub mod watchers;

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::api::Api;
use crate::nats::Nats;
use crate::postgres::Postgres;
use crate::sdk::Kind;
use ledger::writers::{Pace, Writing};
use ledger::{Keys, Ledger};
use node::{Launch, Node};
use process::unheeding;
use watchers::{Watch, Watchers};

/// How often what tells nobody that it changed is looked at.
const LOOK: Duration = Duration::from_millis(50);

/// What an installation is made of.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The program `burgee`.
    pub program: PathBuf,
    /// How many servers.
    pub servers: usize,
    /// How many relays; the first hangs on the first server, and so on by turns.
    pub relays: usize,
    /// With NATS, which servers feed and relays follow.
    pub nats: bool,
    /// Further arguments of the servers.
    pub server_arguments: Vec<String>,
    /// The database's URL as servers are told it, where that is not the rig's own socket; there is
    /// none of the rig's then.
    pub database: Option<String>,
}

/// A running installation.
pub struct Cluster {
    /// Servers.
    pub servers: Vec<Node>,
    /// Relays.
    pub relays: Vec<Node>,
    /// The database's server; none where the plan named a database.
    pub postgres: Option<Postgres>,
    /// NATS, where there is.
    pub nats: Option<Nats>,
    /// The database's URL.
    pub database: String,
    /// An owner's token.
    pub token: String,
    /// SDK keys of `prod` and `dev`.
    pub keys: Keys,
    /// What people wrote.
    pub ledger: Ledger,
    plan: Plan,
    /// Nodes' folders, removed at the end.
    folder: TempDir,
}

impl Cluster {
    /// Starts all of it, and waits until it serves.
    ///
    /// # Panics
    /// Where something does not start.
    pub async fn start(plan: Plan) -> Self {
        let postgres = match plan.database {
            Some(_) => None,
            None => Some(blocking(|| Postgres::start().expect("PostgreSQL")).await),
        };
        Self::start_on(plan, postgres).await
    }

    /// The same on a PostgreSQL of the test's; none where the plan names a database.
    ///
    /// # Panics
    /// Where something does not start.
    pub async fn start_on(plan: Plan, postgres: Option<Postgres>) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let database = match (&plan.database, &postgres) {
            (Some(database), _) => database.clone(),
            (None, Some(postgres)) => {
                point(folder.path(), postgres);
                by_way_of(
                    folder.path(),
                    &postgres.database().await.expect("a database"),
                )
            }
            (None, None) => panic!("a cluster has a database"),
        };
        let nats = match plan.nats {
            true => Some(blocking(|| Nats::start("").expect("NATS")).await),
            false => None,
        };
        let admin = Admin {
            program: plan.program.clone(),
            database: database.clone(),
        };
        let token = admin.token();
        let servers = servers(&plan, &database, nats.as_ref(), &folder).await;
        let api = Api::new(servers[0].address).with_token(&token);
        let ledger = Ledger::open(&api).await;
        let keys = Keys {
            prod: admin.sdk_keys("prod"),
            dev: admin.sdk_keys("dev"),
        };
        let mut cluster = Self {
            servers,
            relays: Vec::new(),
            postgres,
            nats,
            database,
            token,
            keys,
            ledger,
            plan,
            folder,
        };
        for _ in 0..cluster.plan.relays {
            cluster.add_relay().await;
        }
        cluster
    }

    /// One more relay, fed by NATS where there is, else by one of the servers in turn.
    ///
    /// # Panics
    /// Where it does not start.
    pub async fn add_relay(&mut self) -> &mut Node {
        let server = &self.servers[self.relays.len() % self.servers.len()];
        let fed = match &self.nats {
            Some(nats) => vec!["--backbone".to_owned(), nats.url()],
            None => {
                let upstream = format!("http://{}", server.address);
                vec![
                    "--upstream".to_owned(),
                    upstream,
                    "--key".to_owned(),
                    self.relay_key().await,
                ]
            }
        };
        self.add_relay_fed(fed).await
    }

    /// One more relay, with these arguments that say what feeds it.
    ///
    /// # Panics
    /// Where it does not start.
    pub async fn add_relay_fed(&mut self, fed: Vec<String>) -> &mut Node {
        let name = format!("relay {}", self.relays.len());
        let folder = self.folder.path().join(&name);
        let mut arguments = vec!["relay".to_owned(), "--name".to_owned(), name.clone()];
        arguments.extend(["--data-dir".to_owned(), folder.display().to_string()]);
        arguments.extend(fed);
        let launch = Launch {
            program: self.plan.program.clone(),
            arguments,
            ..Launch::default()
        };
        let mut relay = Node::new(name, launch, &folder);
        relay.start().await;
        self.relays.push(relay);
        let last = self.relays.len() - 1;
        &mut self.relays[last]
    }

    /// A new relay key for all environments.
    ///
    /// # Panics
    /// Where it cannot be made.
    pub async fn relay_key(&self) -> String {
        let new = json!({ "name": "a relay", "scope": { "all": true } });
        let made = self.api(0).post("relay-keys", &new).await.expect(201);
        made["secret"].as_str().expect("its secret").to_owned()
    }

    /// The owner, at a server.
    pub fn api(&self, server: usize) -> Api {
        Api::new(self.servers[server].address).with_token(&self.token)
    }

    /// The owner, at each server.
    pub fn apis(&self) -> Vec<Api> {
        (0..self.servers.len()).map(|it| self.api(it)).collect()
    }

    /// All nodes: servers, then relays.
    pub fn nodes(&self) -> impl Iterator<Item = &Node> {
        self.servers.iter().chain(&self.relays)
    }

    /// People begin to write, `pause` between two changes of one of them; they turn to another server
    /// where theirs does not answer. `first` is the number of their first change: higher each time.
    pub fn write(&self, first: usize, pause: Duration) -> Writing {
        let pace = Pace {
            first,
            pause,
            insists: true,
        };
        self.ledger.write(&self.apis(), pace)
    }

    /// So many SDKs of each kind begin to listen at each node (`prod`), and as many that come and go
    /// within a second or two.
    pub fn watch(&self, many: usize) -> Watchers {
        let each = |node: &Node| {
            let (address, deaths) = (node.address, Arc::clone(&node.deaths));
            let (client, server) = &self.keys.prod;
            let kinds = [(Kind::Client, client), (Kind::Server, server)];
            let leaving = [None, Some(Duration::from_secs(2))];
            let all = kinds.into_iter().flat_map(move |(kind, secret)| {
                leaving.map(|leaves_within| Watch {
                    address,
                    kind,
                    secret: secret.clone(),
                    leaves_within,
                    deaths: Arc::clone(&deaths),
                })
            });
            all.collect::<Vec<_>>()
        };
        let watches = self.nodes().flat_map(each);
        Watchers::start(watches.flat_map(|watch| vec![watch; many]))
    }

    /// Its PostgreSQL.
    ///
    /// # Panics
    /// Where the plan named a database.
    pub fn postgres(&mut self) -> &mut Postgres {
        self.postgres.as_mut().expect("a PostgreSQL of the rig's")
    }

    /// From now on who connects to the database connects to this server, as a name or a proxy would
    /// have it.
    ///
    /// # Panics
    /// Where the file system refuses.
    pub fn point(&self, postgres: &Postgres) {
        point(self.folder.path(), postgres);
    }

    /// Runs an admin command of `burgee` on the database that must work and answer JSON.
    ///
    /// # Panics
    /// Where it does not work.
    pub fn json(&self, command: &[&str]) -> Value {
        self.admin().json(command)
    }

    /// Runs an admin command of `burgee` on the database that must work; what it says.
    ///
    /// # Panics
    /// Where it does not work.
    pub fn run(&self, command: &[&str]) -> String {
        self.admin().run(command)
    }

    fn admin(&self) -> Admin {
        Admin {
            program: self.plan.program.clone(),
            database: self.database.clone(),
        }
    }
}

/// Puts a link to a PostgreSQL server's socket into a folder.
fn point(folder: &Path, postgres: &Postgres) {
    let new = folder.join("new");
    symlink(postgres.socket(), &new).expect("a link");
    // In one step: there is always one.
    std::fs::rename(new, folder.join(".s.PGSQL.5432")).expect("a link");
}

/// The URL of a database, by the link in a folder.
fn by_way_of(folder: &Path, url: &str) -> String {
    let (database, _) = url.split_once("?host=").expect("a socket's folder");
    format!("{database}?host={}", folder.display())
}

async fn servers(plan: &Plan, database: &str, nats: Option<&Nats>, folder: &TempDir) -> Vec<Node> {
    let mut servers = Vec::new();
    for number in 0..plan.servers {
        let name = format!("server {number}");
        let own = folder.path().join(&name);
        // Tests ask as fast as they can.
        let mut arguments = [
            "server",
            "--requests-per-second",
            "0",
            "--database",
            database,
        ]
        .map(str::to_owned)
        .to_vec();
        if let Some(nats) = nats {
            arguments.extend(["--backbone".to_owned(), nats.url()]);
        }
        arguments.extend(plan.server_arguments.clone());
        let launch = Launch {
            program: plan.program.clone(),
            arguments,
            ..Launch::default()
        };
        let mut server = Node::new(name, launch, &own);
        server.start().await;
        servers.push(server);
    }
    servers
}

/// Commands on the database, without a server.
struct Admin {
    program: PathBuf,
    database: String,
}

impl Admin {
    fn run(&self, command: &[&str]) -> String {
        let mut ask = unheeding(&self.program.to_string_lossy());
        ask.args(command).args(["--database", &self.database]);
        run(&mut ask)
    }

    fn json(&self, command: &[&str]) -> Value {
        let output = self.run(command);
        serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {output}"))
    }

    fn token(&self) -> String {
        let command = [
            "token", "create", "--name", "me", "--policy", "owner", "--json",
        ];
        let made = self.json(&command);
        made["token"].as_str().expect("a token").to_owned()
    }

    fn sdk_keys(&self, environment: &str) -> (String, String) {
        let command = [
            "sdk-keys",
            "--project",
            "default",
            "--environment",
            environment,
            "--json",
        ];
        let keys = self.json(&command);
        let key = |kind: &str| keys[kind].as_str().expect("a key").to_owned();
        (key("client"), key("server"))
    }
}

fn run(command: &mut Command) -> String {
    let output = command.stdin(Stdio::null()).output().expect("it runs");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{command:?}: {errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    tokio::task::spawn_blocking(work).await.expect("it ends")
}
