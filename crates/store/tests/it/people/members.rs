//! Members, groups and policies.

use burgee_domain::access::{OWNER, Resource, StatementInput, statements};
use burgee_store::people::groups::Group;
use burgee_store::people::policies::PolicyText;
use burgee_store::{Actor, HistoryFilter, HistoryScope};
use serde_json::json;

use super::{email, field, grants, joined, owner};
use crate::kit::{NOW, for_each_database, house, key};

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
            "inUse",
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
        let history = store
            .history(organization, &scope, &HistoryFilter::default(), &page)
            .await
            .unwrap();
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
