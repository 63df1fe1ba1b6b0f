//! Listening sockets.

use std::io;
use std::net::SocketAddr;

use socket2::{Domain, Protocol, Socket, Type};

use super::Config;

/// How many connections the kernel may complete before they are accepted; it cuts this to its own
/// limit (`net.core.somaxconn`).
const BACKLOG: i32 = 4096;

/// One socket for each loop, all on one address. Accepted sockets inherit no-delay and the send
/// buffer's size, which saves two calls for each.
pub(super) fn bind(address: SocketAddr, config: &Config) -> io::Result<Vec<std::net::TcpListener>> {
    let loops = config.loops.max(1);
    let share = config.share_port || loops > 1;
    if share && !config.share_port && address.port() != 0 {
        // Among those that share, nobody would notice that the port is another program's.
        bound(address, false, config)?;
    }
    let first = bind_one(address, share, config)?;
    // Port 0 becomes a port with the first one.
    let address = first.local_addr()?;
    let mut listeners = vec![first];
    for _ in 1..loops {
        listeners.push(bind_one(address, share, config)?);
    }
    Ok(listeners)
}

fn bind_one(
    address: SocketAddr,
    share: bool,
    config: &Config,
) -> io::Result<std::net::TcpListener> {
    let socket = bound(address, share, config)?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

fn bound(address: SocketAddr, share: bool, config: &Config) -> io::Result<Socket> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::STREAM.nonblocking().cloexec(),
        Some(Protocol::TCP),
    )?;
    socket.set_reuse_address(true)?;
    socket.set_reuse_port(share)?;
    socket.set_tcp_nodelay(true)?;
    socket.set_send_buffer_size(config.send_buffer)?;
    socket.bind(&address.into())?;
    Ok(socket)
}

#[cfg(test)]
mod tests;
