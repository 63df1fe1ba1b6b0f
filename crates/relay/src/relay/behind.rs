//! Relays behind a relay: the upstream says what their keys open, and is told how they are.

use std::sync::Arc;
use std::time::Duration;

use burgee_edge::delivery::NodeReport;
use burgee_edge::source::{BoxFuture, Source, Unavailable};
use tokio::time::timeout;

use crate::message::{Opened, Report, ToUpstream};
use crate::serve::Access;
use crate::upstream::Upstream;

/// How long a key that was revoked can go unnoticed here: the upstream does not tell of them.
const LOOK: Duration = Duration::from_secs(5);

/// Who may be fed, as the upstream says.
pub(super) struct Behind(pub(super) Arc<Upstream>);

impl Behind {
    /// The environments that are here, by their ids.
    fn served(&self) -> Vec<String> {
        let heads = self.0.mirror().heads().into_iter();
        heads.map(|head| head.environment).collect()
    }
}

impl Access for Behind {
    fn open<'a>(&'a self, secret: &'a str) -> BoxFuture<'a, Result<Option<Opened>, Unavailable>> {
        Box::pin(self.0.relay_scope(secret))
    }

    fn changed(&self) -> BoxFuture<'_, ()> {
        let (before, mut changed) = (self.served(), self.0.changed());
        Box::pin(async move {
            // Which keys there are, what is told of environments does not say.
            let others = async {
                while self.served() == before {
                    std::mem::replace(&mut changed, self.0.changed()).await;
                }
            };
            let _time_to_look = timeout(LOOK, others).await;
        })
    }

    fn seen(&self, _by: &str, report: Report) {
        self.0.tell(ToUpstream::Status(report));
    }

    fn gone(&self, agent: &str) {
        self.0.tell(ToUpstream::Gone(agent.to_owned()));
    }

    fn delivered(&self, _key: Option<&str>, mut report: NodeReport) {
        let here = || self.0.agent().id.clone();
        report.parent.get_or_insert_with(here);
        self.0.tell(ToUpstream::Delivery(report));
    }
}
