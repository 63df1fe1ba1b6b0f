//! What the kernel keeps of a socket until the peer acknowledges it.

use std::os::fd::{AsRawFd, RawFd};

use mio::net::TcpStream;

/// Whether the peer has acknowledged all that was written to it (`SIOCOUTQ`, tcp(7)). Where the
/// kernel does not say, it has not.
pub(super) fn is_none(stream: &TcpStream) -> bool {
    bytes(stream.as_raw_fd()) == Some(0)
}

#[allow(unsafe_code, reason = "libc has no safe form of it")]
fn bytes(socket: RawFd) -> Option<libc::c_int> {
    let mut bytes: libc::c_int = 0;
    // SAFETY: the descriptor is open as long as its stream is borrowed, and the kernel writes one
    // int to where the last argument points. TIOCOUTQ is SIOCOUTQ's number.
    let answer = unsafe { libc::ioctl(socket, libc::TIOCOUTQ, &raw mut bytes) };
    (answer == 0).then_some(bytes)
}
