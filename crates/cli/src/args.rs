//! What the user typed. Where the data is and how `burgee server` runs can be said by variables too,
//! as containers want it: `--data-dir` is `BURGEE_DATA_DIR`. What a single command is about (names,
//! keys, files) is an option only; so is what a benchmark does. Where a server is that is asked
//! (`BURGEE_URL`), and with which token (`BURGEE_TOKEN`, which no command line should hold), can be said
//! by variables again.

pub(crate) mod ask;
pub(crate) mod bench;
pub(crate) mod decisions;
pub(crate) mod files;
pub(crate) mod people;
pub(crate) mod relay;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use burgee_relay::TlsFiles;
use clap::builder::FalseyValueParser;
use clap::{Args, Parser, Subcommand, ValueEnum};
use ipnet::IpNet;

use ask::{DiffArgs, EvaluateArgs, ExplainArgs};
use decisions::DecisionArgs;
use files::{ApplyArgs, BackupArgs, ExportArgs, ImportCommand, PlanArgs, RestoreArgs};
use people::{OrganizationCommand, TokenCommand, UserCommand};
use relay::{BackboneArgs, ExportStateArgs, RelayArgs, VerifyArgs};

/// A real-time feature-flag service.
#[derive(Debug, Parser)]
#[command(name = "burgee", version, about, propagate_version = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the service: the API, and the connections of SDKs.
    Server(ServerArgs),
    /// Serve SDKs near them, fed by a server or by another relay, without a database.
    Relay(RelayArgs),
    /// Write what environments serve to a file, for relays without a network.
    ExportState(ExportStateArgs),
    /// Bring the database to this version's schema.
    Migrate(DataArgs),
    /// Show the SDK keys of an environment.
    SdkKeys(SdkKeysArgs),
    /// Bring flags from another service.
    #[command(subcommand)]
    Import(ImportCommand),
    /// Measure a server: one that it starts for that, or one that runs.
    #[command(subcommand)]
    Bench(bench::BenchCommand),
    /// Manage access tokens for the API.
    #[command(subcommand)]
    Token(TokenCommand),
    /// Manage organizations.
    #[command(subcommand)]
    Organization(OrganizationCommand),
    /// Manage people's accounts.
    #[command(subcommand)]
    User(UserCommand),
    /// Copy the embedded database, also while a server runs.
    Backup(BackupArgs),
    /// Put a copy back, while no server runs.
    Restore(RestoreArgs),
    /// Write a project's flags, segments and targeting to a file.
    Export(ExportArgs),
    /// Show what a project's file would change. Exits with 2 where it would change something.
    Plan(PlanArgs),
    /// Make a project as its file says, after asking.
    Apply(ApplyArgs),
    /// Look after the audit log.
    #[command(subcommand)]
    Audit(AuditCommand),
    /// Show what a user gets of an environment's flags, and why in short.
    Evaluate(EvaluateArgs),
    /// Show why a user gets what they get of a flag, and since which change.
    Explain(ExplainArgs),
    /// Show which known users get something else between two versions. Exits with 2 where some do.
    Diff(DiffArgs),
    /// Compare what is in NATS with the database. Exits with 1 where something differs.
    Verify(VerifyArgs),
}

/// Where the data is.
#[derive(Debug, Clone, Args)]
pub(crate) struct DataArgs {
    /// Folder of the embedded database; `server`, `migrate` and `token create` make it.
    #[arg(
        long,
        env = "BURGEE_DATA_DIR",
        default_value = "./data",
        value_name = "DIR"
    )]
    pub(crate) data_dir: PathBuf,
    /// PostgreSQL instead of the embedded database: `postgres://user:password@host/name`.
    #[arg(
        long,
        env = "BURGEE_DATABASE",
        value_name = "URL",
        hide_env_values = true
    )]
    pub(crate) database: Option<String>,
}

/// Where a server or a relay answers, and how it speaks of itself.
#[derive(Debug, Args)]
pub(crate) struct ListenArgs {
    /// Where SDKs and relays are answered; of a server, the API and the portal too.
    #[arg(
        long,
        env = "BURGEE_LISTEN",
        default_value = "127.0.0.1:5100",
        value_name = "ADDR"
    )]
    pub(crate) listen: SocketAddr,
    /// Let others of its kind on this machine listen there too: the kernel spreads connections over
    /// them. Servers are to have the same data.
    #[arg(long, env = "BURGEE_SHARE_PORT", value_parser = FalseyValueParser::new())]
    pub(crate) share_port: bool,
    /// Where Prometheus metrics are answered.
    #[arg(
        long,
        env = "BURGEE_METRICS_LISTEN",
        default_value = "127.0.0.1:5101",
        value_name = "ADDR"
    )]
    pub(crate) metrics_listen: SocketAddr,
    /// Speak TLS, with this certificate: a PEM file, with those that lead from it to one that is
    /// known. The files are looked at every few seconds, and taken when they change.
    #[arg(
        long,
        env = "BURGEE_TLS_CERT",
        value_name = "FILE",
        requires = "tls_key"
    )]
    tls_cert: Option<PathBuf>,
    /// The certificate's key: a PEM file, not encrypted.
    #[arg(
        long,
        env = "BURGEE_TLS_KEY",
        value_name = "FILE",
        requires = "tls_cert"
    )]
    tls_key: Option<PathBuf>,
    /// When told to stop, spread telling connections to come back over this many seconds. 0: all at
    /// once.
    #[arg(
        long,
        env = "BURGEE_DRAIN",
        default_value_t = 10,
        value_parser = clap::value_parser!(u32).range(..=3600),
        value_name = "SECONDS"
    )]
    drain: u32,
    /// Where traces go.
    #[command(flatten)]
    pub(crate) traces: TraceArgs,
    /// Logs as `text` for people or `json` for machines. What is logged: `RUST_LOG`.
    #[arg(long, env = "BURGEE_LOG_FORMAT", default_value = "text", value_enum)]
    pub(crate) log_format: LogFormat,
}

impl ListenArgs {
    pub(crate) fn tls(&self) -> Option<TlsFiles> {
        let (certificate, key) = self.tls_cert.clone().zip(self.tls_key.clone())?;
        Some(TlsFiles { certificate, key })
    }

    pub(crate) fn drain(&self) -> Duration {
        Duration::from_secs(self.drain.into())
    }
}

/// Where traces go.
#[derive(Debug, Args)]
pub(crate) struct TraceArgs {
    /// A collector of OpenTelemetry traces, by OTLP over HTTP: `http://localhost:4318`. From the
    /// request that changes a flag to the push to this process's connections. None where not given.
    #[arg(long, env = "OTEL_EXPORTER_OTLP_ENDPOINT", value_name = "URL")]
    pub(crate) otlp_endpoint: Option<String>,
}

/// `burgee server`.
#[derive(Debug, Args)]
pub(crate) struct ServerArgs {
    #[command(flatten)]
    pub(crate) listening: ListenArgs,
    /// Keep what is served in this folder too, so that this server starts, and serves it, while the
    /// database cannot be reached. The folder has SDK keys in it.
    #[arg(long, env = "BURGEE_STATE_DIR", value_name = "DIR")]
    pub(crate) state_dir: Option<PathBuf>,
    /// Feed relays by NATS as well.
    #[command(flatten)]
    pub(crate) backbone: BackboneArgs,
    /// The key that seals secrets which must be read back (seeds of second factors); made where
    /// there is none. `instance.key` in the data folder where not given; with `--database` there is
    /// none then. All servers of one database need the same.
    #[arg(long, env = "BURGEE_INSTANCE_KEY_FILE", value_name = "FILE")]
    pub(crate) instance_key_file: Option<PathBuf>,
    /// The mail server, for invitations, new passwords and notices: `smtps://user:password@host`, or
    /// `smtp://host?tls=required` (`smtp://host` is without TLS). Without one, owners make links.
    #[arg(
        long,
        env = "BURGEE_SMTP_URL",
        value_name = "URL",
        hide_env_values = true,
        requires = "mail_from"
    )]
    pub(crate) smtp_url: Option<String>,
    /// Who mails are from: `Burgee <burgee@example.com>`.
    #[arg(long, env = "BURGEE_MAIL_FROM", value_name = "ADDRESS")]
    pub(crate) mail_from: Option<String>,
    /// Proxies that are believed when they say whom they forward: networks, separated by commas.
    #[arg(
        long,
        env = "BURGEE_TRUSTED_PROXIES",
        value_name = "CIDR",
        value_delimiter = ','
    )]
    pub(crate) trusted_proxies: Vec<IpNet>,
    /// Tell nobody where connections of SDKs come from.
    #[arg(long, env = "BURGEE_HIDE_ADDRESSES", value_parser = FalseyValueParser::new())]
    pub(crate) hide_addresses: bool,
    /// How people reach the server, where that is not the address it listens on.
    #[arg(long, env = "BURGEE_PUBLIC_URL", value_name = "URL")]
    pub(crate) public_url: Option<String>,
    /// How many requests a second one session or token may make for management, over time; ten
    /// times that at once, and four times either from one address. 0: as many as they like.
    #[arg(
        long,
        env = "BURGEE_REQUESTS_PER_SECOND",
        default_value_t = 200,
        value_name = "N"
    )]
    pub(crate) requests_per_second: u32,
    #[command(flatten)]
    pub(crate) decisions: DecisionArgs,
    /// Seed the project `demo`: eight flags and two segments to try things with.
    #[arg(long, env = "BURGEE_DEMO", value_parser = FalseyValueParser::new())]
    pub(crate) demo: bool,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// How logs are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogFormat {
    /// One readable line an event.
    Text,
    /// One JSON object an event.
    Json,
}

/// An organization, named by its key.
#[derive(Debug, Args)]
pub(crate) struct OrganizationArgs {
    /// The organization's key; the oldest one where not given.
    #[arg(long, env = "BURGEE_ORGANIZATION", value_name = "KEY")]
    pub(crate) organization: Option<String>,
}

/// An environment, named by keys.
#[derive(Debug, Args)]
pub(crate) struct EnvironmentArgs {
    #[command(flatten)]
    pub(crate) of: OrganizationArgs,
    /// The project's key.
    #[arg(long, value_name = "KEY")]
    pub(crate) project: String,
    /// The environment's key.
    #[arg(long, value_name = "KEY")]
    pub(crate) environment: String,
}

/// `burgee sdk-keys`.
#[derive(Debug, Args)]
pub(crate) struct SdkKeysArgs {
    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,
    /// One JSON object: `{"client":"…","server":"…"}`.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// `burgee audit`.
#[derive(Debug, Subcommand)]
pub(crate) enum AuditCommand {
    /// Check that nobody changed, removed or moved an entry. Exits with 1 where somebody did.
    Verify(AuditVerifyArgs),
}

/// `burgee audit verify`.
#[derive(Debug, Args)]
pub(crate) struct AuditVerifyArgs {
    /// The key of an organization; all of them where not given.
    #[arg(long, value_name = "KEY")]
    pub(crate) organization: Option<String>,
    /// The key that the log is signed with; `instance.key` in the data folder where not given and
    /// there. Without one, signatures are not checked.
    #[arg(long, env = "BURGEE_INSTANCE_KEY_FILE", value_name = "FILE")]
    pub(crate) instance_key_file: Option<PathBuf>,
    /// Do not check signatures: the log was signed with a key that is gone, or with none.
    #[arg(long)]
    pub(crate) without_key: bool,
    /// The result as JSON: `organizations`, each with what was found.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}
