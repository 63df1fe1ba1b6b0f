//! Evaluation as programs ask for it, answered from the bytes of the request: what most of the
//! router's and the HTTP server's work would be for, where nothing is unusual.
//!
//! Only what goes well is answered here, by the same functions as behind the router; whatever else
//! is to be said, the router says. The headers are those that it gives, CORS included.

use std::io::Write as _;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use httpdate::HttpDate;

use super::super::Api;
use super::asked::{given, is_json, secret, user};
use super::single::Keys;
use super::tag::Tag;
use super::{FLAGS, bulk, single};
use crate::hub::{Access, Lookup};

/// What the head of an answer is written into; none is longer.
const HEAD: usize = 512;

/// What the CORS layer adds.
const CORS: &[u8] =
    b"access-control-allow-origin: *\r\naccess-control-expose-headers: etag,retry-after\r\n";

/// A POST with its body, and those of its headers that count.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Question<'a> {
    /// The path, as it is written; there is no query.
    pub(crate) path: &'a str,
    pub(crate) authorization: Option<&'a str>,
    /// `X-API-Key`.
    pub(crate) key: Option<&'a str>,
    pub(crate) content_type: Option<&'a str>,
    /// `If-None-Match`.
    pub(crate) has: Option<&'a str>,
    pub(crate) body: &'a [u8],
}

/// Makes answers, one at a time, in memory that it keeps.
pub(crate) struct Answers {
    /// Room for the head, and the body behind it.
    bytes: Vec<u8>,
    head: Vec<u8>,
    /// When, in seconds since 1970, and in HTTP's form.
    date: (u64, String),
}

impl Answers {
    pub(crate) fn new() -> Self {
        Self {
            bytes: vec![0; HEAD],
            head: Vec::with_capacity(HEAD),
            date: (0, String::new()),
        }
    }

    /// Whether a path may be answered here.
    pub(crate) fn know(path: &str) -> bool {
        let behind = path.strip_prefix(FLAGS);
        behind.is_some_and(|behind| behind.is_empty() || behind.starts_with('/'))
    }

    /// The whole answer, as it is sent; none where the router is to be asked.
    pub(crate) fn answer(&mut self, api: &Api, question: &Question<'_>) -> Option<&[u8]> {
        let secret = secret(question.authorization, question.key)?;
        let Lookup::Known(access) = api.hub.lookup(secret) else {
            return None;
        };
        if !is_json(question.content_type) {
            return None;
        }
        self.bytes.truncate(HEAD);
        self.head.clear();
        let since = SystemTime::now().duration_since(UNIX_EPOCH).ok()?;
        let now = i64::try_from(since.as_millis()).ok()?;
        match question.path.len() == FLAGS.len() {
            true => self.bulk(api, &access, question, secret, now)?,
            false => self.single(api, &access, question, now)?,
        }
        self.finish(since.as_secs())
    }

    fn bulk(
        &mut self,
        api: &Api,
        access: &Access,
        question: &Question<'_>,
        secret: &str,
        now: i64,
    ) -> Option<()> {
        let state = access.environment.current();
        let credential = api.hub.credential(secret, now);
        let tag = Tag::of(&state, access, question.body, &credential);
        if question.has.is_some_and(|has| tag.is_in(has)) {
            self.head
                .extend_from_slice(b"HTTP/1.1 304 Not Modified\r\n");
        } else {
            let user = user(api, access, question.body, now).ok()?;
            self.say_json();
            bulk::write(&state, &user, access.kind, &credential, &mut self.bytes);
            let all = 0..state.snapshot().flags().len();
            let given = given(access, &state, &user, now);
            api.traffic.decided(&given, all);
        }
        for part in ["etag: ", tag.text(), "\r\n"] {
            self.head.extend_from_slice(part.as_bytes());
        }
        Some(())
    }

    fn single(
        &mut self,
        api: &Api,
        access: &Access,
        question: &Question<'_>,
        now: i64,
    ) -> Option<()> {
        let keys = Keys::of(question.path);
        let user = user(api, access, question.body, now).ok()?;
        let state = access.environment.current();
        self.say_json();
        let found = single::write(&state, &user, access.kind, &keys, &mut self.bytes)?;
        let given = given(access, &state, &user, now);
        api.traffic.decided(&given, std::iter::once(found));
        Some(())
    }

    fn say_json(&mut self) {
        self.head
            .extend_from_slice(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n");
    }

    /// Puts the head before the body.
    fn finish(&mut self, second: u64) -> Option<&[u8]> {
        self.head.extend_from_slice(CORS);
        let body = self.bytes.len() - HEAD;
        // Writing to memory cannot fail.
        if body > 0 {
            let _ = write!(self.head, "content-length: {body}\r\n");
        }
        if self.date.0 != second {
            let moment = HttpDate::from(UNIX_EPOCH + Duration::from_secs(second));
            self.date = (second, moment.to_string());
        }
        for part in ["date: ", &self.date.1, "\r\n\r\n"] {
            self.head.extend_from_slice(part.as_bytes());
        }
        let begin = HEAD.checked_sub(self.head.len())?;
        self.bytes[begin..HEAD].copy_from_slice(&self.head);
        Some(&self.bytes[begin..])
    }

    /// Gives back what a large answer took.
    pub(crate) fn tidy(&mut self, most: usize) {
        if self.bytes.capacity() > most {
            self.bytes.truncate(HEAD);
            self.bytes.shrink_to(most);
        }
    }
}
