//! The queue keeps its order over restarts, and its bound.

use super::*;

fn batch(sequence: i64) -> Batch {
    Batch {
        sender: "s".into(),
        sequence,
        ..Batch::default()
    }
}

#[test]
fn what_waits_comes_in_order_also_after_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let spool = Spool::open(folder.path(), 1 << 20).unwrap();
    for number in 1..=12 {
        spool.push(&batch(number)).unwrap();
    }
    assert_eq!(spool.first().unwrap().unwrap().sequence, 1);
    spool.pop();
    // What was being written when the process ended is nothing.
    fs::write(folder.path().join("00000000000000000013.new"), b"half").unwrap();
    fs::write(folder.path().join("00000000000000000014"), b"garbage").unwrap();

    let spool = Spool::open(folder.path(), 1 << 20).unwrap();
    spool.push(&batch(15)).unwrap();
    let mut taken = Vec::new();
    while let Some(batch) = spool.first().unwrap() {
        taken.push(batch.sequence);
        spool.pop();
    }
    let wanted: Vec<i64> = (2..=12).chain([15]).collect();
    assert_eq!(taken, wanted);
    assert_eq!((spool.bytes(), spool.is_empty()), (0, true));
    // What was damaged is counted, and lies there for whoever wants to look.
    assert_eq!(spool.lost(), 1);
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    let bad = left[0].as_ref().unwrap().file_name();
    assert_eq!(
        (left.len(), bad.to_str()),
        (1, Some("00000000000000000014.bad"))
    );
    let spool = Spool::open(folder.path(), 1 << 20).unwrap();
    assert!(spool.is_empty());
}

#[test]
fn past_the_bound_nothing_is_taken_until_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    // Each takes a block of the disk, however small it is.
    let spool = Spool::open(folder.path(), 2 * BLOCK).unwrap();
    spool.push(&batch(1)).unwrap();
    spool.push(&batch(2)).unwrap();
    assert!(matches!(spool.push(&batch(3)), Err(NotSpooled::Full(_))));
    spool.pop();
    spool.push(&batch(4)).unwrap();
    assert_eq!(spool.first().unwrap().unwrap().sequence, 2);
}
