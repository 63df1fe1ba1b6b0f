//! What comes out of files, and goes into them.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{DataArgs, EnvironmentArgs, OrganizationArgs};

/// `burgee import`.
#[derive(Debug, Subcommand)]
pub(crate) enum ImportCommand {
    /// Flags and segments of one FeatBit environment, and its secrets.
    Featbit(ImportArgs),
}

/// `burgee import featbit`.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    #[command(flatten)]
    pub(crate) environment: EnvironmentArgs,
    /// A JSON list of FeatBit's flags.
    #[arg(long, value_name = "FILE")]
    pub(crate) flags: Option<PathBuf>,
    /// A JSON list of FeatBit's segments.
    #[arg(long, value_name = "FILE")]
    pub(crate) segments: Option<PathBuf>,
    /// A FeatBit secret to adopt, so that no program needs a new one: `client=…` or `server=…`.
    #[arg(long = "sdk-key", value_name = "KIND=SECRET")]
    pub(crate) sdk_keys: Vec<String>,
    /// Import without the approvals that the environment asks for, and say why. The history shows
    /// it.
    #[arg(long = "override", value_name = "REASON")]
    pub(crate) override_reason: Option<String>,
    /// The report as JSON.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FileFormat {
    /// For people.
    Yaml,
    /// For programs.
    Json,
}

/// `burgee export`.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The project's key.
    #[arg(long, value_name = "KEY")]
    pub(crate) project: String,
    /// How it is written.
    #[arg(long, default_value = "yaml", value_enum)]
    pub(crate) format: FileFormat,
    /// Where to; standard output where not given.
    #[arg(long, value_name = "FILE")]
    pub(crate) to: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) of: OrganizationArgs,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// A project's file, and what it is of.
#[derive(Debug, Args)]
pub(crate) struct FileArgs {
    /// The file, YAML or JSON; `-` is standard input.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The project's key; the one that the file names where not given.
    #[arg(long, value_name = "KEY")]
    pub(crate) project: Option<String>,
    /// Archive flags and segments of which the file says nothing.
    #[arg(long)]
    pub(crate) prune: bool,
    #[command(flatten)]
    pub(crate) of: OrganizationArgs,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// `burgee plan`.
#[derive(Debug, Args)]
pub(crate) struct PlanArgs {
    #[command(flatten)]
    pub(crate) file: FileArgs,
    /// The result as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `burgee apply`.
#[derive(Debug, Args)]
pub(crate) struct ApplyArgs {
    #[command(flatten)]
    pub(crate) file: FileArgs,
    /// Why; kept in the history.
    #[arg(long, default_value = "", value_name = "TEXT")]
    pub(crate) comment: String,
    /// Apply it without the approvals that environments ask for, and say why. The history shows it.
    #[arg(long = "override", value_name = "REASON")]
    pub(crate) override_reason: Option<String>,
    /// Do not ask.
    #[arg(long)]
    pub(crate) yes: bool,
}

/// `burgee backup`.
#[derive(Debug, Args)]
pub(crate) struct BackupArgs {
    /// The folder of the copy; it must not be there yet, or be empty.
    #[arg(long, value_name = "DIR")]
    pub(crate) to: PathBuf,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}

/// `burgee restore`.
#[derive(Debug, Args)]
pub(crate) struct RestoreArgs {
    /// The folder of the copy.
    #[arg(long, value_name = "DIR")]
    pub(crate) from: PathBuf,
    /// Replace the database that is there.
    #[arg(long)]
    pub(crate) overwrite: bool,
    #[command(flatten)]
    pub(crate) data: DataArgs,
}
