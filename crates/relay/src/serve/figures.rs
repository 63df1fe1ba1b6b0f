//! What a relay tells of its connections: as much of it as may be believed.

use std::collections::BTreeSet;

use burgee_edge::delivery::{NodeKind, NodeReport};

use super::listening::LONGEST;
use crate::message::{Agent, Opened};

/// So many relays may hang on one that is connected.
const BEHIND: usize = 1_000;

/// Relays that a connection told of, by their agents' ids: of these alone it may tell figures.
#[derive(Default)]
pub(super) struct Behind(BTreeSet<String>);

impl Behind {
    /// There is this one.
    pub(super) fn learn(&mut self, agent: &Agent) {
        if self.0.len() < BEHIND {
            self.0.insert(agent.id.clone());
        }
    }

    /// It is gone.
    pub(super) fn forget(&mut self, agent: &str) {
        self.0.remove(agent);
    }

    /// What `teller` says, whose key opens `within`; none where that is of a relay which it never
    /// told of.
    pub(super) fn believe(
        &self,
        report: NodeReport,
        teller: &Agent,
        within: &Opened,
    ) -> Option<NodeReport> {
        let mut report = credible(report, |id| within.opens(id));
        if report.node == teller.id {
            report.name.clone_from(&teller.name);
            report.parent = None;
        } else if self.0.contains(&report.node) {
            // The one in between, where nobody says which.
            report.parent.get_or_insert_with(|| teller.id.clone());
        } else {
            return None;
        }
        Some(report)
    }
}

/// What of a relay's figures can be, of the environments that `within` says.
pub(crate) fn credible(mut report: NodeReport, within: impl Fn(&str) -> bool) -> NodeReport {
    report.kind = NodeKind::Relay;
    let texts = [&mut report.node, &mut report.name];
    for text in texts.into_iter().chain(report.parent.as_mut()) {
        let plain = text.chars().filter(|it| !it.is_control());
        *text = plain.take(LONGEST).collect();
    }
    report.environments.retain(|(id, _)| within(id));
    let environments = report.environments.into_iter();
    report.environments = environments.map(|(id, it)| (id, it.credible())).collect();
    report
}

#[cfg(test)]
mod tests {
    use burgee_edge::delivery::{EnvironmentReport, NodeKind, NodeReport, VersionReport};

    use super::Behind;
    use crate::message::{Agent, Opened};

    fn agent(id: &str) -> Agent {
        Agent {
            id: id.to_owned(),
            name: format!("the {id}"),
            version: "1".to_owned(),
        }
    }

    fn report(node: &str) -> NodeReport {
        let of = |id: &str| (id.to_owned(), EnvironmentReport::default());
        NodeReport {
            node: node.to_owned(),
            kind: NodeKind::Server,
            name: "another name".to_owned(),
            parent: None,
            environments: vec![of("mine"), of("theirs")],
        }
    }

    fn opened() -> Opened {
        Opened {
            key: "key".to_owned(),
            environments: vec!["mine".to_owned(), "other".to_owned()],
        }
    }

    #[test]
    fn a_relay_speaks_for_itself_for_those_behind_it_and_for_what_its_key_opens() {
        let mut behind = Behind::default();
        behind.learn(&agent("far"));
        let believe =
            |behind: &Behind, node: &str| behind.believe(report(node), &agent("near"), &opened());
        let own = believe(&behind, "near").unwrap();
        assert_eq!((own.kind, own.parent), (NodeKind::Relay, None));
        assert_eq!(own.name, "the near");
        assert_eq!(own.environments.len(), 1);
        assert_eq!(own.environments[0].0, "mine");
        let far = believe(&behind, "far").unwrap();
        assert_eq!(far.parent.as_deref(), Some("near"));
        assert_eq!(believe(&behind, "stranger"), None);
        behind.forget("far");
        assert_eq!(believe(&behind, "far"), None);
    }

    #[test]
    fn figures_that_cannot_be_are_cut() {
        let version = VersionReport {
            written: u64::MAX,
            received: u64::MAX,
            ..VersionReport::default()
        };
        let figures = EnvironmentReport {
            connections: 3,
            versions: vec![version; 1_000],
            ..EnvironmentReport::default()
        };
        let mut told = report("near");
        told.environments = vec![("mine".to_owned(), figures)];
        let told = Behind::default().believe(told, &agent("near"), &opened());
        let (_, figures) = &told.unwrap().environments[0];
        assert_eq!(figures.versions.len(), 32);
        assert_eq!(
            (figures.versions[0].written, figures.versions[0].received),
            (3, 3)
        );
    }
}
