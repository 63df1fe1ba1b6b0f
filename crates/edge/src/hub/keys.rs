//! Which secrets are valid. Written by the feed alone; read on every new connection.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, PoisonError, RwLock};

use arc_swap::ArcSwapOption;

use super::{Access, KeyId};
use crate::credential::{self, Credential, KeyName, Refused};
use crate::environment::Environment;
use crate::source::SdkKey;

/// The table of valid keys. Its lock is held for a look-up or a few writes, never during IO.
#[derive(Default)]
pub(super) struct Keys(RwLock<Table>);

#[derive(Default)]
struct Table {
    /// By the whole secret: what may be read out of it is not trusted.
    by_secret: HashMap<Box<str>, Known>,
    /// The secrets by what event streams call their keys.
    by_name: HashMap<KeyName, Box<str>>,
    /// What each environment has, by its id.
    of: HashMap<Arc<str>, Vec<(Box<str>, KeyId)>>,
    last: u32,
}

struct Known {
    access: Access,
    /// Whether it was used since somebody asked for that. Set by whoever only reads the table.
    used: AtomicBool,
    /// What event streams are opened with, as it was made last.
    credential: ArcSwapOption<Issued>,
}

/// A credential's text, and the window that it was made in.
struct Issued {
    window: i64,
    text: Box<str>,
}

impl Keys {
    /// What a valid secret gives access to.
    pub(super) fn get(&self, secret: &str) -> Option<Access> {
        let table = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let known = table.by_secret.get(secret)?;
        known.used.store(true, Relaxed);
        Some(known.access.clone())
    }

    /// What the key with this secret opens event streams with, from `now` on, in ms since 1970.
    pub(super) fn credential(&self, secret: &str, now: i64) -> Box<str> {
        let issue = || Credential::issue(secret, now).text().into_boxed_str();
        let table = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let Some(known) = table.by_secret.get(secret) else {
            return issue();
        };
        let window = credential::window(now);
        let issued = known.credential.load();
        if let Some(issued) = issued.as_ref().filter(|it| it.window == window) {
            return issued.text.clone();
        }
        let text = issue();
        known.credential.store(Some(Arc::new(Issued {
            window,
            text: text.clone(),
        })));
        text
    }

    /// What a credential opens now.
    pub(super) fn opened(&self, credential: &Credential, now: i64) -> Result<Access, Refused> {
        let table = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let secret = table.by_name.get(&credential.key());
        let secret = secret.ok_or(Refused::Unknown)?;
        credential.check(secret, now)?;
        let known = table.by_secret.get(secret).ok_or(Refused::Unknown)?;
        known.used.store(true, Relaxed);
        Ok(known.access.clone())
    }

    /// What an environment has, by its id, in the order of the secrets.
    pub(super) fn of(&self, environment: &str) -> Vec<SdkKey> {
        let table = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let has = table.of.get(environment).into_iter().flatten();
        let key = |(secret, _): &(Box<str>, KeyId)| {
            Some(SdkKey {
                secret: secret.to_string(),
                kind: table.by_secret.get(secret)?.access.kind,
            })
        };
        let mut keys: Vec<SdkKey> = has.filter_map(key).collect();
        keys.sort_unstable_by(|a, b| a.secret.cmp(&b.secret));
        keys
    }

    /// These are in use.
    pub(super) fn used(&self, ids: &HashSet<KeyId>) {
        let table = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let known = table.by_secret.values();
        for known in known.filter(|known| ids.contains(&known.access.key)) {
            known.used.store(true, Relaxed);
        }
    }

    /// The secrets that were used since this was asked last.
    pub(super) fn take_used(&self) -> Vec<Box<str>> {
        let table = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let used = table.by_secret.iter();
        let used = used.filter(|(_, known)| known.used.swap(false, Relaxed));
        used.map(|(secret, _)| secret.clone()).collect()
    }

    /// Makes these the environment's keys. Those that it had and that are not among them (or may
    /// do something else now) are revoked: returned.
    pub(super) fn set(&self, environment: &Arc<Environment>, keys: &[SdkKey]) -> Vec<KeyId> {
        let mut table = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let had = table.of.remove(environment.id()).unwrap_or_default();
        let mut has = Vec::with_capacity(keys.len());
        for key in keys {
            let secret: Box<str> = key.secret.as_str().into();
            let known = table.by_secret.get(&secret).filter(|known| {
                known.access.kind == key.kind && Arc::ptr_eq(&known.access.environment, environment)
            });
            let id = match known {
                Some(known) => known.access.key,
                None => table.insert(secret.clone(), environment, key),
            };
            has.push((secret, id));
        }
        let gone: Vec<_> = had.into_iter().filter(|old| !has.contains(old)).collect();
        for (secret, id) in &gone {
            if table
                .by_secret
                .get(secret)
                .is_some_and(|known| known.access.key == *id)
            {
                table.by_secret.remove(secret);
                table.by_name.remove(&KeyName::of(secret));
            }
        }
        if !has.is_empty() {
            table.of.insert(Arc::clone(environment.id()), has);
        }
        gone.into_iter().map(|(_, id)| id).collect()
    }
}

impl Table {
    fn insert(&mut self, secret: Box<str>, environment: &Arc<Environment>, key: &SdkKey) -> KeyId {
        self.last = self.last.wrapping_add(1);
        let id = KeyId(self.last);
        let access = Access {
            environment: Arc::clone(environment),
            kind: key.kind,
            key: id,
        };
        let (used, credential) = (AtomicBool::new(false), ArcSwapOption::empty());
        self.by_name.insert(KeyName::of(&secret), secret.clone());
        self.by_secret.insert(
            secret,
            Known {
                access,
                used,
                credential,
            },
        );
        id
    }
}
