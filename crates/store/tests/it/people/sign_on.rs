//! Single sign-on: who a provider's subjects are.

use burgee_domain::access::OWNER;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::people::sign_on::{ClaimNames, Claimed, GroupMapping, SignOnRules};
use burgee_store::people::accounts::Account;
use burgee_store::people::groups::Group;
use burgee_store::people::membership::Membership;
use burgee_store::people::sessions::{Alive, Seen};
use burgee_store::people::sign_on::{SignOn, SignedOn, Subject};
use burgee_store::{Actor, Grant, NewToken, OrganizationEdit, Store, StoreError};
use serde_json::json;

use super::reviewers::set_rules;
use super::{email, field, grants, joined, owner};
use crate::kit::{House, NOW, for_each_database, house, key};

const ISSUER: &str = "https://id.example.com";

/// Members of `example.com` join as readers; `Ops` are pilots.
pub(super) fn sign_on() -> SignOn {
    SignOn {
        issuer: ISSUER.into(),
        client_id: "burgee".into(),
        client_secret: Some(b"sealed".to_vec()),
        rules: SignOnRules {
            scopes: vec!["email".into()],
            claims: ClaimNames {
                email: "email".into(),
                email_verified: "email_verified".into(),
                name: "name".into(),
                groups: Some("groups".into()),
            },
            groups: vec![GroupMapping {
                value: "Ops".into(),
                group: "pilots".into(),
            }],
            domains: vec!["example.com".into()],
            newcomer_policies: vec!["reader".into()],
            newcomer_groups: Vec::new(),
        },
        passwords_off: false,
    }
}

/// A house with the group `pilots` and the provider.
async fn with_provider(store: &Store, policy: &str) -> House {
    let house = house(store).await;
    let organization = &house.organization.id;
    for name in ["Pilots", "Guests"] {
        let group = Group {
            key: key(name),
            name: name.into(),
            description: String::new(),
            policies: vec![policy.into()],
        };
        store
            .create_group(organization, &group, &Actor::system(), NOW)
            .await
            .unwrap();
    }
    store
        .set_sign_on(organization, &sign_on(), &Actor::system(), NOW)
        .await
        .unwrap();
    house
}

fn subject(name: &str, address: Option<&str>, groups: &[&str]) -> Subject {
    Subject {
        issuer: ISSUER.into(),
        subject: name.into(),
        claimed: Claimed {
            email: address.map(email),
            name: Some("Ann".into()),
            groups: groups.iter().map(ToString::to_string).collect(),
        },
    }
}

async fn come(store: &Store, organization: &Id<Organization>, subject: &Subject) -> SignedOn {
    store
        .sign_on_as(organization, subject, &Seen::default(), NOW)
        .await
        .unwrap()
}

#[tokio::test]
async fn a_mapped_group_is_joined_also_where_it_reviews() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = with_provider(store, "reader").await;
        let organization = &house.organization.id;
        let rules = json!({"approvals": {"required": 1, "reviewers": {"groups": ["pilots"]}}});
        set_rules(store, &house, rules).await.unwrap();
        // Who chooses the provider is an owner, and nobody else decides about the group.
        let ann = subject("1", Some("ann@example.com"), &["Ops"]);
        let ann = alive(store, come(store, organization, &ann).await).await;
        let member = store.member(organization, &ann.account.id).await.unwrap();
        assert_eq!(member.groups, ["pilots"]);
    })
    .await;
}

/// The session that a sign-in opened.
async fn alive(store: &Store, signed_on: SignedOn) -> Alive {
    let SignedOn::Session(text) = signed_on else {
        panic!("{signed_on:?}");
    };
    store.find_session(&text, NOW).await.unwrap().unwrap()
}

#[tokio::test]
async fn a_newcomer_of_the_domain_joins_once_and_is_known_by_the_subject_from_then_on() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = with_provider(store, "reader").await;
        let organization = &house.organization.id;
        let ann = subject("1", Some("Ann@Example.com"), &["Ops", "Other"]);
        let first = alive(store, come(store, organization, &ann).await).await;
        assert_eq!(first.session.organization.as_ref(), Some(organization));
        assert_eq!(
            (first.account.name.as_str(), first.account.password),
            ("Ann", None)
        );
        let member = store.member(organization, &first.account.id).await.unwrap();
        assert_eq!(
            (member.policies, member.groups),
            (vec!["reader".into()], vec!["pilots".into()])
        );

        // The address at the provider may change, and may not be verified any more.
        let renamed = subject("1", None, &[]);
        let again = alive(store, come(store, organization, &renamed).await).await;
        assert_eq!(again.account.id, first.account.id);
        let member = store.member(organization, &first.account.id).await.unwrap();
        assert!(member.groups.is_empty(), "the provider took the group away");

        // Somebody else who was given the address is not who had it.
        let other = subject("2", Some("ann@example.com"), &[]);
        assert_eq!(
            come(store, organization, &other).await,
            SignedOn::LinkedToAnother
        );
    })
    .await;
}

#[tokio::test]
async fn who_is_no_member_is_invited_or_of_the_domain_or_stays_outside() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = with_provider(store, "reader").await;
        let organization = &house.organization.id;
        let stranger = subject("1", Some("eve@evil.org"), &["Ops"]);
        assert_eq!(
            come(store, organization, &stranger).await,
            SignedOn::NotAMember
        );
        let unsure = subject("2", None, &[]);
        assert_eq!(
            come(store, organization, &unsure).await,
            SignedOn::EmailNotVerified
        );
        assert!(
            store
                .account_by_email(&email("eve@evil.org"))
                .await
                .unwrap()
                .is_none()
        );

        let address = email("bob@partner.org");
        let given = grants(&["developer"], &["guests"]);
        let (_, text) = store
            .invite(organization, &address, &given, &Actor::system(), NOW)
            .await
            .unwrap();
        let bob = subject("3", Some("BOB@partner.org"), &["Ops"]);
        let bob = alive(store, come(store, organization, &bob).await).await;
        let member = store.member(organization, &bob.account.id).await.unwrap();
        assert_eq!(member.policies, ["developer"]);
        assert_eq!(member.groups, ["guests", "pilots"]);
        assert!(
            store.look_at_link(&text, NOW).await.unwrap().is_none(),
            "it is used up"
        );

        // A member of before is found by the address; removed, the subject is nobody again.
        let cid = joined(store, &house, "cid@partner.org", grants(&["reader"], &[])).await;
        let subject = subject("4", Some("cid@partner.org"), &[]);
        let session = come(store, organization, &subject).await;
        let SignedOn::Session(text) = session else {
            panic!("{session:?}");
        };
        store
            .remove_member(organization, &cid.id, &Actor::system(), NOW)
            .await
            .unwrap();
        assert!(store.find_session(&text, NOW).await.unwrap().is_none());
        assert_eq!(
            come(store, organization, &subject).await,
            SignedOn::NotAMember
        );
    })
    .await;
}

#[tokio::test]
async fn the_last_owner_stays_one_whatever_the_provider_says() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = with_provider(store, OWNER).await;
        let organization = &house.organization.id;
        let ann = subject("1", Some("ann@example.com"), &["Ops"]);
        let ann = alive(store, come(store, organization, &ann).await)
            .await
            .account;
        let first = owner(store).await;
        store
            .remove_member(organization, &first.id, &Actor::system(), NOW)
            .await
            .unwrap();
        let fallen = subject("1", Some("ann@example.com"), &[]);
        alive(store, come(store, organization, &fallen).await).await;
        let member = store.member(organization, &ann.id).await.unwrap();
        assert_eq!(member.groups, ["pilots"]);
    })
    .await;
}

#[tokio::test]
async fn another_provider_ends_what_the_one_before_opened() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = with_provider(store, "reader").await;
        let organization = &house.organization.id;
        let ann = subject("1", Some("ann@example.com"), &[]);
        let open = async || {
            let session = come(store, organization, &ann).await;
            let SignedOn::Session(text) = session else {
                panic!("{session:?}");
            };
            text
        };
        let lives = async |text: &str| store.find_session(text, NOW).await.unwrap().is_some();
        let set = async |new: SignOn| {
            store
                .set_sign_on(organization, &new, &Actor::system(), NOW)
                .await
        };
        let text = open().await;
        let stricter = SignOn {
            passwords_off: true,
            ..sign_on()
        };
        set(stricter).await.unwrap();
        assert!(lives(&text).await, "the same provider");
        let member = lives_in(store, organization, &text).await;
        assert!(member, "membership says that passwords are off");
        let moved = SignOn {
            issuer: "https://other.example.com".into(),
            ..sign_on()
        };
        set(moved).await.unwrap();
        assert!(!lives(&text).await);
        let seen = Seen::default();
        let late = store.sign_on_as(organization, &ann, &seen, NOW).await;
        assert!(matches!(late, Err(StoreError::NotFound(_))), "{late:?}");

        set(sign_on()).await.unwrap();
        let text = open().await;
        let remove = async || {
            store
                .remove_sign_on(organization, &Actor::system(), NOW)
                .await
        };
        remove().await.unwrap();
        assert!(!lives(&text).await);
        assert!(matches!(remove().await, Err(StoreError::NotFound(_))));

        let mut wrong = sign_on();
        wrong.rules.groups[0].group = "nobody".into();
        assert_eq!(field(set(wrong).await), "groups");
        let mut wrong = sign_on();
        wrong.rules.newcomer_policies = vec!["nothing".into()];
        assert_eq!(field(set(wrong).await), "newcomers/policies");
    })
    .await;
}

async fn lives_in(store: &Store, organization: &Id<Organization>, text: &str) -> bool {
    let alive = store.find_session(text, NOW).await.unwrap().unwrap();
    let found = store.membership_in(&alive.account.id, organization).await;
    matches!(found.unwrap(), Membership::Of(member) if member.passwords_off)
}

#[tokio::test]
async fn what_the_rules_give_is_not_deleted_behind_their_back() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = with_provider(store, "reader").await;
        let organization = &house.organization.id;
        let actor = Actor::system();
        store
            .delete_group(organization, &key("PILOTS"), &actor, NOW)
            .await
            .unwrap();
        let left = store.sign_on(organization).await.unwrap().unwrap();
        assert!(
            left.rules.groups.is_empty(),
            "one of this key later is another"
        );
        assert_eq!(left.client_secret.as_deref(), Some(b"sealed".as_slice()));

        let text = burgee_store::people::policies::PolicyText {
            name: "Mine".into(),
            description: String::new(),
            statements: Vec::new(),
        };
        store
            .create_policy(organization, &key("mine"), &text, &actor, NOW)
            .await
            .unwrap();
        let mut gives = sign_on();
        gives.rules.groups.clear();
        gives.rules.newcomer_policies = vec!["mine".into()];
        store
            .set_sign_on(organization, &gives, &actor, NOW)
            .await
            .unwrap();
        let refused = store.delete_policy(organization, "Mine", &actor, NOW).await;
        assert_eq!(field(refused), "inUse");
    })
    .await;
}

#[tokio::test]
async fn whom_the_provider_signs_in_lacks_no_second_factor_here() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = with_provider(store, "reader").await;
        let organization = &house.organization.id;
        let ann = subject("1", Some("ann@example.com"), &[]);
        let ann = alive(store, come(store, organization, &ann).await).await;
        let bob = joined(store, &house, "bob@x.org", grants(&["reader"], &[])).await;
        let token = async |account: Id<Account>| {
            let new = NewToken {
                organization: organization.clone(),
                name: "t".into(),
                account: Some(account),
                grant: Grant::Personal,
                networks: Vec::new(),
                expires_at: None,
            };
            let made = store.create_token(&new, &Actor::system(), NOW).await;
            made.unwrap().0
        };
        let (of_ann, of_bob) = (token(ann.account.id).await, token(bob.id).await);
        assert!(!store.lacks_second_factor(&of_bob).await.unwrap());
        let ask = OrganizationEdit {
            second_factor_required: Some(true),
            ..OrganizationEdit::default()
        };
        let system = Actor::system();
        let asked = store.update_organization(organization, &ask, &system, NOW);
        asked.await.unwrap();
        assert!(store.lacks_second_factor(&of_bob).await.unwrap());
        assert!(!store.lacks_second_factor(&of_ann).await.unwrap());
        // Another provider has not said who that is.
        let ended = store.remove_sign_on(organization, &system, NOW);
        ended.await.unwrap();
        assert!(store.lacks_second_factor(&of_ann).await.unwrap());
    })
    .await;
}
