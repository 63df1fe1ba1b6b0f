//! Signing in: passwords, sessions, codes.

use burgee_store::people::accounts::NewPassword;
use burgee_store::people::sessions::{Ending, IDLE, LONGEST, Seen};

use super::{DAY, at, email, owner};
use crate::kit::{NOW, for_each_database, house};

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
            let alive = store.find_session(&used, at(day * DAY)).await;
            let alive = alive.unwrap().unwrap();
            assert_eq!(alive.session.agent, "browser".repeat(100)[..256]);
            assert_eq!(alive.account.id, owner.id);
            used = alive.new_text.expect("changed once a day of use");
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
        let new = find(&old, at(DAY)).await.unwrap().new_text.unwrap();
        let found = find(&old, at(DAY + 1_000)).await.unwrap();
        assert!(found.new_text.is_none() && found.session.id == session.id);
        assert!(found.session.second_factor);
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
        let new = store.set_password(&owner.id, password, keep, None, NOW);
        let new = new.await.unwrap().unwrap();
        let left = store.sessions(&owner.id, NOW).await.unwrap();
        assert_eq!(left.len(), 1);
        assert_eq!(left[0].id, texts[1].0.id);
        for (_, text) in &texts {
            let gone = store.find_session(text, NOW).await.unwrap();
            assert!(
                gone.is_none(),
                "the text of the one that is kept is another"
            );
        }
        let kept = store.find_session(&new, NOW).await.unwrap().unwrap();
        assert_eq!(kept.session.id, texts[1].0.id);
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
