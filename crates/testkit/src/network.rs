//! A network that misbehaves when it is told to: a forwarder between two programs of a test.
//!
//! What it can do: point somewhere else, cut all connections, refuse new ones, and let nothing
//! through in one direction or in both while connections seem to stand (a stall, a one-way cut).
#![allow(clippy::expect_used, reason = "a test that cannot go on stops here")]

use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What happens to what is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
struct State {
    target: SocketAddr,
    /// Rises when all connections are cut.
    cuts: u64,
    /// Whether new connections are closed at once.
    refuses: bool,
    /// Whether bytes from who connected wait.
    stalls_requests: bool,
    /// Whether bytes to who connected wait.
    stalls_answers: bool,
}

/// A forwarder with an address of its own.
pub struct Network {
    address: SocketAddr,
    state: Arc<watch::Sender<State>>,
}

/// A direction.
#[derive(Clone, Copy)]
enum Way {
    Request,
    Answer,
}

impl Network {
    /// Forwards to `target`.
    ///
    /// # Panics
    /// Where no port is free.
    pub async fn to(target: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let address = listener.local_addr().expect("its address");
        let state = Arc::new(watch::Sender::new(State {
            target,
            cuts: 0,
            refuses: false,
            stalls_requests: false,
            stalls_answers: false,
        }));
        tokio::spawn(accept(listener, Arc::clone(&state)));
        Self { address, state }
    }

    /// Where to connect.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Forwards new connections to another place.
    pub fn point(&self, target: SocketAddr) {
        self.state.send_modify(|state| state.target = target);
    }

    /// Cuts all connections, and refuses new ones until [`Self::mend`].
    pub fn cut(&self) {
        self.state.send_modify(|state| {
            state.cuts += 1;
            state.refuses = true;
        });
    }

    /// Lets nothing through while connections stand: requests, answers, or both.
    pub fn stall(&self, requests: bool, answers: bool) {
        self.state.send_modify(|state| {
            state.stalls_requests = requests;
            state.stalls_answers = answers;
        });
    }

    /// All is well again; what stalled goes on.
    pub fn mend(&self) {
        self.state.send_modify(|state| {
            state.refuses = false;
            state.stalls_requests = false;
            state.stalls_answers = false;
        });
    }
}

async fn accept(listener: TcpListener, state: Arc<watch::Sender<State>>) {
    while let Ok((stream, _)) = listener.accept().await {
        if !state.borrow().refuses {
            tokio::spawn(forward(stream, Arc::clone(&state)));
        }
    }
}

/// Forwards until either end closes, or all connections are cut.
async fn forward(near: TcpStream, state: Arc<watch::Sender<State>>) {
    let (target, cuts) = {
        let state = state.borrow();
        (state.target, state.cuts)
    };
    let Ok(far) = TcpStream::connect(target).await else {
        return;
    };
    // What is not forwarded at once is no test of the programs.
    let _nagle = (near.set_nodelay(true), far.set_nodelay(true));
    let ((near_read, near_write), (far_read, far_write)) = (near.into_split(), far.into_split());
    let mut watched = state.subscribe();
    tokio::select! {
        () = pass(near_read, far_write, state.subscribe(), Way::Request) => {}
        () = pass(far_read, near_write, state.subscribe(), Way::Answer) => {}
        _ = watched.wait_for(|state| state.cuts != cuts) => {}
    }
}

async fn pass(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    mut state: watch::Receiver<State>,
    way: Way,
) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let stalls = |state: &State| match way {
            Way::Request => state.stalls_requests,
            Way::Answer => state.stalls_answers,
        };
        if state.wait_for(|state| !stalls(state)).await.is_err() {
            return;
        }
        let read = from.read(&mut buffer).await;
        let Ok(length @ 1..) = read else { return };
        // What was read in the moment that the stall began waits as well.
        if state.wait_for(|state| !stalls(state)).await.is_err() {
            return;
        }
        if to.write_all(&buffer[..length]).await.is_err() {
            return;
        }
    }
}
