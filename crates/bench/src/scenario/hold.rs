//! `hold`: what a held connection costs, and how fast a push reaches all of them.

use std::net::TcpStream;
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use hdrhistogram::Histogram;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};
use serde_json::json;

use crate::client;
use crate::options::Options;
use crate::progress::{Moment, Progress};
use crate::report::latency::histogram;
use crate::report::model::{Figure, Latency, Subject};
use crate::rig::usage::{Sampler, usage};
use crate::target::Target;

/// How long a push may take before its absence counts as a loss.
const PUSH_PATIENCE: Duration = Duration::from_secs(60);

/// Opens the connections (18,000; 500), holds them with heartbeats for the duration (20 s; 2 s) and
/// makes one change.
pub fn run(
    options: &Options,
    target: &Target,
    progress: &mut dyn Progress,
) -> anyhow::Result<Subject> {
    let connections = options.connections.unwrap_or(options.form(18_000, 500));
    let seconds = options.form(20, 2);
    let heartbeat = options.duration.unwrap_or(Duration::from_secs(seconds));
    // A few connections first: what the process allocates once is not a connection's cost.
    open(target, 100, &mut histogram()?, progress)?;
    let before = usage(&target.pids)?;
    let mut sampler = Sampler::start(&target.pids)?;
    sampler.phase("opening")?;
    let mut sync = histogram()?;
    let mut streams = open(target, connections, &mut sync, progress)?;
    let held = usage(&target.pids)?;
    sampler.phase("held")?;
    let cpu = heartbeats(target, heartbeat, &mut streams)?;
    sampler.phase("push")?;
    let mut figures = vec![Figure::new("connections", "", connections as f64)];
    let grown = held.anonymous.saturating_sub(before.anonymous) as f64;
    let each = grown / connections.max(1) as f64;
    figures.push(Figure::new("memory per connection", "bytes", each));
    figures.push(Figure::new("CPU with heartbeats", "cores", cpu));
    if target.token.is_some() {
        let (first, last) = pushes(&mut streams, target)?;
        figures.push(Figure::new("first delivery", "ms", ms(first)));
        figures.push(Figure::new("last delivery", "ms", ms(last)));
    }
    let (phases, series) = sampler.end()?;
    Ok(Subject {
        name: target.name.clone(),
        processes: target.pids.len(),
        runs: 1,
        figures,
        latencies: vec![Latency::of("sync", &sync)?],
        phases,
        series,
        errors: Vec::new(),
    })
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn open(
    target: &Target,
    count: usize,
    sync: &mut Histogram<u64>,
    progress: &mut dyn Progress,
) -> anyhow::Result<Vec<TcpStream>> {
    let mut streams = Vec::with_capacity(count);
    let start = Instant::now();
    for number in 0..count {
        let mut stream = client::connect(target.address, &target.client_key)
            .with_context(|| format!("connection {number}"))?;
        let sent = Instant::now();
        client::send_sync(&mut stream, number)?;
        client::receive(&mut stream).with_context(|| format!("sync of connection {number}"))?;
        sync.record(u64::try_from(sent.elapsed().as_micros())?)?;
        streams.push(stream);
        progress.tell(&Moment {
            phase: "opening",
            elapsed: start.elapsed(),
            whole: None,
            facts: &[("open", number as f64)],
        });
    }
    Ok(streams)
}

/// Sends every connection's ping once per 18 s for the given time; gives the server's CPU in cores.
#[expect(
    clippy::disallowed_methods,
    reason = "a generator keeps a schedule, whatever happens meanwhile"
)]
fn heartbeats(
    target: &Target,
    duration: Duration,
    streams: &mut [TcpStream],
) -> anyhow::Result<f64> {
    const EVERY: Duration = Duration::from_secs(18);
    let (start, cpu) = (Instant::now(), usage(&target.pids)?.cpu);
    let gap = EVERY / u32::try_from(streams.len())?;
    let mut due = start;
    for index in (0..streams.len()).cycle() {
        if start.elapsed() >= duration {
            break;
        }
        client::send(&mut streams[index], r#"{"messageType":"ping","data":{}}"#)?;
        client::receive(&mut streams[index])?;
        due += gap;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    let spent = usage(&target.pids)?.cpu.saturating_sub(cpu);
    Ok(spent.as_secs_f64() / start.elapsed().as_secs_f64().max(f64::EPSILON))
}

/// Turns the flag off and on again; gives (first, last) delivery of the second push.
fn pushes(streams: &mut [TcpStream], target: &Target) -> anyhow::Result<(Duration, Duration)> {
    push(streams, || switch(target, "turnOff")).context("turning the flag off")?;
    push(streams, || switch(target, "turnOn")).context("turning the flag on")
}

fn switch(target: &Target, kind: &str) -> anyhow::Result<()> {
    let command = json!({
        "kind": kind, "flag": target.flag, "environment": target.environment,
    });
    target.api()?.change(&target.project, &[command])?;
    Ok(())
}

/// Makes a change and waits until every connection has its patch.
fn push(
    streams: &mut [TcpStream],
    change: impl FnOnce() -> anyhow::Result<()> + Send,
) -> anyhow::Result<(Duration, Duration)> {
    let mut poll = Poll::new()?;
    for (index, stream) in streams.iter().enumerate() {
        let readable = Interest::READABLE;
        poll.registry()
            .register(&mut SourceFd(&stream.as_raw_fd()), Token(index), readable)?;
    }
    // The answer to the change may come after the first pushes: somebody else waits for it.
    std::thread::scope(|scope| {
        let start = Instant::now();
        let changing = scope.spawn(change);
        let reached = reach_all(streams, &mut poll, start)?;
        match changing.join() {
            Ok(changed) => changed?,
            Err(_) => bail!("making the change panicked"),
        }
        Ok(reached)
    })
}

fn reach_all(
    streams: &mut [TcpStream],
    poll: &mut Poll,
    start: Instant,
) -> anyhow::Result<(Duration, Duration)> {
    let mut events = Events::with_capacity(1024);
    let mut waiting = vec![true; streams.len()];
    let mut left = streams.len();
    let mut first = None;
    while left > 0 {
        poll.poll(&mut events, Some(PUSH_PATIENCE))?;
        ensure!(
            !events.is_empty(),
            "{left} connections never got the change"
        );
        for event in &events {
            let index = event.token().0;
            let patch = client::receive(&mut streams[index])?;
            ensure!(
                patch.starts_with(br#"{"messageType":"data-sync""#),
                "not a push"
            );
            first.get_or_insert_with(|| start.elapsed());
            left -= usize::from(std::mem::take(&mut waiting[index]));
        }
    }
    Ok((first.unwrap_or_default(), start.elapsed()))
}
