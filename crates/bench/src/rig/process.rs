//! One process of the measurement's own: started, listened to, ended.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};

use crate::rig::pin;

/// A server that takes longer to start has failed.
const PATIENCE: Duration = Duration::from_secs(60);

/// Lines of its log that are kept for an error.
const KEPT_LINES: usize = 20;

/// What a process says when it can be used: Burgee, PostgreSQL and NATS the first, a relay the second.
const READY: [&str; 2] = [" is ready", "environments are served"];

/// Those that run; `None` when all were ended, and none may be started any more.
static RUNNING: Mutex<Option<Vec<u32>>> = Mutex::new(Some(Vec::new()));

/// Ends all of them, for good: what waits for one of them then fails. Called where somebody wants
/// the whole measurement to end.
pub fn end_all() {
    let running = lock(&RUNNING).take();
    for id in running.into_iter().flatten() {
        if let Some(pid) = i32::try_from(id).ok().and_then(Pid::from_raw) {
            // It may have ended by itself a moment ago.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// A thread that panicked with it left a whole value.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A process that is killed when this is dropped: its data is nobody's by then.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    ready: Receiver<()>,
    said: Arc<Mutex<VecDeque<String>>>,
}

impl Process {
    /// Starts the program on a core.
    pub(crate) fn start(
        program: &Path,
        arguments: &[String],
        core: Option<usize>,
    ) -> anyhow::Result<Self> {
        let mut command = command(program, arguments);
        command.stdout(Stdio::null());
        Self::spawn(command, core)
    }

    /// Starts a command on a core. Its standard error is listened to.
    pub(crate) fn spawn(mut command: Command, core: Option<usize>) -> anyhow::Result<Self> {
        let mut running = lock(&RUNNING);
        let running = running.as_mut().context("the measurement was ended")?;
        command.stderr(Stdio::piped());
        // A child runs where the thread that starts it may run.
        let started = match core {
            Some(core) => pin::on(core, || command.spawn())
                .with_context(|| format!("core {core} cannot be used"))?,
            None => command.spawn(),
        };
        let mut child = started.with_context(|| format!("{command:?}"))?;
        running.push(child.id());
        let said = Arc::default();
        let (sender, ready) = channel();
        if let Some(log) = child.stderr.take() {
            let said = Arc::clone(&said);
            thread::spawn(move || listen(log, &said, &sender));
        }
        Ok(Self { child, ready, said })
    }

    /// Waits until it can be used.
    pub(crate) fn ready(&self) -> anyhow::Result<()> {
        if self.ready.recv_timeout(PATIENCE).is_ok() {
            return Ok(());
        }
        let said = lock(&self.said);
        let said: Vec<&str> = said.iter().map(String::as_str).collect();
        bail!("the server did not start. It said:\n{}", said.join("\n"))
    }

    /// Its standard input and output, where the command has pipes for them. Given once.
    pub(crate) fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout)> {
        self.child.stdin.take().zip(self.child.stdout.take())
    }

    /// Asks it to end by a signal, and waits until it has.
    pub(crate) fn end(&mut self, signal: Signal) {
        let pid = i32::try_from(self.id()).ok().and_then(Pid::from_raw);
        // Where it is not there any more, nothing is to be waited for.
        if pid.is_some_and(|pid| kill_process(pid, signal).is_ok()) {
            let _ = self.child.wait();
        }
    }

    /// Waits for its end by itself.
    ///
    /// # Errors
    /// It failed; what it said comes with the error.
    pub(crate) fn ended(&mut self) -> anyhow::Result<()> {
        let status = self.child.wait()?;
        let said: Vec<String> = lock(&self.said).iter().cloned().collect();
        ensure!(status.success(), "ended with {status}: {}", said.join("\n"));
        Ok(())
    }

    /// Whether it has ended.
    pub(crate) fn is_over(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Forgotten first: when it was waited for, its number may become another's.
        if let Some(running) = lock(&RUNNING).as_mut() {
            let id = self.child.id();
            running.retain(|running| *running != id);
        }
        // Both fail where it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A command that takes nothing from this process's environment that it would heed.
pub(crate) fn command(program: &Path, arguments: &[String]) -> Command {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    for (name, _) in std::env::vars_os() {
        if name == "RUST_LOG" || name.to_string_lossy().starts_with("BURGEE_") {
            command.env_remove(name);
        }
    }
    command
}

/// Reads the log to its end, so that the server never waits for somebody to read it.
fn listen(log: ChildStderr, said: &Mutex<VecDeque<String>>, ready: &Sender<()>) {
    for line in BufReader::new(log).lines().map_while(Result::ok) {
        if READY.iter().any(|ready| line.contains(ready)) {
            // Nobody may be waiting any more.
            let _ = ready.send(());
        }
        let mut said = lock(said);
        if said.len() == KEPT_LINES {
            said.pop_front();
        }
        said.push_back(line);
    }
}
