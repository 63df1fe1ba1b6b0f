//! Traffic that waits on the disk while the upstream is away.
//!
//! One file a batch, named by its place in the queue, written whole or not at all. There is a bound
//! on all of them together; past it nothing more is taken, so that what waits longest is kept, and
//! whoever has more keeps it in memory within its own bounds.

use std::collections::VecDeque;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::message::{pack, unpack};
use crate::traffic::Batch;

/// What a disk gives files in, in bytes: a small one takes as much.
const BLOCK: u64 = 4096;

/// What the names of damaged batches end with.
const BAD: &str = "bad";

/// What a file of so many bytes takes of the disk.
fn on_disk(bytes: u64) -> u64 {
    bytes.div_ceil(BLOCK) * BLOCK
}

/// The queue.
pub(crate) struct Spool {
    folder: PathBuf,
    /// Bytes that all files together may have.
    limit: u64,
    queue: Mutex<Queue>,
    /// How many batches wait.
    waiting: watch::Sender<usize>,
    /// Counts batches that could not be read again.
    lost: AtomicU64,
}

#[derive(Default)]
struct Queue {
    files: VecDeque<(PathBuf, u64)>,
    bytes: u64,
    last: u64,
}

/// The spool holds as much as it may.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotSpooled {
    /// As much waits as may.
    #[error("{0} bytes wait for the upstream already, which is the limit")]
    Full(u64),
    /// The disk says no.
    #[error("it cannot be written to the disk: {0}")]
    Io(#[from] io::Error),
    /// It cannot be packed.
    #[error(transparent)]
    Unreadable(#[from] crate::message::Unreadable),
}

impl Spool {
    /// Opens the folder, with what waits in it from before.
    pub(crate) fn open(folder: &Path, limit: u64) -> io::Result<Self> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            match entry.file_name().to_str().map(str::parse::<u64>) {
                Some(Ok(number)) => {
                    found.push((number, entry.path(), on_disk(entry.metadata()?.len())));
                }
                // Was damaged: for whoever wants to know how.
                _ if entry.path().extension().is_some_and(|it| it == BAD) => {}
                // Half written when the process ended.
                _ => fs::remove_file(entry.path())?,
            }
        }
        found.sort();
        let mut queue = Queue::default();
        for (number, path, bytes) in found {
            queue.last = number;
            queue.bytes += bytes;
            queue.files.push_back((path, bytes));
        }
        Ok(Self {
            folder: folder.to_owned(),
            limit,
            waiting: watch::Sender::new(queue.files.len()),
            queue: Mutex::new(queue),
            lost: AtomicU64::new(0),
        })
    }

    /// How many batches could not be read again since the start.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// How many bytes wait.
    pub(crate) fn bytes(&self) -> u64 {
        self.queue().bytes
    }

    /// Whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.queue().files.is_empty()
    }

    /// Puts a batch at the end. Blocks for as long as the disk takes.
    pub(crate) fn push(&self, batch: &Batch) -> Result<(), NotSpooled> {
        let packed = pack(batch)?;
        let bytes = on_disk(packed.len() as u64);
        let mut queue = self.queue();
        if queue.bytes + bytes > self.limit {
            return Err(NotSpooled::Full(queue.bytes));
        }
        let number = queue.last + 1;
        let path = self.folder.join(format!("{number:020}"));
        let beside = path.with_extension("new");
        fs::write(&beside, &packed)?;
        fs::rename(&beside, &path)?;
        queue.last = number;
        queue.bytes += bytes;
        queue.files.push_back((path, bytes));
        self.waiting.send_replace(queue.files.len());
        Ok(())
    }

    /// The batch that waits longest. One that is damaged is told of, counted and put aside.
    ///
    /// # Errors
    /// The disk says no, which may be for now only: nothing is thrown away.
    pub(crate) fn first(&self) -> io::Result<Option<Batch>> {
        loop {
            let first = self.queue().files.front().map(|(path, _)| path.clone());
            let Some(path) = first else { return Ok(None) };
            let damage = match fs::read(&path) {
                Ok(packed) => match unpack(&packed) {
                    Ok(batch) => return Ok(Some(batch)),
                    Err(damage) => damage.to_string(),
                },
                Err(error) if error.kind() == io::ErrorKind::NotFound => error.to_string(),
                Err(error) => return Err(error),
            };
            let file = path.display();
            tracing::error!(%file, damage, "traffic on the disk is lost");
            self.lost.fetch_add(1, Ordering::Relaxed);
            // Where it is not there at all it cannot be put aside either.
            let _gone = fs::rename(&path, path.with_extension(BAD));
            self.pop();
        }
    }

    /// Throws the first batch away: it was taken.
    pub(crate) fn pop(&self) {
        let mut queue = self.queue();
        let Some((path, bytes)) = queue.files.pop_front() else {
            return;
        };
        queue.bytes -= bytes;
        self.waiting.send_replace(queue.files.len());
        drop(queue);
        if let Err(error) = fs::remove_file(&path)
            && error.kind() != io::ErrorKind::NotFound
        {
            let file = path.display();
            tracing::warn!(%file, %error, "a batch that was taken stays on the disk");
        }
    }

    /// Resolves while something waits.
    pub(crate) async fn holding(&self) {
        let mut waiting = self.waiting.subscribe();
        drop(waiting.wait_for(|waiting| *waiting > 0).await);
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests;
