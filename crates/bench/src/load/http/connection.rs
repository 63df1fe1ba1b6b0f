//! One connection: at most one request on its way.

use std::io::{self, Read, Write};

use mio::net::TcpStream;

use super::Micros;

const MAX_HEADERS: usize = 32;

/// A connection and what is on its way.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    /// What is still to be written.
    out: Vec<u8>,
    written: usize,
    input: Vec<u8>,
    /// When the request that waits for its answer was to be sent.
    asked: Option<Micros>,
}

/// How far a request is.
#[derive(Debug)]
pub(super) enum Progress {
    /// Its answer is not whole yet.
    Waiting,
    /// There is none.
    Idle,
    /// It is answered.
    Answered {
        due: Micros,
        status: u16,
        body: usize,
        /// The server closes the connection.
        last: bool,
    },
    /// The connection has ended, or what came is no answer.
    Lost {
        /// Whether a request was on its way.
        asked: bool,
    },
}

/// An answer's head.
struct Head {
    length: usize,
    status: u16,
    body: usize,
    last: bool,
}

impl Connection {
    pub(super) fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            out: Vec::new(),
            written: 0,
            input: Vec::new(),
            asked: None,
        }
    }

    pub(super) fn send(&mut self, request: &[u8], due: Micros) -> Progress {
        self.out.clear();
        self.out.extend_from_slice(request);
        self.written = 0;
        self.asked = Some(due);
        self.go_on()
    }

    /// Writes and reads what can be.
    pub(super) fn go_on(&mut self) -> Progress {
        match self.write().and_then(|()| self.read()) {
            Ok(progress) => progress,
            Err(_) => Progress::Lost {
                asked: self.asked.is_some(),
            },
        }
    }

    fn write(&mut self) -> io::Result<()> {
        while self.written < self.out.len() {
            match self.stream.write(&self.out[self.written..]) {
                Ok(written) => self.written += written,
                Err(error) if is_for_later(&error) => return Ok(()),
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads until nothing more is there: epoll tells of news only.
    fn read(&mut self) -> io::Result<Progress> {
        let mut chunk = [0; 16 * 1024];
        loop {
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(count) => self.input.extend_from_slice(&chunk[..count]),
                Err(error) if is_for_later(&error) => break,
                Err(error) => return Err(error),
            }
        }
        let Some(due) = self.asked else {
            return match self.input.is_empty() {
                true => Ok(Progress::Idle),
                false => Err(io::ErrorKind::InvalidData.into()),
            };
        };
        let Some(head) = head(&self.input)? else {
            return Ok(Progress::Waiting);
        };
        if self.input.len() < head.length + head.body {
            return Ok(Progress::Waiting);
        }
        self.input.clear();
        self.asked = None;
        Ok(Progress::Answered {
            due,
            status: head.status,
            body: head.body,
            last: head.last,
        })
    }
}

fn is_for_later(error: &io::Error) -> bool {
    use io::ErrorKind::{Interrupted, NotConnected, WouldBlock};
    matches!(error.kind(), WouldBlock | Interrupted | NotConnected)
}

/// The head of an answer, once it is whole. Only answers with a length are understood: those of
/// the endpoints that are measured have one.
fn head(input: &[u8]) -> io::Result<Option<Head>> {
    let wrong = || io::Error::from(io::ErrorKind::InvalidData);
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut answer = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(length) = answer.parse(input).map_err(|_| wrong())? else {
        return Ok(None);
    };
    let header = |name: &str| {
        let mut all = answer.headers.iter();
        let found = all.find(|header| header.name.eq_ignore_ascii_case(name))?;
        std::str::from_utf8(found.value).ok()
    };
    let body = match answer.code {
        // It never has a body, and need not say so.
        Some(304) => Some(0),
        _ => header("content-length").and_then(|body| body.parse().ok()),
    };
    Ok(Some(Head {
        length,
        status: answer.code.ok_or_else(wrong)?,
        body: body.ok_or_else(wrong)?,
        last: header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close")),
    }))
}
