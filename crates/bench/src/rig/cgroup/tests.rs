use super::*;

const FIRST: &str = "4:memory:/jobs/7\n1:cpu,cpuacct:/\n0::/\n";
const FIRST_MOUNTS: &str = "\
tmpfs /sys/fs/cgroup tmpfs rw,mode=755 0 0
cgroup /sys/fs/cgroup/cpu,cpuacct cgroup rw,relatime,cpu,cpuacct 0 0
cgroup /sys/fs/cgroup/memory cgroup rw,relatime,memory 0 0
cgroup2 /sys/fs/cgroup/unified cgroup2 rw,relatime 0 0
";

#[test]
fn the_first_version_has_a_hierarchy_for_each_controller() {
    let place = |controller| place(FIRST, FIRST_MOUNTS, controller).unwrap();
    let folder = |text: &str| Place::First(PathBuf::from(text));
    assert_eq!(place("memory"), folder("/sys/fs/cgroup/memory/jobs/7"));
    assert_eq!(place("cpu"), folder("/sys/fs/cgroup/cpu,cpuacct/"));
}

#[test]
fn the_second_version_has_one_for_all() {
    let mounts = "cgroup2 /sys/fs/cgroup cgroup2 rw,nosuid 0 0\n";
    let top = PathBuf::from("/sys/fs/cgroup");
    let own = top.join("user.slice/me.scope");
    assert_eq!(
        place("0::/user.slice/me.scope\n", mounts, "cpu"),
        Some(Place::Second(top, own))
    );
    assert_eq!(place("0::/\n", "tmpfs / tmpfs rw 0 0\n", "cpu"), None);
}

#[test]
fn the_nearest_group_that_delegates_is_found() {
    let root = tempfile::tempdir().unwrap();
    let own = root.path().join("user/me");
    fs::create_dir_all(&own).unwrap();
    fs::write(
        root.path().join("user/cgroup.subtree_control"),
        "cpu memory pids\n",
    )
    .unwrap();
    // A folder stands where the file would be, so that it can be neither read nor written.
    fs::create_dir(own.join("cgroup.subtree_control")).unwrap();
    let found = delegating(root.path(), &own).unwrap();
    assert_eq!(found, root.path().join("user"));
}

#[test]
fn a_group_holds_what_is_put_into_it_where_that_is_allowed() {
    let quota = Quota {
        memory: 64 * 1024 * 1024,
        cpus: 0.5,
    };
    let group = match Cgroup::make(&quota) {
        Ok(group) => group,
        Err(error) => {
            eprintln!("not tested here: {error:#}");
            return;
        }
    };
    let mut child = std::process::Command::new("sleep")
        .arg("60")
        .spawn()
        .unwrap();
    group.take(child.id()).unwrap();
    for folder in &group.folders {
        let members = fs::read_to_string(folder.join("cgroup.procs")).unwrap();
        assert_eq!(members.trim(), child.id().to_string());
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let folders = group.folders.clone();
    drop(group);
    assert!(folders.iter().all(|folder| !folder.exists()));
}
