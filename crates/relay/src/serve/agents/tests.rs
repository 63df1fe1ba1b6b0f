//! What is believed of what a relay says about others.

use std::collections::BTreeMap;

use super::super::upgrade::Places;
use super::*;

fn peer(places: &Places) -> Peer {
    let opened = Opened {
        key: "k".into(),
        names: Default::default(),
        environments: vec!["ours".into()],
    };
    Peer {
        address: "192.0.2.1".into(),
        secret: String::new(),
        _place: places.take(&opened.key).unwrap(),
        opened,
    }
}

fn report(id: &str) -> Report {
    Report {
        agent: Agent {
            kind: Default::default(),
            id: id.into(),
            name: "near\u{0}".into(),
            version: "1".into(),
        },
        connections: 1,
        environments: BTreeMap::from([("ours".into(), (1, 1)), ("theirs".into(), (2, 2))]),
        key: "another".into(),
        address: "198.51.100.1".into(),
        via: Some("whoever".into()),
    }
}

fn id(number: u128) -> String {
    Uuid::from_u128(number).to_string()
}

#[test]
fn a_relay_tells_of_itself_with_its_own_key_and_of_others_within_it() {
    let (agents, places) = (Agents::default(), Places::default());
    let peer = peer(&places);
    let mut told = Told::new(&agents, report(&id(1)).agent, "k");
    let own = told.signed(report(&id(1)), &peer, &peer.opened).unwrap();
    assert_eq!((own.key.as_str(), own.via), ("k", None));
    assert_eq!(own.address, "192.0.2.1");
    assert_eq!(own.agent.name, "near");
    assert_eq!(own.environments, BTreeMap::from([("ours".into(), (1, 1))]));
    let other = told.signed(report(&id(2)), &peer, &peer.opened).unwrap();
    assert_eq!((other.key.as_str(), other.via), ("another", Some(id(1))));
    for bad in ["", "x", "' OR 1 = 1"] {
        assert_eq!(told.signed(report(bad), &peer, &peer.opened), None);
    }
}

#[test]
fn no_more_relays_hang_on_one_than_may() {
    let (agents, places) = (Agents::default(), Places::default());
    let peer = peer(&places);
    let mut told = Told::new(&agents, report(&id(1)).agent, "k");
    let mut taken = 0;
    for number in 0..2 * BEHIND as u128 {
        let signed = told.signed(report(&id(number)), &peer, &peer.opened);
        taken += usize::from(signed.is_some());
    }
    assert_eq!(taken, BEHIND + 1);
    // Those that it told of already go on.
    assert!(told.signed(report(&id(0)), &peer, &peer.opened).is_some());
}

#[test]
fn a_goodbye_counts_of_whom_nobody_else_told_since() {
    let (agents, places) = (Agents::default(), Places::default());
    let peer = peer(&places);
    let mut before = Told::new(&agents, report(&id(1)).agent, "k");
    let mut after = Told::new(&agents, report(&id(1)).agent, "k");
    before.signed(report(&id(1)), &peer, &peer.opened).unwrap();
    before.signed(report(&id(2)), &peer, &peer.opened).unwrap();
    assert!(!after.is_gone(&id(2)), "it never told of it");
    after.signed(report(&id(1)), &peer, &peer.opened).unwrap();
    // The old connection breaks at last: the relay has come back meanwhile, what hung on it not.
    let gone = std::cell::RefCell::new(Vec::new());
    before.end(|agent| gone.borrow_mut().push(agent.to_owned()));
    assert_eq!(gone.take(), [id(2)]);
    after.end(|agent| gone.borrow_mut().push(agent.to_owned()));
    assert_eq!(gone.take(), [id(1)]);
    assert!(agents.told().is_empty());
}

#[test]
fn nobody_speaks_for_a_relay_that_comes_with_another_key() {
    let (agents, places) = (Agents::default(), Places::default());
    let peer = peer(&places);
    let told_of = |told: &mut Told<'_>, number| {
        let signed = told.signed(report(&id(number)), &peer, &peer.opened);
        signed.is_some() && told.of(&id(number))
    };
    let mut own = Told::new(&agents, report(&id(1)).agent, "k");
    let mut other = Told::new(&agents, report(&id(1)).agent, "another");
    assert!(told_of(&mut own, 1) && told_of(&mut own, 2));
    assert!(!told_of(&mut other, 1) && !told_of(&mut other, 2) && told_of(&mut other, 3));
    assert!(!other.is_gone(&id(1)), "it never told of it");
    other.end(|agent| assert_eq!(agent, id(3)));
    // When it is gone, its place is free: it may have another key now, or hang on another.
    own.end(|_| {});
    let mut next = Told::new(&agents, report(&id(1)).agent, "another");
    assert!(told_of(&mut next, 1));
}
