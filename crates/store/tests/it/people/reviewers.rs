//! Whom an environment's rules name as reviewers is not changed by way of people.

use burgee_domain::access::{Rights, StatementInput, statements};
use burgee_domain::admission::EnvironmentRules;
use burgee_domain::id::Id;
use burgee_store::people::accounts::Account;
use burgee_store::people::groups::Group;
use burgee_store::people::members::Grants;
use burgee_store::people::policies::PolicyText;
use burgee_store::{Actor, RulesAuthor, SetRulesError, Store, StoreError};
use serde_json::{Value, json};

use super::{email, field, grants, joined};
use crate::kit::{House, NOW, for_each_database, house, key};

/// Sets the rules of `prod`.
pub(super) async fn set_rules(
    store: &Store,
    house: &House,
    rules: Value,
) -> Result<(), StoreError> {
    let rules: EnvironmentRules = serde_json::from_value(rules).unwrap();
    let author = RulesAuthor {
        actor: &Actor::operator(),
        rights: &Rights::everything(),
    };
    let set = store.set_environment_rules(&house.prod.id, &rules, author, NOW);
    match set.await {
        Ok(_) => Ok(()),
        Err(SetRulesError::Store(error)) => Err(error),
        Err(other) => panic!("{other:?}"),
    }
}

/// One approval by the group `core`.
fn one_of_core() -> Value {
    json!({"approvals": {"required": 1, "reviewers": {"groups": ["core"]}}})
}

async fn group(store: &Store, house: &House, name: &str) {
    let group = Group {
        key: key(name),
        name: name.to_owned(),
        description: String::new(),
        policies: Vec::new(),
    };
    let operator = Actor::operator();
    let made = store.create_group(&house.organization.id, &group, &operator, NOW);
    made.await.unwrap();
}

/// Somebody who may do these things everywhere.
async fn who_may(store: &Store, house: &House, name: &str, actions: &[&str]) -> Account {
    let says = json!([{"effect": "allow", "actions": actions, "resources": ["*"]}]);
    let says: Vec<StatementInput> = serde_json::from_value(says).unwrap();
    let text = PolicyText {
        name: name.to_owned(),
        description: String::new(),
        statements: statements(&says).unwrap(),
    };
    let organization = &house.organization.id;
    let (operator, key) = (Actor::operator(), key(name));
    let made = store.create_policy(organization, &key, &text, &operator, NOW);
    made.await.unwrap();
    joined(store, house, &format!("{name}@x.org"), grants(&[name], &[])).await
}

/// What is missing, and where.
fn denied(refused: Result<impl std::fmt::Debug, StoreError>) -> (&'static str, String) {
    match refused.unwrap_err() {
        StoreError::Denied(it) => (it.action, it.resource.to_string()),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn who_may_not_loosen_rules_makes_nobody_a_reviewer() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        group(store, &house, "core").await;
        group(store, &house, "others").await;
        set_rules(store, &house, one_of_core()).await.unwrap();
        let people = ["member.*", "group.*", "*.read"];
        let people = who_may(store, &house, "people", &people).await;
        let people = Actor::member(&people);
        let ann = joined(store, &house, "ann@x.org", grants(&["developer"], &[])).await;
        let bob = joined(store, &house, "bob@x.org", grants(&[], &["core"])).await;
        let set = async |account: &Account, given: Grants| {
            let set = store.set_member(organization, &account.id, &given, &people, NOW);
            set.await
        };
        let invite = async |address: &str, groups: &[&str]| {
            let (address, given) = (email(address), grants(&[], groups));
            let invited = store.invite(organization, &address, &given, &people, NOW);
            invited.await
        };
        let missing = (
            "environment.loosenRules",
            "project/default:env/prod".to_owned(),
        );
        let into = grants(&["developer"], &["others", "Core"]);
        assert_eq!(denied(set(&ann, into.clone()).await), missing);
        assert_eq!(denied(invite("new@x.org", &["core"]).await), missing);
        let reset = store.reset_link(organization, &bob.id, &people, NOW).await;
        assert_eq!(denied(reset), missing, "they could review as bob");
        let ann_now = store.member(organization, &ann.id).await.unwrap();
        assert!(ann_now.groups.is_empty());

        // Other groups, and what makes the reviewers fewer, are theirs.
        set(&ann, grants(&["developer"], &["others"]))
            .await
            .unwrap();
        invite("new@x.org", &["others"]).await.unwrap();
        set(&bob, grants(&[], &["core", "others"])).await.unwrap();
        set(&bob, grants(&[], &[])).await.unwrap();
        assert_eq!(denied(set(&bob, grants(&[], &["core"])).await), missing);

        // Where no approvals are asked for, nobody is let through.
        let none = json!({"approvals": {"reviewers": {"groups": ["core"]}}});
        set_rules(store, &house, none).await.unwrap();
        set(&ann, into).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn who_is_named_as_a_reviewer_is_not_reset_by_who_may_not_loosen_rules() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        let ann = joined(store, &house, "ann@x.org", grants(&["reader"], &[])).await;
        let bob = joined(store, &house, "bob@x.org", grants(&["reader"], &[])).await;
        let reviewers = json!({"members": [ann.id.as_str()]});
        let rules = json!({"approvals": {"required": 1, "reviewers": reviewers}});
        set_rules(store, &house, rules).await.unwrap();
        let people = who_may(store, &house, "people", &["member.*", "*.read"]).await;
        let people = Actor::member(&people);
        let reset = async |account: &Id<Account>| {
            let reset = store.reset_link(organization, account, &people, NOW);
            reset.await
        };
        assert_eq!(denied(reset(&ann.id).await).0, "environment.loosenRules");
        reset(&bob.id).await.unwrap();
    })
    .await;
}

#[tokio::test]
async fn an_invitation_into_a_group_that_reviews_holds_as_long_as_its_maker_may_loosen() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        group(store, &house, "core").await;
        set_rules(store, &house, one_of_core()).await.unwrap();
        let actions = ["member.*", "environment.loosenRules"];
        let chief = who_may(store, &house, "chief", &actions).await;
        who_may(store, &house, "people", &["member.*"]).await;
        let actor = Actor::member(&chief);
        let invite = async |address: &str| {
            let (address, given) = (email(address), grants(&[], &["core"]));
            let invited = store.invite(organization, &address, &given, &actor, NOW);
            invited.await.unwrap().1
        };
        let (ann, bob) = (invite("ann@x.org").await, invite("bob@x.org").await);
        let follow = async |link: &str| {
            let followed = store.follow_link(link, "New", Some("hash"), None, NOW);
            followed.await
        };
        let ann = follow(&ann).await.unwrap().unwrap();
        let member = store.member(organization, &ann.id).await.unwrap();
        assert_eq!(member.groups, ["core"]);
        let less = grants(&["people"], &[]);
        let system = Actor::system();
        let set = store.set_member(organization, &chief.id, &less, &system, NOW);
        set.await.unwrap();
        assert_eq!(field(follow(&bob).await), "invitationStale");
    })
    .await;
}

#[tokio::test]
async fn a_group_that_rules_name_is_not_deleted() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        group(store, &house, "Core").await;
        set_rules(store, &house, one_of_core()).await.unwrap();
        let (operator, core) = (Actor::operator(), key("CORE"));
        let delete = async || {
            let deleted = store.delete_group(organization, &core, &operator, NOW);
            deleted.await
        };
        assert_eq!(field(delete().await), "inUse");
        let none = json!({"approvals": {"reviewers": {"groups": ["core"]}}});
        set_rules(store, &house, none).await.unwrap();
        assert_eq!(field(delete().await), "inUse", "they may ask again");
        assert_eq!(store.groups(organization).await.unwrap().len(), 1);
        set_rules(store, &house, json!({})).await.unwrap();
        delete().await.unwrap();

        // Of who names it and who deletes it at once, one does.
        group(store, &house, "core").await;
        let other = database.another().await;
        let (named, deleted) = tokio::join!(
            set_rules(store, &house, one_of_core()),
            other.delete_group(organization, &core, &operator, NOW),
        );
        assert!(named.is_ok() != deleted.is_ok(), "{named:?} {deleted:?}");
        other.close().await;
    })
    .await;
}
