//! What is believed of the stream, and when.

use std::sync::Arc;

use bytes::Bytes;
use tempfile::TempDir;
use tokio::time::advance as pass;

use super::super::wire::{anew, parts};
use super::*;
use crate::message::{Since, Whole, pack, sent};

fn at(version: i64) -> Position {
    let digest = version.unsigned_abs() * 7;
    Position { version, digest }
}

/// A relay that has the environment `e` at a version, and what it knows of it.
struct Rig {
    upstream: Arc<Upstream>,
    followed: Followed,
    _folder: TempDir,
}

impl Rig {
    fn at(version: i64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let upstream = Upstream::open(folder.path(), "near".into(), 1 << 20).unwrap();
        let whole = serde_json::json!({"environment": "e", "position": sent(at(version)),
            "lastStamp": 0, "flags": [], "segments": [], "keys": []});
        upstream.learn(serde_json::from_value::<Whole>(whole).unwrap());
        Self {
            upstream,
            followed: Followed::default(),
            _folder: folder,
        }
    }

    fn take(&mut self, sequence: u64, (head, body): &(Head, Bytes)) {
        let message = head.message("e", 0).outbound_message("burgee.env.e");
        let headers = message.headers.as_ref();
        let place = ("e", sequence);
        self.followed.take(&self.upstream, place, headers, body);
    }

    fn version(&self) -> i64 {
        self.upstream.mirror().position("e").unwrap().version
    }

    fn begin(&mut self) -> Option<(u64, Option<i64>)> {
        let wanted = self.followed.begin("e")?;
        Some((wanted.sequence, wanted.to.map(|to| to.version)))
    }
}

fn change(from: i64, to: i64) -> (Head, Bytes) {
    let since = Since {
        environment: "e".into(),
        from: sent(at(from)),
        position: sent(at(to)),
        last_stamp: burgee_eval::time::Millis(to),
        committed_at: burgee_eval::time::Millis(to),
        trace: None,
        flags: Vec::new(),
        segments: Vec::new(),
        keys: None,
        decision_sample: 0,
    };
    parts(at(from), at(to), 0, pack(&since).unwrap()).remove(0)
}

fn is_anew(to: i64) -> (Head, Bytes) {
    (anew(at(to), 0), Bytes::new())
}

#[tokio::test(start_paused = true)]
async fn what_a_replica_that_lags_has_takes_nothing_back() {
    for old in [change(97, 98), is_anew(98)] {
        let mut rig = Rig::at(100);
        rig.take(98, &old);
        assert!(rig.followed.is_level());
        pass(BELIEVED / 2).await;
        rig.take(99, &change(98, 99));
        assert_eq!(rig.begin(), None);
        rig.take(100, &change(99, 100));
        rig.take(101, &change(100, 101));
        pass(BELIEVED * 2).await;
        assert_eq!((rig.begin(), rig.version()), (None, 101));
    }
}

#[tokio::test(start_paused = true)]
async fn an_end_that_stays_behind_is_believed_in_the_end() {
    let mut rig = Rig::at(100);
    rig.take(98, &change(97, 98));
    pass(BELIEVED).await;
    assert_eq!(rig.begin(), Some((98, Some(98))));
    // Who did not follow for long may have missed that it is to be taken anew, and is not sure.
    let mut rig = Rig::at(100);
    rig.take(100, &change(99, 100));
    rig.take(700, &change(59, 60));
    assert_eq!(rig.begin(), None);
    pass(BELIEVED).await;
    assert_eq!(rig.begin(), Some((700, Some(60))));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_takes_all_back_is_believed_at_once() {
    let mut rig = Rig::at(100);
    rig.take(100, &change(99, 100));
    rig.take(101, &is_anew(60));
    rig.take(102, &change(60, 61));
    assert_eq!(rig.begin(), Some((102, Some(61))));
}

#[tokio::test(start_paused = true)]
async fn a_change_that_begins_here_is_taken_whatever_came_before() {
    let mut rig = Rig::at(100);
    rig.take(98, &change(97, 98));
    rig.take(101, &change(100, 101));
    assert_eq!((rig.begin(), rig.version()), (None, 101));
    // Also where one is missing, and could not be fetched yet.
    rig.take(103, &change(102, 103));
    assert!(!rig.followed.is_level());
    rig.take(104, &change(101, 104));
    assert_eq!((rig.begin(), rig.version()), (None, 104));
}

#[tokio::test(start_paused = true)]
async fn what_comes_while_it_is_brought_is_brought_after_it() {
    let mut rig = Rig::at(1);
    rig.take(7, &change(5, 6));
    assert_eq!(rig.begin(), Some((7, Some(6))));
    rig.take(8, &change(6, 7));
    assert_eq!(rig.begin(), None);
    rig.followed.brought(7);
    assert_eq!(rig.begin(), Some((8, Some(7))));
    rig.followed.brought(8);
    assert!(rig.followed.is_level());
    assert_eq!(rig.begin(), None);
}

#[tokio::test(start_paused = true)]
async fn what_cannot_be_brought_is_tried_ever_more_rarely() {
    let mut rig = Rig::at(1);
    // It has no place in its headers.
    rig.followed.take(&rig.upstream, ("e", 7), None, b"?");
    for doubled in [1, 2, 4, 8, 16, 32, 32] {
        assert_eq!(rig.begin(), Some((7, None)));
        rig.followed.failed();
        pass(RETRY * doubled - Duration::from_millis(1)).await;
        assert_eq!(rig.begin(), None);
        pass(Duration::from_millis(1)).await;
    }
    assert_eq!(rig.version(), 1);
}
