//! The table of users and the buffer, at their bounds.

use std::hash::RandomState;
use std::sync::Arc;

use burgee_eval::time::Millis;
use burgee_eval::user::User;
use serde_json::json;

use super::limits::{NEW_USERS_PER_HOUR, USER_KEY};
use super::queue::{MOST_BYTES, MOST_DECISION_BYTES, Queue};
use super::users::{Print, Users, Verdict};
use super::{Given, Traffic};
use crate::environment::Encoded;
use crate::hub::KeyId;
use crate::session::user::KeptUser;
use crate::sink::{Decision, DecisionTexts, Surface, UserSeen};
use crate::source::{Position, State};

const KEY: KeyId = KeyId(1);
const HOUR: i64 = 3_600_000;

struct Table {
    hasher: RandomState,
    users: Users,
}

impl Table {
    fn new(half: usize) -> Self {
        Self {
            hasher: RandomState::new(),
            users: Users::with_half(half),
        }
    }

    /// Judges, and writes where that is the verdict.
    fn meet(&mut self, key: &str, name: &str, now: i64) -> Verdict {
        let user = User {
            key: key.into(),
            name: name.into(),
            ..User::default()
        };
        let print = Print::new(&self.hasher, "env", &user);
        let verdict = self.users.judge(print, KEY, now);
        if verdict == Verdict::Write {
            self.users.written(print, KEY, now);
        }
        verdict
    }
}

#[test]
fn users_are_written_when_new_or_changed_or_not_seen_for_a_day() {
    let mut table = Table::new(100);
    let steps = [
        ("u", "Ann", 0, Verdict::Write),
        ("u", "Ann", 1, Verdict::Known),
        ("u", "Anne", 2_000, Verdict::Write),
        ("u", "Anne", 2_001, Verdict::Known),
        ("other", "Anne", 2_001, Verdict::Write),
        ("u", "Anne", 24 * HOUR + 1_999, Verdict::Known),
        ("u", "Anne", 24 * HOUR + 2_000, Verdict::Write),
        ("u", "Anne", 24 * HOUR + 2_001, Verdict::Known),
    ];
    for (key, name, now, verdict) in steps {
        assert_eq!(table.meet(key, name, now), verdict, "{key} {name} {now}");
    }
}

#[test]
fn the_table_of_users_is_bounded_and_remembers_those_who_come_often() {
    let mut table = Table::new(100);
    assert_eq!(table.meet("regular", "", 0), Verdict::Write);
    for number in 0..10_000 {
        table.meet(&format!("passer-by {number}"), "", 0);
        if number % 50 == 0 {
            assert_eq!(
                table.meet("regular", "", 0),
                Verdict::Known,
                "after {number}"
            );
        }
        assert!(table.users.len() <= 200);
    }
    assert_eq!(
        table.meet("passer-by 0", "", 0),
        Verdict::Write,
        "long forgotten"
    );
}

#[test]
fn new_users_are_limited_by_key_and_hour() {
    let mut table = Table::new(1 << 20);
    for number in 0..NEW_USERS_PER_HOUR {
        assert_eq!(table.meet(&number.to_string(), "", 0), Verdict::Write);
    }
    assert_eq!(table.meet("one more", "", HOUR - 1), Verdict::TooMany);
    // Known ones are not new, another key has its own number, and so has the next hour.
    assert_eq!(table.meet("0", "renamed", HOUR - 1), Verdict::Write);
    let user = User {
        key: "one more".into(),
        ..User::default()
    };
    let print = Print::new(&table.hasher, "env", &user);
    assert_eq!(table.users.judge(print, KeyId(2), HOUR - 1), Verdict::Write);
    assert_eq!(table.meet("one more", "", HOUR), Verdict::Write);
}

#[test]
fn who_could_not_be_written_is_not_counted_as_new() {
    let mut table = Table::new(1 << 20);
    let print = |table: &Table, number: u32| {
        let key = number.to_string();
        let user = User {
            key: key.into(),
            ..User::default()
        };
        Print::new(&table.hasher, "env", &user)
    };
    // The buffer is full: everybody comes, and comes again, and nobody is written.
    for number in 0..2 * NEW_USERS_PER_HOUR {
        let user = print(&table, number % 1_000);
        assert_eq!(table.users.judge(user, KEY, 0), Verdict::Write, "{number}");
    }
    // One who is written twice, by two connections at a time, is one.
    let twice = print(&table, 0);
    for _ in 0..2 * NEW_USERS_PER_HOUR {
        table.users.written(twice, KEY, 0);
    }
    assert_eq!(table.meet("new", "", 0), Verdict::Write);
}

#[test]
fn who_turns_out_to_be_known_makes_room_for_new_ones() {
    let mut table = Table::new(1 << 20);
    for number in 0..NEW_USERS_PER_HOUR {
        assert_eq!(table.meet(&number.to_string(), "", 0), Verdict::Write);
    }
    assert_eq!(table.meet("one more", "", 1), Verdict::TooMany);
    table.users.was_known(KEY, 0);
    assert_eq!(table.meet("one more", "", 1), Verdict::Write);
    assert_eq!(table.meet("yet one more", "", 1), Verdict::TooMany);
    // Of another hour, or another key.
    table.users.was_known(KEY, -1);
    table.users.was_known(KeyId(2), 0);
    assert_eq!(table.meet("yet one more", "", 1), Verdict::TooMany);
}

#[test]
fn what_waits_is_bounded_in_bytes_and_whole() {
    let property = ("p".repeat(500), "v".repeat(500));
    let user = |key: String| UserSeen {
        environment: "env".into(),
        user: KeptUser::from_parts(
            &key,
            &"n".repeat(200),
            (0..20).map(|_| (&*property.0, &*property.1)),
            "",
        ),
        new_by: None,
        at: 0,
    };
    let mut queue = Queue::default();
    let mut taken = 0;
    loop {
        let user = user(taken.to_string());
        if !queue.room_for_user(&user) {
            break;
        }
        queue.user(user);
        taken += 1;
    }
    assert_eq!(queue.len(), taken);
    let texts = 20 * 1000 + 200;
    assert!(taken * texts <= MOST_BYTES && (taken + 2) * (texts + 500) > MOST_BYTES);
    let mut out = 0;
    while let Some(piece) = queue.take() {
        assert!(piece.bytes <= 600_000, "{}", piece.bytes);
        out += piece.len();
    }
    assert_eq!(out, taken);
    assert!(queue.room_for_user(&user("after".into())), "all is free");
}

fn decided(user: &str) -> Decision {
    let texts = DecisionTexts {
        user,
        flag: "f",
        ..DecisionTexts::default()
    };
    Decision::new("env".into(), texts, None, 0)
}

#[test]
fn decisions_take_half_of_the_room_and_are_dropped_then() {
    let long = "x".repeat(1_000);
    let mut queue = Queue::default();
    let mut taken = 0;
    while queue.decision(decided(&long)) {
        taken += 1;
    }
    let bytes = taken * long.len();
    assert!(bytes <= MOST_DECISION_BYTES && bytes > MOST_DECISION_BYTES * 8 / 10);
    let user = UserSeen {
        environment: "env".into(),
        user: KeptUser::from_parts("u", "", std::iter::empty(), ""),
        new_by: None,
        at: 0,
    };
    assert!(queue.room_for_user(&user), "users have room");
    queue.user(user);
    assert!(!queue.decision(decided(&long)));
    queue.take();
    assert!(queue.decision(decided(&long)), "what was taken made room");
}

/// A state with these flags, that logs decisions of all users.
fn state(flags: &[&str], version: i64) -> Encoded {
    let flag = |key: &&str| {
        serde_json::from_value(json!({
            "id": key, "key": key, "name": key, "variationType": "string",
            "variations": [{"id": "v", "value": "value"}], "isEnabled": true,
            "disabledVariationId": "v",
            "fallthrough": {"variations": [{"id": "v", "rollout": [0, 1], "exptRollout": 1}]},
        }))
    };
    Encoded::first(State {
        environment: "env".into(),
        position: Position { version, digest: 1 },
        committed_at: Millis(0),
        trace: None,
        last_stamp: Millis(1),
        flags: flags.iter().map(|key| flag(key).unwrap()).collect(),
        segments: Vec::new(),
        keys: Vec::new(),
        decision_sample: 1_000_000,
    })
}

#[test]
fn a_decision_that_was_taken_a_moment_ago_is_not_taken_again() {
    let traffic = Traffic::new("sender".into(), Arc::default());
    let environment = Arc::from("env");
    let give = |state: &Encoded, user: &str, surface: Surface, at: i64| {
        let user = User {
            key: user.into(),
            ..User::default()
        };
        let given = Given {
            environment: &environment,
            state,
            user: &user,
            surface,
            at,
        };
        traffic.decided(&given, 0..state.snapshot().flags().len());
        traffic.state().queue.len()
    };
    let (first, second) = (state(&["f", "g"], 1), state(&["f", "g"], 2));
    assert_eq!(give(&first, "ana", Surface::Stream, 0), 2);
    assert_eq!(give(&first, "ana", Surface::Stream, 59_999), 2);
    assert_eq!(give(&first, "bea", Surface::Stream, 59_999), 4);
    assert_eq!(give(&first, "ana", Surface::Poll, 59_999), 6);
    assert_eq!(give(&second, "ana", Surface::Stream, 59_999), 8);
    assert_eq!(give(&second, "ana", Surface::Stream, 60_000), 10);
    // What is no user's key is nobody's decision.
    let long = "x".repeat(USER_KEY + 1);
    for nobody in ["", " ", "a\0", &long] {
        assert_eq!(give(&second, nobody, Surface::Stream, 60_000), 10);
    }
}
