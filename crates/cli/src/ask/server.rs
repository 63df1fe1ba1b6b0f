//! The server that is asked.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail, ensure};
use burgee_relay::upstream;
use bytes::Bytes;
use http_body_util::{BodyExt, Full, Limited};
use hyper::{Request, StatusCode};
use hyper_rustls::HttpsConnectorBuilder;
use hyper_util::client::legacy::Client;
use hyper_util::rt::TokioExecutor;
use serde_json::{Map, Value};
use url::Url;

use crate::args::ask::PlaceArgs;

/// How long an answer may take: who moved is worked out for up to three seconds.
const WITHIN: Duration = Duration::from_secs(30);

/// The most bytes of an answer.
const MOST: usize = 64 * 1024 * 1024;

/// An environment of a server.
pub(super) struct Place<'a> {
    args: &'a PlaceArgs,
    base: Url,
}

impl<'a> Place<'a> {
    /// Which one the user means.
    pub(super) fn new(args: &'a PlaceArgs) -> anyhow::Result<Self> {
        let url: Url = args.url.parse().context("--url")?;
        let is_http = ["http", "https"].contains(&url.scheme()) && url.has_host();
        ensure!(
            is_http,
            "--url: an address such as https://flags.example.com"
        );
        Ok(Self { args, base: url })
    }

    /// As people write it.
    pub(super) fn name(&self) -> String {
        format!("{}/{}", self.args.project, self.args.environment)
    }

    /// Asks with a question in the body.
    pub(super) async fn post(
        &self,
        path: &[&str],
        question: &Map<String, Value>,
    ) -> anyhow::Result<Value> {
        let request = Request::post(self.address(path)?.as_str());
        let request = request.header("content-type", "application/json");
        let body = Bytes::from(serde_json::to_vec(question)?);
        self.ask(self.signed(request).body(body.into())).await
    }

    /// Asks with parameters.
    pub(super) async fn get(
        &self,
        path: &[&str],
        query: &[(&str, String)],
    ) -> anyhow::Result<Value> {
        let mut address = self.address(path)?;
        address.query_pairs_mut().extend_pairs(query);
        let request = Request::get(address.as_str());
        self.ask(self.signed(request).body(Full::default())).await
    }

    fn address(&self, path: &[&str]) -> anyhow::Result<Url> {
        let mut address = self.base.clone();
        let Ok(mut parts) = address.path_segments_mut() else {
            bail!("--url: an address such as https://flags.example.com");
        };
        parts.pop_if_empty().extend(["api", "v1", "projects"]);
        parts.push(&self.args.project).push("environments");
        parts.push(&self.args.environment).extend(path);
        drop(parts);
        Ok(address)
    }

    fn signed(&self, request: hyper::http::request::Builder) -> hyper::http::request::Builder {
        request.header("authorization", format!("Bearer {}", self.args.token))
    }

    async fn ask(
        &self,
        request: Result<Request<Full<Bytes>>, hyper::http::Error>,
    ) -> anyhow::Result<Value> {
        // Of what is put into it, only this could not be sent.
        let request = request.context("--token")?;
        let answered = tokio::time::timeout(WITHIN, answer(request)).await;
        let answered = answered.map_err(|_| anyhow!("no answer within {} s", WITHIN.as_secs()))?;
        let (status, body) = answered.with_context(|| format!("--url: {}", self.args.url))?;
        match serde_json::from_slice::<Value>(&body) {
            Ok(answer) if status.is_success() => Ok(answer),
            Ok(Value::Object(problem)) if problem.contains_key("detail") => {
                bail!("{}", problem["detail"].as_str().unwrap_or("an error"))
            }
            _ => bail!(
                "--url: {} answered {status}, and is perhaps no server of Burgee",
                self.args.url
            ),
        }
    }
}

async fn answer(request: Request<Full<Bytes>>) -> anyhow::Result<(StatusCode, Bytes)> {
    let connector = HttpsConnectorBuilder::new()
        .with_tls_config(Arc::unwrap_or_clone(upstream::tls()))
        .https_or_http()
        .enable_http1()
        .build();
    let client = Client::builder(TokioExecutor::new()).build(connector);
    let (head, body) = client.request(request).await?.into_parts();
    let body = Limited::new(body, MOST).collect().await;
    let body = body.map_err(|error| anyhow!(error))?;
    Ok((head.status, body.to_bytes()))
}
