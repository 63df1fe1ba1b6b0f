//! What a relay tells of its connections: as much of it as may be believed.

use burgee_edge::delivery::{NodeKind, NodeReport};

use super::agents::{Told, cut};
use crate::message::Opened;

/// What a conversation says of a relay's connections; none where that is of a relay which it never
/// told of. `within` is what the key of its relay opens.
pub(super) fn believe(report: NodeReport, told: &Told<'_>, within: &Opened) -> Option<NodeReport> {
    let teller = told.teller();
    let mut report = credible(report, |id| within.opens(id));
    if !told.of(&report.node) {
        return None;
    }
    if report.node == teller.id {
        report.name.clone_from(&teller.name);
        report.parent = None;
    } else {
        // The one in between, where nobody says which.
        report.parent.get_or_insert_with(|| teller.id.clone());
    }
    Some(report)
}

/// What of a relay's figures can be, of the environments that `within` says.
pub(crate) fn credible(mut report: NodeReport, within: impl Fn(&str) -> bool) -> NodeReport {
    report.kind = NodeKind::Relay;
    let texts = [&mut report.node, &mut report.name];
    for text in texts.into_iter().chain(report.parent.as_mut()) {
        *text = cut(text);
    }
    report.environments.retain(|(id, _)| within(id));
    let environments = report.environments.into_iter();
    report.environments = environments.map(|(id, it)| (id, it.credible())).collect();
    report
}

#[cfg(test)]
mod tests {
    use burgee_edge::delivery::{EnvironmentReport, NodeKind, NodeReport, VersionReport};

    use super::super::agents::{Agents, Told};
    use super::believe;
    use crate::message::{Agent, Opened};

    fn agent(id: &str) -> Agent {
        Agent {
            kind: Default::default(),
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
            names: Default::default(),
            environments: vec!["mine".to_owned(), "other".to_owned()],
        }
    }

    #[test]
    fn a_relay_speaks_for_itself_for_those_behind_it_and_for_what_its_key_opens() {
        let agents = Agents::default();
        let mut told = Told::new(&agents, agent("near"), "key");
        assert!(told.learn("near") && told.learn("far"));
        let believe = |told: &Told<'_>, node: &str| believe(report(node), told, &opened());
        let own = believe(&told, "near").unwrap();
        assert_eq!((own.kind, own.parent), (NodeKind::Relay, None));
        assert_eq!(own.name, "the near");
        assert_eq!(own.environments.len(), 1);
        assert_eq!(own.environments[0].0, "mine");
        let far = believe(&told, "far").unwrap();
        assert_eq!(far.parent.as_deref(), Some("near"));
        assert_eq!(believe(&told, "stranger"), None);
        assert!(told.is_gone("far"));
        assert_eq!(believe(&told, "far"), None);
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
        let agents = Agents::default();
        let mut by = Told::new(&agents, agent("near"), "key");
        assert!(by.learn("near"));
        let told = believe(told, &by, &opened()).unwrap();
        let (_, figures) = &told.environments[0];
        assert_eq!(figures.versions.len(), 32);
        assert_eq!(
            (figures.versions[0].written, figures.versions[0].received),
            (3, 3)
        );
    }
}
