//! Sockets that are cheap to have many of.

use std::io;
use std::net::SocketAddr;
use std::os::fd::AsRawFd;
use std::time::Duration;

use mio::net::TcpStream;
use socket2::{Domain, Protocol, SockRef, Socket, Type};

/// Begins to connect, without waiting.
pub(super) fn connect(
    server: SocketAddr,
    source: Option<SocketAddr>,
    receive_buffer: Option<usize>,
) -> io::Result<TcpStream> {
    let domain = Domain::for_address(server);
    let socket = Socket::new(domain, Type::STREAM.nonblocking(), Some(Protocol::TCP))?;
    if let Some(bytes) = receive_buffer {
        socket.set_recv_buffer_size(bytes)?;
    }
    if let Some(source) = source {
        choose_port_late(&socket)?;
        socket.bind(&source.into())?;
    }
    match socket.connect(&server.into()) {
        Err(error) if error.raw_os_error() != Some(libc::EINPROGRESS) => Err(error),
        _ => Ok(TcpStream::from_std(socket.into())),
    }
}

/// The port is chosen when the connection's both ends are known (`IP_BIND_ADDRESS_NO_PORT`), so
/// that the same port may be used from every source: without it the kernel searches for one that
/// nobody has, and soon finds none.
fn choose_port_late(socket: &Socket) -> io::Result<()> {
    let yes: libc::c_int = 1;
    let size = size_of_val(&yes) as libc::socklen_t;
    #[expect(unsafe_code, reason = "neither socket2 nor rustix knows this option")]
    // SAFETY: the descriptor is open, and the option's value is an int that outlives the call.
    let done = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::IPPROTO_IP,
            libc::IP_BIND_ADDRESS_NO_PORT,
            (&raw const yes).cast(),
            size,
        )
    };
    match done {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// Ends a connection without a word (with a reset), so that no port stays taken for a minute.
pub(super) fn abort(stream: TcpStream) {
    // Where this fails it is closed in the usual way.
    let _ = SockRef::from(&stream).set_linger(Some(Duration::ZERO));
}
