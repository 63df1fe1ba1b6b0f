//! The history: all that was done, by whom, in the order in which it took effect.

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::id::Id;
use burgee_domain::model::{Organization, SdkKeyKind};
use burgee_store::page::PageRequest;
use burgee_store::{
    Actor, ActorKind, ChangeSetRequest, EnvironmentEdit, Grant, HistoryFilter, HistoryScope,
    LoggedChangeSet, NewEnvironment, NewProject, NewToken, Store,
};
use serde_json::{Value, json};

use crate::kit::{NOW, apply, flag_on, for_each_database, house, key, later, on_flag, request};

/// The whole history of a scope, read in pages.
async fn history(
    store: &Store,
    organization: &Id<Organization>,
    scope: HistoryScope,
) -> Vec<LoggedChangeSet> {
    let (mut all, mut cursor) = (Vec::new(), None);
    loop {
        let limit = Some(3);
        let page = PageRequest { cursor, limit };
        let page = store
            .history(organization, &scope, &HistoryFilter::default(), &page)
            .await
            .unwrap();
        all.extend(page.items);
        cursor = page.next;
        if cursor.is_none() {
            return all;
        }
    }
}

fn kinds(history: &[LoggedChangeSet]) -> Vec<&str> {
    let kinds = history.iter().map(|it| it.commands[0]["kind"].as_str());
    kinds.map(Option::unwrap).collect()
}

#[tokio::test]
async fn what_took_effect_last_is_first_whenever_it_was_asked_for() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let mut expected = Vec::new();
        for (number, kind) in ["turnOn", "turnOff", "turnOn", "turnOff"]
            .iter()
            .enumerate()
        {
            let mut commands = flag_on("f");
            if number > 0 {
                commands = json!([on_flag(kind, "prod", "f")]);
            }
            // Each was asked for before the one that it follows, and waited for longer.
            let asked = ChangeSetRequest {
                now: later(1_000 - 100 * number as i64),
                ..request(&house, commands)
            };
            expected.insert(0, store.apply(&asked).await.unwrap().id);
        }
        let (project, prod) = (house.project.id.clone(), house.prod.id.clone());
        for scope in [
            HistoryScope::Organization,
            HistoryScope::Project(project),
            HistoryScope::Environment(prod),
        ] {
            let history = history(store, &house.organization.id, scope).await;
            let ids: Vec<&String> = history.iter().map(|it| &it.id).take(4).collect();
            assert_eq!(ids, expected.iter().collect::<Vec<_>>());
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writers_at_once_have_one_order_that_agrees_with_every_scope() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        apply(store, &house, flag_on("f")).await;
        let mut writers = tokio::task::JoinSet::new();
        for writer in 0..6_i64 {
            let (store, environment) = (store.clone(), ["prod", "dev"][writer as usize % 2]);
            let requests = (0..6_i64).map(|round| {
                let kind = ["turnOn", "turnOff"][round as usize % 2];
                let flag = format!("f{writer}");
                let mut commands = json!([on_flag(kind, environment, &flag)]);
                if round == 0 {
                    let make = json!({"kind": "createFlag", "project": "default",
                        "flag": flag, "type": "boolean"});
                    commands = json!([make, on_flag("turnOn", environment, &flag)]);
                }
                ChangeSetRequest {
                    now: later(writer * 37 % 11 - round),
                    ..request(&house, commands)
                }
            });
            let requests: Vec<_> = requests.collect();
            writers.spawn(async move {
                for request in requests {
                    store.apply(&request).await.unwrap();
                }
            });
        }
        while let Some(done) = writers.join_next().await {
            done.unwrap();
        }
        let organization = &house.organization.id;
        let all = history(store, organization, HistoryScope::Organization).await;
        let ids: BTreeSet<&String> = all.iter().map(|it| &it.id).collect();
        assert_eq!(ids.len(), all.len(), "each once");
        assert!(all.len() > 36);
        // Newest first: each scope's versions go down, one by one.
        let mut seen: BTreeMap<String, i64> = BTreeMap::new();
        for change in &all {
            for (scope, version) in change.result["versions"].as_object().unwrap() {
                let version = version.as_i64().unwrap();
                if let Some(newer) = seen.insert(scope.clone(), version) {
                    assert_eq!(version, newer - 1, "{scope}");
                }
            }
        }
        assert_eq!(seen["default/prod"], 1);
        let project = HistoryScope::Project(house.project.id.clone());
        let project = history(store, organization, project).await;
        // Nothing happened elsewhere.
        assert_eq!(project, all);
    })
    .await;
}

/// A token that may do everything, as an actor.
async fn olivia(store: &Store, organization: &Id<Organization>) -> Actor {
    let new = NewToken {
        organization: organization.clone(),
        name: "olivia".to_owned(),
        account: None,
        grant: Grant::Service {
            policies: vec!["owner".to_owned()],
            statements: Vec::new(),
        },
        networks: Vec::new(),
        expires_at: None,
    };
    let made = store.create_token(&new, &Actor::operator(), NOW).await;
    let token = made.unwrap().0;
    Actor {
        kind: ActorKind::Token,
        id: token.id.to_string(),
        name: token.name,
    }
}

#[tokio::test]
async fn administration_is_in_the_history_with_who_did_it() {
    for_each_database(async |database| {
        let store = &database.store;
        let organization = house(store).await.organization.id;
        let olivia = olivia(store, &organization).await;
        let before = history(store, &organization, HistoryScope::Organization).await;
        let first = ["createEnvironment", "createEnvironment", "createProject"];
        assert_eq!(kinds(&before)[1..], first);
        let new = NewProject {
            organization: organization.clone(),
            key: key("web"),
            name: "Web".to_owned(),
        };
        let project = store.create_project(&new, &olivia, NOW).await.unwrap().id;
        store
            .update_project(&project, &named("Web shop"), &olivia, NOW)
            .await
            .unwrap();
        // What is so already is not done.
        store
            .update_project(&project, &named("Web shop"), &olivia, NOW)
            .await
            .unwrap();
        let new = NewEnvironment {
            project: project.clone(),
            key: key("prod"),
            name: "Production".to_owned(),
            description: String::new(),
        };
        let prod = store
            .create_environment(&new, &olivia, NOW)
            .await
            .unwrap()
            .id;
        let edit = EnvironmentEdit {
            name: Some("Live".to_owned()),
            ..EnvironmentEdit::default()
        };
        store
            .update_environment(&prod, &edit, &olivia, NOW)
            .await
            .unwrap();
        let made = store.create_sdk_key(&prod, SdkKeyKind::Server, "eu", &olivia, NOW);
        let made = made.await.unwrap();
        store
            .revoke_sdk_key(&prod, &made.id, &olivia, NOW)
            .await
            .unwrap();
        let new = NewToken {
            organization: organization.clone(),
            name: " ci ".to_owned(),
            account: None,
            grant: Grant::Service {
                policies: vec!["reader".to_owned()],
                statements: Vec::new(),
            },
            networks: Vec::new(),
            expires_at: None,
        };
        let (token, secret) = store
            .create_token(&new, &Actor::operator(), NOW)
            .await
            .unwrap();
        assert_eq!(token.name, "ci");
        for _ in 0..2 {
            store
                .revoke_token(&organization, &token.id, &olivia, NOW)
                .await
                .unwrap();
        }
        store.delete_environment(&prod, &olivia, NOW).await.unwrap();
        store.delete_project(&project, &olivia, NOW).await.unwrap();

        let all = history(store, &organization, HistoryScope::Organization).await;
        let done = &all[..all.len() - before.len()];
        let tokens = ["revokeToken", "createToken"];
        let expected = [
            "deleteProject",
            "deleteEnvironment",
            tokens[0],
            tokens[1],
            "revokeSdkKey",
            "createSdkKey",
            "updateEnvironment",
            "createEnvironment",
            "renameProject",
            "createProject",
        ];
        assert_eq!(kinds(done), expected);
        for act in done {
            let kind = &act.commands[0]["kind"];
            let by = if kind == "createToken" {
                Actor::operator()
            } else {
                olivia.clone()
            };
            assert_eq!(act.actor, by, "{kind}");
            assert_eq!(act.result["diff"][0]["code"], *kind);
            assert!(!act.result.to_string().contains(&secret));
            assert!(!act.result.to_string().contains(&made.secret));
        }
        assert_eq!(
            done[2].commands[0],
            json!({"kind": "revokeToken", "name": "ci",
            "may": "policies: reader", "token": token.id.as_str()})
        );
        assert_eq!(
            done[8].result["diff"][0]["text"],
            json!("web: project renamed, \"Web shop\"")
        );
        // The project's own has all but the tokens.
        let of_project = history(store, &organization, HistoryScope::Project(project)).await;
        let expected = expected.iter().filter(|kind| !tokens.contains(kind));
        assert_eq!(kinds(&of_project), expected.copied().collect::<Vec<_>>());
        let nobody = Id::new("another");
        let theirs = history(store, &nobody, HistoryScope::Organization).await;
        assert_eq!(theirs, [] as [LoggedChangeSet; 0]);
        assert_eq!(Value::Null, all[0].result["versions"]["web/prod"]);
    })
    .await;
}

fn named(name: &str) -> burgee_store::ProjectEdit {
    let name = Some(name.to_owned());
    burgee_store::ProjectEdit {
        name,
        ..burgee_store::ProjectEdit::default()
    }
}
