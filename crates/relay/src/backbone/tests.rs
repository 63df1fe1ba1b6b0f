use burgee_edge::source::Position;

use super::Servers;
use super::wire::{Gathering, Head, PART, Place, Said, anew, parts};
use crate::message::{Since, pack, sent};

fn at(version: i64) -> Position {
    let digest = version.unsigned_abs() * 7;
    Position { version, digest }
}

/// A change with keys in it that do not shrink.
fn since(from: i64, to: i64, bytes: usize) -> Since {
    let secret = (0..bytes / 36).map(|_| uuid::Uuid::new_v4().to_string());
    Since {
        environment: "e".into(),
        from: sent(at(from)),
        position: sent(at(to)),
        last_stamp: burgee_eval::time::Millis(to),
        committed_at: burgee_eval::time::Millis(to),
        trace: None,
        flags: Vec::new(),
        segments: Vec::new(),
        decision_sample: 7,
        keys: Some(vec![crate::message::WireKey {
            secret: secret.collect(),
            kind: crate::message::Kind::Client,
        }]),
    }
}

#[test]
fn a_change_is_whole_when_all_its_parts_are_there_one_behind_the_other() {
    let packed = pack(&since(1, 2, 4 * PART)).unwrap();
    let cut = parts(at(1), at(2), 0, packed);
    assert!(cut.len() > 1);
    assert!(cut.iter().all(|(_, body)| body.len() <= PART));
    let mut gathering = Gathering::default();
    let mut told = 0;
    // Somebody published a beginning and died; another one all of it.
    for (head, body) in cut[..1].iter().chain(&cut) {
        if let Said::Since(whole) = gathering.take(head.clone(), body).unwrap() {
            assert_eq!((whole.from, whole.position), (sent(at(1)), sent(at(2))));
            told += 1;
        }
    }
    assert_eq!(told, 1);
    // Whoever comes in the middle is told that it missed something.
    let mut late = Gathering::default();
    let (head, body) = cut.last().unwrap();
    assert!(matches!(late.take(head.clone(), body).unwrap(), Said::Lost));
}

#[test]
fn a_message_has_its_place_in_its_headers() {
    for head in [
        parts(at(3), at(4), 5, vec![1, 2, 3]).remove(0).0,
        anew(at(9), 7),
    ] {
        let message = head.message("e", 0).outbound_message("burgee.env.e");
        assert_eq!(Head::read(&message.headers.unwrap()).unwrap(), head);
    }
    assert_eq!(
        "12-00000000000000ff".parse::<Place>().unwrap().0.digest,
        255
    );
    assert!("12".parse::<Place>().is_err());
}

#[test]
fn servers_are_a_list_and_their_passwords_stay_away_from_logs() {
    let servers: Servers = "nats://u:s%40cret@one:4222,tls://two:4443".parse().unwrap();
    assert_eq!(servers.user(), Some(("u".into(), Some("s@cret".into()))));
    assert_eq!(servers.to_string(), "one:4222,two:4443");
    assert!("https://one".parse::<Servers>().is_err());
}
