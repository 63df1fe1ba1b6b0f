use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{Files, Looks, Tls};

fn fixture(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/tls")
        .join(name)
}

fn files(certificate: &str, key: &str) -> Files {
    Files {
        certificate: fixture(certificate),
        key: fixture(key),
    }
}

#[test]
fn a_pair_says_how_long_it_is_good() {
    let first = Tls::load(files("first.crt", "first.key")).unwrap();
    // As `openssl x509 -dates` says it: to 29 October 2126, 16:36:02.
    assert_eq!(first.validity().ends, 4_948_965_362);
    assert_eq!(first.validity().begins, 1_795_365_362);
    let second = Tls::load(files("second.crt", "second.key")).unwrap();
    assert_eq!(second.validity().ends, 4_387_365_362);
}

#[test]
fn what_cannot_be_used_is_said_with_option_and_file() {
    let folder = tempfile::tempdir().unwrap();
    let empty = folder.path().join("empty.pem");
    fs::write(&empty, "").unwrap();
    let sealed = folder.path().join("sealed.pem");
    let text = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMA==\n-----END ENCRYPTED PRIVATE KEY-----\n";
    fs::write(&sealed, text).unwrap();
    let hollow = folder.path().join("hollow.pem");
    let text = "-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n";
    fs::write(&hollow, text).unwrap();
    let good = (fixture("first.crt"), fixture("first.key"));
    for (certificate, key, expected) in [
        (
            fixture("none.crt"),
            good.1.clone(),
            "--tls-cert {}: it cannot be read: No such file",
        ),
        (
            good.0.clone(),
            fixture("none.key"),
            "--tls-key {}: it cannot be read: No such file",
        ),
        (
            empty.clone(),
            good.1.clone(),
            "--tls-cert {}: there is no certificate in it",
        ),
        (
            good.1.clone(),
            good.1.clone(),
            "--tls-cert {}: there is no certificate in it",
        ),
        (
            hollow,
            good.1.clone(),
            "--tls-cert {}: its first certificate cannot be read",
        ),
        (
            good.0.clone(),
            empty,
            "--tls-key {}: there is no key in it that is not encrypted",
        ),
        (
            good.0.clone(),
            sealed,
            "--tls-key {}: there is no key in it that is not encrypted",
        ),
        (
            good.0.clone(),
            fixture("second.key"),
            "--tls-key {}: it is not the key of the certificate in ",
        ),
    ] {
        let named = match expected.starts_with("--tls-cert") {
            true => certificate.clone(),
            false => key.clone(),
        };
        let error = Tls::load(Files { certificate, key }).unwrap_err();
        let expected = expected.replace("{}", &named.display().to_string());
        assert!(error.to_string().starts_with(&expected), "{error}");
    }
}

/// Files that can be replaced, served, and looks at them.
struct Served {
    folder: tempfile::TempDir,
    tls: Arc<Tls>,
    looks: Looks,
}

impl Served {
    fn first() -> Self {
        let folder = tempfile::tempdir().unwrap();
        put(folder.path(), "tls.crt", "first.crt");
        put(folder.path(), "tls.key", "first.key");
        let tls = Tls::load(Files {
            certificate: folder.path().join("tls.crt"),
            key: folder.path().join("tls.key"),
        })
        .unwrap();
        let looks = Looks::after(tls.current.load().digest);
        Self { folder, tls, looks }
    }

    fn put(&self, place: &str, name: &str) {
        put(self.folder.path(), place, name);
    }

    /// What is to be said after a look: until when it is good, or what is wrong.
    fn look(&mut self) -> Option<Result<i64, String>> {
        let said = self.looks.look(&self.tls)?;
        Some(said.map(|it| it.ends).map_err(|error| error.to_string()))
    }
}

fn put(folder: &Path, place: &str, name: &str) {
    fs::copy(fixture(name), folder.join(place)).unwrap();
}

#[test]
fn a_pair_that_is_replaced_file_by_file_is_no_fault() {
    let mut served = Served::first();
    assert_eq!(served.look(), None);
    served.put("tls.crt", "second.crt");
    assert_eq!(served.look(), None, "the key may be on its way");
    served.put("tls.key", "second.key");
    assert_eq!(served.look(), Some(Ok(4_387_365_362)));
    assert_eq!(served.look(), None);
}

#[test]
fn a_fault_is_said_once_when_it_is_still_there() {
    let mut served = Served::first();
    served.put("tls.key", "second.key");
    assert_eq!(served.look(), None);
    assert!(matches!(served.look(), Some(Err(_))));
    assert_eq!(served.look(), None);
    // Another one.
    fs::remove_file(served.folder.path().join("tls.key")).unwrap();
    assert_eq!(served.look(), None);
    assert!(matches!(served.look(), Some(Err(_))));
}

#[test]
fn what_is_put_back_was_served_all_the_time() {
    let mut served = Served::first();
    let before = served.tls.config();
    served.put("tls.key", "second.key");
    served.look();
    assert!(matches!(served.look(), Some(Err(_))));
    served.put("tls.key", "first.key");
    assert_eq!(served.look(), Some(Ok(4_948_965_362)), "the fault is over");
    // With its key for tickets.
    assert!(Arc::ptr_eq(&before, &served.tls.config()));
}
