//! Who takes nothing is let go.

use tokio::io::duplex;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::protocol::Role;

use super::*;

#[tokio::test(start_paused = true)]
async fn a_peer_that_takes_nothing_is_sent_no_more() {
    let (near, _far) = duplex(4 * 1024);
    let write = WebSocketStream::from_raw_socket(near, Role::Server, None).await;
    let mut line = Line::new(write);
    let part = Bytes::from(vec![7; PART]);
    let sending = line.part(Data::Binary, part, true);
    let sent = timeout(TAKING * 2, sending).await.expect("it is given up");
    assert!(matches!(sent, Err(Untaken::Stalled)), "{sent:?}");
}
