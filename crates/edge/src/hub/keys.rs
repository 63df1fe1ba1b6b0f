//! Which secrets are valid. Written by the feed alone; read on every new connection.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use super::{Access, KeyId};
use crate::environment::Environment;
use crate::source::SdkKey;

/// The table of valid keys. Its lock is held for a look-up or a few writes, never during IO.
#[derive(Default)]
pub(super) struct Keys(RwLock<Table>);

#[derive(Default)]
struct Table {
    /// By the whole secret: what may be read out of it is not trusted.
    by_secret: HashMap<Box<str>, Access>,
    /// What each environment has, by its id.
    of: HashMap<Arc<str>, Vec<(Box<str>, KeyId)>>,
    last: u32,
}

impl Keys {
    pub(super) fn get(&self, secret: &str) -> Option<Access> {
        let table = self.0.read().unwrap_or_else(PoisonError::into_inner);
        table.by_secret.get(secret).cloned()
    }

    /// Makes these the environment's keys. Those that it had and that are not among them (or may
    /// do something else now) are revoked: returned.
    pub(super) fn set(&self, environment: &Arc<Environment>, keys: &[SdkKey]) -> Vec<KeyId> {
        let mut table = self.0.write().unwrap_or_else(PoisonError::into_inner);
        let had = table.of.remove(environment.id()).unwrap_or_default();
        let mut has = Vec::with_capacity(keys.len());
        for key in keys {
            let secret: Box<str> = key.secret.as_str().into();
            let known = table.by_secret.get(&secret).filter(|access| {
                access.kind == key.kind && Arc::ptr_eq(&access.environment, environment)
            });
            let id = match known {
                Some(access) => access.key,
                None => table.insert(secret.clone(), environment, key),
            };
            has.push((secret, id));
        }
        let gone: Vec<_> = had.into_iter().filter(|old| !has.contains(old)).collect();
        for (secret, id) in &gone {
            if table
                .by_secret
                .get(secret)
                .is_some_and(|access| access.key == *id)
            {
                table.by_secret.remove(secret);
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
        let environment = Arc::clone(environment);
        self.by_secret.insert(
            secret,
            Access {
                environment,
                kind: key.kind,
                key: id,
            },
        );
        id
    }
}
