use super::*;

fn kernel(settings: &[(&str, &str)]) -> tempfile::TempDir {
    let root = tempfile::tempdir().unwrap();
    for (name, value) in settings {
        let path = root.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value).unwrap();
    }
    root
}

#[test]
fn what_is_too_low_is_raised_said_and_put_back() {
    let root = kernel(&[
        ("net/core/somaxconn", "128\n"),
        ("net/ipv4/tcp_max_syn_backlog", "65536\n"),
        ("net/ipv4/ip_local_port_range", "32768\t60999\n"),
    ]);
    let read = |name: &str| fs::read_to_string(root.path().join(name)).unwrap();
    let mut limits = Limits::default();
    limits.raise_settings(root.path());
    assert_eq!(
        limits.notes,
        ["net.core.somaxconn was 128, and 4096 while measuring"]
    );
    assert_eq!(read("net/core/somaxconn"), "4096");
    assert_eq!(read("net/ipv4/tcp_max_syn_backlog"), "65536\n");
    drop(limits);
    assert_eq!(read("net/core/somaxconn"), "128\n");
}

#[test]
fn what_cannot_be_set_is_said() {
    let root = kernel(&[("net/ipv4/ip_local_port_range", "60000 60999\n")]);
    let mut limits = Limits::default();
    limits.raise_settings(root.path());
    assert_eq!(limits.notes.len(), 1);
    assert!(limits.notes[0].contains("only 999 ports"));
}

#[test]
fn several_processes_hold_what_one_may_not() {
    let mut limits = Limits::default();
    limits.files = 20_000;
    assert_eq!(limits.processes_for(0), 1);
    assert_eq!(limits.processes_for(18_000), 1);
    assert_eq!(limits.processes_for(22_000), 2);
    assert_eq!(limits.processes_for(220_000), 13);
    limits.files = 600;
    assert_eq!(limits.processes_for(300), 2);
}
