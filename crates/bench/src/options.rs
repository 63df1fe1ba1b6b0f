//! How hard to try: what the user may set for every scenario.

use std::time::Duration;

/// What the user asked for. What is `None` is the scenario's to choose; each scenario documents
/// its own values, in full and in short form.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Arrivals per second when the ramp has ended: connections, requests or batches.
    pub rate: Option<f64>,
    /// How long the rate rises from zero.
    pub ramp: Option<Duration>,
    /// How long the rate stays, or how long connections are held.
    pub duration: Option<Duration>,
    /// How many connections are held, or may be open at a time.
    pub connections: Option<usize>,
    /// How long a connection is kept after its answer, where connections come and go.
    pub hold: Option<Duration>,
    /// How long an answer may take before it counts as none (30 s).
    pub patience: Option<Duration>,
    /// How much of a core a server that is started for the measurement may use.
    pub cpus: Option<f64>,
    /// Play server SDKs, where client SDKs are usual.
    pub server_sdks: bool,
    /// Offer `permessage-deflate`, and read what comes deflated.
    pub deflate: bool,
    /// The form that finishes in well under a minute: for trying, and for tests of correctness.
    pub short: bool,
}

impl Options {
    /// The form's value: `full`, or `short` where that was asked for.
    pub fn form<T>(&self, full: T, short: T) -> T {
        if self.short { short } else { full }
    }
}
