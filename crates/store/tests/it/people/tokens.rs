//! Tokens of people.

use burgee_domain::access::Resource;
use burgee_domain::id::Id;
use burgee_store::people::accounts::Account;
use burgee_store::{Actor, Grant, NewToken};

use super::{field, grants, joined};
use crate::kit::{NOW, for_each_database, house};

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
