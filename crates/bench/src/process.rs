//! What the server's process spends, read from `/proc`.

use std::fs;
use std::time::Duration;

use anyhow::{Context, bail};

/// Memory and CPU of a process at a moment.
#[derive(Debug, Clone, Copy)]
pub struct Usage {
    /// Resident memory that is the process's own (heap and stacks), in bytes.
    pub anonymous: u64,
    /// All resident memory, in bytes.
    pub resident: u64,
    /// CPU time spent so far, user and system.
    pub cpu: Duration,
}

/// The kernel counts CPU time in these, on every Linux.
const TICKS_PER_SECOND: u64 = 100;

/// Reads the usage of the process `pid`.
pub fn usage(pid: u32) -> anyhow::Result<Usage> {
    let status = fs::read_to_string(format!("/proc/{pid}/status"))
        .with_context(|| format!("there is no process {pid}"))?;
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"))?;
    Ok(Usage {
        anonymous: kib(&status, "RssAnon:")? * 1024,
        resident: kib(&status, "VmRSS:")? * 1024,
        cpu: cpu(&stat)?,
    })
}

fn kib(status: &str, name: &str) -> anyhow::Result<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .with_context(|| format!("no {name} in /proc"))?
        .parse()
        .context("no number")
}

fn cpu(stat: &str) -> anyhow::Result<Duration> {
    // The second field, the program's name, may hold blanks; the rest begins after its bracket.
    let Some((_, rest)) = stat.rsplit_once(')') else {
        bail!("/proc/…/stat has no name")
    };
    let fields: Vec<&str> = rest.split_whitespace().collect();
    let ticks = |index: usize| -> anyhow::Result<u64> {
        Ok(fields
            .get(index)
            .context("/proc/…/stat is short")?
            .parse()?)
    };
    Ok(Duration::from_millis(
        (ticks(11)? + ticks(12)?) * 1000 / TICKS_PER_SECOND,
    ))
}
