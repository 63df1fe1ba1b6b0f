//! Decisions: kept once, found again, and no more of them than there may be.

use burgee_domain::position::Position;
use burgee_eval::time::Millis;
use burgee_store::page::PageRequest;
use burgee_store::traffic::{
    Batch, DECISION_DAYS, DECISIONS, Decision, DecisionQuery, LoggedDecision,
};
use burgee_store::{Actor, Store};

use crate::kit::{NOW, for_each_database, house, later};

const DAY: i64 = 86_400_000;

fn decision(environment: &str, user: &str, at: Millis) -> Decision<'static> {
    Decision {
        environment: environment.to_owned().into(),
        user: user.to_owned().into(),
        flag: "f".into(),
        flag_id: "i".into(),
        variation: "on".into(),
        surface: "stream".into(),
        reason: Some("rule".into()),
        rule: Some("germany".into()),
        position: Some(Position {
            version: 7,
            digest: u64::MAX,
        }),
        at,
    }
}

fn batch(sequence: i64, decisions: Vec<Decision<'static>>) -> Batch<'static> {
    Batch {
        sender: "node-1".into(),
        sequence,
        at: NOW,
        decisions,
        ..Batch::default()
    }
}

async fn found(store: &Store, environment: &str) -> Vec<LoggedDecision> {
    let query = DecisionQuery {
        environment,
        user: None,
        flag: None,
        from: None,
        to: None,
    };
    let page = PageRequest {
        limit: Some(500),
        ..PageRequest::default()
    };
    let traffic = store.traffic();
    traffic.decisions(&query, &page).await.unwrap().items
}

fn users(decisions: &[LoggedDecision]) -> Vec<&str> {
    decisions.iter().map(|it| it.user.as_str()).collect()
}

#[tokio::test]
async fn a_decision_is_kept_as_it_was_and_once() {
    for_each_database(async |database| {
        let traffic = database.store.traffic();
        let bad = |user: &str| decision("e", user, NOW);
        let said = Decision {
            reason: None,
            rule: None,
            position: None,
            ..decision("e", "bea", later(1))
        };
        let long = "x".repeat(513);
        let one = batch(
            1,
            vec![decision("e", "ana", NOW), bad("a\0"), said, bad(&long)],
        );
        let written = traffic.write(&one).await.unwrap();
        assert_eq!(written.refused, 2, "what no database holds, and no other");
        assert!(traffic.write(&one).await.unwrap().repeated);
        let all = found(&database.store, "e").await;
        assert_eq!(users(&all), ["bea", "ana"], "the newest first");
        assert_eq!((&all[0].reason, all[0].position), (&None, None));
        let ana = &all[1];
        assert_eq!(ana.reason.as_deref(), Some("rule"));
        assert_eq!(ana.rule.as_deref(), Some("germany"));
        assert_eq!(ana.position.unwrap().digest, u64::MAX);
        assert_eq!((ana.surface.as_str(), ana.at), ("stream", NOW));
    })
    .await;
}

#[tokio::test]
async fn an_environment_keeps_so_many_for_so_long() {
    for_each_database(async |database| {
        let (store, house) = (&database.store, house(&database.store).await);
        let (prod, dev) = (house.prod.id.as_str(), house.dev.id.as_str());
        let at = |environment: &str, ms: i64| decision(environment, &format!("u{ms}"), later(ms));
        let mut all: Vec<_> = (0..5).map(|ms| at(prod, ms)).collect();
        all.extend([at(dev, 0), at(dev, 1), at("of nobody", 0)]);
        let traffic = store.traffic();
        traffic.write(&batch(1, all)).await.unwrap();
        // An environment that is not there keeps nothing.
        assert_eq!(traffic.trim_decisions(NOW, DECISIONS).await.unwrap(), 1);
        assert_eq!(traffic.trim_decisions(NOW, 3).await.unwrap(), 2);
        assert_eq!(users(&found(store, prod).await), ["u4", "u3", "u2"]);
        assert_eq!(users(&found(store, dev).await), ["u1", "u0"]);
        let days = DECISION_DAYS * DAY;
        let done = traffic.roll_up(later(days + 1)).await.unwrap();
        assert_eq!(done.decisions, 1);
        assert_eq!(users(&found(store, dev).await), ["u1"]);
        assert_eq!(found(store, prod).await.len(), 3);
        let actor = Actor::operator();
        let project = house.project.id.clone();
        store.delete_project(&project, &actor, NOW).await.unwrap();
        assert_eq!(
            found(store, prod).await.len() + found(store, dev).await.len(),
            0
        );
    })
    .await;
}

#[tokio::test]
async fn what_is_written_keeps_the_bound_by_itself() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let prod = house.prod.id.as_str();
        // As many as there may be, each a millisecond after the one before.
        let full = "INSERT INTO decisions (id, environment_id, user_key, flag, flag_id, variation, \
             surface, at) WITH RECURSIVE numbers (number) AS (SELECT 0 UNION ALL \
             SELECT number + 1 FROM numbers WHERE number + 1 < $1) \
             SELECT 'id-' || number, $2, 'u', 'f', 'i', 'on', 'stream', $3 + number FROM numbers";
        let mut raw = database.raw_traffic().await;
        sqlx::query(full)
            .bind(DECISIONS)
            .bind(prod)
            .bind(NOW.0)
            .execute(&mut raw)
            .await
            .unwrap();
        let more = 10_000;
        let some = (0..more).map(|number| decision(prod, "ana", later(DECISIONS + number)));
        let traffic = store.traffic();
        let batch = batch(1, some.collect());
        traffic.write(&batch).await.unwrap();
        traffic.trim_after(&batch).await;
        let left = "SELECT CAST(COUNT(*) AS BIGINT), MIN(at) FROM decisions";
        let left: (i64, i64) = sqlx::query_as(left).fetch_one(&mut raw).await.unwrap();
        assert_eq!(left, (DECISIONS, later(more).0));
    })
    .await;
}
