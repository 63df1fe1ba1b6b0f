//! Environments whose connections moved, each told at most once a second.
//!
//! Nodes write what moved with the database's time, but may commit it late: so a while before the
//! last time is looked through again, and what was told is remembered for as long.

use std::collections::BTreeMap;

use burgee_eval::time::Millis;
use burgee_store::{NamedEnvironment, Store, StoreError};

use super::view::DeliveryMoved;

/// How late a row may be seen, in ms.
const LATE: i64 = 10_000;

/// See the module.
#[derive(Default)]
pub(super) struct Moves {
    /// When the environments, by id, moved that did so of late.
    told: BTreeMap<String, Millis>,
    /// The last time of all.
    last: Millis,
}

impl Moves {
    /// Those of `environments` that moved since the last look; at the first one, those that did so
    /// of late.
    pub(super) async fn look(
        &mut self,
        store: &Store,
        environments: &[NamedEnvironment],
    ) -> Result<Vec<DeliveryMoved>, StoreError> {
        let ids: Vec<&str> = environments.iter().map(|it| it.id.as_str()).collect();
        let since = Millis(self.last.0 - LATE);
        let mut found = store.traffic().delivered_since(&ids, since).await?;
        let newest = found.iter().map(|it| it.1).max();
        self.last = newest.unwrap_or_default().max(self.last);
        let since = self.last.0 - LATE;
        found.retain(|(_, at)| at.0 > since);
        self.told.retain(|_, at| at.0 > since);
        let news = found.into_iter().filter_map(|(id, at)| {
            let environment = environments.iter().find(|it| it.id == id)?;
            let is_new = self.told.insert(id, at) != Some(at);
            is_new.then(|| DeliveryMoved::of(environment))
        });
        Ok(news.collect())
    }
}
