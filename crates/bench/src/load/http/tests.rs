//! Against a server of the tests' own.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::thread;
use std::time::Duration;

use super::{Client, Outcome};
use crate::load::Micros;

const REQUEST: &[u8] = b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\nhi";

/// Answers every request on every connection with what `answer` makes of the stream.
fn server(answer: fn(&mut TcpStream)) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut request = [0; REQUEST.len()];
                // The client goes away at the end.
                while stream.read_exact(&mut request).is_ok() {
                    answer(&mut stream);
                }
            });
        }
    });
    address
}

fn outcome(client: &mut Client) -> Outcome {
    let due = client.now();
    let mut out = Vec::new();
    out.extend(client.send(REQUEST, due));
    while out.is_empty() {
        let until = client.now().after(Duration::from_secs(1));
        client.turn(until, &mut out).unwrap();
    }
    out.remove(0)
}

#[test]
fn an_answer_in_pieces_is_one_answer_and_its_connection_serves_again() {
    let address = server(|stream| {
        for piece in ["HTTP/1.1 200 OK\r\nContent-", "Length: 5\r\n\r\nhe", "llo"] {
            stream.write_all(piece.as_bytes()).unwrap();
            stream.flush().unwrap();
            thread::yield_now();
        }
    });
    let mut client = Client::connect(address, 1).unwrap();
    for _ in 0..3 {
        let found = outcome(&mut client);
        assert!(
            matches!(
                found,
                Outcome::Answered {
                    status: 200,
                    body: 5,
                    ..
                }
            ),
            "{found:?}"
        );
        assert!(client.is_idle() && client.waiting() == 0);
    }
}

#[test]
fn time_counts_from_when_the_request_was_to_be_sent() {
    let address = server(|stream| {
        stream
            .write_all(b"HTTP/1.1 503 No\r\nContent-Length: 0\r\n\r\n")
            .unwrap();
    });
    let mut client = Client::connect(address, 1).unwrap();
    let mut out = Vec::new();
    while client.now() < Micros(30_000) {
        client.turn(Micros(30_000), &mut out).unwrap();
    }
    out.extend(client.send(REQUEST, Micros(0)));
    while out.is_empty() {
        let until = client.now().after(Duration::from_secs(1));
        client.turn(until, &mut out).unwrap();
    }
    let Outcome::Answered { took, status, .. } = &out[0] else {
        panic!("{out:?}")
    };
    assert!(*took >= 30_000 && *status == 503, "{out:?}");
}

#[test]
fn a_dropped_answer_is_an_error_and_the_next_request_finds_a_new_connection() {
    let address = server(|stream| {
        let count = b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf";
        stream.write_all(count).unwrap();
        stream.shutdown(std::net::Shutdown::Both).unwrap();
    });
    let mut client = Client::connect(address, 1).unwrap();
    for _ in 0..2 {
        assert_eq!(
            outcome(&mut client),
            Outcome::Failed("the connection was lost")
        );
    }
}

#[test]
fn an_answer_without_a_length_is_an_error() {
    let address = server(|stream| {
        stream.write_all(b"HTTP/1.1 200 OK\r\n\r\nhello").unwrap();
    });
    let mut client = Client::connect(address, 1).unwrap();
    assert_eq!(
        outcome(&mut client),
        Outcome::Failed("the connection was lost")
    );
}
