//! `track`: SDKs report evaluations and metric events, 50 in a batch, and none may be lost.

mod batches;

use std::time::Duration;

use self::batches::{BATCH, evaluations, metrics};
use super::requests::{Found, Load, drive};
use crate::load::http::Client;
use crate::options::Options;
use crate::progress::Progress;
use crate::report::model::{Figure, Latency, Subject};
use crate::rig::counters::Counters;
use crate::rig::usage::Sampler;
use crate::target::Target;

/// Sends batches of evaluations, and then batches of metric events, each for the duration (15 s;
/// 2 s) on connections (16) that are kept alive, at the rate given, in batches per second.
/// Without one, evaluations go out as fast as they are answered; metric events, of which each is a
/// row, 500 batches a second (short: 100), because the server answers before it has written them
/// and drops what it cannot keep.
///
/// What the server says it counted (its metrics, where it runs on this machine) must be what was
/// sent; the difference is an error. The flags of the environment are really counted: mind that on
/// a deployment of one's own.
///
/// # Errors
/// The server does not answer, or the generator cannot run.
pub fn run(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
) -> anyhow::Result<Subject> {
    let seconds = Duration::from_secs(options.form(15, 2));
    let duration = options.duration.unwrap_or(seconds);
    let rows = options.rate.unwrap_or(options.form(500.0, 100.0));
    let counters = Counters::find(&target.pids, target.address);
    let mut client = Client::connect(target.address, options.connections.unwrap_or(16))?;
    let mut sampler = Sampler::start(&target.pids)?;
    let parts = [
        (
            "evaluation",
            "evaluations",
            evaluations(target)?,
            options.rate,
        ),
        ("metric", "metric events", metrics(target), Some(rows)),
    ];
    let mut subject = Subject {
        name: target.name.clone(),
        processes: target.pids.len(),
        runs: 1,
        ..Subject::default()
    };
    for (what, phase, requests, rate) in parts {
        let load = Load {
            phase,
            requests: &requests,
            rate,
            duration,
            status: 200,
        };
        let before = counters.read(what)?;
        let mut found = drive(&load, &mut client, &mut sampler, progress)?;
        let after = counters.read(what)?;
        let sent = found.answered * BATCH as u64;
        let mut kept = sent;
        if let (Some(before), Some(after)) = (before, after) {
            let counted = after.kept().saturating_sub(before.kept());
            found.wrong(&format!("{phase} lost"), sent.saturating_sub(counted));
            found.wrong(
                &format!("{phase} counted twice"),
                counted.saturating_sub(sent),
            );
            kept = counted.min(sent);
        }
        report(&mut subject, what, phase, &found, kept)?;
    }
    let (phases, series) = sampler.end()?;
    subject.phases = phases;
    subject.series.extend(series);
    Ok(subject)
}

/// `kept`: events that were not lost.
fn report(
    subject: &mut Subject,
    what: &str,
    phase: &str,
    found: &Found,
    kept: u64,
) -> anyhow::Result<()> {
    let rate = kept as f64 / found.seconds.max(f64::EPSILON);
    let each = found.cpu_each(BATCH);
    let figures = &mut subject.figures;
    figures.push(Figure::new(
        &format!("{what} events per second"),
        "1/s",
        rate,
    ));
    figures.push(Figure::new(&format!("CPU per {what} event"), "µs", each));
    subject.latencies.push(Latency::of(phase, &found.took)?);
    subject.series.push(found.course.clone());
    subject.errors.extend(found.errors());
    Ok(())
}
