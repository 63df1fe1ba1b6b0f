//! A server of the tests' own: threads, real sockets, and faults on demand.

use std::io::{Read, Write};
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

use burgee_bench::target::Target;

/// What it does wrong, or otherwise than usual. Connections and changes are counted from 1, the scenario's first look
/// included; a fault that is named happens to every connection whose number it divides, or to the
/// change with this number.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Faults {
    /// Waits before each answer to `data-sync`.
    pub(crate) answer_after: Duration,
    /// Waits before each accept.
    pub(crate) accept_after: Duration,
    /// Never answers their `data-sync`.
    pub(crate) silent_to: usize,
    /// Closes them instead of answering.
    pub(crate) hangs_up_on: usize,
    /// Answers them with a flag less.
    pub(crate) short_to: usize,
    /// Leaves out every third connection in this change.
    pub(crate) loses_change: i64,
    /// Stamps this change with an old version.
    pub(crate) stamps_old: i64,
    /// Pushes the whole state, as server SDKs are sent a small one. No fault.
    pub(crate) pushes_whole: bool,
}

/// The server, as long as the test's process lives.
pub(crate) struct Server {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

#[derive(Default)]
struct State {
    peers: Vec<IpAddr>,
    held: Vec<(usize, TcpStream)>,
    changes: i64,
}

impl Server {
    pub(crate) fn start(faults: Faults) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(Mutex::new(State::default()));
        let shared = Arc::clone(&state);
        thread::spawn(move || {
            loop {
                wait(faults.accept_after);
                let (stream, peer) = listener.accept().unwrap();
                lock(&shared).peers.push(peer.ip());
                let number = lock(&shared).peers.len();
                let shared = Arc::clone(&shared);
                // A peer that goes away ends its thread.
                thread::spawn(move || serve(stream, number, faults, &shared));
            }
        });
        Self { address, state }
    }

    pub(crate) fn target(&self) -> Target {
        Target {
            name: "test".to_owned(),
            address: self.address,
            pids: vec![std::process::id()],
            client_key: "c".repeat(44),
            server_key: "s".repeat(44),
            token: Some("bgt_x".to_owned()),
            project: "demo".to_owned(),
            environment: "prod".to_owned(),
            flag: "returns-true".to_owned(),
        }
    }

    /// Where connections came from, in order.
    pub(crate) fn peers(&self) -> Vec<IpAddr> {
        lock(&self.state).peers.clone()
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "this is the delay that is injected"
)]
fn wait(span: Duration) {
    if !span.is_zero() {
        thread::sleep(span);
    }
}

fn lock(state: &Mutex<State>) -> MutexGuard<'_, State> {
    state.lock().unwrap()
}

fn divides(part: usize, number: usize) -> bool {
    part > 0 && number.is_multiple_of(part)
}

fn serve(
    mut stream: TcpStream,
    number: usize,
    faults: Faults,
    state: &Mutex<State>,
) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let head = read_head(&mut stream)?;
    if head.starts_with("POST ") {
        read_body(&head, &mut stream)?;
        change(faults, state);
        return stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    }
    assert!(
        head.starts_with("GET /streaming?type=client&token="),
        "{head}"
    );
    stream.write_all(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n")?;
    loop {
        let (opcode, text) = read_frame(&mut stream)?;
        if opcode == 8 {
            return stream.write_all(&[0x88, 2, 3, 0xE8]);
        }
        if text.contains("\"ping\"") {
            frame(&mut stream, r#"{"messageType":"pong","data":{}}"#)?;
            continue;
        }
        assert!(text.contains(r#""keyId":"user-"#), "{text}");
        if divides(faults.hangs_up_on, number) {
            return Ok(());
        }
        if divides(faults.silent_to, number) {
            continue;
        }
        wait(faults.answer_after);
        let mut state = lock(state);
        let flags = if divides(faults.short_to, number) {
            1
        } else {
            2
        };
        frame(&mut stream, &message("full", flags, 1000 + state.changes))?;
        state.held.push((number, stream.try_clone()?));
    }
}

/// Sends everybody a patch.
fn change(faults: Faults, state: &Mutex<State>) {
    let mut state = lock(state);
    state.changes += 1;
    let changes = state.changes;
    let stamp = match changes == faults.stamps_old {
        true => 1,
        false => 1000 + changes,
    };
    let push = match faults.pushes_whole {
        true => message("full", 2, stamp),
        false => message("patch", 1, stamp),
    };
    for (number, stream) in &mut state.held {
        if changes != faults.loses_change || !divides(3, *number) {
            // Those that went away stay in the list.
            let _ = frame(stream, &push);
        }
    }
}

fn message(event: &str, flags: usize, stamp: i64) -> String {
    let flag =
        format!(r#"{{"id":"f","variation":"true","variationType":"boolean","timestamp":{stamp}}}"#);
    let flags = vec![flag; flags].join(",");
    format!(
        r#"{{"messageType":"data-sync","data":{{"eventType":"{event}","userKeyId":"u","featureFlags":[{flags}]}}}}"#
    )
}

fn frame(stream: &mut TcpStream, text: &str) -> std::io::Result<()> {
    let mut bytes = vec![0x81];
    match u8::try_from(text.len()) {
        Ok(short) if short < 126 => bytes.push(short),
        _ => {
            bytes.push(126);
            bytes.extend(u16::try_from(text.len()).unwrap().to_be_bytes());
        }
    }
    bytes.extend(text.as_bytes());
    stream.write_all(&bytes)
}

fn read_head(stream: &mut TcpStream) -> std::io::Result<String> {
    let mut head = Vec::new();
    let mut byte = [0];
    while !head.ends_with(b"\r\n\r\n") {
        stream.read_exact(&mut byte)?;
        head.push(byte[0]);
    }
    Ok(String::from_utf8(head).unwrap())
}

fn read_body(head: &str, stream: &mut TcpStream) -> std::io::Result<()> {
    let length = head.split_once("Content-Length: ").unwrap().1;
    let length = length.split_once('\r').unwrap().0.parse().unwrap();
    stream.read_exact(&mut vec![0; length])
}

fn read_frame(stream: &mut TcpStream) -> std::io::Result<(u8, String)> {
    let mut head = [0; 2];
    stream.read_exact(&mut head)?;
    assert!(head[1] & 0x80 != 0, "a client masks its frames");
    let mut length = usize::from(head[1] & 0x7F);
    if length == 126 {
        let mut long = [0; 2];
        stream.read_exact(&mut long)?;
        length = usize::from(u16::from_be_bytes(long));
    }
    let mut mask = [0; 4];
    stream.read_exact(&mut mask)?;
    let mut payload = vec![0; length];
    stream.read_exact(&mut payload)?;
    for (byte, mask) in payload.iter_mut().zip(mask.iter().cycle()) {
        *byte ^= mask;
    }
    Ok((
        head[0] & 0x0F,
        String::from_utf8_lossy(&payload).into_owned(),
    ))
}
