//! What the tests of the driver start and talk with: a source in memory, a running edge, and
//! clients that can be as rude as they like.

pub(crate) mod client;
pub(crate) mod deflate;
pub(crate) mod edge;
pub(crate) mod records;
pub(crate) mod source;

pub(crate) use client::Client;
pub(crate) use edge::Edge;
pub(crate) use source::{CLIENT_KEY, ENVIRONMENT, Feed, SERVER_KEY};
