use super::*;

fn address_of(peer: &str, headers: &[&str]) -> String {
    let proxies: Vec<IpNet> = ["10.0.0.0/8", "::1/128"]
        .map(|it| it.parse().unwrap())
        .into();
    let peer = peer.parse().unwrap();
    forwarded_by(peer, headers.iter().copied(), &proxies).to_string()
}

#[test]
fn only_trusted_proxies_are_believed() {
    assert_eq!(address_of("192.0.2.1", &["203.0.113.9"]), "192.0.2.1");
    assert_eq!(address_of("10.0.0.1", &["203.0.113.9"]), "203.0.113.9");
    assert_eq!(address_of("10.0.0.1", &[]), "10.0.0.1");
}

#[test]
fn what_stands_before_the_first_stranger_is_the_strangers_word() {
    let hops = ["1.1.1.1, 203.0.113.9", "10.0.0.2"];
    assert_eq!(address_of("10.0.0.1", &hops), "203.0.113.9");
    assert_eq!(
        address_of("10.0.0.1", &["203.0.113.9, nonsense"]),
        "10.0.0.1"
    );
    assert_eq!(
        address_of("10.0.0.1", &["::ffff:203.0.113.9"]),
        "203.0.113.9"
    );
}
