//! Makes a change through the API, as a person would: what a push is measured from.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};

use anyhow::ensure;

/// A flag that is switched, and the right to do it.
#[derive(Debug, Clone)]
pub struct Switch {
    /// The server.
    pub address: SocketAddr,
    /// A token that may change things.
    pub token: String,
    /// The project's key.
    pub project: String,
    /// The environment's key.
    pub environment: String,
    /// The flag's key.
    pub flag: String,
}

impl Switch {
    /// Turns the flag on or off; returns when the server has answered.
    pub fn turn(&self, on: bool) -> anyhow::Result<()> {
        let kind = if on { "turnOn" } else { "turnOff" };
        let command = serde_json::json!({
            "kind": kind, "flag": self.flag, "environment": self.environment,
        });
        let body = serde_json::json!({ "commands": [command] }).to_string();
        let request = format!(
            "POST /api/v1/projects/{}/changes HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\
             Authorization: Bearer {}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.project,
            self.address,
            self.token,
            body.len()
        );
        let mut stream = TcpStream::connect(self.address)?;
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        ensure!(
            answer.starts_with("HTTP/1.1 200"),
            "the change was not applied: {answer}"
        );
        Ok(())
    }
}
