//! Where logs go and how they look. They go to standard error; standard output is for answers.

use std::io::IsTerminal;
use std::time::Duration;

use tracing_subscriber::EnvFilter;

use crate::args::LogFormat;

/// Everything from `info` on; of the database's driver, whose every notice is an `info`, less.
const DEFAULT: &str = "info,sqlx=warn,sqlx_core=warn";

/// Starts logging; what is logged comes from `RUST_LOG`, else [`DEFAULT`].
pub(crate) fn start(format: LogFormat) {
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(DEFAULT));
    let colours = std::io::stderr().is_terminal();
    let logs = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(colours)
        .with_writer(std::io::stderr);
    match format {
        LogFormat::Text => logs.with_target(false).init(),
        LogFormat::Json => logs.json().flatten_event(true).init(),
    }
}

/// Says that the process stops, and what may be waited for.
pub(crate) fn stopping(drain: Duration) {
    let seconds = drain.as_secs();
    tracing::info!("stopping: connections are told to come back, over up to {seconds} s");
}
