//! A connection's TLS, in the loop: rustls between the socket and everything else.
//!
//! What was given to it and has not gone to the socket counts as not taken by the peer, so that
//! nothing is said to be written, or received, that still lies here. Of a large state it holds a
//! piece at a time.

use std::io::{self, IoSlice, Read, Write};
use std::sync::Arc;

use mio::net::TcpStream;
use rustls::ServerConnection;
use rustls::server::ServerConfig;
use socket2::SockRef;

/// Bytes that wait for the socket, encrypted: a record.
pub(super) const PIECE: usize = 16 * 1024;

/// The longest record there may be: of one that is not whole more is not held.
const RECORD: usize = 18 * 1024;

/// So many bytes may come with nothing to read in them and be TLS's own: new keys, many times.
const OWN: usize = 1024;

/// Reads for a handshake before others have their turn. A whole one is two.
const READS: usize = 4;

/// Reads in a row that bring nothing to read. A record of the largest size takes six. rustls itself ends
/// who sends 32 records without content in a row; whatever else brings nothing ends here, or it would have
/// the loop for itself.
const EMPTY_READS: usize = 32;

/// What TLS's records begin with while hands are shaken.
const HANDSHAKE: u8 = 22;

/// One side of an encrypted connection.
pub(super) struct Secure {
    session: ServerConnection,
    /// Something came that is TLS.
    begun: bool,
    /// Waits for its turn to go on with the handshake.
    pub(super) queued: bool,
    /// The last read left the socket empty, at that moment.
    emptied: bool,
    /// Bytes that came since there was something to read in them: mostly of a record that is not whole.
    unread: usize,
    /// What waits for the socket counts among what is kept for all connections.
    pub(super) counted: bool,
    /// Bytes that came from and went to the socket since that was asked.
    read: usize,
    written: usize,
}

/// How far a handshake is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Greeting {
    /// The peer has to say something.
    Waits,
    /// There may be more to read.
    GoesOn,
    Done,
    /// It speaks something else, and nothing of it was read.
    NotTls,
}

impl Secure {
    pub(super) fn new(config: Arc<ServerConfig>) -> Result<Self, rustls::Error> {
        let mut session = ServerConnection::new(config)?;
        session.set_buffer_limit(Some(PIECE));
        Ok(Self::over(session))
    }

    fn over(session: ServerConnection) -> Self {
        Self {
            session,
            begun: false,
            queued: false,
            emptied: false,
            unread: 0,
            counted: false,
            read: 0,
            written: 0,
        }
    }

    /// Goes on with a connection that was somebody else's.
    pub(super) fn resume(mut session: ServerConnection) -> Self {
        session.set_buffer_limit(Some(PIECE));
        Self {
            begun: true,
            ..Self::over(session)
        }
    }

    /// Whether hands are still shaken.
    pub(super) fn greets(&self) -> bool {
        self.session.is_handshaking()
    }

    /// Whether a handshake that was begun is not through.
    pub(super) fn broke_off(&self) -> bool {
        self.begun && self.greets()
    }

    /// Bytes that came and could not be read yet, about.
    pub(super) fn unread(&self) -> usize {
        self.unread.min(RECORD)
    }

    /// Whether they are the begin of something to read, for all that is known.
    pub(super) fn is_in_record(&self) -> bool {
        self.unread > OWN
    }

    /// Whether something waits for the socket.
    pub(super) fn is_blocked(&self) -> bool {
        self.session.wants_write()
    }

    /// Goes on with the handshake. An error ends the connection; the peer was told why.
    pub(super) fn greet(&mut self, stream: &TcpStream) -> io::Result<Greeting> {
        if !self.begun {
            let mut first = [0];
            match stream.peek(&mut first) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(_) if first[0] != HANDSHAKE => return Ok(Greeting::NotTls),
                Ok(_) => self.begun = true,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    return Ok(Greeting::Waits);
                }
                Err(error) => return Err(error),
            }
        }
        let mut outcome = Greeting::GoesOn;
        for _ in 0..READS {
            match self.fill(stream)? {
                None => outcome = Greeting::Waits,
                Some(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Some(_) if self.greets() => continue,
                Some(_) => {
                    self.unread = 0;
                    outcome = Greeting::Done;
                }
            }
            break;
        }
        self.flush(stream)?;
        Ok(outcome)
    }

    /// Reads once, as from the socket itself: 0 at the end, `None` when there is nothing.
    /// `thoroughly`: until the socket says that it is empty.
    pub(super) fn read(
        &mut self,
        stream: &TcpStream,
        room: &mut [u8],
        thoroughly: bool,
    ) -> io::Result<Option<usize>> {
        for _ in 0..EMPTY_READS {
            match self.session.reader().read(room) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(Some(0)),
                read => {
                    self.unread = 0;
                    return read.map(Some);
                }
            }
            if std::mem::take(&mut self.emptied) && !thoroughly {
                return Ok(None);
            }
            if self.fill(stream)?.is_none() {
                return Ok(None);
            }
        }
        let why = "nothing but records without content";
        Err(io::Error::new(io::ErrorKind::InvalidData, why))
    }

    /// Reads from the socket and decrypts; what there is to say to that goes out with the next
    /// bytes.
    fn fill(&mut self, stream: &TcpStream) -> io::Result<Option<usize>> {
        let mut socket = Socket {
            stream,
            emptied: false,
        };
        let read = match self.session.read_tls(&mut socket) {
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(None),
            read => read?,
        };
        self.emptied = socket.emptied;
        self.read += read;
        self.unread += read;
        if let Err(error) = self.session.process_new_packets() {
            // The alert: whether it goes out or not, the connection ends.
            let _ = self.flush(stream);
            return Err(io::Error::new(io::ErrorKind::InvalidData, error));
        }
        Ok(Some(read))
    }

    /// Encrypts and writes; takes less where the socket does. `last`: nothing comes behind it.
    pub(super) fn write(
        &mut self,
        stream: &TcpStream,
        bytes: &[u8],
        last: bool,
    ) -> io::Result<usize> {
        let mut taken = 0;
        loop {
            self.flush(stream)?;
            if self.is_blocked() || taken == bytes.len() {
                break;
            }
            match self.session.writer().write(&bytes[taken..])? {
                0 => break,
                len => taken += len,
            }
        }
        if last {
            self.close(stream)?;
        }
        Ok(taken)
    }

    /// Tells the peer, once, that nothing more comes.
    pub(super) fn close(&mut self, stream: &TcpStream) -> io::Result<()> {
        self.session.send_close_notify();
        self.flush(stream)
    }

    /// Writes what waits, as far as the socket takes it.
    pub(super) fn flush(&mut self, stream: &TcpStream) -> io::Result<()> {
        while self.session.wants_write() {
            let mut socket = Socket {
                stream,
                emptied: false,
            };
            match self.session.write_tls(&mut socket) {
                Ok(written) => self.written += written,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Bytes that came from the socket since this was asked.
    pub(super) fn take_read(&mut self) -> usize {
        std::mem::take(&mut self.read)
    }

    /// Bytes that went to the socket since this was asked.
    pub(super) fn take_written(&mut self) -> usize {
        std::mem::take(&mut self.written)
    }

    /// For whoever goes on with the connection, and has few of them.
    pub(super) fn into_session(mut self) -> ServerConnection {
        self.session.set_buffer_limit(Some(4 * PIECE));
        self.session
    }
}

/// The socket as rustls uses it. A signal is no error.
struct Socket<'a> {
    stream: &'a TcpStream,
    /// A read was given less than there was room for.
    emptied: bool,
}

impl Read for Socket<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.stream.read(room) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
                Ok(len) => {
                    self.emptied = len < room.len();
                    return Ok(len);
                }
            }
        }
    }
}

impl Write for Socket<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_vectored(&[IoSlice::new(bytes)])
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        loop {
            match SockRef::from(self.stream).send_vectored_with_flags(parts, libc::MSG_NOSIGNAL) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                written => return written,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
