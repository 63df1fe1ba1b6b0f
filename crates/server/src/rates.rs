//! How often somebody may ask: a bucket of tokens for each session or access token, and one for
//! each address. A program gone wrong slows itself down and nobody else.
//!
//! Kept in memory, on each node for itself. What is kept is bounded: a bucket that is full again
//! says nothing and is forgotten, and where there are too many others, so are those that were used
//! longest ago. What is presented as a token is counted before anybody looks whether it is one;
//! who makes up many is counted by address.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};

use crate::app::AppState;
use crate::auth::{bearer, peer, session};
use crate::problem::Problem;

/// How many buckets of a kind are kept.
const KEPT: usize = 50_000;

/// How many requests come in a second, over time and at once.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rate {
    /// Over time; not above: every request is allowed.
    pub per_second: f64,
    /// At once, after a while of silence.
    pub burst: f64,
}

/// How often one may ask.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rates {
    /// Who is known by a session or a token.
    pub caller: Rate,
    /// Everybody at an address together: an office, or a cluster.
    pub address: Rate,
}

impl Rates {
    /// So many requests a second for a session or token, ten times that at once, and four times
    /// either for an address. None: no limit.
    pub fn of(per_second: Option<u32>) -> Self {
        let rate = |times: f64| {
            let per_second = per_second.map_or(f64::INFINITY, f64::from) * times;
            Rate {
                per_second,
                burst: per_second * 10.0,
            }
        };
        Self {
            caller: rate(1.0),
            address: rate(4.0),
        }
    }
}

impl Default for Rates {
    /// Far above what people and their scripts do, and below what would keep the server from
    /// answering others.
    fn default() -> Self {
        Self::of(Some(200))
    }
}

/// The buckets.
#[derive(Debug)]
pub struct Limiter {
    rates: Rates,
    /// By what is presented, hashed with a key of this process: nobody can aim at another's.
    callers: Mutex<HashMap<u64, Bucket>>,
    addresses: Mutex<HashMap<IpAddr, Bucket>>,
    hasher: RandomState,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    at: Instant,
}

impl Limiter {
    /// With full buckets.
    pub fn new(rates: Rates) -> Self {
        Self {
            rates,
            callers: Mutex::default(),
            addresses: Mutex::default(),
            hasher: RandomState::new(),
        }
    }

    /// Takes one request of whoever presents these credentials at `address`.
    ///
    /// # Errors
    /// How long to wait.
    pub fn take<'c>(
        &self,
        credentials: impl IntoIterator<Item = &'c str>,
        address: IpAddr,
        now: Instant,
    ) -> Result<(), Duration> {
        for credential in credentials {
            let caller = self.hasher.hash_one(credential);
            take(&self.callers, caller, self.rates.caller, now)?;
        }
        take(&self.addresses, network(address), self.rates.address, now)
    }
}

fn take<K: Eq + Hash>(
    buckets: &Mutex<HashMap<K, Bucket>>,
    key: K,
    rate: Rate,
    now: Instant,
) -> Result<(), Duration> {
    if rate.per_second.is_infinite() {
        return Ok(());
    }
    let mut buckets = buckets.lock().unwrap_or_else(PoisonError::into_inner);
    if buckets.len() >= KEPT {
        make_room(&mut buckets, rate, now);
    }
    let full = Bucket {
        left: rate.burst,
        at: now,
    };
    let bucket = buckets.entry(key).or_insert(full);
    bucket.left = filled(bucket, rate, now);
    bucket.at = now;
    if bucket.left < 1.0 {
        return Err(Duration::from_secs_f64(
            (1.0 - bucket.left) / rate.per_second,
        ));
    }
    bucket.left -= 1.0;
    Ok(())
}

/// What is in a bucket by now.
fn filled(bucket: &Bucket, rate: Rate, now: Instant) -> f64 {
    let since = now.saturating_duration_since(bucket.at).as_secs_f64();
    (bucket.left + since * rate.per_second).min(rate.burst)
}

fn make_room<K: Eq + Hash>(buckets: &mut HashMap<K, Bucket>, rate: Rate, now: Instant) {
    buckets.retain(|_, bucket| filled(bucket, rate, now) < rate.burst);
    // Still full: the half that was used longest ago is forgiven.
    if buckets.len() >= KEPT {
        let mut moments: Vec<Instant> = buckets.values().map(|bucket| bucket.at).collect();
        let middle = moments.len() / 2;
        let (_, median, _) = moments.select_nth_unstable(middle);
        let median = *median;
        buckets.retain(|_, bucket| bucket.at > median);
    }
}

/// Whose an address is: an IPv6 customer has a /64 at least.
pub(crate) fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(address) => {
            let [a, b, c, d, ..] = address.segments();
            IpAddr::from([a, b, c, d, 0, 0, 0, 0])
        }
    }
}

/// Answers 429 to who asks too often.
pub async fn limit(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let (parts, body) = request.into_parts();
    let address = peer::address(&parts, &state);
    let credentials = credentials(&parts, state.secure_cookies);
    let taken = state.limiter.take(credentials, address, Instant::now());
    match taken {
        Ok(()) => next.run(Request::from_parts(parts, body)).await,
        Err(wait) => Problem::too_often(wait).into_response(),
    }
}

/// What somebody is known by, whether or not it is good: the session's text and the token, not the
/// headers that they come in, which may say whatever else each time. Both: some routes look at the
/// session alone, whatever comes with it.
fn credentials(parts: &Parts, secure: bool) -> impl Iterator<Item = &str> {
    let session = session::text_of(&parts.headers, session::COOKIE, secure);
    session.into_iter().chain(bearer::text_of(&parts.headers))
}

#[cfg(test)]
mod tests;
