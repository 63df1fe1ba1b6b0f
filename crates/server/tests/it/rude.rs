//! Bad neighbours: whatever the others send, one who behaves gets everything, in order.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use burgee_testkit::sdk::{Kind, Sdk, now, token};
use serde_json::json;

use crate::kit::{App, Database, create, flag_on, in_prod, person, person_with, variations};

/// An upgrade with a good token.
fn upgrade(secret: &str) -> Vec<u8> {
    let token = token(secret, now());
    format!(
        "GET /streaming?type=client&token={token} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\
         Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n\
         Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
    )
    .into_bytes()
}

/// A masked text frame.
fn text(payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![0x81, 0x80 | 126];
    frame.extend(u16::try_from(payload.len()).unwrap().to_be_bytes());
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}

/// What one bad neighbour sends, by its number.
fn garbage(number: usize, secret: &str) -> Vec<u8> {
    let upgraded = |rest: &[u8]| [upgrade(secret), rest.to_vec()].concat();
    match number % 10 {
        0 => vec![0; 4096],
        1 => b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".to_vec(),
        2 => [
            b"GET /streaming HTTP/1.1\r\n".to_vec(),
            b"A: b\r\n".repeat(5_000),
        ]
        .concat(),
        3 => b"POST /api/v1/changes HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n".to_vec(),
        // Frames without masks, of reserved kinds, longer than anybody may.
        4 => upgraded(&[0x81, 0x05, b'h', b'e', b'l', b'l', b'o']),
        5 => upgraded(&[0xF3, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]),
        6 => upgraded(&text(b"\xff\xfe\xfd")),
        7 => upgraded(&text(br#"{"messageType":"data-sync","data":{"user":7}}"#).repeat(20)),
        8 => upgraded(&text(&[b'['; 20_000])),
        _ => upgraded(&text(br#"{"messageType":"nonsense","data":null}"#).repeat(50)),
    }
}

/// Sends garbage at least once, and again until told to stop; reads whatever comes.
fn pester(address: SocketAddr, number: usize, secret: &str, stop: &AtomicBool) -> usize {
    let mut sent = 0;
    while sent == 0 || !stop.load(Ordering::Relaxed) {
        let Ok(mut stream) = TcpStream::connect(address) else {
            continue;
        };
        stream
            .set_read_timeout(Some(Duration::from_millis(50)))
            .unwrap();
        // Both may fail: the server has every right to hang up.
        let _ = stream.write_all(&garbage(number, secret));
        let mut answer = [0; 4096];
        while matches!(stream.read(&mut answer), Ok(1..)) {}
        sent += 1;
    }
    sent
}

#[tokio::test(flavor = "multi_thread")]
async fn fifty_rude_connections_disturb_nobody() {
    const FLAGS: usize = 20;
    let app = App::start(Database::Sqlite).await;
    let made: Vec<_> = (0..FLAGS).map(|n| create(&format!("f{n}"))).collect();
    app.apply(json!(made)).await;
    let secret = app.keys("prod").await.client.secret;
    let stop = Arc::new(AtomicBool::new(false));
    let pests: Vec<_> = (0..50)
        .map(|number| {
            let (address, secret, stop) = (app.address(), secret.clone(), Arc::clone(&stop));
            thread::spawn(move || pester(address, number, &secret, &stop))
        })
        .collect();
    let mut healthy = Sdk::client(app.address(), &secret, &person("u"));
    for number in 0..FLAGS {
        let flag = format!("f{number}");
        app.apply(json!([in_prod("turnOn", &flag)])).await;
        // Each push is the next change, and nothing else.
        let push = healthy.data();
        assert_eq!(push["eventType"], "patch", "{push}");
        assert_eq!(push["featureFlags"][0]["id"], *flag, "{push}");
        assert_eq!(push["featureFlags"].as_array().unwrap().len(), 1, "{push}");
        assert_eq!(healthy.value(&flag), Some("true"));
    }
    stop.store(true, Ordering::Relaxed);
    for pest in pests {
        assert!(pest.join().unwrap() > 0);
    }
    healthy.settle();
    let newcomer = Sdk::connect(app.address(), Kind::Client, &secret).identify(&person("v"), 0);
    assert_eq!(newcomer["featureFlags"].as_array().unwrap().len(), FLAGS);
    app.stop().await;
}

/// A pattern that an engine which goes back tries in 2^1000 ways on this text.
#[tokio::test(flavor = "multi_thread")]
async fn a_flag_with_a_pathological_regex_disturbs_nobody() {
    let app = App::start(Database::Sqlite).await;
    app.apply(flag_on("f")).await;
    let (_, off) = variations(&app.owner, "f").await;
    let rule = json!({ "variation": off,
        "conditions": [{ "property": "p", "op": "MatchRegex", "value": "^(a+)+$" }] });
    let set = json!({ "kind": "setRules", "flag": "f", "environment": "prod", "rules": [rule] });
    app.apply(json!([set])).await;
    let mut witness = app.client_sdk("prod", "witness").await;
    let secret = app.keys("prod").await.client.secret;
    let texts = ["a".repeat(1000), format!("{}!", "a".repeat(1000))];
    for (text, value) in texts.iter().zip(["false", "true"]) {
        let sdk = Sdk::client(app.address(), &secret, &person_with("u", "p", text));
        assert_eq!(sdk.value("f"), Some(value));
    }
    app.apply(json!([in_prod("turnOff", "f")])).await;
    witness.until(|sdk| sdk.value("f") == Some("false"));
    app.stop().await;
}
