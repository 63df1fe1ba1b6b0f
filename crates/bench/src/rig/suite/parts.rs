//! The goals, and how each is measured.

use std::time::Duration;

use crate::options::Options;
use crate::rig::server::Kind;
use crate::scenario::{Run, capacity, churn, connect, growth, herd, hold, overload, push, track};

/// A scenario, how it is run, and what is read off it.
pub(super) struct Part {
    /// The scenario's name, by which parts are chosen.
    pub(super) scenario: &'static str,
    /// The scenario, and what is particular about it here.
    pub(super) title: &'static str,
    pub(super) run: Run,
    /// What Burgee serves.
    pub(super) kind: fn(&Options) -> Kind,
    pub(super) options: fn(&Form) -> Options,
    /// Whether the ceiling can do it as well.
    pub(super) ceiling: bool,
    /// How many runs are enough, however many are asked for: of what is long, or compares within
    /// itself.
    pub(super) most_runs: usize,
    pub(super) rows: &'static [Row],
}

/// What a part's options follow from.
pub(super) struct Form {
    /// Small numbers and times.
    pub(super) short: bool,
    /// The most connections per second that Burgee keeps up with, where that was measured before.
    pub(super) capacity: Option<f64>,
}

/// A goal.
pub(super) struct Row {
    pub(super) what: &'static str,
    /// As `report::goal` reads it.
    pub(super) goal: &'static str,
    /// Whether it is one for the ratio to the ceiling.
    pub(super) by_ratio: bool,
    pub(super) value: Value,
}

/// Where a value is found.
#[derive(Debug, Clone, Copy)]
pub(super) enum Value {
    /// A figure, and its unit.
    Figure(&'static str, &'static str),
    /// The P99 of a distribution, in ms.
    P99(&'static str),
    /// Everything that went wrong.
    Errors,
}

const fn ratio(what: &'static str, goal: &'static str, value: Value) -> Row {
    Row {
        what,
        goal,
        by_ratio: true,
        value,
    }
}

const fn value(what: &'static str, goal: &'static str, value: Value) -> Row {
    Row {
        what,
        goal,
        by_ratio: false,
        value,
    }
}

const CPU: Value = Value::Figure("CPU per connection", "µs");

pub(super) const PARTS: &[Part] = &[
    Part {
        scenario: "capacity",
        title: "most connections per second",
        run: capacity::run,
        kind: published,
        options: |form| Options {
            rate: (!form.short).then_some(6000.0),
            ..limited(form, QUARTER)
        },
        ceiling: true,
        most_runs: MANY,
        rows: &[ratio(
            "new connections/s on a quarter of a core, P99 < 200 ms, errors < 0.1 %",
            "≥ 0.95",
            Value::Figure("connections per second", "1/s"),
        )],
    },
    Part {
        scenario: "connect",
        title: "1,100 connections per second",
        run: connect::run,
        kind: published,
        options: |form| connecting(form, 1100.0),
        ceiling: true,
        most_runs: MANY,
        rows: &[
            ratio("server CPU per new connection at 1,100/s", "≤ 1.25", CPU),
            value("P99 of sync at 1,100/s", "≤ 0.25 ms", Value::P99("sync")),
        ],
    },
    Part {
        scenario: "connect",
        title: "5,500 connections per second",
        run: connect::run,
        kind: published,
        options: |form| connecting(form, 5500.0),
        ceiling: true,
        most_runs: MANY,
        rows: &[
            ratio("server CPU per new connection at 5,500/s", "≤ 1.10", CPU),
            value("P99 of sync at 5,500/s", "≤ 0.25 ms", Value::P99("sync")),
        ],
    },
    Part {
        scenario: "hold",
        title: "18,000 held",
        run: hold::run,
        kind: published,
        options: |form| Options {
            duration: (!form.short).then_some(Duration::from_secs(15)),
            ..held(form, 18_000, false)
        },
        ceiling: true,
        most_runs: MANY,
        rows: &[
            value(
                "user-space memory per held client connection",
                "≤ 320",
                Value::Figure("memory per connection", "bytes"),
            ),
            value(
                "whole process, resident",
                "≤ 32 MiB",
                Value::Figure("resident memory", "bytes"),
            ),
            ratio(
                "CPU with heartbeats",
                "≤ 1.3",
                Value::Figure("CPU with heartbeats", "cores"),
            ),
            value(
                "CPU without, in cores",
                "≤ 0.002",
                Value::Figure("CPU when idle", "cores"),
            ),
        ],
    },
    Part {
        scenario: "push",
        title: "a change to 18,000 clients",
        run: push::run,
        kind: published,
        options: |form| held(form, 18_000, false),
        ceiling: true,
        most_runs: MANY,
        rows: &[
            ratio(
                "one change to 18,000 clients, each evaluated: last delivery",
                "≤ 1.15",
                Value::Figure("last delivery", "ms"),
            ),
            value("deliveries lost, or out of order", "≤ 0", Value::Errors),
        ],
    },
    Part {
        scenario: "push",
        title: "a change to 10,000 server SDKs",
        run: push::run,
        kind: published,
        options: |form| held(form, 10_000, true),
        ceiling: false,
        most_runs: MANY,
        rows: &[
            value(
                "one change to 10,000 server SDKs, P99 from sending it",
                "≤ 100 ms",
                Value::P99("push"),
            ),
            value("deliveries lost, or out of order", "≤ 0", Value::Errors),
        ],
    },
    Part {
        scenario: "herd",
        title: "5,000 server SDKs come back",
        run: herd::run,
        kind: large,
        options: plain,
        ceiling: false,
        most_runs: MANY,
        rows: &[
            value("herd: not synced, or refused", "≤ 0", Value::Errors),
            value(
                "herd: growth of resident memory",
                "≤ 64 MiB",
                Value::Figure("growth of resident memory", "bytes"),
            ),
            value(
                "herd: growth of kernel socket memory",
                "≤ 64 MiB",
                Value::Figure("growth of kernel socket memory", "bytes"),
            ),
        ],
    },
    Part {
        scenario: "track",
        title: "batches of 50 events",
        run: track::run,
        kind: demo,
        options: |form| Options {
            duration: (!form.short).then_some(Duration::from_secs(8)),
            ..plain(form)
        },
        ceiling: false,
        most_runs: MANY,
        rows: &[
            value(
                "track: evaluation events/s",
                "≥ 200,000",
                Value::Figure("evaluation events per second", "1/s"),
            ),
            value(
                "track: metric events/s",
                "≥ 20,000",
                Value::Figure("metric events per second", "1/s"),
            ),
            value("track: lost, or counted twice", "≤ 0", Value::Errors),
        ],
    },
    Part {
        scenario: "churn",
        title: "ten minutes of everything",
        run: churn::run,
        kind: demo,
        options: |form| Options {
            rate: form
                .capacity
                .map(|rate| (rate / QUARTER * 0.7).min(GENERATOR)),
            ..plain(form)
        },
        ceiling: false,
        most_runs: 1,
        rows: &[value(
            "churn: errors, lost changes, versions that went back",
            "≤ 0",
            Value::Errors,
        )],
    },
    Part {
        scenario: "overload",
        title: "twice the capacity",
        run: overload::run,
        kind: demo,
        options: |form| Options {
            rate: form.capacity,
            ..limited(form, QUARTER)
        },
        ceiling: false,
        most_runs: MANY,
        rows: &[
            value(
                "twice the capacity: neither answered nor refused, or refused later",
                "≤ 0",
                Value::Errors,
            ),
            value(
                "twice the capacity: all answered well again after",
                "≤ 2 s",
                Value::Figure("recovered after", "s"),
            ),
        ],
    },
    Part {
        scenario: "growth",
        title: "many flags, targets and environments",
        run: growth::run,
        kind: demo,
        options: plain,
        ceiling: false,
        most_runs: 3,
        rows: &[
            value(
                "CPU for a byte of a sync: 5,000 flags to 500",
                "≤ 1.1",
                Value::Figure("CPU of a byte, most flags to a tenth", "×"),
            ),
            value(
                "CPU of a connection: 100,000 targets to 10",
                "≤ 1.1",
                Value::Figure("CPU of a connection, most targets to fewest", "×"),
            ),
            value(
                "CPU of a connection: 1,000 environments to 1",
                "≤ 1.1",
                Value::Figure("CPU of a connection, most environments to fewest", "×"),
            ),
            value(
                "CPU without connections, 1,000 environments, in cores",
                "≤ 0.002",
                Value::Figure("CPU when idle, most environments", "cores"),
            ),
        ],
    },
];

/// One generator begins more connections than it can have answered by a whole core: the server is
/// given less.
const QUARTER: f64 = 0.25;

/// How many connections a second one generator brings in beside everything else that `churn` does.
const GENERATOR: f64 = 18_000.0;

/// As many as are asked for.
const MANY: usize = usize::MAX;

fn published(_: &Options) -> Kind {
    Kind::Published
}

fn demo(_: &Options) -> Kind {
    Kind::Demo
}

fn large(options: &Options) -> Kind {
    Kind::Large(herd::flags(options))
}

fn limited(form: &Form, cpus: f64) -> Options {
    Options {
        cpus: Some(cpus),
        ..plain(form)
    }
}

fn plain(form: &Form) -> Options {
    Options {
        short: form.short,
        ..Options::default()
    }
}

fn connecting(form: &Form, rate: f64) -> Options {
    let seconds = |full, short| Some(Duration::from_secs(if form.short { short } else { full }));
    Options {
        rate: Some(rate),
        ramp: seconds(3, 1),
        duration: seconds(10, 2),
        ..plain(form)
    }
}

fn held(form: &Form, connections: usize, server_sdks: bool) -> Options {
    let fewer = if form.short { 20 } else { 1 };
    Options {
        connections: Some(connections / fewer),
        server_sdks,
        ..plain(form)
    }
}
