//! Relays, and NATS between them and servers.

use std::path::PathBuf;

use burgee_relay::backbone::{Backbone, Servers};
use burgee_relay::upstream::Address;
use clap::Args;

use super::{DataArgs, ListenArgs, OrganizationArgs};

/// Which NATS, and as whom.
#[derive(Debug, Clone, Args)]
pub(crate) struct BackboneArgs {
    /// NATS, as a way between servers and relays: `nats://user:password@nats.example.com:4222`
    /// (`tls://…`), several separated by commas.
    #[arg(
        long,
        env = "BURGEE_BACKBONE",
        value_name = "URL",
        hide_env_values = true
    )]
    pub(crate) backbone: Option<Servers>,
    /// A file of credentials for it (`.creds`).
    #[arg(
        long,
        env = "BURGEE_BACKBONE_CREDENTIALS",
        value_name = "FILE",
        requires = "backbone"
    )]
    pub(crate) backbone_credentials: Option<PathBuf>,
}

impl BackboneArgs {
    /// What was named.
    pub(crate) fn backbone(&self) -> Option<Backbone> {
        let servers = self.backbone.clone()?;
        let credentials = self.backbone_credentials.clone();
        Some(Backbone {
            servers,
            credentials,
        })
    }
}

/// `burgee relay`.
#[derive(Debug, Args)]
pub(crate) struct RelayArgs {
    /// The server or the relay that feeds this one: `https://flags.example.com`.
    #[arg(
        long,
        env = "BURGEE_UPSTREAM",
        value_name = "URL",
        requires = "key",
        conflicts_with_all = ["state", "backbone"],
        required_unless_present_any = ["state", "backbone"]
    )]
    pub(crate) upstream: Option<Address>,
    /// NATS instead of an upstream.
    #[command(flatten)]
    pub(crate) backbone: BackboneArgs,
    /// With `--backbone`: the id of an environment that it serves, once for each; all that are there
    /// where none is named.
    #[arg(
        long,
        env = "BURGEE_ENVIRONMENTS",
        value_name = "ID",
        value_delimiter = ',',
        requires = "backbone"
    )]
    pub(crate) environment: Vec<String>,
    /// The relay key, `rp-…`: says which environments this relay serves.
    #[arg(
        long,
        env = "BURGEE_RELAY_KEY",
        value_name = "KEY",
        hide_env_values = true
    )]
    pub(crate) key: Option<String>,
    /// Serve what is in a file that `burgee export-state` wrote, without an upstream. A newer file in
    /// its place is taken within a second.
    #[arg(
        long,
        env = "BURGEE_STATE",
        value_name = "FILE",
        conflicts_with = "backbone"
    )]
    pub(crate) state: Option<PathBuf>,
    /// Folder where the environments are kept, so that a start needs no upstream, and traffic that
    /// waits for it.
    #[arg(
        long,
        env = "BURGEE_DATA_DIR",
        default_value = "./relay",
        value_name = "DIR"
    )]
    pub(crate) data_dir: PathBuf,
    /// What the relay is called where relays are listed; the machine's name where not given.
    #[arg(long, env = "BURGEE_RELAY_NAME", value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// How much traffic (users, counts, events) may wait on the disk while the upstream is away, in
    /// MiB. Past it what comes is kept in memory within bounds, and then dropped and counted.
    #[arg(long, env = "BURGEE_SPOOL", default_value_t = 256, value_name = "MIB")]
    pub(crate) spool: u64,
    #[command(flatten)]
    pub(crate) listening: ListenArgs,
}

/// `burgee export-state`.
#[derive(Debug, Args)]
pub(crate) struct ExportStateArgs {
    /// An environment, as `project/environment`; may be given several times. All of the
    /// organization where not given.
    #[arg(long, value_name = "PROJECT/ENVIRONMENT")]
    pub(crate) environment: Vec<String>,
    /// Where to. The file holds the environments' SDK keys.
    #[arg(long, value_name = "FILE")]
    pub(crate) to: PathBuf,
    #[command(flatten)]
    pub(crate) of: OrganizationArgs,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// `burgee verify`.
#[derive(Debug, Args)]
pub(crate) struct VerifyArgs {
    /// Where the data is.
    #[command(flatten)]
    pub(crate) data: DataArgs,
    /// What is compared with it.
    #[command(flatten)]
    pub(crate) backbone: BackboneArgs,
}
