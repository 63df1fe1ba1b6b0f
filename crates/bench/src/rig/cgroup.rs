//! Memory and CPU of the published test's machine, by a control group: 1 GiB and one CPU.
//!
//! The group is made beneath the one that this process is in, so that what limits this process
//! goes on limiting what it starts, and is removed at the end. Both versions of the kernel's
//! interface are known, because many machines still have the first.

use std::path::{Path, PathBuf};
use std::{fs, io};

use anyhow::Context;

/// How much a group's processes may use together.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quota {
    /// Memory in bytes; the kernel's for their sockets counts too where it counts that.
    pub memory: u64,
    /// CPU time by time.
    pub cpus: f64,
}

impl Quota {
    /// So much of the CPUs, and a small machine's memory.
    pub fn of_cpus(cpus: f64) -> Self {
        Self {
            memory: 1 << 30,
            cpus,
        }
    }
}

/// In microseconds: what a CPU quota is counted in. The kernel's usual one, ten times as long, makes
/// whoever has used up a small quota stand still for that long.
const PERIOD: u32 = 10_000;

/// A control group; removed when this is dropped, by when its processes must have ended.
#[derive(Debug)]
pub struct Cgroup {
    /// One, or one for each controller.
    folders: Vec<PathBuf>,
}

/// A controller's hierarchy, and where in it this process is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Place {
    /// The controller's own.
    First(PathBuf),
    /// The one of all controllers: its top, and this process's folder.
    Second(PathBuf, PathBuf),
}

impl Cgroup {
    /// Makes a group that allows this much.
    ///
    /// # Errors
    /// The kernel has no control groups, or this process may not make any.
    pub fn make(quota: &Quota) -> anyhow::Result<Self> {
        let groups = fs::read_to_string("/proc/self/cgroup")?;
        let mounts = fs::read_to_string("/proc/self/mounts")?;
        let mut made = Self {
            folders: Vec::new(),
        };
        for controller in ["memory", "cpu"] {
            let place = place(&groups, &mounts, controller)
                .with_context(|| format!("there is no control group for {controller}"))?;
            made.limit(&place, controller, quota)
                .with_context(|| format!("no control group for {controller} could be made"))?;
        }
        Ok(made)
    }

    /// Takes a process in, with all its threads.
    ///
    /// # Errors
    /// There is no such process, or it may not be moved.
    pub fn take(&self, pid: u32) -> io::Result<()> {
        for folder in &self.folders {
            fs::write(folder.join("cgroup.procs"), pid.to_string())?;
        }
        Ok(())
    }

    fn limit(&mut self, place: &Place, controller: &str, quota: &Quota) -> io::Result<()> {
        let microseconds = (quota.cpus * f64::from(PERIOD)) as u64;
        match place {
            Place::First(own) => {
                let folder = self.folder(own)?;
                if controller == "memory" {
                    let memory = quota.memory.to_string();
                    return fs::write(folder.join("memory.limit_in_bytes"), memory);
                }
                fs::write(folder.join("cpu.cfs_period_us"), PERIOD.to_string())?;
                fs::write(folder.join("cpu.cfs_quota_us"), microseconds.to_string())
            }
            Place::Second(top, own) => {
                let folder = self.folder(&delegating(top, own)?)?;
                if controller == "memory" {
                    return fs::write(folder.join("memory.max"), quota.memory.to_string());
                }
                fs::write(folder.join("cpu.max"), format!("{microseconds} {PERIOD}"))
            }
        }
    }

    /// This group's folder beneath another; made once.
    fn folder(&mut self, parent: &Path) -> io::Result<PathBuf> {
        let name = format!("burgee-bench-{}", std::process::id());
        let folder = parent.join(name);
        if !self.folders.contains(&folder) {
            match fs::create_dir(&folder) {
                // A process of the same number left it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                made => made?,
            }
            self.folders.push(folder.clone());
        }
        Ok(folder)
    }
}

impl Drop for Cgroup {
    fn drop(&mut self) {
        for folder in &self.folders {
            // It stays where a process would not end; an empty group harms nobody.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Where a controller's groups are, by `/proc/self/cgroup` and `/proc/self/mounts`.
fn place(groups: &str, mounts: &str, controller: &str) -> Option<Place> {
    let own = |wanted: &dyn Fn(&str) -> bool| {
        groups.lines().find_map(|line| {
            let mut parts = line.splitn(3, ':').skip(1);
            let (controllers, path) = (parts.next()?, parts.next()?);
            wanted(controllers).then(|| path.trim_start_matches('/').to_owned())
        })
    };
    let has = |list: &str| list.split(',').any(|it| it == controller);
    let mounted = |kind: &str, wanted: &dyn Fn(&str) -> bool| {
        mounts.lines().find_map(|line| {
            let words: Vec<&str> = line.split_whitespace().collect();
            let [_, at, found, options, ..] = words[..] else {
                return None;
            };
            (found == kind && wanted(options)).then(|| PathBuf::from(at))
        })
    };
    if let (Some(at), Some(path)) = (mounted("cgroup", &has), own(&has)) {
        return Some(Place::First(at.join(path)));
    }
    let at = mounted("cgroup2", &|_| true)?;
    let path = own(&|controllers| controllers.is_empty())?;
    Some(Place::Second(at.clone(), at.join(path)))
}

/// The nearest group, from this process's upwards, that gives both controllers to groups beneath
/// it. One with processes of its own may not, unless it is the top.
fn delegating(top: &Path, own: &Path) -> io::Result<PathBuf> {
    let mut refused = io::Error::from(io::ErrorKind::NotFound);
    for folder in own.ancestors().take_while(|it| it.starts_with(top)) {
        let control = folder.join("cgroup.subtree_control");
        let given = fs::read_to_string(&control).unwrap_or_default();
        let gives = |name: &str| given.split_whitespace().any(|it| it == name);
        if gives("memory") && gives("cpu") {
            return Ok(folder.to_owned());
        }
        match fs::write(&control, "+memory +cpu") {
            Ok(()) => return Ok(folder.to_owned()),
            Err(error) => refused = error,
        }
    }
    Err(refused)
}

#[cfg(test)]
mod tests;
