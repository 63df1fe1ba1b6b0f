//! Relays that were seen.

use burgee_domain::id::Id;
use burgee_domain::position::Position;
use burgee_store::page::PageRequest;
use burgee_store::relay_agents::AgentConnection;
use burgee_store::{Actor, AgentPosition, AgentSeen, RelayKey, RelayKeyScope, RelayKind, Store};

use super::{key, why};
use crate::kit::{House, NOW, for_each_database, house, later};

const DAY: i64 = 24 * 60 * 60 * 1_000;

fn seen(house: &House, key: &RelayKey, agent: &str, at: i64) -> AgentSeen {
    AgentSeen {
        agent: agent.into(),
        key: key.id.clone(),
        told_by: key.id.clone(),
        organization: house.organization.id.clone(),
        name: "tokyo-1".into(),
        version: "0.9.0".into(),
        kind: RelayKind::Burgee,
        address: "192.0.2.7".into(),
        node: "node-a".into(),
        connections: 3,
        environments: vec![AgentPosition {
            environment: house.prod.id.clone(),
            position: Position {
                version: 7,
                digest: u64::MAX - 1,
            },
        }],
        connected_at: NOW,
        at: later(at),
    }
}

async fn agents(store: &Store, house: &House) -> Vec<String> {
    let page = PageRequest::default();
    let listed = store.relay_agents(&house.organization.id, None, &page);
    let items = listed.await.unwrap().items.into_iter();
    items.map(|it| it.seen.agent).collect()
}

#[tokio::test]
async fn a_relay_is_seen_gone_seen_again_and_forgotten() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        let (made, _) = key(store, &house, RelayKeyScope::All).await;
        let first = seen(&house, &made, "a", 0);
        store.relay_agent_seen(&first).await.unwrap();
        let page = PageRequest::default();
        let one = async || {
            let listed = store.relay_agents(organization, Some(&made.id), &page);
            let mut items = listed.await.unwrap().items;
            assert_eq!(items.len(), 1);
            items.remove(0)
        };
        let agent = one().await;
        assert_eq!(agent.seen, first);
        assert!(agent.is_connected_at(later(59_999)) && !agent.is_connected_at(later(60_000)));

        let next = AgentSeen {
            connections: 9,
            name: "x\0".repeat(300),
            at: later(10_000),
            ..first
        };
        store.relay_agent_seen(&next).await.unwrap();
        let agent = one().await;
        assert_eq!((agent.seen.connections, agent.seen.at), (9, later(10_000)));
        assert_eq!(agent.seen.name, "x".repeat(256));

        // Others than its own connection end: another relay's, one of another organization, one of
        // before, one at another server.
        let here = next.connection();
        let others = [
            AgentConnection {
                agent: "never".into(),
                ..here.clone()
            },
            AgentConnection {
                agent: "\0".into(),
                ..here.clone()
            },
            AgentConnection {
                organization: Id::new("theirs"),
                ..here.clone()
            },
            AgentConnection {
                connected_at: later(-1),
                ..here.clone()
            },
            AgentConnection {
                node: "elsewhere".into(),
                ..here.clone()
            },
        ];
        for other in others {
            let gone = store.relay_agent_gone(&other, later(11_000));
            gone.await.unwrap();
            assert_eq!(one().await.disconnected_at, None, "{other:?}");
        }
        let gone = store.relay_agent_gone(&here, later(11_000));
        gone.await.unwrap();
        let agent = one().await;
        assert_eq!(agent.disconnected_at, Some(later(11_000)));
        assert!(!agent.is_connected_at(later(11_000)));
        store.relay_agent_seen(&next).await.unwrap();
        assert!(one().await.is_connected_at(later(12_000)));

        let month = 30 * DAY + 10_000;
        assert_eq!(store.forget_relay_agents(later(month)).await.unwrap(), 0);
        assert_eq!(
            store.forget_relay_agents(later(month + 1)).await.unwrap(),
            1
        );
        assert!(agents(store, &house).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn a_relay_that_is_gone_is_removed() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (organization, actor) = (&house.organization.id, Actor::operator());
        let (made, _) = key(store, &house, RelayKeyScope::All).await;
        let remove = async |organization, agent, at| {
            store
                .remove_relay_agent(organization, agent, &actor, later(at))
                .await
        };
        for agent in ["a", "b"] {
            store
                .relay_agent_seen(&seen(&house, &made, agent, 0))
                .await
                .unwrap();
        }
        assert_eq!(why(remove(organization, "a", 1).await), "relayConnected");
        let gone = seen(&house, &made, "a", 0).connection();
        store.relay_agent_gone(&gone, later(1)).await.unwrap();
        remove(organization, "a", 2).await.unwrap();
        assert_eq!(why(remove(organization, "a", 2).await), "relay");
        assert_eq!(why(remove(organization, "\0", 2).await), "relay");
        // Its server died without a word.
        remove(organization, "b", 60_000).await.unwrap();
        assert!(agents(store, &house).await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn relays_of_organizations_do_not_mix() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (made, _) = key(store, &house, RelayKeyScope::All).await;
        let own = seen(&house, &made, "a", 0);
        store.relay_agent_seen(&own).await.unwrap();
        let theirs = AgentSeen {
            organization: Id::new("other"),
            name: "taken over".into(),
            ..own.clone()
        };
        assert_eq!(why(store.relay_agent_seen(&theirs).await), "agent");
        let page = PageRequest::default();
        let listed = store.relay_agents(&theirs.organization, None, &page);
        assert!(listed.await.unwrap().items.is_empty());
        // With another key of the same organization it is the same relay.
        let (second, _) = key(store, &house, RelayKeyScope::All).await;
        let moved = AgentSeen {
            key: second.id.clone(),
            told_by: second.id.clone(),
            kind: RelayKind::FeatBit,
            ..own.clone()
        };
        // But not while it lives: then somebody else has come to know its id.
        assert_eq!(why(store.relay_agent_seen(&moved).await), "agent");
        let gone = own.connection();
        store.relay_agent_gone(&gone, later(1)).await.unwrap();
        store.relay_agent_seen(&moved).await.unwrap();
        // Its server died without a word.
        let back = AgentSeen {
            at: later(60_000),
            ..own
        };
        store.relay_agent_seen(&back).await.unwrap();
        let moved = AgentSeen {
            at: later(120_000),
            ..moved
        };
        store.relay_agent_seen(&moved).await.unwrap();
        let listed = store.relay_agents(&house.organization.id, Some(&second.id), &page);
        assert_eq!(listed.await.unwrap().items[0].seen, moved);
        for agent in ["", "\0", &"x".repeat(129)] {
            let bad = AgentSeen {
                agent: agent.into(),
                ..moved.clone()
            };
            assert!(why(store.relay_agent_seen(&bad).await).starts_with("agent "));
        }
    })
    .await;
}

#[tokio::test]
async fn relays_are_listed_page_by_page() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (one, _) = key(store, &house, RelayKeyScope::All).await;
        let (two, _) = key(store, &house, RelayKeyScope::All).await;
        for (key, agent) in [(&two, "a/b"), (&one, "c"), (&two, "d"), (&one, "e")] {
            store
                .relay_agent_seen(&seen(&house, key, agent, 0))
                .await
                .unwrap();
        }
        let (mut page, mut found) = (PageRequest::default(), Vec::new());
        page.limit = Some(1);
        loop {
            let listed = store.relay_agents(&house.organization.id, None, &page);
            let listed = listed.await.unwrap();
            found.extend(listed.items.into_iter().map(|it| it.seen.agent));
            page.cursor = listed.next;
            if page.cursor.is_none() {
                break;
            }
        }
        assert_eq!(found, ["c", "e", "a/b", "d"]);
    })
    .await;
}
