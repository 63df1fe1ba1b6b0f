//! The least server that could do the job on this kernel: what a figure of Burgee's is divided by.
//!
//! One thread accepts, answers the upgrade, reads one frame and writes one fixed answer of the
//! size of Burgee's. It evaluates nothing, looks nothing up, unmasks nothing and keeps 24 bytes a
//! connection: what remains are the system calls and packets that any server has to pay for. It
//! answers the requests that scenarios make with fixed bytes too, so that each runs against it
//! unchanged: `POST …/changes` turns the one flag that it knows and sends everybody one fixed
//! frame; `track` is read to its end and answered with 200; whatever else with a fixed JSON.
//!
//! It trusts its peers: a head that does not come in one piece ends the connection.

mod connection;
mod event_loop;
mod wire;

use std::io;
use std::net::{SocketAddr, TcpListener};

use socket2::{Domain, Protocol, Socket, Type};

use event_loop::EventLoop;

/// How many connections may wait to be accepted; the same as Burgee's.
const BACKLOG: i32 = 4096;

/// What the kernel may hold for a peer, in bytes; the same as Burgee's.
const SEND_BUFFER: usize = 128 * 1024;

/// The size of Burgee's whole answer to a client of the demo data, in bytes.
pub const DEMO_ANSWER: usize = 3021;

/// What the server is told.
#[derive(Debug, Clone, Copy)]
pub struct Config {
    /// Where it listens; port 0 takes a free one.
    pub listen: SocketAddr,
    /// How long its answer to `data-sync` is, in bytes of JSON. An answer of less than one flag's
    /// size is as long as one flag.
    pub answer: usize,
    /// Lets other processes listen on the same port. Each sends a change to its own connections
    /// only.
    pub share_port: bool,
}

/// A server that listens, and serves when it is told to.
#[derive(Debug)]
pub struct Ceiling {
    listener: TcpListener,
    answer: usize,
}

impl Ceiling {
    /// Begins to listen.
    ///
    /// # Errors
    /// The address cannot be listened on.
    pub fn bind(config: &Config) -> io::Result<Self> {
        let domain = Domain::for_address(config.listen);
        let kind = Type::STREAM.nonblocking().cloexec();
        let socket = Socket::new(domain, kind, Some(Protocol::TCP))?;
        socket.set_reuse_address(true)?;
        socket.set_reuse_port(config.share_port)?;
        // Accepted sockets inherit both.
        socket.set_tcp_nodelay(true)?;
        socket.set_send_buffer_size(SEND_BUFFER)?;
        socket.bind(&config.listen.into())?;
        socket.listen(BACKLOG)?;
        Ok(Self {
            listener: socket.into(),
            answer: config.answer,
        })
    }

    /// Where it listens.
    ///
    /// # Errors
    /// The kernel does not say.
    pub fn address(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }

    /// Serves until the process ends.
    ///
    /// # Errors
    /// The kernel does not let it wait for events. What goes wrong with a connection ends that
    /// connection only.
    pub fn serve(self) -> io::Result<()> {
        EventLoop::new(self.listener, self.answer)?.run()
    }
}
