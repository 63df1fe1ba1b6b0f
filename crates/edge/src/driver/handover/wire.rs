//! What an ordinary connection is read from and written to: the socket, or TLS over it, as the loop
//! left it.

use std::io::{self, IoSlice, Read, Write};
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use rustls::ServerConnection;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

pub(super) struct Wire {
    stream: TcpStream,
    session: Option<Box<ServerConnection>>,
}

impl Wire {
    pub(super) fn new(stream: TcpStream, session: Option<Box<ServerConnection>>) -> Self {
        Self { stream, session }
    }

    /// What it is made of, for whoever goes on with it elsewhere.
    pub(super) fn into_parts(
        self,
    ) -> io::Result<(std::net::TcpStream, Option<Box<ServerConnection>>)> {
        Ok((self.stream.into_std()?, self.session))
    }
}

/// What is encrypted, and where it goes.
struct Secure<'a> {
    stream: &'a TcpStream,
    session: &'a mut ServerConnection,
}

impl Secure<'_> {
    fn poll_read(
        &mut self,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        loop {
            match self.session.reader().read(buffer.initialize_unfilled()) {
                Ok(len) => {
                    buffer.advance(len);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                    return Poll::Ready(Ok(()));
                }
                Err(error) => return Poll::Ready(Err(error)),
            }
            ready!(self.poll_fill(context))?;
        }
    }

    /// Reads from the socket and decrypts.
    fn poll_fill(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            ready!(self.stream.poll_read_ready(context))?;
            match self.session.read_tls(&mut Socket(self.stream)) {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
        let processed = self.session.process_new_packets();
        // What there is to say to it: where the socket is full it goes with the next bytes.
        let _ = self.flush();
        Poll::Ready(match processed {
            Ok(_) => Ok(()),
            Err(error) => Err(io::Error::new(io::ErrorKind::InvalidData, error)),
        })
    }

    /// Writes what waits. Fails where the socket does not take it now.
    fn flush(&mut self) -> io::Result<()> {
        while self.session.wants_write() {
            self.session.write_tls(&mut Socket(self.stream))?;
        }
        Ok(())
    }

    fn poll_flush(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            match self.flush() {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    ready!(self.stream.poll_write_ready(context))?;
                }
                flushed => return Poll::Ready(flushed),
            }
        }
    }

    fn poll_write(&mut self, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        ready!(self.poll_flush(context))?;
        let taken = self.session.writer().write(bytes)?;
        match self.flush() {
            // Whoever writes more, or has it flushed, waits for the socket.
            Err(error) if error.kind() != io::ErrorKind::WouldBlock => Poll::Ready(Err(error)),
            _ => Poll::Ready(Ok(taken)),
        }
    }
}

impl Wire {
    fn secure(&mut self) -> Option<Secure<'_>> {
        Some(Secure {
            stream: &self.stream,
            session: self.session.as_mut()?,
        })
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match self.secure() {
            Some(mut secure) => secure.poll_read(context, buffer),
            None => Pin::new(&mut self.stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        match self.secure() {
            Some(mut secure) => secure.poll_write(context, bytes),
            None => Pin::new(&mut self.stream).poll_write(context, bytes),
        }
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        match self.secure() {
            Some(mut secure) => {
                let first = bytes.iter().find(|part| !part.is_empty());
                secure.poll_write(context, first.map_or(&[], |part| part))
            }
            None => Pin::new(&mut self.stream).poll_write_vectored(context, bytes),
        }
    }

    fn is_write_vectored(&self) -> bool {
        self.session.is_none() && self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.secure() {
            Some(mut secure) => secure.poll_flush(context),
            None => Pin::new(&mut self.stream).poll_flush(context),
        }
    }

    /// The peer is told that nothing more comes.
    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if let Some(mut secure) = self.secure() {
            // Once, however often this is called.
            secure.session.send_close_notify();
            ready!(secure.poll_flush(context))?;
        }
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

/// The socket as rustls uses it.
struct Socket<'a>(&'a TcpStream);

impl Read for Socket<'_> {
    fn read(&mut self, room: &mut [u8]) -> io::Result<usize> {
        self.0.try_read(room)
    }
}

impl Write for Socket<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.try_write(bytes)
    }

    fn write_vectored(&mut self, parts: &[IoSlice<'_>]) -> io::Result<usize> {
        self.0.try_write_vectored(parts)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
