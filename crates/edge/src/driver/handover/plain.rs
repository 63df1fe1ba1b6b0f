//! Requests for evaluation, answered without the HTTP server for as long as a connection asks for
//! nothing else: programs keep one open and ask on it again and again.
//!
//! What is not plainly such a request (another address or method, a body in chunks, a header that
//! asks for something else, a fault) is left to the HTTP server with the connection, which stays
//! there: it has the last word on what HTTP is. So does a request that does not come at once.

use std::io;
use std::time::Duration;

use bytes::{Buf, BytesMut};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::time::{Instant, sleep, timeout_at};
use tokio_util::sync::CancellationToken;

use super::request::{self, Request};
use super::stream::PeerStream;
use crate::api::Api;
use crate::api::ofrep::Answers;

/// What is read at once.
const PIECE: usize = 4 * 1024;

/// What a connection keeps of what an answer took.
const KEPT: usize = 16 * 1024;

/// How long the rest of a request is waited for.
const REST: Duration = Duration::from_millis(100);

/// Answers what it can; gives the connection back where there is something else to answer, and
/// nothing where it is over.
pub(super) async fn serve(
    stream: PeerStream,
    api: &Api,
    idle: Duration,
    shutdown: &CancellationToken,
) -> io::Result<Option<PeerStream>> {
    let mut talk = Talk {
        stream,
        input: BytesMut::with_capacity(PIECE),
        answers: Answers::new(),
    };
    let mut since = Instant::now();
    let over = shutdown.cancelled();
    let silence = sleep(idle);
    tokio::pin!(over, silence);
    loop {
        let read = tokio::select! {
            biased;
            read = talk.read() => read?,
            () = &mut over => 0,
            () = &mut silence => {
                let end = since + idle;
                if end > Instant::now() {
                    silence.as_mut().reset(end);
                    continue;
                }
                0
            }
        };
        if read == 0 {
            talk.stream.shutdown().await?;
            return Ok(None);
        }
        // In a shutdown the last answer says that it is the last one.
        if !talk.answer(api, shutdown).await? {
            return Ok(Some(talk.stream.with_unread(talk.input.freeze())));
        }
        since = Instant::now();
    }
}

/// A connection, and what has come on it.
struct Talk {
    stream: PeerStream,
    input: BytesMut,
    answers: Answers,
}

impl Talk {
    async fn read(&mut self) -> io::Result<usize> {
        self.input.reserve(PIECE / 2);
        self.stream.read_buf(&mut self.input).await
    }

    /// Answers all that has come; false where it is not to be answered here.
    async fn answer(&mut self, api: &Api, shutdown: &CancellationToken) -> io::Result<bool> {
        let mut end = None;
        while !self.input.is_empty() {
            if shutdown.is_cancelled() {
                return Ok(false);
            }
            let (answer, length) = match request::read(&self.input) {
                Request::Other => return Ok(false),
                Request::Partial => {
                    let end = *end.get_or_insert_with(|| Instant::now() + REST);
                    match timeout_at(end, self.read()).await {
                        Ok(Ok(1..)) => continue,
                        Ok(Err(error)) => return Err(error),
                        _ => return Ok(false),
                    }
                }
                Request::Asked(question, length) => (self.answers.answer(api, &question), length),
            };
            let Some(answer) = answer else {
                return Ok(false);
            };
            self.stream.write_all(answer).await?;
            self.stream.flush().await?;
            self.input.advance(length);
            end = None;
        }
        self.tidy();
        Ok(true)
    }

    /// Gives back what something large took.
    fn tidy(&mut self) {
        self.answers.tidy(KEPT);
        if self.input.capacity() > KEPT {
            self.input = BytesMut::with_capacity(PIECE);
        }
    }
}
