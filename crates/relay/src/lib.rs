//! Relays: edges without a database, fed by a server or by another relay.
//!
//! [`message`] is what both ends say. [`serve`] is the end that feeds, inside a server or a relay;
//! [`upstream`] the end that is fed: a source and a sink of the edge (`burgee_edge`), which does not
//! know the difference. [`backbone`] is NATS in the place of both. [`relay`] puts the parts together for `burgee relay`.

mod air_gapped;
pub mod backbone;
mod disk;
pub mod kept;
pub mod message;
mod mirror;
pub mod relay;
pub mod serve;
mod spool;
pub mod state_file;
mod traffic;
pub mod upstream;

pub use burgee_edge::tls::Files as TlsFiles;
pub use relay::{Config, From, GRACE, Relay};
