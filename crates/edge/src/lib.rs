//! The edge: answers SDKs, from memory.
//!
//! It is fed through a [`source::Source`] and gives what it learns to a [`sink::Sink`]; it knows
//! no database and no management. Inside the server the source is the change log next door; alone
//! (a relay) it is an upstream. It goes on serving what it has when its source is away.
//!
//! Way in: socket → `driver` (bytes) → `session` (the protocol without IO) → `environment`
//! (compiled, encoded state) → one write. Way of a change: `hub` asks the source, applies to
//! the environment, and hands each driver loop one update that it walks its connections with.

pub mod allocator;
pub mod api;
pub mod credential;
pub mod delivery;
pub mod driver;
pub mod environment;
pub mod frame;
pub mod http;
pub mod hub;
pub mod message;
pub mod metrics;
pub mod session;
pub mod sink;
pub mod source;
pub mod texts;
pub mod tls;
pub mod token;
pub mod trace;
pub mod traffic;
