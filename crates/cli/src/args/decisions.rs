//! Where decisions go besides the database.

use std::path::PathBuf;

use burgee_server::decision_log::FileConfig;
use clap::Args;
use clap::value_parser;

/// A MiB.
const MIB: u64 = 1024 * 1024;

/// Which files, and which collector.
#[derive(Debug, Clone, Args)]
pub(crate) struct DecisionArgs {
    /// Write the decisions that environments log to this file too, a line of JSON each: those that
    /// this server stores, relays' among them.
    #[arg(long, env = "BURGEE_DECISION_LOG_FILE", value_name = "FILE")]
    pub(crate) decision_log_file: Option<PathBuf>,
    /// From how many MiB on another file is begun, and the one before gets `.1` behind its name.
    #[arg(
        long,
        env = "BURGEE_DECISION_LOG_FILE_SIZE",
        default_value_t = 64,
        value_name = "MIB",
        value_parser = value_parser!(u32).range(1..)
    )]
    pub(crate) decision_log_file_size: u32,
    /// How many of these files there are at most, the newest among them.
    #[arg(
        long,
        env = "BURGEE_DECISION_LOG_FILES",
        default_value_t = 8,
        value_name = "N",
        value_parser = value_parser!(u16).range(1..)
    )]
    pub(crate) decision_log_files: u16,
    /// Send them to a collector of OpenTelemetry logs too, by OTLP over HTTP:
    /// `http://localhost:4318`.
    #[arg(long, env = "BURGEE_DECISION_LOG_OTLP", value_name = "URL")]
    pub(crate) decision_log_otlp: Option<String>,
}

impl DecisionArgs {
    /// Which files, where any are asked for.
    pub(crate) fn file(&self) -> Option<FileConfig> {
        Some(FileConfig {
            path: self.decision_log_file.clone()?,
            bytes: u64::from(self.decision_log_file_size) * MIB,
            files: usize::from(self.decision_log_files),
        })
    }
}
