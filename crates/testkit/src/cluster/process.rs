//! A program that a test starts, listens to, pauses and kills.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use crate::api::PATIENCE;

/// Lines of a program's standard error, as they come.
#[derive(Default)]
struct Said {
    lines: Vec<String>,
    ended: bool,
}

/// A running program. It is killed when this is dropped; where a test fails, what it said is shown.
pub struct Process {
    child: Child,
    said: Arc<(Mutex<Said>, Condvar)>,
    /// How many lines were looked at already.
    heard: usize,
}

impl Process {
    /// Starts it; its standard error is listened to.
    ///
    /// # Panics
    /// Where it cannot be started.
    pub fn start(mut command: Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let spawned = command.stderr(Stdio::piped()).spawn();
        let mut child = spawned.unwrap_or_else(|error| panic!("{command:?}: {error}"));
        let errors = BufReader::new(child.stderr.take().expect("its standard error"));
        let said: Arc<(Mutex<Said>, Condvar)> = Arc::default();
        let listening = Arc::clone(&said);
        thread::spawn(move || {
            for line in errors.lines().map_while(Result::ok) {
                lock(&listening.0).lines.push(line);
                listening.1.notify_all();
            }
            lock(&listening.0).ended = true;
            listening.1.notify_all();
        });
        Self {
            child,
            said,
            heard: 0,
        }
    }

    /// Waits for a line with this text, after those that were waited for before.
    ///
    /// # Panics
    /// Where it does not come, or the program ends.
    pub fn says(&mut self, text: &str) -> String {
        let found = self.next_with(text);
        found.unwrap_or_else(|| panic!("it did not say '{text}', but: {:#?}", self.said()))
    }

    /// As [`Self::says`]; nothing where it does not come.
    pub fn next_with(&mut self, text: &str) -> Option<String> {
        let until = Instant::now() + PATIENCE;
        let mut said = lock(&self.said.0);
        loop {
            while let Some(line) = said.lines.get(self.heard) {
                self.heard += 1;
                if line.contains(text) {
                    return Some(line.clone());
                }
            }
            let left = until.saturating_duration_since(Instant::now());
            if said.ended || left.is_zero() {
                return None;
            }
            let waited = self.said.1.wait_timeout(said, left);
            said = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// All that it has said so far.
    pub fn said(&self) -> Vec<String> {
        lock(&self.said.0).lines.clone()
    }

    /// The process's id.
    pub fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a signal: `TERM`, `STOP`, `CONT`.
    ///
    /// # Panics
    /// Where there is nobody to send it to.
    pub fn signal(&self, name: &str) {
        signal(name, &[self.id()]);
    }

    /// `kill -9`, paused or not.
    ///
    /// # Panics
    /// Where it does not end.
    pub fn kill(&mut self) {
        self.child.kill().expect("it can be killed");
        self.ended();
    }

    /// Waits for its end: its standard error ends with it.
    ///
    /// # Panics
    /// Where it goes on.
    pub fn ended(&mut self) -> ExitStatus {
        let until = Instant::now() + PATIENCE;
        let mut said = lock(&self.said.0);
        while !said.ended {
            let left = until.saturating_duration_since(Instant::now());
            assert!(!left.is_zero(), "it goes on, having said {:#?}", said.lines);
            let waited = self.said.1.wait_timeout(said, left);
            said = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        drop(said);
        self.child.wait().expect("its end")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Fails where it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
        if thread::panicking() {
            eprintln!("the program said:\n{}", self.said().join("\n"));
        }
    }
}

/// Sends a signal to processes.
///
/// # Panics
/// Where one of them is not there.
pub fn signal(name: &str, processes: &[u32]) {
    // The shell's own: a `kill` to run is not everywhere.
    let ids: Vec<String> = processes.iter().map(u32::to_string).collect();
    let order = format!("kill -{name} {}", ids.join(" "));
    let sent = Command::new("/bin/sh").args(["-c", &order]).status();
    assert!(sent.expect("a shell").success(), "{order}");
}

/// A command with nothing from this process's environment that `burgee` would heed.
pub fn unheeding(program: &str) -> Command {
    let mut command = Command::new(program);
    heed_nothing(&mut command);
    command
}

/// Takes from a command what `burgee` would heed of this process's environment.
pub fn heed_nothing(command: &mut Command) {
    command.env_remove("RUST_LOG");
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy().into_owned();
        if text.starts_with("BURGEE_") || text.starts_with("OTEL_") {
            command.env_remove(name);
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
