//! `make demo-cluster`: an installation of several nodes on this machine, and a table of who has which
//! version, while flags change and things are killed.
//!
//! PostgreSQL, NATS, two servers, a relay that hangs on a server, one that hangs on NATS, and SDKs at
//! each of the four. Each round one flag changes, and the table says how long it took until the
//! last SDK of each node had it. With a terminal the table is drawn anew; without one each
//! round is a line. `ROUNDS` says after how many it ends; otherwise Ctrl-C does. All that was started
//! ends with it, also when it is killed, except for the nodes then.

// It stops where something does not work, as a test does.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::print_stdout, reason = "it is what it does")]

mod screen;
mod story;

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use burgee_testkit::cluster::node::Node;
use burgee_testkit::cluster::watchers::{Seen, Watch, Watchers};
use burgee_testkit::cluster::{Cluster, Plan};
use burgee_testkit::sdk::Kind;
use reqwest::Method;
use screen::Screen;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::sleep;

/// SDKs at each node: these kinds.
const SDKS: [Kind; 4] = [Kind::Client, Kind::Client, Kind::Client, Kind::Server];
/// How long a round is at least, so that people can read.
const ROUND: Duration = Duration::from_millis(1200);
/// How long a change is waited for before the next.
const PATIENCE: Duration = Duration::from_secs(3);
/// How often SDKs are looked at.
const LOOK: Duration = Duration::from_millis(5);
/// How long everything may take at the end until all have the newest version.
const END: Duration = Duration::from_secs(30);

#[tokio::main]
async fn main() -> Result<()> {
    let program = std::env::args_os().nth(1);
    let program = program.context("usage: demo-cluster PROGRAM, the binary `burgee`")?;
    let rounds = match std::env::var("ROUNDS") {
        Ok(text) if !text.is_empty() => text.parse().context("ROUNDS is a number")?,
        _ => usize::MAX,
    };
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut terminate = signal(SignalKind::terminate())?;
    let demo = async {
        println!("PostgreSQL, NATS, two servers, two relays and SDKs at each start…\n");
        let mut demo = Demo::start(program.into()).await;
        for node in demo.cluster.nodes() {
            println!("{:<24}http://{}", node.name, node.address);
        }
        println!("\nEach round changes a flag; shown is how soon the SDKs of each node had it.\n");
        demo.run(rounds).await
    };
    let ended = tokio::select! {
        ended = demo => ended,
        _ = interrupt.recv() => Ok(()),
        _ = terminate.recv() => Ok(()),
    };
    println!("\nEverything that was started ends.");
    ended
}

/// A running demonstration.
struct Demo {
    cluster: Cluster,
    watchers: Watchers,
    screen: Screen,
    /// The versions of the values that the flag had.
    versions: BTreeMap<i64, i64>,
}

/// Who has what, at one node.
#[derive(Clone, Debug, Default)]
struct Row {
    name: String,
    runs: bool,
    /// SDKs that hang on it.
    sdks: usize,
    /// The newest value that one of them has,
    newest: i64,
    /// and how many have the newest that there is.
    have: usize,
    /// After what time all of them had.
    after: Option<Duration>,
}

impl Demo {
    async fn start(program: std::path::PathBuf) -> Self {
        let plan = Plan {
            program,
            servers: 2,
            nats: true,
            ..Plan::default()
        };
        let mut cluster = Cluster::start(plan).await;
        let (near, key) = (cluster.servers[0].address, cluster.relay_key().await);
        let backbone = cluster.nats.as_ref().expect("NATS").url();
        let upstream = ["--upstream", &format!("http://{near}"), "--key", &key].map(str::to_owned);
        cluster.add_relay_fed(upstream.to_vec()).await;
        cluster
            .add_relay_fed(vec!["--backbone".to_owned(), backbone])
            .await;
        cluster.relays[0].name = "relay 0 (by server 0)".to_owned();
        cluster.relays[1].name = "relay 1 (by NATS)".to_owned();
        story::make_flag(&cluster.api(0)).await;
        let watchers = watch(&cluster);
        let screen = Screen::new(std::io::stdout().is_terminal());
        Self {
            cluster,
            watchers,
            screen,
            versions: BTreeMap::new(),
        }
    }

    async fn run(&mut self, rounds: usize) -> Result<()> {
        let mut last = 0;
        for round in 1..=rounds {
            let begun = Instant::now();
            if let Some(event) = story::happens(&mut self.cluster, round).await {
                self.screen.tell(event);
            }
            let (value, sent) = (i64::try_from(round)?, Instant::now());
            if self.change(value).await {
                last = value;
                self.follow(value, sent).await;
            }
            sleep(ROUND.saturating_sub(begun.elapsed())).await;
        }
        story::mend(&mut self.cluster, rounds).await;
        self.everybody_has(last).await
    }

    /// Waits until all have the last value, without anybody's help.
    async fn everybody_has(&self, last: i64) -> Result<()> {
        let (begun, version) = (Instant::now(), self.version(last));
        loop {
            let rows = self.rows(last);
            if rows.iter().all(|row| row.have == row.sdks) {
                println!("\nEverybody has version {version}.");
                return Ok(());
            }
            if begun.elapsed() > END {
                bail!("not everybody has version {version}: {rows:#?}");
            }
            sleep(LOOK).await;
        }
    }

    /// Gives the flag another value, by the first server that takes it. Says whether one did.
    async fn change(&mut self, value: i64) -> bool {
        let set = story::change(value).to_string();
        for (number, server) in self.cluster.servers.iter().enumerate() {
            if !server.runs() {
                continue;
            }
            let api = self.cluster.api(number);
            let path = "projects/default/changes";
            let sent = api.try_send(Method::POST, path, Some(set.clone())).await;
            match sent {
                Ok(answer) if answer.status == 200 => {
                    let version = &answer.expect(200)["versions"]["default/prod"];
                    let version = version.as_i64().unwrap_or_default();
                    self.versions.insert(value, version);
                    let name = &server.name;
                    self.screen
                        .title(format!("version {version}, written by {name}"));
                    return true;
                }
                Ok(answer) => {
                    let name = &server.name;
                    self.screen
                        .tell(format!("{name} takes no change now ({})", answer.status));
                }
                Err(_) => {}
            }
        }
        false
    }

    /// Shows who has a value that was sent at this moment, until all have it that run.
    async fn follow(&mut self, value: i64, begun: Instant) {
        let mut rows: Vec<Row> = Vec::new();
        loop {
            let now = self.rows(value);
            let before = rows
                .iter()
                .map(|row| row.after)
                .chain(std::iter::repeat(None));
            let now = now.into_iter().zip(before).map(|(mut row, after)| {
                let all = row.runs && row.have == row.sdks;
                row.after = after.or_else(|| all.then(|| begun.elapsed()));
                row
            });
            rows = now.collect();
            let all = rows.iter().all(|row| !row.runs || row.have == row.sdks);
            let ended = all || begun.elapsed() > PATIENCE;
            self.screen.show(&rows, &self.versions, ended);
            if ended {
                return;
            }
            sleep(LOOK).await;
        }
    }

    fn rows(&self, value: i64) -> Vec<Row> {
        let seen = self.watchers.seen();
        let row = |node: &burgee_testkit::cluster::node::Node| {
            let values = of(&seen, node.address);
            Row {
                name: node.name.clone(),
                runs: node.runs(),
                sdks: values.len(),
                newest: values.iter().copied().max().unwrap_or_default(),
                have: values.iter().filter(|it| **it == value).count(),
                after: None,
            }
        };
        self.cluster.nodes().map(row).collect()
    }

    fn version(&self, value: i64) -> i64 {
        self.versions.get(&value).copied().unwrap_or_default()
    }
}

/// SDKs begin to listen at each node.
fn watch(cluster: &Cluster) -> Watchers {
    let (client, server) = &cluster.keys.prod;
    let of = |node: &Node| {
        SDKS.map(|kind| Watch {
            address: node.address,
            kind,
            secret: match kind {
                Kind::Client => client.clone(),
                Kind::Server => server.clone(),
            },
            leaves_within: None,
            deaths: Arc::clone(&node.deaths),
        })
    };
    Watchers::start(cluster.nodes().flat_map(of))
}

/// The values that SDKs of a node have.
fn of(seen: &[(Watch, Seen)], node: SocketAddr) -> Vec<i64> {
    let there = seen.iter().filter(|(watch, _)| watch.address == node);
    there.map(|(_, seen)| story::value(&seen.flags)).collect()
}
