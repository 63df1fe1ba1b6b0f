//! The service: the REST API over the store, the edge fed from it, and the wiring of both.
//!
//! [`Server::start`] opens the data, binds the addresses and answers when everything is ready;
//! [`Server::stop`] ends it in the reverse order. Tests start it on port 0.
#![forbid(unsafe_code)]

pub mod api;
pub mod app;
pub mod audience;
pub mod audit;
pub mod auth;
pub mod body;
pub mod conditional;
pub mod config;
pub mod deadline;
pub mod decision_log;
pub mod delivery;
pub mod demo;
pub mod docs;
pub mod due;
pub mod effects;
pub mod events;
pub mod feed;
pub mod fetch;
pub mod headers;
pub mod late;
pub mod mail;
pub mod openapi;
pub mod params;
pub mod portal;
pub mod problem;
pub mod rates;
pub mod relays;
pub mod retention;
pub mod router;
pub mod server;
pub mod setup;
pub mod since;
pub mod sink;
mod traced;

pub use app::now;
pub use burgee_edge::tls::Files as TlsFiles;
pub use config::Config;
pub use rates::Rates;
pub use server::Server;
