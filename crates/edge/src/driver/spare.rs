//! When the process has no descriptor left.
//!
//! [`super::Config::max_sockets`] leaves descriptors to others, but others may take more. Then a
//! peer could be neither accepted nor refused: it would wait in the kernel's queue, and with it all
//! who come later. So one descriptor is kept, and given up for as long as it takes to say that
//! there are too many.

use std::io::{self, Read};
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};

use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};
use socket2::SockRef;

use crate::http::answer;

/// A descriptor that stands for nothing.
pub(super) struct Spare(Option<OwnedFd>);

impl Spare {
    /// Another descriptor of the listening socket: nothing has to be opened for it.
    pub(super) fn of(listener: &TcpListener) -> Self {
        Self(listener.as_fd().try_clone_to_owned().ok())
    }

    /// Whether accepting failed for want of a descriptor.
    pub(super) fn would_help(error: &io::Error) -> bool {
        let errno = Errno::from_io_error(error);
        matches!(errno, Some(Errno::MFILE | Errno::NFILE))
    }

    /// Refuses the next connection. False where there was none, or somebody else was faster at
    /// taking the descriptor.
    pub(super) fn refuse_one(&mut self, listener: &TcpListener) -> bool {
        drop(self.0.take());
        let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
        let refused = match accept_with(listener, flags) {
            Ok(socket) => {
                refuse(&TcpStream::from(socket));
                true
            }
            Err(_) => false,
        };
        *self = Self::of(listener);
        refused
    }
}

/// Says that there are too many. What the peer has sent is read: closing with bytes unread would
/// reset the connection, and take the answer back.
pub(super) fn refuse(mut stream: &TcpStream) {
    let _ = stream.read(&mut [0; 4096]);
    let _ = SockRef::from(stream).send_with_flags(answer::BUSY, libc::MSG_NOSIGNAL);
}
