//! An HTTP/2 answer's body, in pieces that are given one at a time: what hyper has been given lies
//! in its memory until the peer takes it, and the request's turn is over.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as _, Frame, SizeHint};

use super::turns::Turn;

/// The longest piece: a frame of the size that peers take unless they say more.
const PIECE: usize = 16 * 1024;

/// What a request is answered.
pub(super) struct Paced {
    body: Body,
    /// What of it comes next.
    rest: Bytes,
    /// None for who was refused one.
    turn: Option<Turn>,
}

impl Paced {
    pub(super) fn new(body: Body, mut turn: Option<Turn>) -> Self {
        if let Some(turn) = &mut turn
            && !body.is_end_stream()
        {
            // The head: without room for a byte behind it nothing more is asked for.
            turn.gives(0);
        }
        Self {
            body,
            rest: Bytes::new(),
            turn,
        }
    }
}

impl hyper::body::Body for Paced {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = &mut *self;
        while this.rest.is_empty() {
            match Pin::new(&mut this.body).poll_frame(context) {
                Poll::Pending => {
                    if let Some(turn) = &mut this.turn {
                        turn.has_given_all();
                    }
                    return Poll::Pending;
                }
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => this.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                Poll::Ready(end) => return Poll::Ready(end),
            }
        }
        let listens = this.turn.as_ref().is_some_and(Turn::is_listening);
        let piece = this.rest.split_to(match this.rest.len() {
            // With the last piece the turn is over, though all of it but a byte may have to wait: so
            // that piece is a byte, which hyper takes when all before it has room. Any may be the
            // last one, but of events, whose end is none of ours.
            len @ 2..=PIECE if !listens => len - 1,
            len => len.min(PIECE),
        });
        if let Some(turn) = &mut this.turn {
            turn.gives(piece.len());
        }
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }

    fn is_end_stream(&self) -> bool {
        self.rest.is_empty() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        let (rest, behind) = (self.rest.len() as u64, self.body.size_hint());
        let mut hint = SizeHint::new();
        hint.set_lower(behind.lower() + rest);
        if let Some(upper) = behind.upper() {
            hint.set_upper(upper + rest);
        }
        hint
    }
}
