//! What `burgee bench` is told.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use burgee_bench::ceiling::DEMO_ANSWER;
use burgee_bench::options::Options;
use burgee_bench::target::Target;
use clap::{Args, Subcommand};

/// `burgee bench`.
#[derive(Debug, Subcommand)]
pub(crate) enum BenchCommand {
    /// New connections at a rate, each with a full sync: how long they take, what they cost.
    Connect(ScenarioArgs),
    /// Hold many connections: what each costs, idle and with heartbeats.
    Hold(ScenarioArgs),
    /// Change a flag: how fast that reaches all held connections, and whether it reaches all.
    Push(ScenarioArgs),
    /// Report evaluations and metric events, as server SDKs do.
    Track(ScenarioArgs),
    /// Ask for users' flags by OFREP; beside the HTTP stack alone, and Unleash Edge.
    Evaluate(EvaluateArgs),
    /// All server SDKs of a large environment reconnect at once.
    Herd(ScenarioArgs),
    /// Connections come and go, users identify and flags change, for long.
    Churn(ScenarioArgs),
    /// What a connection costs as flags, targets and environments become many.
    Growth(ScenarioArgs),
    /// Twice as many connections as can be answered, and what becomes of them.
    Overload(ScenarioArgs),
    /// Find the most new connections per second that are answered well.
    Capacity(ScenarioArgs),
    /// New connections at a rising rate that all stay: what the published test does.
    Ramp(ScenarioArgs),
    /// A change on one server, heard on another: against one server alone.
    Nodes(NodesArgs),
    /// How propagation and load grow with servers on one PostgreSQL, and with relays on NATS.
    Fleet(FleetArgs),
    /// Hold a million connections over as many relays as it takes, and make a change for all.
    Million(MillionArgs),
    /// Hold connections and say when each heard of a change: what those three start many of.
    Audience(AudienceArgs),
    /// The test whose figures FeatBit published, and twice, five and ten times its rates.
    Seed(SeedArgs),
    /// Measure every goal and print the table of docs/benchmarks.md.
    All(AllArgs),
    /// Put together the reports of generators that drove one server at the same time.
    Merge(MergeArgs),
    /// Serve as little as any server could: what Burgee's figures are compared with.
    Ceiling(CeilingArgs),
    /// Answer every request with the same bytes, on the HTTP stack that the server has: what
    /// `evaluate` compares with.
    Constant(ConstantArgs),
}

/// `burgee bench evaluate`.
#[derive(Debug, Clone, Args)]
pub(crate) struct EvaluateArgs {
    #[command(flatten)]
    pub(crate) scenario: ScenarioArgs,
    /// The program unleash-edge, to be measured by turns with Burgee, where no --address is given.
    #[arg(long, value_name = "FILE")]
    pub(crate) unleash_edge: Option<PathBuf>,
}

/// `burgee bench constant`.
#[derive(Debug, Clone, Args)]
pub(crate) struct ConstantArgs {
    /// Where it listens.
    #[arg(long, default_value = "127.0.0.1:5100", value_name = "ADDR")]
    pub(crate) listen: SocketAddr,
    /// The answer: status, headers and body, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) answer: PathBuf,
}

/// `burgee bench ceiling`.
#[derive(Debug, Clone, Args)]
pub(crate) struct CeilingArgs {
    /// Where it listens.
    #[arg(long, default_value = "127.0.0.1:5100", value_name = "ADDR")]
    pub(crate) listen: SocketAddr,
    /// How long its answer to a data-sync is, in bytes.
    #[arg(long, default_value_t = DEMO_ANSWER, value_name = "BYTES")]
    pub(crate) answer: usize,
    /// Let other processes listen on the same port.
    #[arg(long)]
    pub(crate) share_port: bool,
}

/// `burgee bench seed`.
#[derive(Debug, Clone, Args)]
pub(crate) struct SeedArgs {
    /// How often each published rate is measured.
    #[arg(long, default_value_t = 10)]
    pub(crate) runs: usize,
    /// Only this rate of new connections per second.
    #[arg(long, value_name = "PER-SECOND")]
    pub(crate) rate: Option<f64>,
    /// For how many seconds the rate rises from zero [default: 40].
    #[arg(long, value_name = "SECONDS")]
    pub(crate) ramp: Option<f64>,
    /// How long a run takes in all, in seconds [default: 180].
    #[arg(long, value_name = "SECONDS")]
    pub(crate) duration: Option<f64>,
    /// One run of a few seconds at each rate.
    #[arg(long)]
    pub(crate) short: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// `burgee bench all`.
#[derive(Debug, Clone, Args)]
pub(crate) struct AllArgs {
    /// How often each is measured; the figures are medians.
    #[arg(long, default_value_t = 5)]
    pub(crate) runs: usize,
    /// Small numbers and times, to see that everything works.
    #[arg(long)]
    pub(crate) short: bool,
    /// Only these scenarios; may be given several times.
    #[arg(long, value_name = "SCENARIO")]
    pub(crate) only: Vec<String>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// `burgee bench nodes`.
#[derive(Debug, Clone, Args)]
pub(crate) struct NodesArgs {
    /// How often one server and two are measured, by turns.
    #[arg(long, default_value_t = 5)]
    pub(crate) runs: usize,
    /// How many client SDKs are connected [default: 10000].
    #[arg(long, value_name = "COUNT")]
    pub(crate) connections: Option<usize>,
    /// How many changes a run makes [default: 40].
    #[arg(long, value_name = "COUNT")]
    pub(crate) changes: Option<usize>,
    /// Small numbers, to see that everything works.
    #[arg(long)]
    pub(crate) short: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// `burgee bench fleet`.
#[derive(Debug, Clone, Args)]
pub(crate) struct FleetArgs {
    /// The most servers, and the most relays: of 1, 2, 5, 10 and 20 those are measured that are not
    /// more [default: 20].
    #[arg(long, value_name = "COUNT")]
    pub(crate) most: Option<usize>,
    /// How many client SDKs are connected to each [default: 50].
    #[arg(long, value_name = "COUNT")]
    pub(crate) connections: Option<usize>,
    /// How many changes are made at each size [default: 40].
    #[arg(long, value_name = "COUNT")]
    pub(crate) changes: Option<usize>,
    /// For how many seconds they are left alone at each size [default: 20].
    #[arg(long, value_name = "SECONDS")]
    pub(crate) idle: Option<f64>,
    /// Small numbers, to see that everything works.
    #[arg(long)]
    pub(crate) short: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// `burgee bench million`.
#[derive(Debug, Clone, Args)]
pub(crate) struct MillionArgs {
    /// How many client SDKs are connected [default: 1000000]. Both ends take 11 KiB or so each.
    #[arg(long, value_name = "COUNT")]
    pub(crate) connections: Option<usize>,
    /// Over how many relays; as few as the limit of open files allows where not given.
    #[arg(long, value_name = "COUNT")]
    pub(crate) relays: Option<usize>,
    /// How many connections a second are opened, over all relays [default: 8000].
    #[arg(long, value_name = "PER-SECOND")]
    pub(crate) rate: Option<f64>,
    /// How often each connection sends a heartbeat [default: 60]. SDKs do every 18 s: that is 55,556
    /// a second for a million, more than both ends can do on two cores beside everything else.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) heartbeat: Option<f64>,
    /// How many changes are made.
    #[arg(long, default_value_t = 4)]
    pub(crate) changes: usize,
    /// Small numbers, to see that everything works.
    #[arg(long)]
    pub(crate) short: bool,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// `burgee bench audience`.
#[derive(Debug, Clone, Args)]
pub(crate) struct AudienceArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    /// How many connections are held.
    #[arg(long, value_name = "COUNT")]
    pub(crate) connections: usize,
    /// How many of them are opened a second.
    #[arg(long, value_name = "PER-SECOND")]
    pub(crate) rate: f64,
    /// The number of the first one's user.
    #[arg(long, default_value_t = 0)]
    pub(crate) first_user: u32,
    /// How often each sends a heartbeat.
    #[arg(long, default_value_t = 18.0, value_name = "SECONDS")]
    pub(crate) heartbeat: f64,
}

/// What every scenario takes.
#[derive(Debug, Clone, Args)]
pub(crate) struct ScenarioArgs {
    #[command(flatten)]
    pub(crate) target: TargetArgs,
    #[command(flatten)]
    pub(crate) load: LoadArgs,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

/// Which server is measured.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct TargetArgs {
    /// A running server. Without it, servers are started for the measurement on data of their
    /// own: Burgee with --demo, and a server that does as little as possible, for comparison.
    #[arg(long, value_name = "ADDR")]
    pub(crate) address: Option<SocketAddr>,
    /// Its process, where it runs on this machine; may be given several times.
    #[arg(long = "pid", value_name = "PID")]
    pub(crate) pids: Vec<u32>,
    /// A client key of the environment.
    #[arg(
        long,
        value_name = "KEY",
        default_value = "",
        allow_hyphen_values = true
    )]
    pub(crate) client_key: String,
    /// A server key of the environment.
    #[arg(
        long,
        value_name = "KEY",
        default_value = "",
        allow_hyphen_values = true
    )]
    pub(crate) server_key: String,
    /// An owner's token, for scenarios that make changes.
    #[arg(long, env = "BURGEE_TOKEN", hide_env_values = true)]
    pub(crate) token: Option<String>,
    /// The project that is changed.
    #[arg(long, default_value = "demo", value_name = "KEY")]
    pub(crate) project: String,
    /// Its environment.
    #[arg(long, default_value = "prod", value_name = "KEY")]
    pub(crate) environment: String,
    /// A flag that is on there, and gives every user something else when it is off.
    #[arg(long, default_value = "returns-true", value_name = "KEY")]
    pub(crate) flag: String,
}

/// How hard to try. What is not given is the scenario's to choose.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Load")]
pub(crate) struct LoadArgs {
    /// Arrivals per second.
    #[arg(long, value_name = "PER-SECOND")]
    pub(crate) rate: Option<f64>,
    /// For how many seconds the rate rises from zero.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) ramp: Option<f64>,
    /// For how many seconds it stays, or connections are held.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) duration: Option<f64>,
    /// How many connections are held. Mind the limit of open files (`ulimit -n`), here and there.
    #[arg(long, value_name = "COUNT")]
    pub(crate) connections: Option<usize>,
    /// For how many seconds a connection is kept after its answer, where they come and go.
    #[arg(long, value_name = "SECONDS")]
    pub(crate) hold: Option<f64>,
    /// After how many seconds without an answer a connection counts as lost [default: 30].
    #[arg(long, value_name = "SECONDS")]
    pub(crate) patience: Option<f64>,
    /// How much of its core the server may use, where one is started: 0.25 for a quarter.
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub(crate) cpus: Option<f64>,
    /// Play server SDKs where client SDKs are usual.
    #[arg(long)]
    pub(crate) server_sdks: bool,
    /// Offer permessage-deflate. What SDKs say is sent as it is.
    #[arg(long)]
    pub(crate) deflate: bool,
    /// How many times to measure; the figures are medians.
    #[arg(long, default_value_t = 1)]
    pub(crate) runs: usize,
    /// Finish in well under a minute.
    #[arg(long)]
    pub(crate) short: bool,
}

/// What is written, beside the text on standard output.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputArgs {
    /// The report as JSON.
    #[arg(long, value_name = "FILE")]
    pub(crate) json: Option<PathBuf>,
    /// The report as a page with plots, which opens without a network.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

/// `burgee bench merge`.
#[derive(Debug, Args)]
pub(crate) struct MergeArgs {
    /// Reports as JSON, of one scenario.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl LoadArgs {
    pub(crate) fn options(&self) -> anyhow::Result<Options> {
        Ok(Options {
            rate: self.rate,
            ramp: seconds(self.ramp)?,
            duration: seconds(self.duration)?,
            connections: self.connections,
            hold: seconds(self.hold)?,
            patience: seconds(self.patience)?,
            cpus: self.cpus,
            server_sdks: self.server_sdks,
            deflate: self.deflate,
            short: self.short,
        })
    }
}

impl TargetArgs {
    /// The running server, where one was named.
    pub(crate) fn target(&self) -> Option<Target> {
        Some(Target {
            name: "burgee".to_owned(),
            address: self.address?,
            pids: self.pids.clone(),
            client_key: self.client_key.clone(),
            server_key: self.server_key.clone(),
            token: self.token.clone(),
            project: self.project.clone(),
            environment: self.environment.clone(),
            flag: self.flag.clone(),
        })
    }
}

/// A share of a core, as it is typed.
fn share(typed: &str) -> Result<f64, String> {
    let share: f64 = typed.parse().map_err(|_| "not a number".to_owned())?;
    match (0.01..=1.0).contains(&share) {
        true => Ok(share),
        false => Err("a share is between 0.01 and 1".to_owned()),
    }
}

/// A time, as it is typed.
pub(crate) fn seconds(seconds: Option<f64>) -> anyhow::Result<Option<Duration>> {
    Ok(seconds.map(Duration::try_from_secs_f64).transpose()?)
}
