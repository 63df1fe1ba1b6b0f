//! Where decisions go besides the database, as it was asked for.

mod otlp;

use std::sync::Arc;

use anyhow::Context;
use burgee_server::decision_log::{DecisionFile, Outlet, Outlets};

use crate::args::decisions::DecisionArgs;
use otlp::Collector;

/// Opens the files and the way to the collector that were named. To be called on the runtime.
pub(crate) fn outlets(args: &DecisionArgs) -> anyhow::Result<Outlets> {
    let mut outlets = Outlets::default();
    if let Some(config) = args.file() {
        let taken = format!("--decision-log-file: {}", config.path.display());
        let file = DecisionFile::open(config, outlets.counters.clone()).context(taken)?;
        outlets.all.push(Arc::new(file) as Arc<dyn Outlet>);
    }
    if let Some(url) = &args.decision_log_otlp {
        let collector = Collector::new(url, outlets.counters.clone());
        let collector = collector.context("--decision-log-otlp")?;
        outlets.all.push(Arc::new(collector));
    }
    Ok(outlets)
}
