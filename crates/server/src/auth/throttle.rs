//! Failed attempts to sign in, counted by account and by address.
//!
//! Kept in memory: a restart forgives, and each node counts for itself, which multiplies what a
//! guesser may try by the number of nodes and no more. What is kept is bounded; when it is full,
//! who failed longest ago is forgotten.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};

use burgee_domain::people::delay;
use burgee_eval::time::Millis;

use crate::rates::network;

/// How many accounts and addresses are remembered.
const REMEMBERED: usize = 50_000;

/// After how long without a failure one is forgotten, in ms.
const FORGOTTEN: i64 = 60 * 60 * 1_000;

/// Failures of so many accounts behind one address cost nothing: a company signs in from one.
const PER_ADDRESS: u32 = 20;

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Who {
    /// By folded address of mail, whether or not there is such an account.
    Account(String),
    /// An IPv6 customer has a /64 at least.
    Address(IpAddr),
}

#[derive(Clone, Copy, Debug)]
struct Failures {
    count: u32,
    last: Millis,
}

/// The failures of late.
#[derive(Debug, Default)]
pub struct Throttle {
    failures: Mutex<HashMap<Who, Failures>>,
}

impl Throttle {
    /// How many ms somebody has to wait before an attempt is looked at; 0: it is now.
    pub fn wait(&self, email: &str, address: IpAddr, now: Millis) -> i64 {
        let failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        let waits = keys(email, address).map(|(who, forgiven)| {
            failures.get(&who).map_or(0, |failed| {
                let until = failed.last.0 + delay(failed.count.saturating_sub(forgiven));
                until - now.0
            })
        });
        waits.into_iter().fold(0, i64::max)
    }

    /// Notes a failure.
    pub fn failed(&self, email: &str, address: IpAddr, now: Millis) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        for (who, _) in keys(email, address) {
            make_room(&mut failures, now);
            let failed = failures.entry(who).or_insert(Failures {
                count: 0,
                last: now,
            });
            if failed.last.0 < now.0 - FORGOTTEN {
                failed.count = 0;
            }
            failed.count = failed.count.saturating_add(1);
            failed.last = now;
        }
    }

    /// Takes one failure back: it was none, but the first of two steps. Those before stay: whoever
    /// knows the password alone could otherwise guess codes for ever.
    pub fn forgiven(&self, email: &str, address: IpAddr) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        for (who, _) in keys(email, address) {
            if let Some(failed) = failures.get_mut(&who) {
                failed.count = failed.count.saturating_sub(1);
            }
        }
    }

    /// Forgets an account's failures: its owner signed in. The address is forgiven this attempt.
    pub fn succeeded(&self, email: &str, address: IpAddr) {
        let mut failures = self.failures.lock().unwrap_or_else(PoisonError::into_inner);
        failures.remove(&Who::Account(email.to_owned()));
        if let Some(failed) = failures.get_mut(&Who::Address(network(address))) {
            failed.count = failed.count.saturating_sub(1);
        }
    }
}

/// Whose failures an attempt is counted with, and how many more of them are forgiven.
fn keys(email: &str, address: IpAddr) -> [(Who, u32); 2] {
    [
        (Who::Account(email.to_owned()), 0),
        (Who::Address(network(address)), PER_ADDRESS),
    ]
}

fn make_room(failures: &mut HashMap<Who, Failures>, now: Millis) {
    if failures.len() < REMEMBERED {
        return;
    }
    failures.retain(|_, failed| failed.last.0 >= now.0 - FORGOTTEN);
    // Still full: half of them go, those that failed longest ago.
    if failures.len() >= REMEMBERED {
        let mut moments: Vec<i64> = failures.values().map(|failed| failed.last.0).collect();
        let middle = moments.len() / 2;
        let (_, median, _) = moments.select_nth_unstable(middle);
        let median = *median;
        failures.retain(|_, failed| failed.last.0 > median);
    }
}

#[cfg(test)]
mod tests;
