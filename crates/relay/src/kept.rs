//! Environments that are kept on the disk, for a start without whoever knows them: a relay's
//! upstream, or a server's database.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use burgee_edge::hub::Hub;
use burgee_edge::source::{Head, Position, Source, State};
use tokio::time::sleep;

use crate::disk;
use crate::message::Whole;
use crate::mirror::Mirror;
use crate::state_file::{self, BadFile};

/// How long changes are gathered before they are written, where they are read from a database.
const EVERY: Duration = Duration::from_secs(5);

/// What the names of our files end with: nothing else in the folder is touched.
const OURS: &str = "burgee-state";

/// A folder with a file for each environment. What else lies in it is not ours.
#[derive(Clone, Debug)]
pub struct Environments(PathBuf);

impl Environments {
    /// Opens the folder; makes it, for its owner alone, where it is not there.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn open(folder: &Path) -> io::Result<Self> {
        disk::make_private(folder)?;
        Ok(Self(folder.to_owned()))
    }

    /// The environments as they were kept last. One that cannot be read is told of and left out:
    /// whoever knows it has it.
    pub(crate) fn load(&self) -> io::Result<Vec<Whole>> {
        let mut environments = Vec::new();
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            if path.extension().is_none_or(|it| it != OURS) {
                continue;
            }
            match state_file::read(&path) {
                Ok(found) => environments.extend(found),
                Err(error) => {
                    let file = path.display();
                    tracing::warn!(%file, %error, "an environment on the disk cannot be read");
                }
            }
        }
        Ok(environments)
    }

    /// Keeps an environment.
    pub(crate) fn save(&self, environment: &Whole) -> Result<(), BadFile> {
        let path = self.place(&environment.environment);
        state_file::write(&path, [environment])
    }

    /// Forgets all environments but these.
    pub(crate) fn keep(&self, environments: &BTreeSet<String>) -> io::Result<()> {
        let kept: BTreeSet<PathBuf> = environments.iter().map(|id| self.place(id)).collect();
        for entry in fs::read_dir(&self.0)? {
            let path = entry?.path();
            let ours = path.extension().is_some_and(|it| it == OURS);
            if ours && !kept.contains(&path) {
                fs::remove_file(path)?;
            }
        }
        Ok(())
    }

    /// Ids are UUIDs; whatever an upstream may call an environment, its file lies in the folder.
    fn place(&self, id: &str) -> PathBuf {
        let name: String = id
            .bytes()
            .map(|byte| match byte {
                b'-' => '-'.to_string(),
                _ if byte.is_ascii_alphanumeric() => char::from(byte).to_string(),
                _ => format!("_{byte:02x}"),
            })
            .collect();
        self.0.join(format!("{name}.{OURS}"))
    }

    /// Keeps what `hub` serves, as `source` has it, a few seconds after it changed. Never ends.
    pub async fn follow(self, hub: Arc<Hub>, source: Arc<dyn Source>) {
        let mut kept: BTreeMap<String, Position> = BTreeMap::new();
        loop {
            let mut progressed = std::pin::pin!(hub.progress());
            progressed.as_mut().enable();
            if hub.is_ready() {
                let serves = hub.positions();
                kept.retain(|id, _| serves.contains_key(id));
                for (id, position) in &serves {
                    if kept.get(id) != Some(position)
                        && let Some(at) = self.copy(&*source, id).await
                    {
                        kept.insert(id.clone(), at);
                    }
                }
                // What cannot be loaded now is there all the same, and so is its copy.
                if let Ok(heads) = source.environments().await {
                    let there = heads.into_iter().map(|head| head.environment);
                    self.keep_only(there.collect()).await;
                }
            }
            progressed.await;
            sleep(EVERY).await;
        }
    }

    /// Writes an environment as the source has it, and says where it stands there. What cannot be
    /// read or written now is tried again with the next change.
    async fn copy(&self, source: &dyn Source, id: &str) -> Option<Position> {
        let state = source.state(id).await.ok()??;
        let (at, folder) = (state.position, self.clone());
        let saved = tokio::task::spawn_blocking(move || folder.save(&state.into())).await;
        match saved {
            Ok(Ok(())) => return Some(at),
            Ok(Err(error)) => {
                tracing::warn!(environment = id, %error, "an environment is not on the disk");
            }
            Err(error) => tracing::error!(%error, "an environment is not on the disk"),
        }
        None
    }

    async fn keep_only(&self, environments: BTreeSet<String>) {
        let folder = self.clone();
        let kept = tokio::task::spawn_blocking(move || folder.keep(&environments)).await;
        if let Ok(Err(error)) = kept {
            tracing::warn!(%error, "an environment that is gone stays on the disk");
        }
    }
}

/// Environments as they were kept: served for as long as nobody knows better.
pub struct Kept(Mirror);

impl Kept {
    /// Reads what was kept; none where that is nothing.
    ///
    /// # Errors
    /// Those of the disk.
    pub fn load(folder: &Environments) -> io::Result<Option<Self>> {
        let kept = folder.load()?;
        let any = !kept.is_empty();
        Ok(any.then(|| Self(kept.into_iter().collect())))
    }

    /// Where they stand.
    pub fn environments(&self) -> Vec<Head> {
        self.0.heads()
    }

    /// All of one; none where it was not kept.
    pub fn state(&self, id: &str) -> Option<State> {
        self.0.state(id)
    }
}

#[cfg(test)]
mod tests;
