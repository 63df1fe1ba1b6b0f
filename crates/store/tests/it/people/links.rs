//! Links that work once.

use burgee_store::people::links::INVITATION;
use burgee_store::{Actor, StoreError};

use super::{at, email, field, grants, joined};
use crate::kit::{NOW, for_each_database, house};

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
            .reset_link(organization, &ann.id, &actor, NOW)
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
async fn an_invitation_is_worth_what_its_maker_may_give_when_it_is_followed() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        let organization = &house.organization.id;
        let chief = joined(
            store,
            &house,
            "chief@x.org",
            grants(&["administrator"], &[]),
        )
        .await;
        let actor = Actor::member(&chief);
        let invite = async |address: &str| {
            let (address, given) = (email(address), grants(&["developer"], &[]));
            let invited = store.invite(organization, &address, &given, &actor, NOW);
            invited.await.unwrap().1
        };
        let (ann, bob) = (invite("ann@x.org").await, invite("bob@x.org").await);
        let follow = async |link: &str| {
            let followed = store.follow_link(link, "New", Some("hash"), None, NOW);
            followed.await
        };
        follow(&ann).await.unwrap();
        let system = Actor::system();
        let set = async |policies: &[&str]| {
            let given = grants(policies, &[]);
            let set = store.set_member(organization, &chief.id, &given, &system, NOW);
            set.await.unwrap();
        };
        set(&["reader"]).await;
        let stale = |refused: Result<_, StoreError>| {
            matches!(
                refused,
                Err(StoreError::Refused {
                    code: "invitationStale",
                    ..
                })
            )
        };
        assert!(stale(follow(&bob).await));
        set(&["administrator"]).await;
        let chief = store.remove_member(organization, &chief.id, &system, NOW);
        chief.await.unwrap();
        assert!(stale(follow(&bob).await));
        let stranger = store.account_by_email(&email("bob@x.org")).await.unwrap();
        assert!(stranger.is_none(), "nothing is left of it");
    })
    .await;
}
