//! What a provider was told by an event, with its question for all flags: how new the answer has to
//! be (`flagConfigEtag`, `flagConfigLastModified`).
//!
//! An event may have come from another node, or there may be several behind one address. A node
//! that is not so far waits a moment, and then says that it cannot answer: so nobody who heard of a
//! change is given what was before it. A hint that cannot be read asks for nothing.

use std::sync::Arc;
use std::time::Duration;

use burgee_eval::time::Millis;
use tokio::time::timeout;

use super::super::Api;
use super::asked::Asked;
use super::refusal::Refusal;
use crate::environment::Encoded;
use crate::http::query::parameter;
use crate::source::Position;

/// How long a state is waited for. Nodes are milliseconds apart, or something is wrong.
const PATIENCE: Duration = Duration::from_secs(2);

/// How new an answer has to be.
#[derive(Debug, Default, PartialEq, Eq)]
struct Hints {
    version: Option<i64>,
    /// In seconds since 1970, which is all that the protocol has.
    modified: Option<i64>,
}

/// What the environment is, as new as the question says.
pub(super) async fn current(api: &Api, asked: &Asked) -> Result<Arc<Encoded>, Refusal> {
    let hints = Hints::read(asked.parts.uri.query().unwrap_or_default());
    let environment = &asked.access.environment;
    let newer = api.hub.becomes(environment, |state| hints.are_met(state));
    let late = |_| Refusal::unavailable("what the event told of has not come to this node yet");
    timeout(PATIENCE, newer).await.map_err(late)
}

impl Hints {
    fn read(query: &str) -> Self {
        let text = |name| String::from_utf8(parameter(query, name)?.into_owned()).ok();
        let position = text("flagConfigEtag").and_then(|tag| Position::read(tag.trim_matches('"')));
        let modified = text("flagConfigLastModified").and_then(|at| match at.parse() {
            Ok(seconds) => Some(seconds),
            Err(_) => Some(Millis::parse(&at)?.0.div_euclid(1000)),
        });
        Self {
            version: position.map(|position| position.version),
            modified,
        }
    }

    /// When a state was committed is not always known.
    fn are_met(&self, state: &Encoded) -> bool {
        let committed = state.arrival().committed_at;
        let is_late = |wanted| committed != 0 && committed.div_euclid(1000) < wanted;
        self.version
            .is_none_or(|wanted| state.position().version >= wanted)
            && !self.modified.is_some_and(is_late)
    }
}

#[cfg(test)]
mod tests {
    use super::Hints;

    #[test]
    fn a_hint_is_read_in_each_of_its_forms_and_passed_over_where_it_is_none() {
        let version = |text: &str| Hints::read(&format!("flagConfigEtag={text}")).version;
        assert_eq!(version("12.00000000000000ff"), Some(12));
        assert_eq!(version("%2212.00000000000000ff%22"), Some(12));
        assert_eq!(
            version("12.00000000000000ff.0123456789abcdef"),
            Some(12),
            "a whole answer's"
        );
        for other in ["", "12", "12.ff", "-1.00000000000000ff", "x.y", "%ff"] {
            assert_eq!(version(other), None, "{other}");
        }
        let modified = |text: &str| Hints::read(&format!("flagConfigLastModified={text}")).modified;
        assert_eq!(modified("1795000000"), Some(1_795_000_000));
        assert_eq!(modified("2026-11-22T08:00:00.900Z"), Some(1_795_334_400));
        assert_eq!(modified("yesterday"), None);
        assert_eq!(Hints::read(""), Hints::default());
    }
}
