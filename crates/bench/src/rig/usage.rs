//! What the server's processes spend, read from `/proc` while a scenario runs.

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};

use crate::report::model::{Phase, Series};

/// Memory and CPU of some processes at a moment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// Resident memory that is the processes' own (heap and stacks), in bytes.
    pub anonymous: u64,
    /// All resident memory, in bytes.
    pub resident: u64,
    /// CPU time spent so far, user and system.
    pub cpu: Duration,
}

/// The usage of all the processes together.
///
/// # Errors
/// One of them is not there.
pub fn usage(pids: &[u32]) -> anyhow::Result<Usage> {
    let mut sum = Usage::default();
    for pid in pids {
        let status = fs::read_to_string(format!("/proc/{pid}/status"))
            .with_context(|| format!("there is no process {pid}"))?;
        sum.anonymous += kib(&status, "RssAnon:")? * 1024;
        sum.resident += kib(&status, "VmRSS:")? * 1024;
        sum.cpu += cpu(*pid)?;
    }
    Ok(sum)
}

/// What the kernel keeps in slabs, in bytes: sockets, open files and what waits on them are in it,
/// beside much else of the whole machine. Growth is what says something.
pub fn kernel_slabs() -> anyhow::Result<u64> {
    let text = fs::read_to_string("/proc/meminfo")?;
    Ok(kib(&text, "Slab:")? * 1024)
}

fn kib(status: &str, name: &str) -> anyhow::Result<u64> {
    let line = status.lines().find_map(|line| line.strip_prefix(name));
    let number = line.and_then(|line| line.split_whitespace().next());
    number
        .with_context(|| format!("no {name} in /proc"))?
        .parse()
        .context("no number")
}

/// What a process has spent, with all threads that it ever had: by its clock, since `/proc` has it
/// in hundredths of a second, of which an idle server needs one in ten seconds.
pub(crate) fn cpu(pid: u32) -> anyhow::Result<Duration> {
    let process = libc::pid_t::try_from(pid)?;
    let mut clock = 0;
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    #[expect(unsafe_code, reason = "rustix has the clock of this process alone")]
    // SAFETY: what is pointed to outlives the calls.
    let failed = unsafe {
        libc::clock_getcpuclockid(process, &raw mut clock) != 0
            || libc::clock_gettime(clock, &raw mut time) != 0
    };
    ensure!(!failed, "the CPU time of process {pid} cannot be read");
    let (seconds, nanoseconds) = (time.tv_sec.try_into()?, time.tv_nsec.try_into()?);
    Ok(Duration::new(seconds, nanoseconds))
}

/// Memory that all of the machine's TCP sockets have buffered in the kernel, in bytes: `/proc`
/// does not tell it by process.
pub fn kernel_sockets() -> anyhow::Result<u64> {
    let text = fs::read_to_string("/proc/net/sockstat")?;
    let line = text.lines().find_map(|line| line.strip_prefix("TCP:"));
    let mut words = line.unwrap_or_default().split_whitespace();
    let pages = words.by_ref().skip_while(|word| *word != "mem").nth(1);
    let pages: u64 = pages
        .context("no memory of TCP in /proc/net/sockstat")?
        .parse()?;
    Ok(pages * PAGE)
}

/// What the kernel counts socket memory in.
const PAGE: u64 = 4096;

/// How often the sampler looks.
const EVERY: Duration = Duration::from_secs(1);

/// Follows what processes spend over a run, phase by phase. Whoever runs the scenario calls
/// [`Sampler::look`] as often as it likes; a sample is taken once a second. It has no thread of
/// its own, because the generator's core is busy enough.
#[derive(Debug)]
pub struct Sampler {
    pids: Vec<u32>,
    start: Instant,
    last: Sample,
    phase: Option<Open>,
    phases: Vec<Phase>,
    cpu: Vec<[f64; 2]>,
    resident: Vec<[f64; 2]>,
    anonymous: Vec<[f64; 2]>,
    kernel: Vec<[f64; 2]>,
}

/// One look.
#[derive(Debug, Clone, Copy)]
struct Sample {
    at: Instant,
    usage: Usage,
}

/// The phase that is going on.
#[derive(Debug)]
struct Open {
    began: Sample,
    found: Phase,
}

impl Sampler {
    /// Begins to follow the processes; with none, nothing is found.
    ///
    /// # Errors
    /// One of them is not there.
    pub fn start(pids: &[u32]) -> anyhow::Result<Self> {
        let start = Instant::now();
        Ok(Self {
            pids: pids.to_vec(),
            start,
            last: Sample {
                at: start,
                usage: usage(pids)?,
            },
            phase: None,
            phases: Vec::new(),
            cpu: Vec::new(),
            resident: Vec::new(),
            anonymous: Vec::new(),
            kernel: Vec::new(),
        })
    }

    /// Ends the phase that is going on, and begins one.
    pub fn phase(&mut self, name: &str) -> anyhow::Result<()> {
        self.close()?;
        self.phase = Some(Open {
            began: self.last,
            found: Phase {
                name: name.to_owned(),
                ..Phase::default()
            },
        });
        Ok(())
    }

    /// Takes a sample if the last one is old enough.
    pub fn look(&mut self) -> anyhow::Result<()> {
        if self.last.at.elapsed() >= EVERY {
            self.sample()?;
        }
        Ok(())
    }

    /// What the processes spend now.
    pub fn now(&self) -> anyhow::Result<Usage> {
        usage(&self.pids)
    }

    /// What was found: phases, and series over the whole run.
    pub fn end(mut self) -> anyhow::Result<(Vec<Phase>, Vec<Series>)> {
        self.close()?;
        if self.pids.is_empty() {
            return Ok((Vec::new(), Vec::new()));
        }
        let series = |name: &str, unit: &str, points| Series {
            name: name.to_owned(),
            unit: unit.to_owned(),
            points,
        };
        let found = vec![
            series("cpu", "cores", self.cpu),
            series("resident memory", "bytes", self.resident),
            series("anonymous memory", "bytes", self.anonymous),
            series("kernel socket memory", "bytes", self.kernel),
        ];
        Ok((self.phases, found))
    }

    fn close(&mut self) -> anyhow::Result<()> {
        self.sample()?;
        if let Some(mut open) = self.phase.take() {
            let time = self.last.at.duration_since(open.began.at).as_secs_f64();
            let spent = self.last.usage.cpu.saturating_sub(open.began.usage.cpu);
            open.found.seconds = time;
            open.found.cpu_mean = spent.as_secs_f64() / time.max(f64::EPSILON);
            open.found.cpu_peak = open.found.cpu_peak.max(open.found.cpu_mean);
            self.phases.push(open.found);
        }
        Ok(())
    }

    fn sample(&mut self) -> anyhow::Result<()> {
        let (usage, kernel) = (usage(&self.pids)?, kernel_sockets()?);
        let at = Instant::now();
        let time = at.duration_since(self.last.at);
        let seconds = at.duration_since(self.start).as_secs_f64();
        let cores = usage.cpu.saturating_sub(self.last.usage.cpu).as_secs_f64()
            / time.as_secs_f64().max(f64::EPSILON);
        self.last = Sample { at, usage };
        self.resident.push([seconds, usage.resident as f64]);
        self.anonymous.push([seconds, usage.anonymous as f64]);
        self.kernel.push([seconds, kernel as f64]);
        // Of less than half an interval no peak is told: it may have been one moment's.
        let counts = time * 2 >= EVERY;
        if counts {
            self.cpu.push([seconds, cores]);
        }
        if let Some(open) = &mut self.phase {
            let found = &mut open.found;
            found.cpu_peak = found.cpu_peak.max(if counts { cores } else { 0.0 });
            found.resident_peak = found.resident_peak.max(usage.resident);
            found.anonymous_peak = found.anonymous_peak.max(usage.anonymous);
            found.kernel_sockets_peak = found.kernel_sockets_peak.max(kernel);
        }
        Ok(())
    }
}
