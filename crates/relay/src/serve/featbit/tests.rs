//! Agents that stopped reading.

use std::net::SocketAddr;
use std::sync::atomic::Ordering;
use std::time::Duration;

use futures_util::SinkExt;
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;

use super::super::tests::{Caller, KEY, World, serve};

/// An agent that asked for everything, and reads nothing of it.
struct Deaf(WebSocketStream<TcpStream>);

impl Deaf {
    /// Is being told of more than sockets hold.
    async fn fed(to: SocketAddr) -> Self {
        // By then there is so much.
        Caller::hello(to, 0).await.until(1).await;
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(16 * 1024).unwrap();
        let stream = socket.connect(to).await.unwrap();
        let url = format!("ws://{to}/streaming?type=relay-proxy&token={KEY}");
        let (mut socket, _) = tokio_tungstenite::client_async(url, stream).await.unwrap();
        let ask = r#"{"messageType":"data-sync","data":{"timestamp":0}}"#;
        socket.send(Message::text(ask)).await.unwrap();
        socket.get_ref().readable().await.unwrap();
        Self(socket)
    }

    /// Goes on to ping, until that is refused: much sooner than it would be taken for dead.
    async fn until_let_go(&mut self) {
        let ping = r#"{"messageType":"ping","data":{}}"#;
        let pinging = async {
            while self.0.send(Message::text(ping)).await.is_ok() {
                sleep(Duration::from_millis(50)).await;
            }
        };
        let let_go = timeout(Duration::from_secs(20), pinging).await;
        let_go.expect("the connection ends");
    }
}

#[tokio::test]
async fn an_agent_that_stopped_reading_is_let_go_when_its_key_is_revoked() {
    let (world, address) = serve(World::default()).await;
    world.put(1, 60_000);
    let mut agent = Deaf::fed(address).await;
    world.revoked.store(true, Ordering::Relaxed);
    world.changed.send_modify(|count| *count += 1);
    agent.until_let_go().await;
}

#[tokio::test]
async fn an_agent_that_stopped_reading_is_let_go_when_the_server_stops() {
    let (world, address) = serve(World::default()).await;
    world.put(1, 60_000);
    let mut agent = Deaf::fed(address).await;
    world.stop.cancel();
    agent.until_let_go().await;
}
