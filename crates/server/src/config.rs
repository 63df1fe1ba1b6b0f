//! What a server needs to know to start. Read from arguments and `BURGEE_…` variables by the
//! command line (`burgee-cli`), and nowhere else.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use burgee_edge::driver;
use burgee_relay::backbone::Backbone;
use burgee_store::Location;
use ipnet::IpNet;

use crate::rates::Rates;

/// The options of `burgee server`.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where SDKs and the API are answered. Port 0 takes a free one.
    pub listen: SocketAddr,
    /// Lets other processes listen there too, each answering some of those who connect.
    pub share_port: bool,
    /// Where Prometheus metrics are answered; apart, because they are not for the public.
    pub metrics_listen: SocketAddr,
    /// Where the data is.
    pub location: Location,
    /// Where what is served is kept, so that a start needs no database; nothing is kept without it.
    pub state_dir: Option<PathBuf>,
    /// How people reach the server; shown in what is printed and in the API's description.
    pub public_url: Option<String>,
    /// The file of the key that seals secrets which must be read back; made where there is none.
    /// Without one nothing is sealed, and nobody can have a second factor.
    pub instance_key_file: Option<PathBuf>,
    /// The mail server; without one no mail is sent.
    pub smtp_url: Option<String>,
    /// Who mails are from; there is one where there is a mail server.
    pub mail_from: Option<String>,
    /// Proxies that are believed when they say whom they forward (`X-Forwarded-For`).
    pub trusted_proxies: Vec<IpNet>,
    /// Whether nobody is told where connections of SDKs come from.
    pub hide_addresses: bool,
    /// How often one may ask for management.
    pub rates: Rates,
    /// Whether to seed the project `demo`.
    pub demo: bool,
    /// NATS, through which relays are fed as well; none where they all connect to servers.
    pub backbone: Option<Backbone>,
    /// Over how long a stopping server spreads telling connections to come back.
    pub drain: Duration,
}

impl Config {
    /// The defaults for a place where the data is.
    pub fn new(location: Location) -> Self {
        // Servers of one PostgreSQL need one key: where it lies is for whoever starts them to say.
        let instance_key_file = match &location {
            Location::Folder(folder) => Some(folder.join("instance.key")),
            Location::Postgres(_) => None,
        };
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 5100)),
            share_port: false,
            metrics_listen: SocketAddr::from(([127, 0, 0, 1], 5101)),
            location,
            state_dir: None,
            public_url: None,
            instance_key_file,
            smtp_url: None,
            mail_from: None,
            trusted_proxies: Vec::new(),
            hide_addresses: false,
            rates: Rates::default(),
            demo: false,
            backbone: None,
            drain: driver::DRAIN,
        }
    }

    pub(crate) fn driver(&self) -> driver::Config {
        driver::Config {
            drain: self.drain,
            share_port: self.share_port,
            ..driver::Config::default()
        }
    }
}
