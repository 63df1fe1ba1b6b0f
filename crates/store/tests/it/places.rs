//! What is set of environments, on both databases.

use burgee_domain::access::Rights;
use burgee_domain::admission::EnvironmentRules;
use burgee_domain::colour::Colour;
use burgee_store::page::PageRequest;
use burgee_store::{
    Actor, EnvironmentEdit, HistoryScope, NewEnvironment, RulesAuthor, Store, StoreError,
};
use serde_json::json;

use crate::kit::{House, NOW, for_each_database, house, key};

async fn add(store: &Store, house: &House, name: &str) {
    let new = NewEnvironment {
        project: house.project.id.clone(),
        key: key(name),
        name: name.to_owned(),
        description: String::new(),
    };
    let actor = Actor::operator();
    store.create_environment(&new, &actor, NOW).await.unwrap();
}

async fn order(store: &Store, house: &House) -> Vec<String> {
    let all = store.environments(&house.project.id).await.unwrap();
    all.iter().map(|it| it.key.to_string()).collect()
}

#[tokio::test]
async fn an_environment_is_moved_before_another() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        add(store, &house, "eu").await;
        add(store, &house, "us").await;
        let actor = Actor::operator();
        let prod = &house.prod.id;
        let moves = [
            (Some("us"), ["dev", "eu", "prod", "us"]),
            (Some("DEV"), ["prod", "dev", "eu", "us"]),
            (None, ["dev", "eu", "us", "prod"]),
        ];
        for (before, expected) in moves {
            let before = before.map(key);
            let was = store.environment(&house.project.id, &key("prod")).await;
            let moved = store.move_environment(prod, before.as_ref(), &actor, NOW);
            let moved = moved.await.unwrap();
            assert_eq!(order(store, &house).await, expected);
            assert_eq!(moved.position.version, was.unwrap().position.version + 1);
            let read = store.environment(&house.project.id, &key("prod")).await;
            assert_eq!(read.unwrap(), moved);
        }
        let version = async || {
            let prod = store.environment(&house.project.id, &key("prod")).await;
            prod.unwrap().position.version
        };
        let before = version().await;
        store
            .move_environment(prod, None, &actor, NOW)
            .await
            .unwrap();
        assert_eq!(version().await, before, "it is there already");
        for nowhere in ["nowhere", "prod"] {
            let nowhere = key(nowhere);
            let refused = store
                .move_environment(prod, Some(&nowhere), &actor, NOW)
                .await;
            assert!(matches!(
                refused,
                Err(StoreError::Invalid {
                    field: "before",
                    ..
                })
            ));
        }
        assert_eq!(order(store, &house).await, ["dev", "eu", "us", "prod"]);
    })
    .await;
}

#[tokio::test]
async fn what_is_protected_is_not_deleted() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let actor = Actor::operator();
        let protect = |protected: bool| EnvironmentEdit {
            protected: Some(protected),
            colour: Some(Colour::new("#123456").unwrap()),
            ..EnvironmentEdit::default()
        };
        let (prod, project) = (&house.prod.id, &house.project.id);
        let set = async |protected: bool| {
            let edit = protect(protected);
            let edited = store.update_environment(prod, &edit, &actor, NOW);
            edited.await.unwrap().protected
        };
        assert!(set(true).await);
        let read = store.environment(project, &key("prod")).await.unwrap();
        assert!(read.protected);
        assert_eq!(read.colour.to_string(), "#123456");
        assert_eq!(read.position.version, house.prod.position.version + 1);
        let refused = [
            store.delete_environment(prod, &actor, NOW).await,
            store.delete_project(project, &actor, NOW).await,
        ];
        for refused in refused {
            let code = "protected";
            assert!(matches!(refused, Err(StoreError::Refused { code: it, .. }) if it == code));
        }
        let scope = HistoryScope::Environment(prod.clone());
        let page = PageRequest::default();
        let history = store
            .history(
                &house.organization.id,
                &scope,
                &burgee_store::HistoryFilter::default(),
                &page,
            )
            .await;
        let last = &history.unwrap().items[0];
        assert_eq!(
            last.result["diff"][0]["text"],
            "default/prod: environment given another colour and protected"
        );
        assert!(!set(false).await);
        store.delete_environment(prod, &actor, NOW).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn what_asks_for_approvals_is_not_deleted() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (actor, rights) = (Actor::operator(), Rights::everything());
        let (prod, project) = (&house.prod.id, &house.project.id);
        let set = async |rules: serde_json::Value| {
            let rules: EnvironmentRules = serde_json::from_value(rules).unwrap();
            let author = RulesAuthor {
                actor: &actor,
                rights: &rights,
            };
            let set = store.set_environment_rules(prod, &rules, author, NOW);
            set.await.unwrap();
        };
        set(json!({"approvals": {"required": 1}})).await;
        let refused = [
            store.delete_environment(prod, &actor, NOW).await,
            store.delete_project(project, &actor, NOW).await,
        ];
        for refused in refused {
            let code = "asksApprovals";
            assert!(matches!(refused, Err(StoreError::Refused { code: it, .. }) if it == code));
        }
        set(json!({"comment": "required"})).await;
        store.delete_environment(prod, &actor, NOW).await.unwrap();
    })
    .await;
}
