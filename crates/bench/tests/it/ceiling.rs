//! The ceiling answers what scenarios ask, as Burgee would.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::thread;
use std::time::Duration;

use burgee_bench::api::Api;
use burgee_bench::ceiling::{Ceiling, Config};
use serde_json::{Value, json};
use tungstenite::{Message, WebSocket};

fn start(answer: usize) -> SocketAddr {
    let config = Config {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        answer,
        share_port: false,
    };
    let ceiling = Ceiling::bind(&config).unwrap();
    let address = ceiling.address().unwrap();
    thread::spawn(move || ceiling.serve());
    address
}

fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    let patience = Some(Duration::from_secs(30));
    stream.set_read_timeout(patience).unwrap();
    stream
}

fn sdk(address: SocketAddr) -> WebSocket<TcpStream> {
    let url = format!("ws://{address}/streaming?type=client&token=whatever");
    tungstenite::client(url, connect(address)).unwrap().0
}

fn say(sdk: &mut WebSocket<TcpStream>, message: &Value) {
    sdk.send(Message::text(message.to_string())).unwrap();
}

fn hear(sdk: &mut WebSocket<TcpStream>) -> Value {
    serde_json::from_str(sdk.read().unwrap().to_text().unwrap()).unwrap()
}

fn sync() -> Value {
    let user = json!({ "keyId": "u", "name": "U", "customizedProperties": [] });
    json!({ "messageType": "data-sync", "data": { "user": user, "timestamp": 0 } })
}

fn stamp(message: &Value) -> u64 {
    message["data"]["featureFlags"][0]["timestamp"]
        .as_u64()
        .unwrap()
}

#[test]
fn it_syncs_and_beats() {
    let mut sdk = sdk(start(3021));
    say(&mut sdk, &sync());
    let state = sdk.read().unwrap();
    assert_eq!(state.len(), 3021);
    say(&mut sdk, &json!({ "messageType": "ping", "data": {} }));
    assert_eq!(hear(&mut sdk)["messageType"], "pong");
}

#[test]
fn a_state_larger_than_the_socket_takes_arrives_whole() {
    let mut sdk = sdk(start(5_000_000));
    say(&mut sdk, &sync());
    assert_eq!(sdk.read().unwrap().len(), 5_000_000);
    say(&mut sdk, &json!({ "messageType": "ping", "data": {} }));
    assert_eq!(hear(&mut sdk)["messageType"], "pong");
}

#[test]
fn a_change_reaches_everybody_who_has_synced() {
    let address = start(3021);
    let mut sdks: Vec<_> = (0..20).map(|_| sdk(address)).collect();
    let mut silent = sdk(address);
    let mut seen = 0;
    for sdk in &mut sdks {
        say(sdk, &sync());
        seen = stamp(&hear(sdk));
    }
    let api = Api::new(address, "whoever".to_owned());
    for (kind, value) in [("turnOff", "false"), ("turnOn", "true")] {
        let command = json!({ "kind": kind, "flag": "returns-true", "environment": "prod" });
        api.change("demo", &[command]).unwrap();
        let mut newest = 0;
        for sdk in &mut sdks {
            let patch = hear(sdk);
            assert_eq!(patch["data"]["eventType"], "patch");
            assert_eq!(patch["data"]["featureFlags"][0]["variation"], value);
            newest = stamp(&patch);
        }
        assert!(newest > seen);
        seen = newest;
    }
    // Who had not synced gets the newest state, and nothing before it.
    say(&mut silent, &sync());
    let state = hear(&mut silent);
    assert_eq!(state["data"]["eventType"], "full");
    assert_eq!(stamp(&state), seen);
}

#[test]
fn requests_are_answered_on_one_connection() {
    let mut stream = connect(start(3021));
    let body = vec![b'x'; 200_000];
    let head = format!(
        "POST /api/public/insight/track HTTP/1.1\r\nHost: h\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    for _ in 0..3 {
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&body).unwrap();
        let answer = answer_head(&mut stream);
        assert!(answer.starts_with("HTTP/1.1 200 OK\r\n"), "{answer}");
    }
    let evaluate = b"POST /api/public/featureflag/evaluate HTTP/1.1\r\nContent-Length: 2\r\n\r\n{}";
    stream.write_all(evaluate).unwrap();
    let head = answer_head(&mut stream);
    let length = head
        .lines()
        .find_map(|it| it.strip_prefix("Content-Length: "));
    let mut body = vec![0; length.unwrap().parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    let values: Value = serde_json::from_slice(&body).unwrap();
    assert_eq!(values.as_array().unwrap().len(), 5);
}

/// A head, byte by byte: what follows is the body.
fn answer_head(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte).unwrap();
        bytes.push(byte[0]);
    }
    String::from_utf8(bytes).unwrap()
}
