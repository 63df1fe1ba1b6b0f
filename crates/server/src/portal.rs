//! The portal's files, held in the binary, and the one page that loads them.
//!
//! Files lie here as `portal/scripts/pack.js` left them: texts as `br` and `gz`, the rest as it is.
//! Names of `assets/` hold a hash of their contents, so browsers keep them for ever. The page is
//! made anew for each answer: its policy allows style elements with a nonce alone, since the
//! portal's kit inserts some, and no script but our own files.
//!
//! Every address of the portal is one of the page, but never one below what programs ask for
//! ([`PROGRAMS`]): there an unknown address stays a problem in JSON.

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use bytes::Bytes;

use crate::problem::Problem;

/// Names below `portal/dist/packed`, with their contents. Empty where the portal was not built.
static FILES: &[(&str, &[u8])] = include!(concat!(env!("OUT_DIR"), "/portal_files.rs"));

/// What stands in the page for the nonce (`portal/vite.config.ts`).
const NONCE: &str = "BURGEE_NONCE";

/// First segments of addresses that programs ask for, here or elsewhere: metrics are at an address
/// of their own, and who looks for them here must not take a page for them.
const PROGRAMS: [&str; 5] = ["api", "streaming", "ofrep", "health", "metrics"];

/// Random bytes of a nonce: 128 bits, as CSP asks for.
const NONCE_BYTES: usize = 16;

/// The portal, as it was built.
#[derive(Debug)]
pub struct Portal {
    page: Option<String>,
    files: BTreeMap<&'static str, File>,
}

/// A file in the forms in which it is here.
#[derive(Debug, Default)]
struct File {
    brotli: Option<&'static [u8]>,
    gzip: Option<&'static [u8]>,
    plain: Option<&'static [u8]>,
}

impl Portal {
    /// What the binary holds.
    pub fn built_in() -> Arc<Self> {
        Arc::new(Self::new(FILES))
    }

    fn new(packed: &'static [(&'static str, &'static [u8])]) -> Self {
        let mut files: BTreeMap<&'static str, File> = BTreeMap::new();
        let mut page = None;
        for (name, bytes) in packed.iter().copied() {
            if name == "index.html" {
                page = String::from_utf8(bytes.to_vec()).ok();
            } else if let Some(name) = name.strip_suffix(".br") {
                files.entry(name).or_default().brotli = Some(bytes);
            } else if let Some(name) = name.strip_suffix(".gz") {
                files.entry(name).or_default().gzip = Some(bytes);
            } else {
                files.entry(name).or_default().plain = Some(bytes);
            }
        }
        Self { page, files }
    }

    /// The answer where no route of the server's is meant.
    pub fn answer(&self, method: &Method, address: &Uri, headers: &HeaderMap) -> Response {
        let path = address.path().trim_start_matches('/');
        let first = path.split('/').next().unwrap_or_default();
        let looks = matches!(*method, Method::GET | Method::HEAD);
        if !looks || PROGRAMS.contains(&first) {
            return Problem::not_found("such address").into_response();
        }
        let Some(page) = &self.page else {
            return Problem::not_found("portal in this build; `make serve` builds one with it")
                .into_response();
        };
        match self.files.get(path) {
            Some(file) => file.answer(path, headers),
            // Of a build before this one: the page would be no script.
            None if first == "assets" => Problem::not_found("such file").into_response(),
            None => page_with_nonce(page),
        }
    }
}

impl File {
    fn answer(&self, path: &str, headers: &HeaderMap) -> Response {
        let accepted = headers.get(header::ACCEPT_ENCODING);
        let accepted = accepted.and_then(|it| it.to_str().ok()).unwrap_or_default();
        let brotli = self.brotli.filter(|_| accepts_brotli(accepted));
        // Who names no form takes any, and every browser takes gzip.
        let found = brotli
            .map(|bytes| (Some("br"), bytes))
            .or_else(|| self.gzip.map(|bytes| (Some("gzip"), bytes)))
            .or_else(|| self.plain.map(|bytes| (None, bytes)));
        let Some((encoding, bytes)) = found else {
            return Problem::not_found("such file").into_response();
        };
        let keep = match path.starts_with("assets/") {
            true => "public, max-age=31536000, immutable",
            false => "no-cache",
        };
        let mut answer = Bytes::from_static(bytes).into_response();
        let told = answer.headers_mut();
        told.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind(path)));
        told.insert(header::CACHE_CONTROL, HeaderValue::from_static(keep));
        told.insert(header::VARY, HeaderValue::from_static("accept-encoding"));
        told.insert(
            header::X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        );
        if let Some(encoding) = encoding {
            told.insert(header::CONTENT_ENCODING, HeaderValue::from_static(encoding));
        }
        answer
    }
}

/// Whether `br` is named, and not with a weight of nothing.
fn accepts_brotli(accepted: &str) -> bool {
    accepted.split(',').any(|one| {
        let (name, weight) = one.split_once(';').unwrap_or((one, ""));
        let weight = weight.trim().trim_start_matches("q=");
        name.trim() == "br" && (weight.is_empty() || weight.parse::<f32>().is_ok_and(|it| it > 0.0))
    })
}

fn kind(path: &str) -> &'static str {
    match path.rsplit('.').next().unwrap_or_default() {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "woff2" => "font/woff2",
        "json" => "application/json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

fn page_with_nonce(page: &str) -> Response {
    let nonce = STANDARD_NO_PAD.encode(rand::random::<[u8; NONCE_BYTES]>());
    let policy = format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; \
         img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; \
         form-action 'none'; frame-ancestors 'none'"
    );
    let headers = [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (header::CONTENT_SECURITY_POLICY, policy.as_str()),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        // With a nonce of its own each time, and the names of the files of this very build.
        (header::CACHE_CONTROL, "no-store"),
    ];
    (StatusCode::OK, headers, page.replace(NONCE, &nonce)).into_response()
}

#[cfg(test)]
mod tests;
