//! What moved, for those who tell others of it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

use super::EnvironmentReport;
use super::ask::{Delivery, Survey};
use super::merge::{LoopReport, merge};

/// Asks the loops again and again for what moved, and adds it up. There is one of a [`Delivery`]:
/// what it was told is not told to another one.
pub struct Reporter {
    delivery: Delivery,
    /// So many versions of each environment.
    versions: usize,
    /// What each loop said last, by environment.
    known: BTreeMap<Arc<str>, Vec<Vec<LoopReport>>>,
}

impl Reporter {
    /// Nothing is known yet. Of each environment it tells the newest `versions`.
    pub fn new(delivery: Delivery, versions: usize) -> Self {
        Self {
            delivery,
            versions,
            known: BTreeMap::new(),
        }
    }

    /// The environments, by id, whose figures moved since the last time, as they are now. A loop
    /// where nothing moved is not woken.
    pub async fn moved(&mut self) -> Vec<(Arc<str>, EnvironmentReport)> {
        let versions = self.versions;
        let asked = self.delivery.loops().into_iter().map(|of_loop| {
            let moved = of_loop.moved.swap(false, Relaxed);
            moved.then(|| of_loop.ask(|reply| Survey::Moved { versions, reply }))
        });
        let asked: Vec<_> = asked.collect();
        let mut moved = BTreeSet::new();
        for (index, answer) in asked.into_iter().enumerate() {
            let Some(answer) = answer else { continue };
            for (id, reports) in answer.await.unwrap_or_default() {
                let known = self.known.entry(Arc::clone(&id)).or_default();
                if known.len() <= index {
                    known.resize_with(index + 1, Vec::new);
                }
                known[index] = reports;
                moved.insert(id);
            }
        }
        let reports = moved.into_iter().map(|id| {
            let known = self.known.get(&id);
            let report = merge(known.into_iter().flatten().flatten());
            (id, report)
        });
        let reports = reports.collect();
        self.known
            .retain(|_, loops| !loops.iter().all(Vec::is_empty));
        reports
    }

    /// The same for all environments with connections, moved or not: for somebody who has to be
    /// told from the beginning.
    pub fn all(&self) -> Vec<(Arc<str>, EnvironmentReport)> {
        let all = self.known.iter();
        all.map(|(id, loops)| (Arc::clone(id), merge(loops.iter().flatten())))
            .collect()
    }
}
