//! Accounts, sessions, members, groups, policies, links and tokens, on both databases.

use burgee_domain::access::{OWNER, Resource, StatementInput, statements};
use burgee_domain::id::Id;
use burgee_domain::people::Email;
use burgee_eval::time::Millis;
use burgee_store::people::accounts::{Account, NewPassword};
use burgee_store::people::groups::Group;
use burgee_store::people::links::INVITATION;
use burgee_store::people::members::Grants;
use burgee_store::people::policies::PolicyText;
use burgee_store::people::sessions::{Ending, IDLE, LONGEST, Seen};
use burgee_store::{Actor, Grant, HistoryScope, NewToken, Store, StoreError};
use serde_json::json;

use crate::kit::{House, NOW, for_each_database, house, key};

const DAY: i64 = 24 * 60 * 60 * 1_000;

fn at(millis: i64) -> Millis {
    Millis(NOW.0 + millis)
}

fn email(text: &str) -> Email {
    Email::new(text).unwrap()
}

fn grants(policies: &[&str], groups: &[&str]) -> Grants {
    let texts = |keys: &[&str]| keys.iter().map(ToString::to_string).collect();
    Grants {
        policies: texts(policies),
        groups: texts(groups),
    }
}

/// With a password, so that they can sign in.
async fn owner(store: &Store) -> Account {
    store.first_password("hash").await.unwrap();
    let found = store.account_by_email(&email("Owner@Localhost")).await;
    found.unwrap().unwrap()
}

/// Somebody who followed an invitation.
async fn joined(store: &Store, house: &House, address: &str, given: Grants) -> Account {
    let organization = &house.organization.id;
    let (_, text) = store
        .invite(organization, &email(address), &given, &Actor::system(), NOW)
        .await
        .unwrap();
    let account = store
        .follow_link(&text, address, Some("hash"), None, NOW)
        .await;
    account.unwrap().unwrap()
}

fn field(refused: Result<impl std::fmt::Debug, StoreError>) -> &'static str {
    match refused.unwrap_err() {
        StoreError::Conflict { field, .. } | StoreError::Invalid { field, .. } => field,
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn the_owner_gets_one_first_password_whichever_process_comes_first() {
    for_each_database(async |database| {
        house(&database.store).await;
        let (one, two) = (database.another().await, database.another().await);
        assert!(!one.has_password().await.unwrap());
        let (a, b) = tokio::join!(one.first_password("a"), two.first_password("b"));
        let (a, b) = (a.unwrap(), b.unwrap());
        assert!(a != b, "one of them gave it");
        let found = one.account_by_email(&email("owner@localhost")).await;
        let owner = found.unwrap().unwrap();
        assert_eq!(owner.password.as_deref(), Some(if a { "a" } else { "b" }));
        assert!(owner.password_temporary && one.has_password().await.unwrap());
        assert!(!one.first_password("c").await.unwrap());
    })
    .await;
}

#[tokio::test]
async fn a_session_ends_unused_after_a_week_and_used_after_a_month() {
    for_each_database(async |database| {
        let store = &database.store;
        house(store).await;
        let owner = owner(store).await;
        let seen = Seen {
            address: "192.0.2.1".into(),
            agent: "browser\u{0}\n".repeat(100),
        };
        let begin = async || {
            let begun = store.begin_session(&owner, &seen, false, NOW).await;
            begun.unwrap().unwrap().1
        };
        let (unused, mut used) = (begin().await, begin().await);
        assert!(
            store
                .find_session(&unused, at(IDLE - 1))
                .await
                .unwrap()
                .is_some()
        );
        let unused = begin().await;
        assert!(
            store
                .find_session(&unused, at(IDLE))
                .await
                .unwrap()
                .is_none()
        );
        for day in 1..30 {
            let (session, new) = store
                .find_session(&used, at(day * DAY))
                .await
                .unwrap()
                .unwrap();
            assert_eq!(session.agent, "browser".repeat(100)[..256]);
            used = new.expect("its text is changed once a day of use");
        }
        assert!(
            store
                .find_session(&used, at(LONGEST))
                .await
                .unwrap()
                .is_none()
        );
        assert!(store.sweep_sessions(at(LONGEST)).await.unwrap() >= 2);
        assert!(store.sessions(&owner.id, NOW).await.unwrap().is_empty());
    })
    .await;
}

#[tokio::test]
async fn an_old_text_works_for_a_minute_after_it_was_changed() {
    for_each_database(async |database| {
        let store = &database.store;
        house(store).await;
        let owner = owner(store).await;
        let seen = Seen::default();
        let begun = store.begin_session(&owner, &seen, true, NOW);
        let (session, old) = begun.await.unwrap().unwrap();
        let find = async |text: &str, moment| store.find_session(text, moment).await.unwrap();
        let (_, new) = find(&old, at(DAY)).await.unwrap();
        let new = new.unwrap();
        let (found, none) = find(&old, at(DAY + 1_000)).await.unwrap();
        assert!(none.is_none() && found.id == session.id && found.second_factor);
        assert!(find(&old, at(DAY + 60_000)).await.is_none());
        assert!(find(&new, at(DAY + 60_000)).await.is_some());
        store
            .end_session(&owner.id, &session.id, Ending::SignOut, NOW)
            .await
            .unwrap();
        assert!(find(&new, at(DAY + 60_000)).await.is_none());
    })
    .await;
}

#[tokio::test]
async fn a_new_password_ends_all_sessions_but_the_one_that_sets_it() {
    for_each_database(async |database| {
        let store = &database.store;
        house(store).await;
        let owner = owner(store).await;
        let mut texts = Vec::new();
        for _ in 0..3 {
            let seen = Seen::default();
            let begun = store.begin_session(&owner, &seen, false, NOW);
            texts.push(begun.await.unwrap().unwrap());
        }
        let password = NewPassword {
            hash: "new",
            temporary: false,
        };
        let keep = Some(&texts[1].0.id);
        store
            .set_password(&owner.id, password, keep, None, NOW)
            .await
            .unwrap();
        let left = store.sessions(&owner.id, NOW).await.unwrap();
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].id, texts[1].0.id);
        let gone = store.find_session(&texts[0].1, NOW).await.unwrap();
        assert!(gone.is_none());
    })
    .await;
}

#[tokio::test]
async fn a_member_may_what_their_policies_and_groups_say() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (organization, actor) = (&house.organization.id, Actor::system());
        let switch = serde_json::from_value::<Vec<StatementInput>>(json!([
            {"effect": "allow", "actions": ["flag.turnOn"], "resources": ["project/*"]}]));
        let text = PolicyText {
            name: "May switch on".into(),
            description: String::new(),
            statements: statements(&switch.unwrap()).unwrap(),
        };
        store
            .create_policy(organization, &key("Switch"), &text, &actor, NOW)
            .await
            .unwrap();
        let group = Group {
            key: key("Pilots"),
            name: "Pilots".into(),
            description: String::new(),
            policies: vec!["switch".into()],
        };
        store
            .create_group(organization, &group, &actor, NOW)
            .await
            .unwrap();
        let ann = joined(store, &house, "ann@x.org", grants(&["Reader"], &["PILOTS"])).await;
        let rights = store.rights(organization, &ann.id).await.unwrap().unwrap();
        let flag = Resource::project("web");
        assert!(rights.allow("project.read", &flag) && rights.allow("flag.turnOn", &flag));
        assert!(!rights.allow("flag.turnOff", &flag));

        assert_eq!(
            field(
                store
                    .delete_policy(organization, "switch", &actor, NOW)
                    .await
            ),
            "key",
            "the group has it"
        );
        store
            .delete_group(organization, &key("pilots"), &actor, NOW)
            .await
            .unwrap();
        let member = store.member(organization, &ann.id).await.unwrap();
        assert!(member.groups.is_empty() && member.policies == ["reader"]);
        store
            .delete_policy(organization, "SWITCH", &actor, NOW)
            .await
            .unwrap();

        store
            .remove_member(organization, &ann.id, &actor, NOW)
            .await
            .unwrap();
        assert!(store.rights(organization, &ann.id).await.unwrap().is_none());
        let scope = HistoryScope::Organization;
        let page = burgee_store::page::PageRequest::default();
        let history = store.history(organization, &scope, &page).await.unwrap();
        let kinds: Vec<_> = history
            .items
            .iter()
            .map(|it| &it.commands[0]["kind"])
            .collect();
        let expected = [
            "removeMember",
            "deletePolicy",
            "deleteGroup",
            "joinOrganization",
            "inviteMember",
            "createGroup",
            "createPolicy",
        ];
        assert_eq!(
            kinds[..expected.len()],
            expected,
            "all of it is in the history"
        );
    })
    .await;
}

#[tokio::test]
async fn what_does_not_exist_cannot_be_given_and_builtin_policies_stay() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (organization, actor) = (&house.organization.id, Actor::system());
        let ann = joined(store, &house, "ann@x.org", grants(&["reader"], &[])).await;
        let set = async |given| {
            store
                .set_member(organization, &ann.id, &given, &actor, NOW)
                .await
        };
        assert_eq!(field(set(grants(&["nothing"], &[])).await), "policies");
        assert_eq!(field(set(grants(&[], &["nobody"])).await), "groups");
        let invited = email("bob@x.org");
        let given = grants(&["nothing"], &[]);
        let refused = store
            .invite(organization, &invited, &given, &actor, NOW)
            .await;
        assert_eq!(field(refused), "policies");
        let text = PolicyText {
            name: "Mine".into(),
            description: String::new(),
            statements: Vec::new(),
        };
        let taken = store
            .create_policy(organization, &key("Owner"), &text, &actor, NOW)
            .await;
        assert_eq!(field(taken), "key");
        let changed = store
            .update_policy(organization, "owner", &text, &actor, NOW)
            .await;
        assert_eq!(field(changed), "key");
        assert_eq!(
            field(
                store
                    .delete_policy(organization, "READER", &actor, NOW)
                    .await
            ),
            "key"
        );
    })
    .await;
}

#[tokio::test]
async fn an_organization_always_has_an_owner() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (organization, actor) = (&house.organization.id, Actor::system());
        let first = owner(store).await;
        let less = grants(&["reader"], &[]);
        let refused = store
            .set_member(organization, &first.id, &less, &actor, NOW)
            .await;
        assert_eq!(field(refused), "policies");
        let removed = store
            .remove_member(organization, &first.id, &actor, NOW)
            .await;
        assert_eq!(field(removed), "policies");
        assert_eq!(
            store
                .member(organization, &first.id)
                .await
                .unwrap()
                .policies,
            [OWNER]
        );

        // Two owners who take it from each other at once: one of them stays.
        let second = joined(store, &house, "ann@x.org", grants(&[OWNER], &[])).await;
        let other = database.another().await;
        let (a, b) = tokio::join!(
            store.remove_member(organization, &first.id, &actor, NOW),
            other.remove_member(organization, &second.id, &actor, NOW),
        );
        assert!(a.is_ok() != b.is_ok(), "{a:?} {b:?}");
    })
    .await;
}

#[tokio::test]
async fn a_link_works_once_and_for_a_while() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (organization, actor) = (&house.organization.id, Actor::system());
        let invite = async |address: &str| {
            let given = grants(&["developer"], &[]);
            let address = email(address);
            let invited = store.invite(organization, &address, &given, &actor, NOW);
            invited.await.unwrap()
        };
        let (_, first) = invite("Ann@x.org").await;
        let (invitation, second) = invite("ann@X.org").await;
        assert!(
            store.look_at_link(&first, NOW).await.unwrap().is_none(),
            "replaced"
        );
        let late = at(INVITATION);
        assert!(
            store.look_at_link(&second, late).await.unwrap().is_none(),
            "expired"
        );
        let found = store.look_at_link(&second, NOW).await.unwrap().unwrap();
        assert!(found.chooses_password && found.email == "ann@X.org");
        assert!(matches!(
            store.follow_link(&second, "Ann", None, None, NOW).await,
            Err(StoreError::Invalid {
                field: "password",
                ..
            })
        ));
        let other = database.another().await;
        let (a, b) = tokio::join!(
            store.follow_link(&second, "Ann", Some("hash"), None, NOW),
            other.follow_link(&second, "Ann", Some("hash"), None, NOW),
        );
        assert!(a.is_ok() != b.is_ok(), "{a:?} {b:?}");
        let ann = store
            .account_by_email(&email("ann@x.org"))
            .await
            .unwrap()
            .unwrap();
        assert_eq!(ann.name, "Ann");
        let again = email("ANN@x.org");
        let given = grants(&[], &[]);
        let member = store
            .invite(organization, &again, &given, &actor, NOW)
            .await;
        assert_eq!(field(member), "email");
        let gone = store
            .withdraw_invitation(organization, &invitation.id, &actor, NOW)
            .await;
        assert!(matches!(gone, Err(StoreError::NotFound(_))));

        let reset = store
            .reset_link(organization, &ann, &actor, NOW)
            .await
            .unwrap();
        store
            .follow_link(&reset, "", Some("other"), None, NOW)
            .await
            .unwrap();
        let ann = store.account(&ann.id).await.unwrap();
        assert_eq!(
            (ann.password.as_deref(), ann.name.as_str()),
            (Some("other"), "Ann")
        );
        assert!(store.look_at_link(&reset, NOW).await.unwrap().is_none());
    })
    .await;
}

#[tokio::test]
async fn codes_are_taken_once() {
    for_each_database(async |database| {
        let store = &database.store;
        house(store).await;
        let owner = owner(store).await;
        let (id, seen) = (&owner.id, Seen::default());
        let begun = store.begin_session(&owner, &seen, false, NOW).await;
        let (session, _) = begun.unwrap().unwrap();
        let other = store.begin_session(&owner, &seen, false, NOW).await;
        let (_, other) = other.unwrap().unwrap();
        let codes = ["one".to_owned(), "two".to_owned()];
        store
            .set_second_factor(id, &session.id, b"sealed", 7, &codes, NOW)
            .await
            .unwrap();
        let late = store.begin_session(&owner, &seen, false, NOW).await;
        assert!(
            late.unwrap().is_none(),
            "who checked the password before it was set up"
        );
        assert!(store.find_session(&other, NOW).await.unwrap().is_none());
        assert!(store.sessions(id, NOW).await.unwrap()[0].second_factor);
        assert!(
            !store.use_step(id, 7).await.unwrap(),
            "shown when it was set up"
        );
        let (a, b) = tokio::join!(store.use_step(id, 8), store.use_step(id, 8));
        assert!(a.unwrap() != b.unwrap());
        assert!(!store.use_step(id, 6).await.unwrap());
        assert!(store.use_recovery_code(id, "one", NOW).await.unwrap());
        assert!(!store.use_recovery_code(id, "one", NOW).await.unwrap());
        store.remove_second_factor(id, None, NOW).await.unwrap();
        assert!(!store.sessions(id, NOW).await.unwrap()[0].second_factor);
        assert!(!store.use_recovery_code(id, "two", NOW).await.unwrap());
        assert!(store.account(id).await.unwrap().second_factor.is_none());
    })
    .await;
}

#[tokio::test]
async fn a_token_may_what_it_and_its_maker_may_now() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let (organization, actor) = (&house.organization.id, Actor::system());
        let ann = joined(store, &house, "ann@x.org", grants(&["developer"], &[])).await;
        let make = async |account: Option<&Id<Account>>, grant| {
            let new = NewToken {
                organization: organization.clone(),
                name: "t".into(),
                account: account.cloned(),
                grant,
                networks: vec!["192.0.2.0/24".into()],
                expires_at: None,
            };
            store.create_token(&new, &actor, NOW).await
        };
        let service = |policy: &str| Grant::Service {
            policies: vec![policy.to_owned()],
            statements: Vec::new(),
        };
        let (personal, secret) = make(Some(&ann.id), Grant::Personal).await.unwrap();
        let (strong, _) = make(Some(&ann.id), service("Owner")).await.unwrap();
        let (operators, _) = make(None, service("owner")).await.unwrap();
        assert_eq!(field(make(None, service("nothing")).await), "policies");
        let found = store.find_token(&secret, NOW).await.unwrap().unwrap();
        assert_eq!(found.grant, Grant::Personal);
        assert!(found.allows_network("192.0.2.7".parse().unwrap()));
        assert!(!found.allows_network("192.0.3.7".parse().unwrap()));
        let may = async |token, action: &str| {
            let rights = store.token_rights(token).await.unwrap();
            rights.is_some_and(|rights| rights.allow(action, &Resource::project("web")))
        };
        assert!(may(&personal, "flag.turnOn").await && may(&strong, "flag.turnOn").await);
        assert!(
            !may(&strong, "project.delete").await,
            "no more than its maker"
        );
        assert!(may(&operators, "project.delete").await);
        store
            .set_member(
                organization,
                &ann.id,
                &grants(&["reader"], &[]),
                &actor,
                NOW,
            )
            .await
            .unwrap();
        assert!(!may(&personal, "flag.turnOn").await && !may(&strong, "flag.turnOn").await);
        store
            .remove_member(organization, &ann.id, &actor, NOW)
            .await
            .unwrap();
        assert!(!may(&personal, "flag.read").await && !may(&strong, "flag.read").await);
    })
    .await;
}
