//! What must be read back but not by whoever reads the database: sealed with the instance key
//! (XChaCha20-Poly1305, a random nonce each time).
//!
//! A sealed text begins with the id of its key (4 bytes of the key's SHA-256), so that several keys
//! can be known while one is being replaced, and what a text is sealed for is bound to it: one that
//! is moved to another row does not open.

use std::fs;
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use anyhow::{Context, ensure};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use burgee_domain::audit::Link;
use burgee_store::audit::Notary;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use sha2::{Digest, Sha256};

const KEY: usize = 32;
const ID: usize = 4;
const NONCE: usize = 24;

/// The keys of this installation; the first seals.
pub struct Keyring {
    keys: Vec<([u8; ID], XChaCha20Poly1305)>,
}

impl std::fmt::Debug for Keyring {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Keyring").finish_non_exhaustive()
    }
}

impl Keyring {
    /// Reads the key file: a key of 32 bytes in base64 on each line, the newest first. Makes one
    /// that only its owner may read where there is none.
    ///
    /// # Errors
    /// The file cannot be read or made, or holds something else.
    pub fn load(path: &Path) -> anyhow::Result<Self> {
        let named = || format!("the instance key file {}", path.display());
        let text = match fs::read_to_string(path) {
            Err(error) if error.kind() == ErrorKind::NotFound => create(path),
            read => read,
        };
        let text = text.with_context(named)?;
        let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let keys = lines.map(read_key).collect::<anyhow::Result<Vec<_>>>();
        let keys = keys.with_context(named)?;
        ensure!(!keys.is_empty(), "{} holds no key", named());
        Ok(Self { keys })
    }

    /// Seals `plain` for a purpose (`totp/<account>`).
    pub fn seal(&self, purpose: &str, plain: &[u8]) -> anyhow::Result<Vec<u8>> {
        let (id, cipher) = self.keys.first().context("there is no key")?;
        let nonce: [u8; NONCE] = rand::random();
        let payload = Payload {
            msg: plain,
            aad: purpose.as_bytes(),
        };
        let sealed = cipher.encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| anyhow::anyhow!("sealing failed"))?;
        Ok([id.as_slice(), &nonce, &sealed].concat())
    }

    /// Opens what was sealed for the same purpose. None: by another key, for something else, or
    /// changed since.
    pub fn open(&self, purpose: &str, sealed: &[u8]) -> Option<Vec<u8>> {
        let (id, rest) = sealed.split_at_checked(ID)?;
        let (nonce, sealed) = rest.split_first_chunk::<NONCE>()?;
        let (_, cipher) = self.keys.iter().find(|(key, _)| key == id)?;
        let payload = Payload {
            msg: sealed,
            aad: purpose.as_bytes(),
        };
        cipher.decrypt(&XNonce::from(*nonce), payload).ok()
    }
}

/// The audit log's chains are signed by sealing where they end.
impl Notary for Keyring {
    fn sign(&self, purpose: &str, link: &Link) -> Option<Vec<u8>> {
        let sealed = self.seal(purpose, link);
        sealed
            .inspect_err(|error| tracing::error!(%error, "the audit log is not signed"))
            .ok()
    }

    fn is_signed(&self, purpose: &str, link: &Link, signature: &[u8]) -> Option<bool> {
        let (id, _) = signature.split_at_checked(ID)?;
        self.keys.iter().find(|(key, _)| key == id)?;
        Some(self.open(purpose, signature).as_deref() == Some(link.as_slice()))
    }
}

fn read_key(line: &str) -> anyhow::Result<([u8; ID], XChaCha20Poly1305)> {
    let bytes = STANDARD
        .decode(line)
        .context("a key is 32 bytes in base64")?;
    let bytes: [u8; KEY] = bytes.try_into().ok().context("a key has 32 bytes")?;
    let digest = Sha256::digest(bytes);
    let id = [digest[0], digest[1], digest[2], digest[3]];
    Ok((id, XChaCha20Poly1305::new(&bytes.into())))
}

/// Makes a key file, whole or not at all. Where another process was faster, its file is read.
fn create(path: &Path) -> std::io::Result<String> {
    let key: [u8; KEY] = rand::random();
    let text = format!("{}\n", STANDARD.encode(key));
    let folder = path.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let draft = folder.join(format!(".instance-key-{}", std::process::id()));
    let mut file = fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(&draft)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    let linked = fs::hard_link(&draft, path);
    fs::remove_file(&draft)?;
    match linked {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => fs::read_to_string(path),
        Err(error) => Err(error),
        Ok(()) => Ok(text),
    }
}

#[cfg(test)]
mod tests;
