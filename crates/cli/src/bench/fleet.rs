//! Measurements of many servers and relays: this program, started again.

use std::io::{BufRead, stdin, stdout};
use std::process::ExitCode;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

use anyhow::Context;
use burgee_bench::fleet::{Growth, Million, Nodes};
use burgee_bench::report::model::Report;
use burgee_bench::rig::limits::Limits;
use burgee_bench::scenario::audience;

use super::own::{command, end_cleanly, listener};
use crate::args::bench::{AudienceArgs, FleetArgs, MillionArgs, NodesArgs};

/// `burgee bench nodes`.
pub(super) fn nodes(args: &NodesArgs) -> anyhow::Result<Report> {
    end_cleanly()?;
    let form = |full, short| if args.short { short } else { full };
    let nodes = Nodes {
        program: std::env::current_exe()?,
        runs: form(args.runs, 1),
        connections: args.connections.unwrap_or(form(10_000, 200)),
        changes: even(args.changes.unwrap_or(form(40, 4)))?,
    };
    nodes.run(&command(), &mut listener)
}

/// `burgee bench fleet`.
pub(super) fn growth(args: &FleetArgs) -> anyhow::Result<Report> {
    end_cleanly()?;
    let form = |full, short| if args.short { short } else { full };
    let idle = args.idle.unwrap_or(if args.short { 1.0 } else { 20.0 });
    let growth = Growth {
        program: std::env::current_exe()?,
        most: args.most.unwrap_or(form(20, 2)).max(1),
        connections: args.connections.unwrap_or(form(50, 10)),
        changes: even(args.changes.unwrap_or(form(40, 4)))?,
        idle: seconds("--idle", idle)?,
    };
    growth.run(&command(), &mut listener)
}

/// `burgee bench million`.
pub(super) fn million(args: &MillionArgs) -> anyhow::Result<Report> {
    end_cleanly()?;
    let form = |full, short| if args.short { short } else { full };
    let heartbeat = args
        .heartbeat
        .unwrap_or(if args.short { 1.0 } else { 60.0 });
    let million = Million {
        program: std::env::current_exe()?,
        connections: args.connections.unwrap_or(form(1_000_000, 200)).max(1),
        relays: args.relays.or(args.short.then_some(2)),
        rate: args.rate.unwrap_or(8000.0),
        heartbeat: seconds("--heartbeat", heartbeat)?,
        changes: even(args.changes)?,
    };
    anyhow::ensure!(million.rate > 0.0, "--rate: at least one a second");
    million.run(&command(), &mut listener)
}

/// `burgee bench audience`: ends with its standard input.
pub(super) fn audience(args: &AudienceArgs) -> anyhow::Result<ExitCode> {
    let target = args.target.target();
    let target = target.context("--address says whom the connections are to")?;
    let _limits = Limits::prepare();
    let (sender, words) = channel();
    thread::spawn(move || {
        for word in stdin().lock().lines().map_while(Result::ok) {
            // Nobody may be listening any more.
            if sender.send(word).is_err() {
                return;
            }
        }
    });
    let plan = audience::Plan {
        connections: args.connections,
        rate: args.rate,
        first_user: args.first_user,
        heartbeat: seconds("--heartbeat", args.heartbeat)?,
    };
    anyhow::ensure!(plan.rate > 0.0, "--rate: at least one a second");
    audience::run(&plan, &target, &words, &mut stdout().lock())?;
    Ok(ExitCode::SUCCESS)
}

/// Changes switch a flag off and on in turns, and leave it as it was.
fn even(changes: usize) -> anyhow::Result<usize> {
    anyhow::ensure!(
        changes > 0 && changes.is_multiple_of(2),
        "--changes: an even number, as the flag is left as it was"
    );
    Ok(changes)
}

fn seconds(option: &str, seconds: f64) -> anyhow::Result<Duration> {
    let span = Duration::try_from_secs_f64(seconds).ok();
    let span = span.filter(|span| !span.is_zero());
    span.with_context(|| format!("{option}: a number of seconds above 0"))
}
