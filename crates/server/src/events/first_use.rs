//! First uses of SDK keys, each told once.
//!
//! They are asked for by their moment, which is the clock of the node that saw them, and they can be
//! committed late: so some time before now is looked through again each time, and what was told
//! already is remembered for as long.

use std::collections::BTreeMap;

use burgee_domain::id::Id;
use burgee_domain::model::{Organization, SdkKey};
use burgee_eval::time::Millis;
use burgee_store::sdk_keys::FirstUse;
use burgee_store::{Store, StoreError};

use super::view::{Seen, SeenKey, Sign};
use crate::app::now;

/// How late a first use may be seen, in ms: nodes' clocks may differ by so much.
const LATE: i64 = 60_000;

/// See the module.
#[derive(Default)]
pub(super) struct FirstUses {
    /// When the keys that were told, or that were used before this began, were used first. None: it
    /// has not begun.
    told: Option<BTreeMap<Id<SdkKey>, Millis>>,
}

impl FirstUses {
    /// Those that were not told yet.
    pub(super) async fn look(
        &mut self,
        store: &Store,
        organization: &Id<Organization>,
    ) -> Result<Vec<Seen>, StoreError> {
        let since = Millis(now().0 - LATE);
        let found = store.first_used_sdk_keys(organization, since).await?;
        let begun = self.told.is_some();
        let told = self.told.get_or_insert_default();
        told.retain(|_, at| *at >= since);
        let news = found
            .into_iter()
            .filter(|it| told.insert(it.id.clone(), it.at).is_none())
            .map(seen);
        let news: Vec<Seen> = news.collect();
        Ok(if begun { news } else { Vec::new() })
    }
}

fn seen(of: FirstUse) -> Seen {
    Seen {
        sign: Sign::Sdk,
        project: of.project,
        environment: of.environment,
        protected: of.protected,
        sdk_key: Some(SeenKey {
            id: of.id.to_string(),
            kind: of.kind.into(),
            name: of.name,
        }),
    }
}
