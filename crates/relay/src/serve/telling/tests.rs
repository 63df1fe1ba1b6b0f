//! A slow line is not a dead one.

use futures_util::StreamExt;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::*;

/// After so long an upstream that says nothing is gone.
const SILENCE: Duration = Duration::from_secs(30);

/// Lets so many bytes a second through.
async fn slow(mut from: DuplexStream, mut to: DuplexStream, a_second: usize) {
    let mut buffer = vec![0; a_second / 10];
    while let Ok(length @ 1..) = from.read(&mut buffer).await {
        tokio::time::sleep(Duration::from_millis(100)).await;
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_state_of_five_megabytes_comes_over_a_line_of_one_megabit() {
    let (near, line) = duplex(4 * 1024);
    let (end, far) = duplex(4 * 1024);
    tokio::spawn(slow(line, end, 125_000));
    let write = WebSocketStream::from_raw_socket(near, Role::Server, None).await;
    let mut read = WebSocketStream::from_raw_socket(far, Role::Client, None).await;
    let state = Bytes::from(vec![7; 5_000_000]);
    let sent = state.clone();
    let telling = tokio::spawn(async move {
        let (_say, answers) = mpsc::channel(1);
        let mut telling = Telling::new(write, answers);
        telling.send(sent).await.unwrap();
        // The line is as long as it is.
        telling
    });
    let began = Instant::now();
    let came = loop {
        let next = tokio::time::timeout(SILENCE, read.next()).await;
        match next.expect("it is not silent").unwrap().unwrap() {
            Message::Binary(came) => break came,
            other => assert!(other.is_ping()),
        }
    };
    assert_eq!(came, state);
    assert!(began.elapsed() > SILENCE, "the line is slow");
    drop(telling.await);
}
