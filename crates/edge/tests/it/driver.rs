//! The driver, through its sockets.

use serde_json::Value;

use crate::kit::Edge;

/// The value of a flag in a client's data-sync.
fn value<'a>(message: &'a Value, key: &str) -> Option<&'a str> {
    let flags = message["data"]["featureFlags"].as_array()?;
    let flag = flags.iter().find(|flag| flag["id"] == key)?;
    flag["variation"].as_str()
}

#[test]
fn a_client_is_answered_and_sees_a_change() {
    let edge = Edge::start();
    let (mut client, first) = edge.client("bob");
    assert_eq!(first["data"]["eventType"], "full");
    assert_eq!(first["data"]["userKeyId"], "bob");
    assert_eq!(value(&first, "greeting"), Some("hello"));
    edge.feed.set_flag("greeting", "good evening");
    let push = client.json();
    assert_eq!(push["data"]["eventType"], "patch");
    assert_eq!(value(&push, "greeting"), Some("good evening"));
}
