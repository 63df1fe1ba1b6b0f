//! A TCP relay to a PostgreSQL server, so that a test decides when the network is there.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex};
use std::thread;

/// What the network does, and to whom.
struct Now {
    state: State,
    joints: Vec<Joint>,
    /// How many connections there have been.
    joined: usize,
    /// The first so many of them were forgotten.
    forgotten: usize,
}

/// What the network does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Flows,
    /// Takes everything, passes on nothing, and says nothing.
    Stalls,
    /// Ends every connection, new ones too.
    IsCut,
}

/// A relay, listening on a port of its own.
pub(crate) struct Wire {
    pub(crate) address: SocketAddr,
    shared: Arc<Shared>,
}

struct Shared {
    socket: PathBuf,
    now: Mutex<Now>,
    changed: Condvar,
}

/// A connection through the relay.
struct Joint {
    near: TcpStream,
    far: UnixStream,
}

impl Wire {
    /// A wire to the socket of a PostgreSQL server.
    pub(crate) fn to(socket: &Path) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let shared = Arc::new(Shared {
            socket: socket.to_owned(),
            now: Mutex::new(Now {
                state: State::Flows,
                joints: Vec::new(),
                joined: 0,
                forgotten: 0,
            }),
            changed: Condvar::new(),
        });
        let accepting = Arc::clone(&shared);
        // Ends with the test's process.
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                accepting.join(near);
            }
        });
        Self { address, shared }
    }

    /// Ends every connection without a word; new ones too until [`Self::mend`].
    pub(crate) fn cut(&self) {
        self.turn(State::IsCut);
    }

    /// Takes everything and passes on nothing until [`Self::mend`]: nobody is told.
    pub(crate) fn stall(&self) {
        self.turn(State::Stalls);
    }

    /// All is well; what was held comes now.
    pub(crate) fn mend(&self) {
        self.turn(State::Flows);
    }

    /// Connections that there are stay silent for ever, and nobody is told, as where what is between has
    /// forgotten them; new ones are well.
    pub(crate) fn forget(&self) {
        let mut now = self.shared.now.lock().unwrap();
        now.forgotten = now.joined;
    }

    fn turn(&self, state: State) {
        let mut now = self.shared.now.lock().unwrap();
        now.state = state;
        if state == State::IsCut {
            for joint in now.joints.drain(..) {
                joint.end();
            }
        }
        self.shared.changed.notify_all();
    }
}

impl Shared {
    fn join(self: &Arc<Self>, near: TcpStream) {
        // The server itself may be gone: then so is the connection.
        let Ok(far) = UnixStream::connect(&self.socket) else {
            return;
        };
        let joint = Joint { near, far };
        let mut now = self.now.lock().unwrap();
        if now.state == State::IsCut {
            joint.end();
            return;
        }
        let Joint { near, far } = joint.twin();
        let Joint { near: n, far: f } = joint.twin();
        now.joints.push(joint);
        let number = now.joined;
        now.joined += 1;
        let (there, back) = (Arc::clone(self), Arc::clone(self));
        thread::spawn(move || there.pipe(number, near, far));
        thread::spawn(move || back.pipe(number, f, n));
    }

    /// Carries bytes one way until either end closes.
    fn pipe(&self, number: usize, mut from: impl Read + End, mut to: impl Write + End) {
        let mut buffer = [0; 16 * 1024];
        while let Ok(length @ 1..) = from.read(&mut buffer) {
            let now = self.now.lock().unwrap();
            let stalls = |now: &mut Now| now.state == State::Stalls && number >= now.forgotten;
            let now = self.changed.wait_while(now, stalls).unwrap();
            if number < now.forgotten {
                // It is lost, and so is what comes after it; its end is, too.
                continue;
            }
            drop(now);
            if to.write_all(&buffer[..length]).is_err() {
                break;
            }
        }
        if number < self.now.lock().unwrap().forgotten {
            return;
        }
        from.end();
        to.end();
    }
}

impl Joint {
    /// The same connection, for another thread.
    fn twin(&self) -> Self {
        Self {
            near: self.near.try_clone().unwrap(),
            far: self.far.try_clone().unwrap(),
        }
    }

    fn end(&self) {
        self.near.end();
        self.far.end();
    }
}

/// Ends both directions; who reads or writes there is told.
trait End {
    fn end(&self);
}

impl End for TcpStream {
    fn end(&self) {
        // Fails where the other side was first.
        let _ = self.shutdown(Shutdown::Both);
    }
}

impl End for UnixStream {
    fn end(&self) {
        let _ = self.shutdown(Shutdown::Both);
    }
}
