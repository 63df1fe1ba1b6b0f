//! Files that are whole, cut off, and something else.

use burgee_eval::time::Millis;

use super::*;

fn environment(id: &str) -> Whole {
    Whole {
        environment: id.into(),
        position: (3, u64::MAX),
        committed_at: Millis(0),
        trace: None,
        last_stamp: Millis(7),
        flags: Vec::new(),
        segments: Vec::new(),
        keys: Vec::new(),
        decision_sample: 0,
    }
}

#[test]
fn what_is_written_is_read_and_what_is_cut_off_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("state");
    write(&path, &[environment("a"), environment("b")]).unwrap();
    let read_back = read(&path).unwrap();
    let ids: Vec<&str> = read_back.iter().map(|it| it.environment.as_str()).collect();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(read_back[0].position, (3, u64::MAX));

    let bytes = std::fs::read(&path).unwrap();
    for length in 0..bytes.len() {
        std::fs::write(&path, &bytes[..length]).unwrap();
        assert!(read(&path).is_err(), "{length} bytes");
    }
    std::fs::write(&path, b"something else that is long enough").unwrap();
    assert!(matches!(read(&path), Err(BadFile::Format)));
}

#[test]
fn a_file_that_somebody_left_in_the_way_is_not_written_into() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (path, theirs) = (folder.path().join("state"), folder.path().join("theirs"));
    std::fs::write(&theirs, "as it was").unwrap();
    std::os::unix::fs::symlink(&theirs, folder.path().join("state.new")).unwrap();
    write(&path, []).unwrap();
    assert_eq!(std::fs::read_to_string(&theirs).unwrap(), "as it was");
    assert!(read(&path).unwrap().is_empty());
    // Nor one that others may read.
    let open = folder.path().join("state.new");
    std::fs::write(&open, "").unwrap();
    std::fs::set_permissions(&open, PermissionsExt::from_mode(0o666)).unwrap();
    write(&path, []).unwrap();
    let mode = path.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
}
