//! What a scenario says while it runs.

use std::time::Duration;

/// Who listens to a running scenario. It is told several times a second and decides itself how
/// often to show something.
pub trait Progress {
    /// The scenario has come this far.
    fn tell(&mut self, moment: &Moment<'_>);
}

/// How far a scenario is.
#[derive(Debug, Clone, Copy)]
pub struct Moment<'a> {
    /// Which part: `ramp`, `stable`, `opening`.
    pub phase: &'a str,
    /// Since the scenario began.
    pub elapsed: Duration,
    /// How long the scenario will take, where that is known.
    pub whole: Option<Duration>,
    /// Numbers of the moment: (`open`, 12,000), (`errors`, 0), …
    pub facts: &'a [(&'a str, f64)],
}

/// Nobody listens.
#[derive(Debug, Clone, Copy, Default)]
pub struct Silent;

impl Progress for Silent {
    fn tell(&mut self, _moment: &Moment<'_>) {}
}
