//! Who may do something about people is decided when it is their turn, not when they asked.

use burgee_domain::access::{OWNER, StatementInput, statements};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_store::people::accounts::Account;
use burgee_store::people::groups::Group;
use burgee_store::people::policies::PolicyText;
use burgee_store::{Actor, Grant, NewToken, OrganizationEdit, Store, StoreError};
use serde_json::json;

use super::sign_on::sign_on;
use super::{email, grants, joined};
use crate::kit::{NOW, for_each_database, house, key};

#[tokio::test]
async fn of_two_owners_who_demote_each_other_at_once_one_does() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        // Besides them the first owner stays, so that it is not the last one whom they refuse.
        let ann = joined(store, &house, "ann@x.org", grants(&[OWNER], &[])).await;
        let bob = joined(store, &house, "bob@x.org", grants(&[OWNER], &[])).await;
        let other = database.another().await;
        let less = grants(&["reader"], &[]);
        let (as_ann, as_bob) = (Actor::member(&ann), Actor::member(&bob));
        let (a, b) = tokio::join!(
            store.set_member(organization, &bob.id, &less, &as_ann, NOW),
            other.set_member(organization, &ann.id, &less, &as_bob, NOW),
        );
        let refused = match (a, b) {
            (Ok(_), Err(refused)) | (Err(refused), Ok(_)) => refused,
            both => panic!("{both:?}"),
        };
        assert!(matches!(refused, StoreError::Denied(_)), "{refused:?}");
        other.close().await;
    })
    .await;
}

#[tokio::test]
async fn of_two_owners_who_remove_each_other_at_once_one_does() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        let ann = joined(store, &house, "ann@x.org", grants(&[OWNER], &[])).await;
        let bob = joined(store, &house, "bob@x.org", grants(&[OWNER], &[])).await;
        let other = database.another().await;
        let (as_ann, as_bob) = (Actor::member(&ann), Actor::member(&bob));
        let (a, b) = tokio::join!(
            store.remove_member(organization, &bob.id, &as_ann, NOW),
            other.remove_member(organization, &ann.id, &as_bob, NOW),
        );
        let refused = match (a, b) {
            (Ok(()), Err(refused)) | (Err(refused), Ok(())) => refused,
            both => panic!("{both:?}"),
        };
        assert!(matches!(refused, StoreError::ActorGone), "{refused:?}");
        other.close().await;
    })
    .await;
}

/// Does everything that there is about people, as somebody; what came of each.
async fn everything(
    store: &Store,
    organization: &Id<Organization>,
    whom: &Id<Account>,
    actor: &Actor,
) -> Vec<(&'static str, Result<(), StoreError>)> {
    let says = json!([{"effect": "allow", "actions": ["flag.read"], "resources": ["*"]}]);
    let says: Vec<StatementInput> = serde_json::from_value(says).unwrap();
    let text = PolicyText {
        name: "P".into(),
        description: String::new(),
        statements: statements(&says).unwrap(),
    };
    let group = |name: &str| Group {
        key: key(name),
        name: "G".into(),
        description: String::new(),
        policies: vec!["reader".into()],
    };
    let token = NewToken {
        organization: organization.clone(),
        name: "t".into(),
        account: Some(whom.clone()),
        grant: Grant::Service {
            policies: vec!["reader".into()],
            statements: Vec::new(),
        },
        networks: Vec::new(),
        expires_at: None,
    };
    let edit = OrganizationEdit {
        name: Some("Other".into()),
        ..OrganizationEdit::default()
    };
    let mut sign_on = sign_on();
    sign_on.rules.groups.clear();
    let (given, invited) = (grants(&["reader"], &[]), email("new@x.org"));
    let no_link = Id::new("00000000-0000-0000-0000-000000000000");
    let operator = Actor::operator();
    let made = store.create_token(&token, &operator, NOW).await.unwrap();
    let (p, g, its) = (key("p"), key("g"), group("g"));
    let mut done = Vec::new();
    let mut note = |what, result: Result<(), StoreError>| done.push((what, result));
    let it = store.create_policy(organization, &p, &text, actor, NOW);
    note("create policy", it.await.map(drop));
    let it = store.update_policy(organization, "p", &text, actor, NOW);
    note("update policy", it.await.map(drop));
    let it = store.delete_policy(organization, "p", actor, NOW);
    note("delete policy", it.await);
    let it = store.create_group(organization, &its, actor, NOW);
    note("create group", it.await.map(drop));
    let it = store.update_group(organization, &its, actor, NOW);
    note("update group", it.await.map(drop));
    let it = store.delete_group(organization, &g, actor, NOW);
    note("delete group", it.await);
    let it = store.create_token(&token, actor, NOW);
    note("create token", it.await.map(drop));
    let it = store.revoke_token(organization, &made.0.id, actor, NOW);
    note("revoke token", it.await);
    let it = store.invite(organization, &invited, &given, actor, NOW);
    note("invite", it.await.map(drop));
    let it = store.withdraw_invitation(organization, &no_link, actor, NOW);
    note("withdraw invitation", it.await);
    let it = store.update_organization(organization, &edit, actor, NOW);
    note("update organization", it.await.map(drop));
    let it = store.set_sign_on(organization, &sign_on, actor, NOW);
    note("set sign-on", it.await);
    let it = store.remove_sign_on(organization, actor, NOW);
    note("remove sign-on", it.await);
    let it = store.reset_link(organization, whom, actor, NOW);
    note("reset link", it.await.map(drop));
    let it = store.set_member(organization, whom, &given, actor, NOW);
    note("set member", it.await.map(drop));
    let it = store.remove_member(organization, whom, actor, NOW);
    note("remove member", it.await);
    done
}

#[tokio::test]
async fn whatever_is_done_about_people_takes_the_right_to_it_then() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        let reader = joined(store, &house, "ann@x.org", grants(&["reader"], &[])).await;
        let gone = joined(store, &house, "bob@x.org", grants(&[OWNER], &[])).await;
        let operator = Actor::operator();
        let removed = store.remove_member(organization, &gone.id, &operator, NOW);
        removed.await.unwrap();
        let whom = joined(store, &house, "cid@x.org", grants(&["reader"], &[])).await;

        let by_reader = everything(store, organization, &whom.id, &Actor::member(&reader)).await;
        for (what, result) in by_reader {
            assert!(
                matches!(result, Err(StoreError::Denied(_))),
                "{what}: {result:?}"
            );
        }
        let by_gone = everything(store, organization, &whom.id, &Actor::member(&gone)).await;
        for (what, result) in by_gone {
            assert!(
                matches!(result, Err(StoreError::ActorGone)),
                "{what}: {result:?}"
            );
        }
        let chief = joined(store, &house, "dan@x.org", grants(&[OWNER], &[])).await;
        let by_owner = everything(store, organization, &whom.id, &Actor::member(&chief)).await;
        for (what, result) in by_owner {
            let missing = what == "withdraw invitation";
            assert_eq!(result.is_ok(), !missing, "{what}: {result:?}");
        }
    })
    .await;
}

#[tokio::test]
async fn nobody_gives_what_they_lost_meanwhile() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        let ann = joined(store, &house, "ann@x.org", grants(&["administrator"], &[])).await;
        let whom = joined(store, &house, "cid@x.org", grants(&["reader"], &[])).await;
        let as_ann = Actor::member(&ann);
        let given = grants(&[OWNER], &[]);
        let refused = store.set_member(organization, &whom.id, &given, &as_ann, NOW);
        let refused = refused.await.unwrap_err();
        assert!(matches!(refused, StoreError::MayNotGive(_)), "{refused:?}");
    })
    .await;
}
