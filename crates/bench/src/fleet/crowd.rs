//! Audiences in processes of their own, one for each server or relay, and changes that all hear of.

use std::io::{BufRead, BufReader, Write};
use std::net::SocketAddr;
use std::process::{ChildStdin, ChildStdout, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};

use super::Ground;
use crate::report::model::Count;
use crate::rig::process::{self, Process};
use crate::scenario::audience::{ENOUGH, LISTEN, Plan, Said, shared_clock};
use crate::scenario::change::Switch;

/// What an audience says at once comes within this.
const AT_ONCE: Duration = Duration::from_secs(60);

/// All audiences of a measurement. They end when this is dropped.
#[derive(Debug, Default)]
pub(super) struct Crowd {
    audiences: Vec<Audience>,
}

/// One of them.
#[derive(Debug)]
struct Audience {
    process: Process,
    words: Option<ChildStdin>,
    said: Receiver<Said>,
    /// How many it was to open.
    connections: u64,
}

/// What became of opening connections.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Held {
    pub(super) connections: u64,
    /// Bytes that came for all of them.
    pub(super) received: u64,
    /// How often one was refused or not answered while it opened, and came again.
    pub(super) refused: u64,
}

/// What became of a change. Times are microseconds since its request was sent.
#[derive(Debug, Clone, Default)]
pub(super) struct Round {
    /// When each connection had it.
    pub(super) arrived: Vec<u64>,
    /// When the request was answered.
    pub(super) answered: u64,
    /// How many connections did not get it in time, or ended before they did.
    pub(super) missing: u64,
    /// How many were gone before it was made: of those that were opened for the measurement.
    pub(super) gone: u64,
    /// For how long those were waited for that did not get it.
    pub(super) patience: u64,
    /// Bytes that came for all of them.
    pub(super) received: u64,
}

impl Round {
    /// When the last one had it; the whole patience where one did not have it by then.
    pub(super) fn last(&self) -> u64 {
        match self.arrived.iter().max() {
            Some(last) if self.missing == 0 => *last,
            _ => self.patience,
        }
    }
}

impl Crowd {
    /// One more audience, of a server or relay; it opens its connections from now on.
    pub(super) fn add(
        &mut self,
        ground: &Ground,
        address: SocketAddr,
        key: &str,
        plan: &Plan,
    ) -> anyhow::Result<()> {
        let option = |name: &str, value: String| [format!("--{name}"), value];
        let arguments: Vec<String> = [
            ["bench".to_owned(), "audience".to_owned()],
            option("address", address.to_string()),
            option("client-key", key.to_owned()),
            option("connections", plan.connections.to_string()),
            option("rate", plan.rate.to_string()),
            option("first-user", plan.first_user.to_string()),
            option("heartbeat", plan.heartbeat.as_secs_f64().to_string()),
        ]
        .concat();
        let mut command = process::command(&ground.program, &arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let core = ground.cores.map(|cores| cores.generator);
        let mut process = Process::spawn(command, core)?;
        let (words, out) = process.pipes().context("an audience has no pipes")?;
        self.audiences.push(Audience {
            process,
            words: Some(words),
            said: listen(out),
            connections: plan.connections as u64,
        });
        Ok(())
    }

    /// Waits until the newest `count` audiences have opened their connections.
    pub(super) fn opened(&mut self, count: usize, patience: Duration) -> anyhow::Result<Held> {
        let deadline = Instant::now() + patience;
        let mut sum = Held::default();
        let first = self.audiences.len().saturating_sub(count);
        for audience in &mut self.audiences[first..] {
            match audience.hear(deadline)? {
                Said::Held {
                    connections,
                    received,
                    refused,
                } => {
                    sum.connections += connections;
                    sum.received += received;
                    sum.refused += refused;
                }
                other => bail!("an audience that was to open said {other:?}"),
            }
        }
        Ok(sum)
    }

    /// Makes a change, and waits until everybody has it, or not longer than `patience`.
    pub(super) fn round(
        &mut self,
        switch: &mut Switch,
        patience: Duration,
    ) -> anyhow::Result<Round> {
        for audience in &mut self.audiences {
            audience.tell(LISTEN)?;
        }
        for audience in &mut self.audiences {
            let said = audience.hear(Instant::now() + AT_ONCE)?;
            anyhow::ensure!(said == Said::Listening, "an audience said {said:?}");
        }
        let change = switch.turn();
        let asked = shared_clock() - change.asked.elapsed().as_micros() as u64;
        let deadline = change.asked + patience;
        let mut round = Round {
            patience: patience.as_micros() as u64,
            ..Round::default()
        };
        for audience in &mut self.audiences {
            let Said::Arrived {
                moments,
                missing,
                received,
            } = audience.arrived(deadline)?
            else {
                bail!("an audience did not say who heard of a change");
            };
            let there = moments.len() as u64 + missing;
            round.gone += audience.connections.saturating_sub(there);
            let since = moments.into_iter().map(|at| at.saturating_sub(asked));
            round.arrived.extend(since);
            round.missing += missing;
            round.received += received;
        }
        let answered = change.wait(AT_ONCE)?;
        round.answered = answered.duration_since(change.asked).as_micros() as u64;
        Ok(round)
    }

    /// Ends all of them; what went wrong in all.
    pub(super) fn end(&mut self) -> anyhow::Result<Vec<Count>> {
        for audience in &mut self.audiences {
            audience.words = None;
        }
        let mut all: Vec<Count> = Vec::new();
        for audience in &mut self.audiences {
            let Said::Ended { errors, .. } = audience.hear(Instant::now() + AT_ONCE)? else {
                bail!("an audience that was to end said something else");
            };
            for error in errors {
                match all.iter_mut().find(|known| known.what == error.what) {
                    Some(known) => known.count += error.count,
                    None => all.push(error),
                }
            }
        }
        self.audiences.clear();
        Ok(all)
    }

    /// Their processes.
    pub(super) fn pids(&self) -> Vec<u32> {
        let ids = self.audiences.iter().map(|it| it.process.id());
        ids.collect()
    }
}

impl Audience {
    fn tell(&mut self, word: &str) -> anyhow::Result<()> {
        let words = self.words.as_mut().context("an audience has ended")?;
        Ok(writeln!(words, "{word}")?)
    }

    fn hear(&mut self, deadline: Instant) -> anyhow::Result<Said> {
        let patience = deadline.saturating_duration_since(Instant::now());
        match self.said.recv_timeout(patience) {
            Ok(said) => Ok(said),
            Err(_) if self.process.is_over() => {
                self.process.ended()?;
                bail!("an audience ended too soon")
            }
            Err(_) => bail!("an audience said nothing in time"),
        }
    }

    fn arrived(&mut self, deadline: Instant) -> anyhow::Result<Said> {
        let patience = deadline.saturating_duration_since(Instant::now());
        if let Ok(said) = self.said.recv_timeout(patience) {
            return Ok(said);
        }
        self.tell(ENOUGH)?;
        self.hear(Instant::now() + AT_ONCE)
    }
}

/// What it says, line by line, as it says it.
fn listen(out: ChildStdout) -> Receiver<Said> {
    let (sender, said) = channel();
    thread::spawn(move || {
        let lines = BufReader::new(out).lines().map_while(Result::ok);
        for said in lines.map_while(|line| serde_json::from_str(&line).ok()) {
            // Nobody may be waiting any more.
            if sender.send(said).is_err() {
                return;
            }
        }
    });
    said
}

#[cfg(test)]
mod tests;
