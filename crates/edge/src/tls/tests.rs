use std::fs;
use std::path::PathBuf;

use super::{Files, Tls};

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
fn a_pair_says_when_it_ends() {
    let first = Tls::load(files("first.crt", "first.key")).unwrap();
    // As `openssl x509 -enddate` says it: 29 October 2126, 16:36:02.
    assert_eq!(first.expires(), 4_948_965_362);
    let second = Tls::load(files("second.crt", "second.key")).unwrap();
    assert_eq!(second.expires(), 4_387_365_362);
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
