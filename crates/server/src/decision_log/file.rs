//! Decisions in files, a line of JSON each.
//!
//! A thread of its own writes, so that a slow disk keeps nobody waiting. The file is opened anew for
//! each batch: who moves it away or deletes it needs to tell nobody. What cannot be written whole (a
//! full disk) is taken back, so that every line is whole, and counted as dropped; the next batch is
//! tried again.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use burgee_edge::sink::Decision;

use super::{Counters, Line, Outlet};

/// Its name in what is counted.
const NAME: &str = "file";

/// How many batches may wait, of some hundred KiB each.
const WAITING: usize = 64;

/// How long closing waits for a disk.
const CLOSING: Duration = Duration::from_secs(5);

/// Which files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileConfig {
    /// The newest one; older ones have `.1`, `.2`, … behind it.
    pub path: PathBuf,
    /// From how many bytes on another one is begun.
    pub bytes: u64,
    /// How many there are at most, the newest among them.
    pub files: usize,
}

/// Writes decisions to files.
#[derive(Debug)]
pub struct DecisionFile {
    /// None once it is closed.
    queue: Mutex<Option<SyncSender<Vec<Decision>>>>,
    ended: Mutex<Receiver<()>>,
    counters: Counters,
}

impl DecisionFile {
    /// Begins to write, at the end of the file, if there is one.
    ///
    /// # Errors
    /// The file cannot be opened.
    pub fn open(config: FileConfig, counters: Counters) -> io::Result<Self> {
        append_to(&config.path)?;
        let (queue, batches) = sync_channel::<Vec<Decision>>(WAITING);
        let (end, ended) = sync_channel(1);
        let counted = counters.clone();
        let work = move || {
            let mut writer = Writer::new(config, counted);
            for batch in batches {
                writer.write(&batch);
            }
            // Nobody listens where closing did not wait so long.
            let _late = end.try_send(());
        };
        thread::Builder::new()
            .name("decision file".to_owned())
            .spawn(work)?;
        Ok(Self {
            queue: Mutex::new(Some(queue)),
            ended: Mutex::new(ended),
            counters,
        })
    }
}

impl Outlet for DecisionFile {
    fn take(&self, decisions: &[Decision]) {
        let queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        let sent = queue.as_ref().map(|it| it.try_send(decisions.to_vec()));
        if !matches!(sent, Some(Ok(()))) {
            self.counters.dropped(NAME, decisions.len());
        }
    }

    fn close(&self) {
        let mut queue = self.queue.lock().unwrap_or_else(PoisonError::into_inner);
        drop(queue.take());
        let ended = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if ended.recv_timeout(CLOSING).is_err() {
            tracing::warn!("the last decisions were not written to their file in time");
        }
    }
}

/// What the thread has.
struct Writer {
    config: FileConfig,
    counters: Counters,
    /// Whether the last batch was not written, and the log says so.
    fails: bool,
}

impl Writer {
    fn new(config: FileConfig, counters: Counters) -> Self {
        Self {
            config,
            counters,
            fails: false,
        }
    }

    fn write(&mut self, decisions: &[Decision]) {
        let path = self.config.path.display();
        match self.append(&lines(decisions)) {
            Ok(()) => {
                self.counters.written(NAME, decisions.len());
                if self.fails {
                    tracing::info!(%path, "decisions are written to their file again");
                }
                self.fails = false;
            }
            Err(error) => {
                self.counters.dropped(NAME, decisions.len());
                if !self.fails {
                    tracing::warn!(%error, %path, "decisions cannot be written to their file");
                }
                self.fails = true;
            }
        }
    }

    /// Appends lines whole, or nothing of them.
    fn append(&self, lines: &[u8]) -> io::Result<()> {
        let mut file = append_to(&self.config.path)?;
        let mut length = file.metadata()?.len();
        if length > 0 && length + lines.len() as u64 > self.config.bytes {
            self.rotate()?;
            file = append_to(&self.config.path)?;
            length = file.metadata()?.len();
        }
        let written = file.write_all(lines);
        if written.is_err() {
            file.set_len(length)?;
        }
        written
    }

    /// Moves each file on by one; the oldest is overwritten by the one before it.
    fn rotate(&self) -> io::Result<()> {
        let older = |number: usize| -> PathBuf {
            let mut name = self.config.path.clone().into_os_string();
            if number > 0 {
                name.push(format!(".{number}"));
            }
            name.into()
        };
        if self.config.files <= 1 {
            return fs::remove_file(&self.config.path);
        }
        for number in (0..self.config.files - 1).rev() {
            match fs::rename(older(number), older(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Opens a file to append to it; makes it, for its owner alone, where it is not there.
fn append_to(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true).mode(0o600).open(path)
}

fn lines(decisions: &[Decision]) -> Vec<u8> {
    let mut lines = Vec::with_capacity(decisions.len() * 256);
    for decision in decisions {
        let before = lines.len();
        match serde_json::to_writer(&mut lines, &Line::from(decision)) {
            Ok(()) => lines.push(b'\n'),
            // Writing texts and numbers to memory cannot fail.
            Err(_) => lines.truncate(before),
        }
    }
    lines
}

#[cfg(test)]
mod tests;
