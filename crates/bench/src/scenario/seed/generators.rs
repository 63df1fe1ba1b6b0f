//! The generators: this process where it may open enough sockets, else several beside it, whose
//! results are merged.

use std::path::Path;

use anyhow::Context;

use crate::options::Options;
use crate::progress::Progress;
use crate::report::model::{Report, Subject};
use crate::report::{json, merge};
use crate::rig::process::Process;
use crate::scenario::ramp;
use crate::target::Target;

/// How the load of `ramp` is spread over processes.
pub(super) struct Generators<'a> {
    pub(super) program: &'a Path,
    pub(super) count: usize,
    /// Of all of them together.
    pub(super) options: Options,
}

impl Generators<'_> {
    /// Drives a target once.
    pub(super) fn run(
        &self,
        target: &Target,
        progress: &mut dyn Progress,
    ) -> anyhow::Result<Subject> {
        if self.count <= 1 {
            return ramp::run(&self.options, target, progress);
        }
        let folder = tempfile::tempdir()?;
        let file = |number: usize| folder.path().join(format!("{number}.json"));
        let mut running = Vec::with_capacity(self.count);
        for number in 0..self.count {
            let mut arguments = self.arguments(target);
            arguments.extend(["--json".to_owned(), file(number).display().to_string()]);
            // On this thread's core, where all of them are to run.
            running.push(Process::start(self.program, &arguments, None)?);
        }
        for generator in &mut running {
            generator.ended().context("a generator failed")?;
        }
        let reports = (0..self.count).map(|number| json::read(&file(number)));
        let reports: anyhow::Result<Vec<Report>> = reports.collect();
        let whole = merge::generators(reports?)?;
        let mut subject = whole.subjects.into_iter().next();
        let mut subject = subject.take().context("the generators found nothing")?;
        subject.name.clone_from(&target.name);
        Ok(subject)
    }

    fn arguments(&self, target: &Target) -> Vec<String> {
        let (ramp, whole) = ramp::times(&self.options);
        let rate = self.options.rate.unwrap_or(1000.0) / self.count as f64;
        let option = |name: &str, value: String| [format!("--{name}"), value];
        let mut arguments = vec!["bench".to_owned(), "ramp".to_owned()];
        arguments.extend(option("address", target.address.to_string()));
        arguments.extend(option("client-key", target.client_key.clone()));
        arguments.extend(option("rate", rate.to_string()));
        arguments.extend(option("ramp", ramp.as_secs_f64().to_string()));
        arguments.extend(option("duration", whole.as_secs_f64().to_string()));
        for pid in &target.pids {
            arguments.extend(option("pid", pid.to_string()));
        }
        arguments
    }
}
