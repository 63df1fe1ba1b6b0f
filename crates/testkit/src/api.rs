//! The API's caller: JSON over HTTP, with answers that say what they are when they are not what
//! was expected.
#![allow(
    clippy::panic,
    clippy::expect_used,
    reason = "a test that cannot go on stops here"
)]

use std::net::SocketAddr;
use std::time::Duration;

use reqwest::Method;
use reqwest::header::{CONTENT_TYPE, HeaderMap};
use serde_json::Value;

/// How long a test waits for anything before it says that it does not come.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// A caller of one server with one token.
#[derive(Clone, Debug)]
pub struct Api {
    base: String,
    headers: Vec<(&'static str, String)>,
    http: reqwest::Client,
}

impl Api {
    /// Without a token.
    pub fn new(address: SocketAddr) -> Self {
        let http = reqwest::Client::builder().timeout(PATIENCE).build();
        Self {
            base: format!("http://{address}"),
            headers: Vec::new(),
            http: http.expect("an HTTP client"),
        }
    }

    /// The same caller of another server.
    #[must_use]
    pub fn at(&self, address: SocketAddr) -> Self {
        let base = format!("http://{address}");
        Self {
            base,
            ..self.clone()
        }
    }

    /// With an access token.
    pub fn with_token(self, token: &str) -> Self {
        self.with_header("authorization", &format!("Bearer {token}"))
    }

    /// With an SDK key, as SDKs send it.
    pub fn with_sdk_key(self, secret: &str) -> Self {
        self.with_header("authorization", secret)
    }

    /// With the session that an answer began (`Set-Cookie`).
    ///
    /// # Panics
    /// Where it began none.
    #[track_caller]
    pub fn in_session_of(self, answer: &Answer) -> Self {
        let cookie = answer
            .headers
            .get("set-cookie")
            .and_then(|it| it.to_str().ok());
        let cookie = cookie.and_then(|it| it.split(';').next());
        self.with_header("cookie", cookie.expect("a session's cookie"))
    }

    /// With a header, in place of one of the same name.
    pub fn with_header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.retain(|(other, _)| *other != name);
        self.headers.push((name, value.to_owned()));
        self
    }

    /// `GET` of a path below `/api/v1`, or of one that begins with a slash.
    pub async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, None).await
    }

    /// `POST` of JSON.
    pub async fn post(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::POST, path, Some(body)).await
    }

    /// `PATCH` with JSON.
    pub async fn patch(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::PATCH, path, Some(body)).await
    }

    /// `PUT` of JSON.
    pub async fn put(&self, path: &str, body: &Value) -> Answer {
        self.send(Method::PUT, path, Some(body)).await
    }

    /// `DELETE`.
    pub async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, None).await
    }

    /// Any request, with a body of JSON where one is given.
    pub async fn send(&self, method: Method, path: &str, body: Option<&Value>) -> Answer {
        let text = body.map(Value::to_string);
        let sent = self.try_send(method.clone(), path, text).await;
        sent.unwrap_or_else(|error| panic!("{method} {path}: {error:?}"))
    }

    /// Any request with a body that may be no JSON; the error where no answer came.
    ///
    /// # Errors
    /// The server is not there, ended the connection, or did not answer in time.
    pub async fn try_send(
        &self,
        method: Method,
        path: &str,
        body: Option<String>,
    ) -> reqwest::Result<Answer> {
        let below = if path.starts_with('/') {
            ""
        } else {
            "/api/v1/"
        };
        let asked = format!("{method} {path}");
        let url = format!("{}{below}{path}", self.base);
        let mut request = self.http.request(method, url);
        for (name, value) in &self.headers {
            request = request.header(*name, value);
        }
        if let Some(body) = body {
            request = request.header(CONTENT_TYPE, "application/json").body(body);
        }
        let response = request.send().await?;
        Ok(Answer {
            asked,
            status: response.status().as_u16(),
            headers: response.headers().clone(),
            text: response.text().await?,
        })
    }
}

/// What a server answered.
#[derive(Debug)]
pub struct Answer {
    /// The request's method and path, for messages.
    pub asked: String,
    /// The HTTP status.
    pub status: u16,
    /// The headers.
    pub headers: HeaderMap,
    /// The body.
    pub text: String,
}

impl Answer {
    /// The body as JSON, of an answer with this status; null where the body is empty.
    ///
    /// # Panics
    /// Where the status is another.
    #[track_caller]
    pub fn expect(self, status: u16) -> Value {
        let (asked, text) = (&self.asked, &self.text);
        assert_eq!(self.status, status, "{asked} answered: {text}");
        match text.is_empty() {
            true => Value::Null,
            false => serde_json::from_str(text)
                .unwrap_or_else(|error| panic!("{asked} answered no JSON: {error}: {text}")),
        }
    }

    /// A refusal for what the caller did: a 4xx with its problem details.
    ///
    /// # Panics
    /// Where it worked, or the server says that the fault is its own.
    #[track_caller]
    pub fn no_fault(self) -> Problem {
        let status = self.status;
        assert!((400..500).contains(&status), "{self:?}");
        self.problem(status)
    }

    /// The problem details of a refusal with this status, checked for what all of them have.
    ///
    /// # Panics
    /// Where it is no refusal of that kind.
    #[track_caller]
    pub fn problem(self, status: u16) -> Problem {
        let kind = self.headers.get(CONTENT_TYPE).cloned();
        let headers = self.headers.clone();
        let asked = self.asked.clone();
        let body = self.expect(status);
        assert_eq!(
            kind.as_ref().and_then(|kind| kind.to_str().ok()),
            Some("application/problem+json"),
            "{asked}: {body}"
        );
        assert_eq!(body["status"], status, "{asked}: {body}");
        for field in ["type", "title", "code", "detail"] {
            let text = body[field].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{asked}: no {field}: {body}");
        }
        Problem { body, headers }
    }
}

/// Problem details.
#[derive(Debug)]
pub struct Problem {
    /// The whole.
    pub body: Value,
    /// The answer's headers.
    pub headers: HeaderMap,
}

impl Problem {
    /// The stable name of what went wrong.
    pub fn code(&self) -> &str {
        self.body["code"].as_str().unwrap_or_default()
    }

    /// The fields at fault.
    pub fn pointers(&self) -> Vec<&str> {
        let errors = self.body["errors"].as_array();
        let pointers = errors.into_iter().flatten();
        pointers
            .filter_map(|error| error["pointer"].as_str())
            .collect()
    }
}
