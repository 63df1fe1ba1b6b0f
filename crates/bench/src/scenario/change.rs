//! Changes made while a scenario goes on.

use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, bail};
use serde_json::json;

use crate::api::Api;
use crate::target::Target;

/// Switches the target's flag, off and on in turns.
pub(crate) struct Switch {
    api: Api,
    project: String,
    environment: String,
    flag: String,
    is_on: bool,
}

/// A change that was asked for. A thread waits for its answer: the first pushes may come before it.
pub(crate) struct Pending {
    /// When the request was sent.
    pub(crate) asked: Instant,
    answer: Receiver<anyhow::Result<Instant>>,
}

impl Switch {
    pub(crate) fn new(target: &Target) -> anyhow::Result<Self> {
        Ok(Self {
            api: target.api()?,
            project: target.project.clone(),
            environment: target.environment.clone(),
            flag: target.flag.clone(),
            is_on: true,
        })
    }

    /// Asks for the next change.
    pub(crate) fn turn(&mut self) -> Pending {
        self.is_on = !self.is_on;
        let kind = if self.is_on { "turnOn" } else { "turnOff" };
        let command = json!({
            "kind": kind, "flag": self.flag, "environment": self.environment,
        });
        let (api, project) = (self.api.clone(), self.project.clone());
        let (sender, answer) = channel();
        let asked = Instant::now();
        thread::spawn(move || {
            let answer = api.change(&project, &[command]);
            // Nobody waits any more where the scenario has failed.
            let _ = sender.send(answer.map(|_| Instant::now()));
        });
        Pending { asked, answer }
    }

    /// Whether the flag is as it was at first.
    pub(crate) fn is_on(&self) -> bool {
        self.is_on
    }
}

impl Pending {
    /// Waits until it is answered; when that was.
    ///
    /// # Errors
    /// It was not made, or not in time.
    pub(crate) fn wait(&self, patience: Duration) -> anyhow::Result<Instant> {
        let answer = self.answer.recv_timeout(patience);
        answer.context("a change was not answered")?
    }

    /// When it was answered; `None` while it is not.
    ///
    /// # Errors
    /// It was not made.
    pub(crate) fn answered(&self) -> anyhow::Result<Option<Instant>> {
        match self.answer.try_recv() {
            Ok(answer) => answer.map(Some),
            Err(TryRecvError::Empty) => Ok(None),
            Err(TryRecvError::Disconnected) => bail!("nobody makes the change"),
        }
    }
}
