//! A relay without an upstream: its environments are in a file that somebody brings.
//!
//! The file is looked at each second and read again where it is another one. What the edge learns
//! of users and evaluations has nowhere to go and is dropped.

use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, SystemTime};

use burgee_edge::sink::{self, Sink};
use burgee_edge::source::{
    BoxFuture, Changes, Head, KeyKind, Position, Source, State, Unavailable,
};
use tokio::time::sleep;

use crate::mirror::Mirror;
use crate::state_file::{self, BadFile};

/// How often the file is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// A file of environments as a source.
pub(crate) struct StateFile {
    path: PathBuf,
    known: Mutex<Known>,
}

struct Known {
    mirror: Mirror,
    /// Which file that was: its time and its size.
    file: Option<(SystemTime, u64)>,
}

impl StateFile {
    /// Reads the file.
    pub(crate) fn open(path: PathBuf) -> Result<Self, BadFile> {
        let file = identity(&path);
        let known = Mutex::new(Known {
            mirror: read(&path)?,
            file,
        });
        Ok(Self { path, known })
    }

    /// Reads the file again where it is another one. Whether it was.
    fn look(&self) -> bool {
        let file = identity(&self.path);
        if file.is_none() || file == self.known().file {
            return false;
        }
        let read = read(&self.path);
        let mut known = self.known();
        known.file = file;
        match read {
            Ok(mirror) => {
                known.mirror = mirror;
                true
            }
            Err(error) => {
                let file = self.path.display();
                tracing::error!(%file, %error, "the file of environments is not taken");
                false
            }
        }
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn identity(path: &std::path::Path) -> Option<(SystemTime, u64)> {
    let found = path.metadata().ok()?;
    Some((found.modified().ok()?, found.len()))
}

fn read(path: &std::path::Path) -> Result<Mirror, BadFile> {
    Ok(state_file::read(path)?.into_iter().collect())
}

impl Source for StateFile {
    fn environments(&self) -> BoxFuture<'_, Result<Vec<Head>, Unavailable>> {
        Box::pin(async { Ok(self.known().mirror.heads()) })
    }

    fn state<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<State>, Unavailable>> {
        Box::pin(async move { Ok(self.known().mirror.state(id)) })
    }

    fn changes<'a>(
        &'a self,
        id: &'a str,
        from: Position,
    ) -> BoxFuture<'a, Result<Changes, Unavailable>> {
        Box::pin(async move { Ok(self.known().mirror.changes(id, from)) })
    }

    fn find_key<'a>(
        &'a self,
        _secret: &'a str,
    ) -> BoxFuture<'a, Result<Option<(String, KeyKind)>, Unavailable>> {
        // A newer file may have it: that there is no such key is for the store of record to say.
        Box::pin(async { Err(Unavailable("there is no upstream to ask".into())) })
    }

    fn is_record(&self) -> bool {
        false
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        Box::pin(async {
            loop {
                sleep(LOOK).await;
                if tokio::task::block_in_place(|| self.look()) {
                    return;
                }
            }
        })
    }
}

/// Takes everything and keeps nothing.
pub(crate) struct Nowhere;

impl Sink for Nowhere {
    fn write<'a>(
        &'a self,
        _batch: &'a sink::Batch,
    ) -> BoxFuture<'a, Result<sink::Taken, Unavailable>> {
        Box::pin(async { Ok(sink::Taken::default()) })
    }

    fn keys_used<'a>(&'a self, _secrets: &'a [Box<str>]) -> BoxFuture<'a, Result<(), Unavailable>> {
        Box::pin(async { Ok(()) })
    }
}
