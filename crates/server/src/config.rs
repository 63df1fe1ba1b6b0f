//! What a server needs to know to start. Read from arguments and `BURGEE_…` variables by the
//! command line (`burgee-cli`), and nowhere else.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use burgee_edge::driver;
use burgee_edge::tls::Tls;
use burgee_relay::backbone::Backbone;
use burgee_store::Location;
use ipnet::IpNet;

use crate::TlsFiles;
use crate::decision_log::Outlets;
use crate::rates::Rates;

/// The options of `burgee server`.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where SDKs and the API are answered. Port 0 takes a free one.
    pub listen: SocketAddr,
    /// Lets other processes listen there too, each answering some of those who connect.
    pub share_port: bool,
    /// The certificate that all who connect there are shown; without one it is plain HTTP.
    pub tls: Option<TlsFiles>,
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
    /// Where decisions go besides the database.
    pub decision_outlets: Outlets,
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
            tls: None,
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
            decision_outlets: Outlets::default(),
            drain: driver::DRAIN,
        }
    }

    /// `https` or `http`: what the server speaks where it listens.
    pub fn scheme(&self) -> &'static str {
        match self.tls {
            Some(_) => "https",
            None => "http",
        }
    }

    /// How people reach the server: without another word where it listens.
    pub(crate) fn url(&self, listening: SocketAddr) -> String {
        let url = self.public_url.clone();
        url.unwrap_or_else(|| format!("{}://{listening}", self.scheme()))
    }

    /// # Errors
    /// Where the certificate or its key cannot be used.
    pub(crate) fn driver(&self) -> anyhow::Result<driver::Config> {
        let tls = self.tls.clone().map(Tls::load).transpose()?;
        let plain = self
            .public_url
            .as_deref()
            .is_some_and(|url| url.starts_with("http://"));
        if tls.is_some() && plain {
            tracing::warn!(
                "--public-url begins with http://, and --tls-cert has it answered by https:// alone"
            );
        }
        Ok(driver::Config {
            tls,
            drain: self.drain,
            share_port: self.share_port,
            ..driver::Config::default()
        })
    }
}
