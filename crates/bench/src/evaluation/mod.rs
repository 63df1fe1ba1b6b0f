//! `evaluate`: how fast flags are evaluated by OFREP on one core, beside the HTTP stack alone and
//! beside Unleash Edge.
//!
//! All servers run at once on the first core, and one at a time is asked, in rounds: whatever else
//! the machine does meets all of them. The [`constant`] is hyper as Burgee sets it up, which answers
//! the same requests with the bytes of Burgee's own answer.

mod ask;
pub mod constant;
mod contest;
mod ground;
mod table;
mod unleash;

use std::path::PathBuf;
use std::time::Duration;

use self::contest::{Asked, Contest};
use self::ground::Ground;
use crate::load::http::Client;
use crate::progress::{Progress, Silent};
use crate::report::model::{Machine, Report};
use crate::rig::limits::Limits;
use crate::rig::measure::Titled;
use crate::rig::pin;
use crate::rig::usage::Sampler;
use crate::scenario::requests::{Load, drive};

/// Asked before anything is measured: caches are filled, users are written.
const WARM: Duration = Duration::from_millis(500);

/// Burgee, the HTTP stack alone, and Unleash Edge where there is one.
#[derive(Debug, Clone)]
pub struct Evaluation {
    /// The program `burgee`.
    pub program: PathBuf,
    /// The program `unleash-edge`.
    pub unleash_edge: Option<PathBuf>,
    /// How often each is measured.
    pub runs: usize,
    /// For how long each time.
    pub duration: Duration,
    /// Over how many connections.
    pub connections: usize,
}

impl Evaluation {
    /// Measures.
    ///
    /// # Errors
    /// A server does not start, or does not answer as it should.
    pub fn run(&self, command: &str, progress: Titled<'_>) -> anyhow::Result<Report> {
        let limits = Limits::prepare();
        let cores = pin::cores();
        let ground = Ground::start(self, cores.map(|cores| cores.server))?;
        let mut contests = ground.contests()?;
        let mut go = || self.rounds(&mut contests, progress);
        match cores {
            Some(cores) => pin::on(cores.generator, go)??,
            None => go()?,
        }
        let mut notes = limits.notes.clone();
        notes.push(match cores {
            Some(_) => "all servers ran on one core, the generator on another".to_owned(),
            None => "servers and generator had to share one core".to_owned(),
        });
        if self.unleash_edge.is_none() {
            notes.push("Unleash Edge was not measured: --unleash-edge names it".to_owned());
        }
        Ok(Report {
            scenario: "evaluate".to_owned(),
            command: command.to_owned(),
            at: jiff::Timestamp::now().to_string(),
            machine: Machine::here(),
            notes,
            ratios: table::ratios(&contests),
            tables: vec![table::goals(&contests)],
            subjects: table::subjects(&contests)?,
        })
    }

    fn rounds(&self, contests: &mut [Contest], progress: Titled<'_>) -> anyhow::Result<()> {
        for asked in contests.iter_mut().flat_map(Contest::all) {
            self.ask(asked, WARM, &mut Silent)?;
            asked.found.clear();
        }
        let runs = self.runs.max(1);
        for number in 1..=runs {
            let mut progress = progress(&format!("evaluate {number}/{runs}"));
            for asked in contests.iter_mut().flat_map(Contest::all) {
                self.ask(asked, self.duration, progress.as_mut())?;
            }
        }
        Ok(())
    }

    /// Asks a server as fast as it answers.
    fn ask(
        &self,
        asked: &mut Asked,
        duration: Duration,
        progress: &mut dyn Progress,
    ) -> anyhow::Result<()> {
        let load = Load {
            phase: asked.server,
            requests: &asked.requests,
            rate: None,
            duration,
            status: asked.answer.status,
        };
        let mut client = Client::connect(asked.address, self.connections)?;
        let mut sampler = Sampler::start(&asked.pids)?;
        let mut found = drive(&load, &mut client, &mut sampler, progress)?;
        let (longest, shortest) = found.bodies;
        if longest != shortest || longest != asked.answer.body.len() {
            found.wrong("answers of another length", 1);
        }
        asked.found.push(found);
        Ok(())
    }
}
