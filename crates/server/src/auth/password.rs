//! Passwords as hashes: argon2id with the parameters that OWASP's cheat sheet gives (19 MiB, two
//! passes, one lane).
//!
//! A hash takes tens of milliseconds and 19 MiB, so hashing goes to blocking threads, two at a time:
//! whoever sends sign-ins by the thousand must not take the machine's memory.

use std::sync::{Arc, LazyLock};

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher, PasswordVerifier};
use argon2::{Algorithm, Argon2, Params, Version};
use tokio::sync::Semaphore;

use crate::problem::Problem;

/// How many hashes are computed at once.
const AT_ONCE: usize = 2;

/// The password's hash in PHC form.
pub async fn hash(password: &str) -> Result<String, Problem> {
    let password = password.to_owned();
    computed(move || {
        let hashed = argon().hash_password(password.as_bytes());
        hashed
            .map(|it| it.to_string())
            .map_err(|error| error.to_string())
    })
    .await?
    .map_err(|error| {
        tracing::error!(error, "a password cannot be hashed");
        Problem::internal()
    })
}

/// Whether the password is the one of this hash. Without a hash it takes as long and is not: how
/// long an answer takes tells nobody whether there is such an account.
pub async fn verify(password: &str, hash: Option<&str>) -> Result<bool, Problem> {
    static NOBODYS: LazyLock<String> = LazyLock::new(|| {
        let hashed = argon().hash_password(b"a password that is nobody's");
        hashed.map(|it| it.to_string()).unwrap_or_default()
    });
    let (password, hash) = (password.to_owned(), hash.map(str::to_owned));
    computed(move || {
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(|| NOBODYS.clone());
        let parsed = PasswordHash::new(&hash);
        let same = parsed.is_ok_and(|parsed| {
            argon()
                .verify_password(password.as_bytes(), &parsed)
                .is_ok()
        });
        same && known
    })
    .await
}

fn argon() -> Argon2<'static> {
    Argon2::new(Algorithm::Argon2id, Version::V0x13, Params::DEFAULT)
}

async fn computed<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Problem> {
    static TURNS: LazyLock<Arc<Semaphore>> = LazyLock::new(|| Arc::new(Semaphore::new(AT_ONCE)));
    let turn = Arc::clone(&TURNS).acquire_owned().await;
    let turn = turn.map_err(|_| Problem::internal())?;
    let done = tokio::task::spawn_blocking(move || {
        let done = work();
        drop(turn);
        done
    });
    done.await.map_err(|error| {
        tracing::error!(%error, "hashing a password failed");
        Problem::internal()
    })
}
