//! Files of decisions: whole lines, so many bytes, so many files.

use burgee_edge::sink::DecisionTexts;
use burgee_edge::source::Position;
use serde_json::{Value, json};

use super::*;

fn decision(user: &str, position: Option<Position>) -> Decision {
    let texts = DecisionTexts {
        user,
        flag: "f",
        flag_id: "i",
        variation: "on",
        surface: "stream",
        reason: if position.is_some() { "off" } else { "" },
        rule: "",
    };
    Decision::new("env".into(), texts, position, 1_800_000_000_123)
}

const AT: Option<Position> = Some(Position {
    version: 7,
    digest: 255,
});

fn read(path: &Path) -> Vec<Value> {
    let text = fs::read_to_string(path).unwrap_or_default();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn users(path: &Path) -> Vec<String> {
    let lines = read(path);
    let users = lines
        .iter()
        .map(|it| it["user"].as_str().unwrap().to_owned());
    users.collect()
}

fn config(path: &Path, bytes: u64, files: usize) -> FileConfig {
    FileConfig {
        path: path.to_owned(),
        bytes,
        files,
    }
}

#[test]
fn a_decision_is_a_line_and_what_is_there_stays() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("decisions.jsonl");
    for round in ["first", "second"] {
        let counters = Counters::default();
        let file = DecisionFile::open(config(&path, 1 << 20, 2), counters.clone()).unwrap();
        file.take(&[decision(round, AT), decision("said\n\"so\"", None)]);
        file.close();
        // What comes after the end is counted.
        file.take(&[decision("late", AT)]);
        let counted = counters.encode();
        assert!(
            counted.contains("burgee_decision_log_written_total{to=\"file\"} 2"),
            "{counted}"
        );
        assert!(
            counted.contains("burgee_decision_log_dropped_total{to=\"file\"} 1"),
            "{counted}"
        );
    }
    let lines = read(&path);
    assert_eq!(
        users(&path),
        ["first", "said\n\"so\"", "second", "said\n\"so\""]
    );
    let expected = json!({"at": "2027-01-15T08:00:00.123Z", "environment": "env", "user": "first",
        "flag": "f", "flagId": "i", "variation": "on", "surface": "stream", "reason": "off",
        "rule": null, "version": 7, "position": "7.00000000000000ff"});
    assert_eq!(lines[0], expected);
    assert_eq!(
        (&lines[1]["reason"], &lines[1]["version"]),
        (&Value::Null, &Value::Null)
    );
}

#[test]
fn there_are_so_many_files_of_so_many_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("decisions.jsonl");
    let line = lines(&[decision("u0", AT)]).len() as u64;
    let mut writer = Writer::new(config(&path, 2 * line, 3), Counters::default());
    for number in 0..9 {
        writer.write(&[decision(&format!("u{number}"), AT)]);
    }
    let older = |number: &str| users(&folder.path().join(format!("decisions.jsonl{number}")));
    assert_eq!(older(""), ["u8"]);
    assert_eq!(older(".1"), ["u6", "u7"]);
    assert_eq!(older(".2"), ["u4", "u5"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3);
    // One alone begins anew.
    let alone = folder.path().join("alone");
    let mut writer = Writer::new(config(&alone, 2 * line, 1), Counters::default());
    for number in 0..3 {
        writer.write(&[decision(&format!("u{number}"), AT)]);
    }
    assert_eq!(users(&alone), ["u2"]);
}

#[test]
fn what_cannot_be_written_is_counted_and_the_next_is_tried() {
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("place");
    fs::create_dir(&place).unwrap();
    let path = place.join("decisions.jsonl");
    let counters = Counters::default();
    let mut writer = Writer::new(config(&path, 1 << 20, 2), counters.clone());
    writer.write(&[decision("before", AT)]);
    // A folder that is away, as of a disk that was taken out.
    let away = folder.path().join("away");
    fs::rename(&place, &away).unwrap();
    writer.write(&[decision("lost", AT), decision("lost", AT)]);
    fs::rename(&away, &place).unwrap();
    writer.write(&[decision("after", AT)]);
    assert_eq!(users(&path), ["before", "after"]);
    let counted = counters.encode();
    assert!(
        counted.contains("dropped_total{to=\"file\"} 2"),
        "{counted}"
    );
    assert!(
        counted.contains("written_total{to=\"file\"} 2"),
        "{counted}"
    );
    assert!(DecisionFile::open(config(folder.path(), 1, 1), counters).is_err());
}

#[test]
fn a_full_disk_leaves_no_half_line() {
    // Whatever is written to it, there is no room.
    let full = Path::new("/dev/full");
    if !full.exists() {
        return;
    }
    let counters = Counters::default();
    let mut writer = Writer::new(config(full, 1 << 20, 2), counters.clone());
    writer.write(&[decision("u", AT)]);
    assert!(counters.encode().contains("dropped_total{to=\"file\"} 1"));
}
