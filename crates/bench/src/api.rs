//! Changes through the API, as people make them: one blocking request at a time, because what
//! waits for the answer is a thread of its own.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};

/// A change that takes longer has failed.
const PATIENCE: Duration = Duration::from_secs(120);

/// Calls a server's API with a token.
#[derive(Debug, Clone)]
pub struct Api {
    address: SocketAddr,
    token: String,
}

impl Api {
    /// The API at an address.
    pub fn new(address: SocketAddr, token: String) -> Self {
        Self { address, token }
    }

    /// Applies commands to a project as one change set; gives the answer when it is committed.
    ///
    /// # Errors
    /// The server is not there, or did not apply them.
    pub fn change(&self, project: &str, commands: &[Value]) -> anyhow::Result<Value> {
        let path = format!("/api/v1/projects/{project}/changes");
        self.call("POST", &path, &json!({ "commands": commands }))
    }

    /// Sends a request with a JSON body; gives the answer's, null where it has none.
    ///
    /// # Errors
    /// The server is not there, or answers anything but a status of 200 to 299.
    pub fn call(&self, method: &str, path: &str, body: &Value) -> anyhow::Result<Value> {
        let bearer = format!("Bearer {}", self.token);
        let body = call(self.address, &bearer, method, path, body)?;
        if body.trim().is_empty() {
            return Ok(Value::Null);
        }
        serde_json::from_str(&body).with_context(|| format!("{method} {path}: no JSON: {body}"))
    }
}

/// How long the whole answer to a client SDK's first data-sync is, in bytes of JSON.
///
/// # Errors
/// The server is not there, or does not know the key.
pub fn state_size(address: SocketAddr, client_key: &str) -> anyhow::Result<usize> {
    let path = "/api/public/sdk/client/latest-all?timestamp=0";
    let user = json!({ "keyId": "user-1", "name": "User 1", "customizedProperties": [] });
    Ok(call(address, client_key, "POST", path, &user)?.len())
}

/// The whole answer to a server SDK: its environment's flags and segments.
///
/// # Errors
/// The server is not there, or does not know the key.
pub fn get_state(address: SocketAddr, server_key: &str) -> anyhow::Result<Value> {
    let path = "/api/public/sdk/server/latest-all?timestamp=0";
    let answer = call(address, server_key, "GET", path, &Value::Null)?;
    serde_json::from_str(&answer).with_context(|| format!("{path}: no JSON: {answer}"))
}

/// Sends a request with a JSON body; gives the answer's body.
fn call(
    address: SocketAddr,
    authorization: &str,
    method: &str,
    path: &str,
    body: &Value,
) -> anyhow::Result<String> {
    let body = body.to_string();
    let request = format!(
        "{method} {path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Authorization: {authorization}\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n\r\n{body}",
        body.len()
    );
    let mut stream = TcpStream::connect(address)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(request.as_bytes())?;
    let mut answer = String::new();
    stream.read_to_string(&mut answer)?;
    let (head, body) = answer
        .split_once("\r\n\r\n")
        .with_context(|| format!("{method} {path}: the answer is cut off"))?;
    ensure!(
        head.starts_with("HTTP/1.1 2"),
        "{method} {path} was answered with {answer}"
    );
    Ok(body.to_owned())
}
