//! What databases, NATS and nodes spend, in a time and for a change.

use std::time::{Duration, Instant};

use crate::rig::nats::Nats;
use crate::rig::postgres::Postgres;
use crate::rig::usage::usage;

/// Whose costs are counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct Payers<'a> {
    pub(super) database: &'a Postgres,
    pub(super) nats: Option<&'a Nats>,
    /// The server that changes are made on.
    pub(super) first: &'a [u32],
    /// The servers beside it, or relays.
    pub(super) others: &'a [u32],
}

/// What was spent so far, or in a time.
#[derive(Debug, Clone, Copy)]
pub(super) struct Spent {
    at: Instant,
    pub(super) time: Duration,
    pub(super) database: Duration,
    pub(super) nats: Duration,
    pub(super) first: Duration,
    pub(super) others: Duration,
    pub(super) statements: u64,
}

impl Payers<'_> {
    /// A measurement begins. Asking for statements is work for the database, so it is done outside
    /// of the time that is measured: before it here, and after it in [`Self::since`].
    pub(super) fn begin(&self) -> anyhow::Result<Spent> {
        let statements = self.database.statements()?;
        self.now(|| Ok(statements))
    }

    /// What was spent since.
    pub(super) fn since(&self, then: &Spent) -> anyhow::Result<Spent> {
        let now = self.now(|| self.database.statements())?;
        Ok(Spent {
            at: now.at,
            time: now.at.duration_since(then.at),
            database: now.database.saturating_sub(then.database),
            nats: now.nats.saturating_sub(then.nats),
            first: now.first.saturating_sub(then.first),
            others: now.others.saturating_sub(then.others),
            statements: now.statements.saturating_sub(then.statements),
        })
    }

    fn now(&self, statements: impl FnOnce() -> anyhow::Result<u64>) -> anyhow::Result<Spent> {
        let nats = self.nats.map(Nats::pid);
        Ok(Spent {
            at: Instant::now(),
            time: Duration::ZERO,
            database: self.database.cpu()?,
            nats: usage(nats.as_slice())?.cpu,
            first: usage(self.first)?.cpu,
            others: usage(self.others)?.cpu,
            statements: statements()?,
        })
    }
}

impl Spent {
    /// Cores: CPU time by time.
    pub(super) fn cores(&self, of: fn(&Self) -> Duration) -> f64 {
        of(self).as_secs_f64() / self.time.as_secs_f64().max(f64::EPSILON)
    }

    /// Statements a second.
    pub(super) fn statements_per_second(&self) -> f64 {
        self.statements as f64 / self.time.as_secs_f64().max(f64::EPSILON)
    }

    /// CPU milliseconds of one of so many changes, without what would have been spent anyway.
    pub(super) fn of_a_change(
        &self,
        idle: &Self,
        changes: usize,
        of: fn(&Self) -> Duration,
    ) -> f64 {
        let anyway = idle.cores(of) * self.time.as_secs_f64();
        let more = of(self).as_secs_f64() - anyway;
        more.max(0.0) * 1000.0 / changes.max(1) as f64
    }

    /// Statements of one of so many changes, without those that would have come anyway.
    pub(super) fn statements_of_a_change(&self, idle: &Self, changes: usize) -> f64 {
        let anyway = idle.statements_per_second() * self.time.as_secs_f64();
        (self.statements as f64 - anyway).max(0.0) / changes.max(1) as f64
    }
}
