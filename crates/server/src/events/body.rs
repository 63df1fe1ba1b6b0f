//! A response's body that is written bit by bit.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::HttpBody;
use bytes::Bytes;
use http_body::Frame;
use tokio::sync::mpsc;

/// Gives out what comes in, until nothing more can.
pub struct EventBody(pub(super) mpsc::Receiver<Bytes>);

impl HttpBody for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let next = self.0.poll_recv(context);
        next.map(|next| next.map(|bytes| Ok(Frame::data(bytes))))
    }
}
