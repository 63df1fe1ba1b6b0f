//! The first start, projects, environments, SDK keys and tokens.

use burgee_domain::model::SdkKeyKind;
use burgee_domain::position::Position;
use burgee_store::edge::Changes;
use burgee_store::page::PageRequest;
use burgee_store::{
    Actor, EnvironmentEdit, Grant, Location, NewEnvironment, NewProject, NewToken, Store,
    StoreError,
};

use crate::kit::{NOW, for_each_database, house, key, later};

#[tokio::test]
async fn the_first_start_happens_once_even_when_processes_race() {
    for_each_database(async |database| {
        let (one, two) = (database.another().await, database.another().await);
        let (a, b) = tokio::join!(one.first_start(NOW), two.first_start(NOW));
        let (a, b) = (a.unwrap(), b.unwrap());
        assert!(a.created != b.created, "one of them made it");
        assert_eq!(a.organization, b.organization);

        let house = house(&database.store).await;
        let page = PageRequest::default();
        let projects = database.store.projects(&house.organization.id, &page).await;
        assert_eq!(
            projects.unwrap().items,
            std::slice::from_ref(&house.project)
        );
        for environment in [&house.prod, &house.dev] {
            let keys = database.store.sdk_keys(&environment.id).await.unwrap();
            let kinds: Vec<SdkKeyKind> = keys.iter().map(|key| key.kind).collect();
            assert_eq!(kinds, [SdkKeyKind::Client, SdkKeyKind::Server]);
        }
    })
    .await;
}

#[tokio::test]
async fn migrating_again_changes_nothing() {
    for_each_database(async |database| {
        house(&database.store).await;
        let other = database.another().await;
        let (a, b) = tokio::join!(database.store.migrate(), other.migrate());
        a.unwrap();
        b.unwrap();
        assert!(!other.first_start(NOW).await.unwrap().created);
    })
    .await;
}

#[tokio::test]
async fn keys_are_unique_without_regard_to_case() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let project = NewProject {
            organization: house.organization.id.clone(),
            key: key("Default"),
            name: "Another".into(),
        };
        let refused = store.create_project(&project, &Actor::system(), NOW).await;
        assert!(matches!(
            refused,
            Err(StoreError::Conflict { field: "key", .. })
        ));
        let environment = NewEnvironment {
            project: house.project.id.clone(),
            key: key("PROD"),
            name: "Another".into(),
            description: String::new(),
        };
        let refused = store
            .create_environment(&environment, &Actor::system(), NOW)
            .await;
        assert!(matches!(
            refused,
            Err(StoreError::Conflict { field: "key", .. })
        ));
        let heads = store.edge().heads().await.unwrap();
        assert_eq!(heads.len(), 2, "nothing half-done is left");
    })
    .await;
}

#[tokio::test]
async fn sdk_keys_are_found_until_they_are_revoked_and_the_feed_sees_it() {
    for_each_database(async |database| {
        let store = &database.store;
        let prod = house(store).await.prod;
        let before = prod.position;
        let made = store
            .create_sdk_key(&prod.id, SdkKeyKind::Server, "ci", &Actor::operator(), NOW)
            .await
            .unwrap();
        assert_eq!(made.secret.len(), 44);
        let found = store.edge().find_key(&made.secret).await.unwrap();
        assert_eq!(found, Some((prod.id.clone(), SdkKeyKind::Server)));
        assert_eq!(store.edge().find_key("unknown\0").await.unwrap(), None);

        let Changes::Since(delta) = store
            .edge()
            .changes(prod.id.as_str(), before)
            .await
            .unwrap()
        else {
            panic!("the history goes on")
        };
        assert_eq!(delta.environment.position.version, before.version + 1);
        assert_eq!(delta.keys.unwrap().len(), 3);

        let revoked = store
            .revoke_sdk_key(&prod.id, &made.id, &Actor::operator(), later(1))
            .await
            .unwrap();
        assert_eq!(revoked.revoked_at, Some(later(1)));
        assert_eq!(store.edge().find_key(&made.secret).await.unwrap(), None);
        let head = delta.environment.position;
        let Changes::Since(delta) = store.edge().changes(prod.id.as_str(), head).await.unwrap()
        else {
            panic!("the history goes on")
        };
        assert_eq!(delta.keys.unwrap().len(), 2);
    })
    .await;
}

#[tokio::test]
async fn an_adopted_secret_belongs_to_one_environment() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let secret = "uT-Nz6K2mUKAybzhiyECTQOMw8A4vbW0GAtMv1zgaAtA";
        let (client, actor) = (SdkKeyKind::Client, Actor::operator());
        let adopt = async |environment, kind| {
            store
                .adopt_sdk_key(environment, kind, secret, &actor, NOW)
                .await
        };
        let first = adopt(&house.prod.id, client).await.unwrap();
        let again = adopt(&house.prod.id, client).await.unwrap();
        assert_eq!(first, again);
        for (environment, kind) in [
            (&house.dev.id, client),
            (&house.prod.id, SdkKeyKind::Server),
        ] {
            let refused = adopt(environment, kind).await;
            assert!(matches!(
                refused,
                Err(StoreError::Conflict {
                    field: "secret",
                    ..
                })
            ));
        }
        let short = store
            .adopt_sdk_key(&house.prod.id, client, "short", &actor, NOW)
            .await;
        assert!(matches!(
            short,
            Err(StoreError::Invalid {
                field: "secret",
                ..
            })
        ));
        // Once revoked, it can be adopted where it is needed.
        store
            .revoke_sdk_key(&house.prod.id, &first.id, &actor, NOW)
            .await
            .unwrap();
        adopt(&house.dev.id, client).await.unwrap();
        let found = store.edge().find_key(secret).await.unwrap();
        assert_eq!(found, Some((house.dev.id, client)));
    })
    .await;
}

#[tokio::test]
async fn a_deleted_environment_is_gone_and_its_keys_with_it() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let keys = store.sdk_keys(&house.prod.id).await.unwrap();
        store
            .delete_environment(&house.prod.id, &Actor::operator(), NOW)
            .await
            .unwrap();
        let changes = store
            .edge()
            .changes(house.prod.id.as_str(), house.prod.position)
            .await
            .unwrap();
        assert!(matches!(changes, Changes::Gone));
        for key in keys {
            assert_eq!(store.edge().find_key(&key.secret).await.unwrap(), None);
        }
        let heads = store.edge().heads().await.unwrap();
        assert_eq!(heads.len(), 1);
        assert_eq!(heads[0].environment, house.dev.id);

        store
            .delete_project(&house.project.id, &Actor::operator(), NOW)
            .await
            .unwrap();
        assert!(store.edge().heads().await.unwrap().is_empty());
        let renamed = store
            .update_project(&house.project.id, &named("Ghost"), &Actor::system(), NOW)
            .await;
        assert!(matches!(renamed, Err(StoreError::NotFound("project"))));
        // The keys are free again.
        let project = NewProject {
            organization: house.organization.id,
            key: key("default"),
            name: "Anew".into(),
        };
        store
            .create_project(&project, &Actor::system(), NOW)
            .await
            .unwrap();
    })
    .await;
}

fn edit(name: Option<&str>, description: Option<&str>) -> EnvironmentEdit {
    EnvironmentEdit {
        name: name.map(str::to_owned),
        description: description.map(str::to_owned),
        ..EnvironmentEdit::default()
    }
}

#[tokio::test]
async fn a_setting_moves_the_environment() {
    for_each_database(async |database| {
        let store = &database.store;
        let prod = house(store).await.prod;
        let updated = store
            .update_environment(
                &prod.id,
                &edit(Some("Production EU"), Some("Frankfurt")),
                &Actor::system(),
                NOW,
            )
            .await
            .unwrap();
        assert_eq!(updated.position.version, prod.position.version + 1);
        let read = store.environment(&prod.project, &prod.key).await.unwrap();
        assert_eq!(read, updated);
        // What is not given stays, and where nothing differs nothing moves.
        let actor = &Actor::system();
        let described = store
            .update_environment(&prod.id, &edit(None, Some(" Dublin\n")), actor, NOW)
            .await
            .unwrap();
        let about = (described.name.as_str(), described.description.as_str());
        assert_eq!(about, ("Production EU", "Dublin"));
        let again = store
            .update_environment(&prod.id, &edit(Some("Production EU"), None), actor, NOW)
            .await;
        assert_eq!(again.unwrap(), described);
        store
            .update_project(&prod.project, &named("Web shop"), &Actor::system(), NOW)
            .await
            .unwrap();
        let refused = store
            .update_environment(&prod.id, &edit(Some("a\0b"), None), actor, NOW)
            .await;
        assert!(matches!(
            refused,
            Err(StoreError::Invalid { field: "name", .. })
        ));
    })
    .await;
}

#[tokio::test]
async fn a_token_is_found_by_its_text_while_it_works() {
    for_each_database(async |database| {
        let store = &database.store;
        let organization = house(store).await.organization.id;
        let new = NewToken {
            organization: organization.clone(),
            name: "ci".into(),
            account: None,
            grant: Grant::Service {
                policies: vec!["owner".to_owned()],
                statements: Vec::new(),
            },
            networks: Vec::new(),
            expires_at: Some(later(1_000)),
        };
        let (token, secret) = store
            .create_token(&new, &Actor::operator(), NOW)
            .await
            .unwrap();
        assert!(secret.starts_with(&token.prefix) && secret.len() > 40);
        let found = store.find_token(&secret, later(1)).await.unwrap().unwrap();
        assert_eq!((&found.id, found.last_used_at), (&token.id, Some(later(1))));
        // It is recorded off the request.
        while store.tokens(&organization).await.unwrap()[0]
            .last_used_at
            .is_none()
        {
            tokio::task::yield_now().await;
        }
        let soon = store.find_token(&secret, later(999)).await.unwrap();
        assert_eq!(
            soon.unwrap().last_used_at,
            Some(later(1)),
            "not written again"
        );
        assert!(
            store
                .find_token(&secret, later(1_000))
                .await
                .unwrap()
                .is_none()
        );
        assert!(
            store
                .find_token(&token.prefix, NOW)
                .await
                .unwrap()
                .is_none()
        );

        let listed = store.tokens(&organization).await.unwrap();
        assert_eq!(listed.len(), 1);
        store
            .revoke_token(&organization, &token.id, &Actor::operator(), later(2))
            .await
            .unwrap();
        assert!(store.find_token(&secret, later(3)).await.unwrap().is_none());
    })
    .await;
}

#[tokio::test]
async fn a_position_that_is_not_in_the_history_gets_the_state() {
    for_each_database(async |database| {
        let store = &database.store;
        let prod = house(store).await.prod;
        let wrong = [
            Position::default(),
            Position {
                digest: prod.position.digest ^ 1,
                ..prod.position
            },
            Position {
                version: prod.position.version + 1,
                ..prod.position
            },
        ];
        for position in wrong {
            let changes = store
                .edge()
                .changes(prod.id.as_str(), position)
                .await
                .unwrap();
            let Changes::Reload(state) = changes else {
                panic!("{position} is not in the history")
            };
            assert_eq!(state.environment, prod);
        }
        let changes = store
            .edge()
            .changes(prod.id.as_str(), prod.position)
            .await
            .unwrap();
        let Changes::Since(delta) = changes else {
            panic!("it is where the environment is")
        };
        assert!(delta.flags.is_empty() && delta.segments.is_empty() && delta.keys.is_none());
    })
    .await;
}

#[tokio::test]
async fn only_the_owner_can_read_the_files() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    // A name that a URL would have to escape.
    let data = folder.path().join("made here?&#%20ü");
    let store = Store::open(Location::Folder(data.clone())).await.unwrap();
    store.migrate().await.unwrap();
    let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&data), 0o700);
    for file in ["burgee.db", "burgee.db-wal", "traffic.db", "traffic.db-wal"] {
        assert_eq!(mode(&data.join(file)), 0o600, "{file}");
    }
}

/// Whether this process holds a POSIX lock on a file.
fn holds_lock(path: &std::path::Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let inode = format!(":{} ", path.metadata().unwrap().ino());
    let process = format!(" {} ", std::process::id());
    let locks = std::fs::read_to_string("/proc/locks").unwrap();
    let mut posix = locks.lines().filter(|line| line.contains(" POSIX "));
    posix.any(|line| line.contains(&inode) && line.contains(&process))
}

#[tokio::test]
async fn opening_data_again_takes_no_lock_from_who_has_it_open() {
    let folder = tempfile::tempdir().unwrap();
    let location = Location::Folder(folder.path().join("data"));
    let file = folder.path().join("data/burgee.db");
    let store = Store::open(location.clone()).await.unwrap();
    store.migrate().await.unwrap();
    // While it is used, another process that closes it must not clear its log up.
    assert!(holds_lock(&file));
    let another = Store::open(location).await.unwrap();
    assert!(holds_lock(&file));
    another.close().await;
    assert!(holds_lock(&file));
    store.close().await;
    assert!(!holds_lock(&file));
}

#[tokio::test]
async fn data_that_was_open_to_others_is_taken_from_them() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let location = Location::Folder(data.clone());
    Store::open(location.clone()).await.unwrap().close().await;
    let file = data.join("burgee.db");
    std::fs::set_permissions(&file, PermissionsExt::from_mode(0o644)).unwrap();
    Store::open(location).await.unwrap().close().await;
    assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
}

fn named(name: &str) -> burgee_store::ProjectEdit {
    let name = Some(name.to_owned());
    burgee_store::ProjectEdit {
        name,
        ..burgee_store::ProjectEdit::default()
    }
}
