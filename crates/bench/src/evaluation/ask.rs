//! One request after another, each answer whole: to learn what servers say before they are measured.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};

/// An answer that takes longer is none.
const PATIENCE: Duration = Duration::from_secs(10);

const MAX_HEADERS: usize = 32;

/// A connection that is asked.
#[derive(Debug)]
pub(super) struct Asker(TcpStream);

/// What was answered.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Answer {
    /// Its status.
    pub status: u16,
    /// Its headers, in their order.
    pub headers: Vec<(String, String)>,
    /// Its body.
    pub body: String,
}

impl Answer {
    /// A header's value.
    pub fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.headers.iter();
        let found = all.find(|header| header.0.eq_ignore_ascii_case(name))?;
        Some(&found.1)
    }
}

impl Asker {
    pub(super) fn connect(address: SocketAddr) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_read_timeout(Some(PATIENCE))?;
        Ok(Self(stream))
    }

    /// Sends a request; gives its answer, which has a length or no body at all.
    pub(super) fn ask(&mut self, request: &[u8]) -> anyhow::Result<Answer> {
        self.0.write_all(request)?;
        let (mut input, mut chunk) = (Vec::new(), [0; 16 * 1024]);
        loop {
            let read = self.0.read(&mut chunk)?;
            if read == 0 {
                bail!("the connection was closed before an answer was whole");
            }
            input.extend_from_slice(&chunk[..read]);
            if let Some(answer) = whole(&input)? {
                return Ok(answer);
            }
        }
    }
}

/// The answer, once it is all there.
fn whole(input: &[u8]) -> anyhow::Result<Option<Answer>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut head = httparse::Response::new(&mut headers);
    let httparse::Status::Complete(length) = head.parse(input)? else {
        return Ok(None);
    };
    let text = |value: &[u8]| String::from_utf8_lossy(value).into_owned();
    let headers = head.headers.iter();
    let mut answer = Answer {
        status: head.code.context("an answer without a status")?,
        headers: headers
            .map(|header| (header.name.to_owned(), text(header.value)))
            .collect(),
        body: String::new(),
    };
    let announced = answer.header("content-length").unwrap_or("0");
    let body = &input[length..];
    if body.len() < announced.parse()? {
        return Ok(None);
    }
    answer.body = text(body);
    Ok(Some(answer))
}
