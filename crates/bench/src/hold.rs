//! `bench hold`: what a held connection costs, and how fast a push reaches all of them.

use std::fmt;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::AsRawFd;
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use hdrhistogram::Histogram;
use mio::unix::SourceFd;
use mio::{Events, Interest, Poll, Token};

use crate::change::Switch;
use crate::client;
use crate::process::{Usage, usage};

/// How long a push may take before its absence counts as a loss.
const PUSH_PATIENCE: Duration = Duration::from_secs(60);

/// What to measure.
#[derive(Debug, Clone)]
pub struct Hold {
    /// The server.
    pub address: SocketAddr,
    /// Its process, on this machine.
    pub pid: u32,
    /// A client key of the environment.
    pub secret: String,
    /// How many connections.
    pub connections: usize,
    /// How long to keep them with a heartbeat every 18 s, as SDKs send.
    pub heartbeat: Duration,
}

/// What was measured.
#[derive(Debug)]
pub struct Report {
    connections: usize,
    before: Usage,
    held: Usage,
    /// Microseconds from sending `data-sync` to its whole answer, one connection at a time.
    sync: Histogram<u64>,
    beat: Option<(Duration, Duration)>,
    push: Option<(Duration, Duration)>,
}

/// Runs the scenario. `switch` is turned off and on again when all connections stand: the flag must
/// be on, and give every user something else when it is off. `None` measures no push.
pub fn run(hold: &Hold, switch: Option<&Switch>) -> anyhow::Result<Report> {
    // A few connections first: what the process allocates once is not a connection's cost.
    open(hold, 100, &mut histogram()?)?;
    let before = usage(hold.pid)?;
    let mut sync = histogram()?;
    let mut streams = open(hold, hold.connections, &mut sync)?;
    let held = usage(hold.pid)?;
    let beat = (!hold.heartbeat.is_zero())
        .then(|| heartbeat(hold, &mut streams))
        .transpose()?;
    let push = switch
        .map(|switch| pushes(&mut streams, switch))
        .transpose()?;
    Ok(Report {
        connections: hold.connections,
        before,
        held,
        sync,
        beat,
        push,
    })
}

fn histogram() -> anyhow::Result<Histogram<u64>> {
    Ok(Histogram::new_with_max(60_000_000, 3)?)
}

fn open(hold: &Hold, count: usize, sync: &mut Histogram<u64>) -> anyhow::Result<Vec<TcpStream>> {
    let mut streams = Vec::with_capacity(count);
    for number in 0..count {
        let mut stream = client::connect(hold.address, &hold.secret)
            .with_context(|| format!("connection {number}"))?;
        let sent = Instant::now();
        client::send_sync(&mut stream, number)?;
        client::receive(&mut stream).with_context(|| format!("sync of connection {number}"))?;
        sync.record(u64::try_from(sent.elapsed().as_micros())?)?;
        streams.push(stream);
    }
    Ok(streams)
}

/// Sends every connection's ping once per 18 s for the given time; gives (time, server's CPU).
#[expect(
    clippy::disallowed_methods,
    reason = "a generator keeps a schedule, whatever happens meanwhile"
)]
fn heartbeat(hold: &Hold, streams: &mut [TcpStream]) -> anyhow::Result<(Duration, Duration)> {
    const EVERY: Duration = Duration::from_secs(18);
    let (start, cpu) = (Instant::now(), usage(hold.pid)?.cpu);
    let gap = EVERY / u32::try_from(streams.len())?;
    let mut due = start;
    for index in (0..streams.len()).cycle() {
        if start.elapsed() >= hold.heartbeat {
            break;
        }
        client::send(&mut streams[index], r#"{"messageType":"ping","data":{}}"#)?;
        client::receive(&mut streams[index])?;
        due += gap;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
    }
    Ok((start.elapsed(), usage(hold.pid)?.cpu.saturating_sub(cpu)))
}

/// Turns the flag off and on again; gives (first, last) delivery of the second push.
fn pushes(streams: &mut [TcpStream], switch: &Switch) -> anyhow::Result<(Duration, Duration)> {
    push(streams, || switch.turn(false)).context("turning the flag off")?;
    push(streams, || switch.turn(true)).context("turning the flag on")
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

impl Report {
    /// User-space bytes that one held connection costs the server.
    pub fn bytes_per_connection(&self) -> u64 {
        let grown = self.held.anonymous.saturating_sub(self.before.anonymous);
        grown / self.connections.max(1) as u64
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mib = |bytes: u64| bytes as f64 / 1024.0 / 1024.0;
        let sync = |quantile: f64| self.sync.value_at_quantile(quantile);
        writeln!(f, "held connections            {}", self.connections)?;
        writeln!(
            f,
            "bytes a held connection     {}",
            self.bytes_per_connection()
        )?;
        writeln!(
            f,
            "resident, whole process     {:.1} MiB",
            mib(self.held.resident)
        )?;
        writeln!(
            f,
            "sync p50/p99, sequential    {}/{} µs",
            sync(0.5),
            sync(0.99)
        )?;
        if let Some((time, cpu)) = self.beat {
            let share = 100.0 * cpu.as_secs_f64() / time.as_secs_f64().max(f64::EPSILON);
            writeln!(f, "CPU with heartbeats         {share:.2} % of a core")?;
        }
        if let Some((first, last)) = self.push {
            let ms = |time: Duration| time.as_secs_f64() * 1000.0;
            writeln!(
                f,
                "push: first/last delivery   {:.1}/{:.1} ms",
                ms(first),
                ms(last)
            )?;
        }
        Ok(())
    }
}
