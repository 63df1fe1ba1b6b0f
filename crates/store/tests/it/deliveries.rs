//! What nodes tell each other of their connections.

use burgee_store::dialect::Clock;
use burgee_store::traffic::{DeliveryNode, DeliveryTold, SILENT};

use crate::kit::{Database, NOW, for_each_database, later};

fn node(name: &str) -> DeliveryNode {
    DeliveryNode {
        node: format!("{name}-1"),
        kind: "server".into(),
        name: name.into(),
        parent: None,
    }
}

fn told(environment: &str, connections: i64) -> DeliveryTold {
    DeliveryTold {
        environment: environment.into(),
        connections,
        report: format!("{{\"connections\":{connections}}}"),
    }
}

/// (name, connections) of an environment, some ms after the beginning.
async fn of(db: &Database, environment: &str, after: i64) -> Vec<(String, i64)> {
    let clock = Clock::At(later(after));
    let found = db.store.traffic().deliveries(environment, clock).await;
    let found = found.unwrap().into_iter();
    found
        .map(|(node, told)| {
            assert_eq!(
                told.report,
                format!("{{\"connections\":{}}}", told.connections)
            );
            (node.name, told.connections)
        })
        .collect()
}

#[tokio::test]
async fn the_last_word_of_each_living_node_counts() {
    for_each_database(async |db| {
        let traffic = db.store.traffic();
        let (a, b) = (node("a"), node("b"));
        let relay = DeliveryNode {
            kind: "relay".into(),
            parent: Some(a.node.clone()),
            ..node("relay")
        };
        let begin = Clock::At(NOW);
        traffic
            .tell_deliveries(&[(b.clone(), vec![told("e", 7)])], begin)
            .await
            .unwrap();
        let both = [told("e", 1), told("other", 9)];
        traffic
            .tell_deliveries(&[(a.clone(), both.to_vec())], begin)
            .await
            .unwrap();
        traffic
            .tell_deliveries(&[(relay.clone(), vec![told("e", 5)])], begin)
            .await
            .unwrap();
        traffic
            .tell_deliveries(&[(a.clone(), vec![told("e", 2)])], begin)
            .await
            .unwrap();
        let names = |all: &[(&str, i64)]| -> Vec<(String, i64)> {
            all.iter()
                .map(|(name, count)| ((*name).to_owned(), *count))
                .collect()
        };
        assert_eq!(
            of(db, "e", 0).await,
            names(&[("a", 2), ("b", 7), ("relay", 5)])
        );
        assert_eq!(of(db, "other", 0).await, names(&[("a", 9)]));
        let found = traffic.deliveries("e", begin).await.unwrap();
        assert_eq!(found[2].0, relay);

        // One says that it lives, one that it ends; the third says nothing.
        let alive = Clock::At(later(SILENT));
        traffic
            .tell_deliveries(&[(a.clone(), vec![])], alive)
            .await
            .unwrap();
        traffic.end_deliveries(&relay.node).await.unwrap();
        assert_eq!(of(db, "e", SILENT).await, names(&[("a", 2)]));
    })
    .await;
}

#[tokio::test]
async fn what_a_relay_does_not_tell_again_is_passed_over() {
    for_each_database(async |db| {
        let traffic = db.store.traffic();
        let relay = DeliveryNode {
            kind: "relay".into(),
            ..node("relay")
        };
        let both = [told("e", 1), told("lost", 2)];
        for node in [&relay, &node("server")] {
            let begin = Clock::At(NOW);
            traffic
                .tell_deliveries(&[(node.clone(), both.to_vec())], begin)
                .await
                .unwrap();
            let again = Clock::At(later(80_000));
            let one = [told("e", 1)];
            traffic
                .tell_deliveries(&[(node.clone(), one.to_vec())], again)
                .await
                .unwrap();
        }
        assert_eq!(of(db, "e", 90_000).await.len(), 2);
        let server = [("server".to_owned(), 2)];
        assert_eq!(of(db, "lost", 90_000).await, server);
    })
    .await;
}

#[tokio::test]
async fn what_is_gone_is_forgotten() {
    for_each_database(async |db| {
        let traffic = db.store.traffic();
        let (a, b) = (node("a"), node("b"));
        traffic
            .tell_deliveries(
                &[(a.clone(), vec![told("e", 1), told("empty", 0)])],
                Clock::At(NOW),
            )
            .await
            .unwrap();
        traffic
            .tell_deliveries(&[(b.clone(), vec![told("e", 1)])], Clock::At(NOW))
            .await
            .unwrap();
        traffic
            .tell_deliveries(&[(b.clone(), vec![])], Clock::At(later(70_000)))
            .await
            .unwrap();
        let swept = traffic.sweep_deliveries(Clock::At(later(70_000))).await;
        assert_eq!(swept.unwrap(), 1);
        assert_eq!(of(db, "e", 70_000).await, [("b".to_owned(), 1)]);
        assert_eq!(of(db, "empty", 70_000).await, []);
    })
    .await;
}

#[tokio::test]
async fn who_listens_asks_which_environments_were_told_of() {
    for_each_database(async |db| {
        let traffic = db.store.traffic();
        let begin = Clock::At(NOW);
        traffic
            .tell_deliveries(&[(node("a"), vec![told("e", 1), told("f", 1)])], begin)
            .await
            .unwrap();
        let later_on = Clock::At(later(9));
        traffic
            .tell_deliveries(&[(node("b"), vec![told("e", 1)])], later_on)
            .await
            .unwrap();
        let since = |at: i64| async move {
            let all = ["e", "f", "g"];
            let mut found = traffic.delivered_since(&all, later(at)).await.unwrap();
            found.sort();
            found
        };
        let (e, f) = (("e".to_owned(), later(9)), ("f".to_owned(), NOW));
        assert_eq!(since(-1).await, [e.clone(), f]);
        assert_eq!(since(0).await, [e]);
        assert_eq!(since(9).await, []);
    })
    .await;
}
