use std::os::unix::fs::PermissionsExt;

use super::*;

#[test]
fn what_is_sealed_opens_for_its_purpose_alone() {
    let folder = tempfile::tempdir().unwrap();
    let keys = Keyring::load(&folder.path().join("new/instance.key")).unwrap();
    let sealed = keys.seal("totp/ann", b"seed").unwrap();
    assert_eq!(keys.open("totp/ann", &sealed).unwrap(), b"seed");
    assert!(keys.open("totp/bob", &sealed).is_none());
    assert_ne!(keys.seal("totp/ann", b"seed").unwrap(), sealed);
    for index in 0..sealed.len() {
        let mut changed = sealed.clone();
        changed[index] ^= 1;
        assert!(keys.open("totp/ann", &changed).is_none(), "byte {index}");
    }
    assert!(keys.open("totp/ann", b"short").is_none());
}

#[test]
fn a_key_file_is_made_once_for_its_owner_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("instance.key");
    let sealed = Keyring::load(&path).unwrap().seal("x", b"1").unwrap();
    assert_eq!(
        fs::metadata(&path).unwrap().permissions().mode() & 0o777,
        0o600
    );
    assert!(Keyring::load(&path).unwrap().open("x", &sealed).is_some());
    assert_eq!(
        fs::read_dir(folder.path()).unwrap().count(),
        1,
        "no draft is left"
    );
}

#[test]
fn a_key_that_is_being_replaced_still_opens() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("instance.key");
    let sealed = Keyring::load(&path).unwrap().seal("x", b"1").unwrap();
    let old = fs::read_to_string(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let new = Keyring::load(&path).unwrap();
    assert!(new.open("x", &sealed).is_none());
    let both = format!("{}{old}", fs::read_to_string(&path).unwrap());
    fs::write(&path, both).unwrap();
    let both = Keyring::load(&path).unwrap();
    assert!(both.open("x", &sealed).is_some());
    assert!(
        new.open("x", &both.seal("x", b"2").unwrap()).is_some(),
        "the first seals"
    );
}

#[test]
fn what_is_no_key_file_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("instance.key");
    for text in ["", "\n", "secret", "c2hvcnQ="] {
        fs::write(&path, text).unwrap();
        assert!(Keyring::load(&path).is_err(), "{text:?}");
    }
}
