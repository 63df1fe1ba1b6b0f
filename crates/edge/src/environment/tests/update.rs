//! What a step is to those who are connected.

use burgee_eval::flag::Flag;

use super::*;

fn client_patch(update: &Update, key: &str) -> Option<Answer> {
    let mut out = Vec::new();
    let some = update.client_patch(&user(key), &mut out);
    assert_eq!(some, !out.is_empty());
    some.then(|| Answer::parse(&out))
}

#[test]
fn clients_get_one_patch_with_all_flags_of_the_change() {
    let from = encoded(vec![flag("a", 1), flag("b", 2), flag("c", 3)], vec![]);
    let off = |key, stamp| Flag {
        is_enabled: false,
        ..flag(key, stamp)
    };
    let update = step(from, vec![off("a", 5), off("c", 6)], vec![]);
    let patch = client_patch(&update, "u").unwrap();
    assert!(!patch.is_full());
    assert_eq!(patch.names(), ["a", "c"]);
    assert_eq!(patch.client_flag("c"), Some(("no", "flag disabled", 6)));
}

#[test]
fn a_segments_change_reaches_clients_as_the_flags_that_use_it() {
    let flags = vec![flag("plain", 1), flag_with_segment("beta", 2, "s")];
    let from = encoded(flags, vec![segment("s", 3, &[])]);
    let update = step(from, vec![], vec![segment("s", 7, &["u"])]);
    let patch = client_patch(&update, "u").unwrap();
    assert_eq!(patch.names(), ["beta"]);
    assert_eq!(patch.client_flag("beta"), Some(("no", "members", 7)));
}

#[test]
fn an_archived_flag_leaves_clients_by_a_full_message() {
    let from = encoded(vec![flag("a", 1), flag("b", 2)], vec![]);
    let full = client_patch(&step(from, vec![archived("a", 5)], vec![]), "u").unwrap();
    assert!(full.is_full());
    assert_eq!(full.names(), ["b"]);
    // So the SDK does not ask for it again.
    assert_eq!(full.client_flag("b").unwrap().2, 5);
}

#[test]
fn so_does_one_that_serves_this_user_nothing_any_more() {
    let from = encoded(vec![flag("a", 1), flag("b", 2)], vec![]);
    let full = client_patch(&step(from, vec![for_nobody("a", 5)], vec![]), "u").unwrap();
    assert!(full.is_full());
    assert_eq!(full.names(), ["b"]);
}

#[test]
fn clients_hear_nothing_of_what_gives_the_same_answers() {
    let from = || encoded(vec![flag("a", 1)], vec![segment("unused", 2, &[])]);
    let described = Flag {
        description: "for people".into(),
        ..flag("a", 5)
    };
    assert!(client_patch(&step(from(), vec![described], vec![]), "u").is_none());
    let unused = vec![segment("unused", 6, &["u"])];
    assert!(client_patch(&step(from(), vec![], unused), "u").is_none());
    assert!(client_patch(&step(from(), vec![], vec![]), "u").is_none());
}

#[test]
fn small_environments_are_pushed_to_servers_whole() {
    let from = encoded(vec![flag("a", 1), flag("b", 2)], vec![]);
    let pushed = frames(&step(from, vec![flag("a", 5)], vec![]).server_frames(Coding::Clear));
    assert_eq!(pushed.len(), 1);
    assert!(pushed[0].is_full());
    assert_eq!(pushed[0].newest(), 5);
}

#[test]
fn a_push_is_deflated_once_and_a_whole_state_not_twice() {
    let many = |stamp: i64| (0..20).map(move |n| flag(&format!("flag-{n}"), stamp + n));
    let update = step(
        encoded(many(1).collect(), vec![]),
        many(100).collect(),
        vec![],
    );
    let pushed = update.server_frames(Coding::Deflate);
    assert_eq!(
        pushed.as_ptr(),
        update.server_frames(Coding::Deflate).as_ptr()
    );
    let synced = update.to().server_sync(0, NOW, Coding::Deflate).frames;
    assert_eq!(pushed.as_ptr(), synced.as_ptr());
    assert_eq!(pushed[0], 0xC1);
    let clear = update.server_frames(Coding::Clear);
    assert_eq!(clear[0], 0x81);
    assert!(pushed.len() < clear.len() / 4);
}

#[test]
fn of_large_ones_servers_get_each_item_of_the_change_in_order() {
    let from = encoded(
        vec![large("large", 1), flag("on", 2), flag("off", 3)],
        vec![],
    );
    let off = Flag {
        is_enabled: false,
        ..flag("off", 6)
    };
    let update = step(
        from,
        vec![flag("on", 7), off, archived("new", 8)],
        vec![segment("s", 5, &[])],
    );
    let pushed = frames(&update.server_frames(Coding::Clear));
    assert!(pushed.iter().all(|message| !message.is_full()));
    let names: Vec<_> = pushed
        .iter()
        .map(|message| message.names().join(","))
        .collect();
    assert_eq!(names, ["s", "off", "on", "new"]);
    let stamps: Vec<_> = pushed.iter().map(Answer::newest).collect();
    assert_eq!(stamps, [5, 6, 7, 8]);
}

#[test]
fn servers_hear_nothing_where_no_item_changed() {
    let from = encoded(vec![flag("a", 1)], vec![]);
    assert!(
        step(from, vec![], vec![])
            .server_frames(Coding::Clear)
            .is_empty()
    );
}

#[test]
fn a_state_of_another_history_goes_out_whole_and_newer_than_the_one_before() {
    let reload = |before: i64, after: i64| {
        let from = Arc::new(encoded(vec![flag("lost", before)], vec![]));
        let to = Arc::new(from.replaced(state(vec![flag("a", after)], vec![])));
        let environment = Arc::new(Environment::new("env".into(), Arc::clone(&from)));
        Update::reload(environment, from, to)
    };
    // (stamp before, stamp after, stamp sent)
    for (before, after, sent) in [(50, 3, 51), (50, 50, 51), (50, 60, 60)] {
        let update = reload(before, after);
        let pushed = frames(&update.server_frames(Coding::Clear));
        assert!(pushed.len() == 1 && pushed[0].is_full());
        assert_eq!((pushed[0].names(), pushed[0].newest()), (vec!["a"], sent));
        let full = client_patch(&update, "u").unwrap();
        assert!(full.is_full());
        assert_eq!(full.client_flag("a"), Some(("yes", "default", after)));
    }
}

#[test]
fn who_was_away_while_a_history_was_replaced_keeps_nothing_of_the_lost_one() {
    let (a, b) = (large("a", 10), flag("b", 20));
    let old = encoded(vec![a.clone(), b], vec![]);
    // A backup from before b, after which the history went on: its stamps passed the lost ones.
    let restored = Arc::new(old.replaced(state(vec![a.clone()], vec![])));
    let went_on = Arc::clone(step(Arc::clone(&restored), vec![flag("c", 30)], vec![]).to());
    for timestamp in [15, 20] {
        let [full] = &server_sync(&went_on, T + timestamp)[..] else {
            panic!("one message")
        };
        assert!(full.is_full() && full.newest() > timestamp);
        assert_eq!(full.names(), ["a", "c"]);
        assert!(client_sync(&went_on, "u", T + timestamp).is_full());
        // Before the first edit there is nothing newer to tell it by.
        let [full] = &server_sync(&restored, T + timestamp)[..] else {
            panic!("one message")
        };
        assert!(full.is_full() && full.newest() > timestamp);
    }
    // Who has something of the new history has nothing of the lost one.
    let news = &server_sync(&went_on, T + 30)[0];
    assert!(!news.is_full() && news.names().is_empty());
    let next = step(went_on, vec![flag("d", 40)], vec![]);
    assert_eq!(server_sync(next.to(), T + 30)[0].names(), ["d"]);
}

#[test]
fn who_missed_several_edits_of_one_flag_is_sent_those() {
    let mut state = Arc::new(encoded(vec![large("a", 1), flag("b", 2)], vec![]));
    for stamp in 3..20 {
        state = Arc::clone(step(state, vec![flag("b", stamp)], vec![]).to());
    }
    for known in 2..19 {
        let [news] = &server_sync(&state, T + known)[..] else {
            panic!("one message")
        };
        assert!(!news.is_full(), "{known}");
        assert_eq!((news.names(), news.newest()), (vec!["b"], 19));
    }
    assert_eq!(server_sync(&state, T + 1)[0].names(), ["b"]);
}

#[test]
fn generations_count_without_gaps_and_share_what_did_not_change() {
    let from = encoded(vec![flag("a", 1), flag("b", 2)], vec![]);
    let update = step(from, vec![flag("a", 5)], vec![]);
    assert_eq!(
        (update.from().generation(), update.to().generation()),
        (1, 2)
    );
    let compiled = |state: &Encoded| Arc::clone(state.snapshot().flag("b").unwrap());
    assert!(Arc::ptr_eq(
        &compiled(update.from()),
        &compiled(update.to())
    ));
}

#[test]
fn a_change_gives_the_same_answers_as_loading_afresh() {
    let from = encoded(
        vec![flag("a", 1), flag_with_segment("b", 2, "s")],
        vec![segment("s", 3, &[])],
    );
    let update = step(
        from,
        vec![flag("c", 6), archived("a", 5)],
        vec![segment("s", 4, &["u"])],
    );
    let flags = vec![
        archived("a", 5),
        flag_with_segment("b", 2, "s"),
        flag("c", 6),
    ];
    let afresh = encoded(flags, vec![segment("s", 4, &["u"])]);
    for timestamp in [0, T + 3, T + 4, T + 5, T + 6, T + 7] {
        let (mut one, mut other) = (Vec::new(), Vec::new());
        update
            .to()
            .client_sync(&user("u"), timestamp, NOW, &mut one);
        afresh.client_sync(&user("u"), timestamp, NOW, &mut other);
        assert_eq!(
            String::from_utf8(one).unwrap(),
            String::from_utf8(other).unwrap()
        );
        let (one, other) = (
            update.to().server_sync(timestamp, NOW, Coding::Clear),
            afresh.server_sync(timestamp, NOW, Coding::Clear),
        );
        assert_eq!(one.frames, other.frames);
    }
}

#[test]
fn news_that_an_sdk_was_told_a_higher_stamp_than_reaches_it_all_the_same() {
    // As when a node lags behind the one that the SDK was connected to before.
    for first in [flag("a", 1), large("a", 1)] {
        let from = encoded(vec![first, flag("b", 2)], vec![]);
        let raised = server_sync(&from, T + 10).pop().unwrap();
        assert_eq!(raised.newest(), 11);
        let update = step(
            from,
            vec![Flag {
                is_enabled: false,
                ..flag("b", 10)
            }],
            vec![],
        );
        let pushed = frames(&update.server_frames(Coding::Clear));
        assert!(pushed.len() == 1 && pushed[0].is_full());
        assert_eq!(pushed[0].newest(), 12, "above what was told");
        // Once stamps have passed that, all is as before.
        let update = step(Arc::clone(update.to()), vec![flag("b", 20)], vec![]);
        assert_eq!(
            frames(&update.server_frames(Coding::Clear))
                .pop()
                .unwrap()
                .newest(),
            20
        );
    }
}
