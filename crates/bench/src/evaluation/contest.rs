//! What is asked of whom.

use std::net::SocketAddr;

use anyhow::ensure;
use serde_json::{Value, json};

use super::ask::{Answer, Asker};
use super::ground::{Served, USERS};
use crate::scenario::requests::Found;

/// Where all flags are asked for.
const FLAGS: &str = "/ofrep/v1/evaluate/flags";

/// What is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum What {
    /// All flags of an environment that has so many.
    Bulk(usize),
    /// One flag.
    Single,
    /// All flags, by somebody who has the answer.
    Unchanged,
}

/// One server, and what it was measured to do.
#[derive(Debug)]
pub(super) struct Asked {
    pub(super) server: &'static str,
    pub(super) address: SocketAddr,
    pub(super) pids: Vec<u32>,
    /// A user's each.
    pub(super) requests: Vec<Vec<u8>>,
    /// What it says to the first of them.
    pub(super) answer: Answer,
    pub(super) found: Vec<Found>,
}

/// The same asked of several.
#[derive(Debug)]
pub(super) struct Contest {
    pub(super) what: What,
    pub(super) burgee: Asked,
    pub(super) constant: Asked,
    pub(super) unleash: Option<Asked>,
}

impl What {
    pub(super) const ALL: [Self; 4] = [
        Self::Bulk(5),
        Self::Bulk(350),
        Self::Single,
        Self::Unchanged,
    ];

    /// What a report calls it.
    pub(super) fn name(self) -> String {
        match self {
            Self::Bulk(flags) => format!("bulk of {flags} flags"),
            Self::Single => "single flag".to_owned(),
            Self::Unchanged => "bulk of 5 flags, not modified".to_owned(),
        }
    }

    /// What Burgee should reach of the constant's rate.
    pub(super) fn goal(self) -> Option<&'static str> {
        match self {
            Self::Bulk(5) => Some("≥ 0.80"),
            Self::Bulk(_) => None,
            Self::Single | Self::Unchanged => Some("≥ 0.90"),
        }
    }

    /// Burgee's part.
    pub(super) fn burgee(self, served: &Served) -> anyhow::Result<Asked> {
        let users = |key: &str, path: &str| -> Vec<Vec<u8>> {
            let all = 0..USERS;
            all.map(|user| post(path, served.address, key, "", &context(user)))
                .collect()
        };
        let bearer = |key: &str| format!("Bearer {key}");
        let requests = match self {
            Self::Bulk(_) | Self::Unchanged => users(&bearer(&served.client_key), FLAGS),
            Self::Single => users(
                &bearer(&served.server_key),
                &format!("{FLAGS}/{}", served.flag),
            ),
        };
        let mut asked = Asked::new("burgee", served.address, served.pids.clone(), requests)?;
        match self {
            Self::Bulk(_) => {
                let answer: Value = serde_json::from_str(&asked.answer.body)?;
                let flags = answer["flags"].as_array().map_or(0, Vec::len);
                ensure!(flags == served.flags, "{flags} flags in an answer");
            }
            Self::Single => ensure!(asked.answer.status == 200, "{:?}", asked.answer),
            Self::Unchanged => asked.know_the_answers(&bearer(&served.client_key))?,
        }
        Ok(asked)
    }
}

impl Asked {
    /// Asks for the first time.
    pub(super) fn new(
        server: &'static str,
        address: SocketAddr,
        pids: Vec<u32>,
        requests: Vec<Vec<u8>>,
    ) -> anyhow::Result<Self> {
        let answer = Asker::connect(address)?.ask(&requests[0])?;
        Ok(Self {
            server,
            address,
            pids,
            requests,
            answer,
            found: Vec::new(),
        })
    }

    /// Everybody says from now on what they have.
    fn know_the_answers(&mut self, key: &str) -> anyhow::Result<()> {
        let mut asker = Asker::connect(self.address)?;
        for (user, request) in self.requests.iter_mut().enumerate() {
            let answer = asker.ask(request)?;
            let tag = answer.header("etag").unwrap_or_default();
            let has = format!("If-None-Match: {tag}\r\n");
            *request = post(FLAGS, self.address, key, &has, &context(user));
        }
        self.answer = asker.ask(&self.requests[0])?;
        ensure!(self.answer.status == 304, "{:?}", self.answer);
        Ok(())
    }
}

impl Contest {
    /// Everybody's part.
    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Asked> {
        let own = [&mut self.constant, &mut self.burgee];
        own.into_iter().chain(&mut self.unleash)
    }
}

/// A user with three properties, as OpenFeature has them.
fn context(user: usize) -> Value {
    json!({ "context": {
        "targetingKey": format!("user-{user}"),
        "name": format!("User {user}"),
        "country": "de",
        "age": user % 90,
        "plan": "enterprise",
    } })
}

/// A POST of JSON on a connection that stays.
pub(super) fn post(
    path: &str,
    host: SocketAddr,
    authorization: &str,
    more: &str,
    body: &Value,
) -> Vec<u8> {
    let body = body.to_string();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {authorization}\r\n{more}\
         Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}
