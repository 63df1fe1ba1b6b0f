//! What the kernel allows: raised for the time of a measurement where that is permitted, put back
//! afterwards, and said in the report where it is not enough.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::{Resource, getrlimit, setrlimit};

/// A setting under `/proc/sys`, and the least that measurements need of it.
struct Setting {
    name: &'static str,
    least: u64,
    why: &'static str,
}

const SETTINGS: [Setting; 3] = [
    Setting {
        name: "net/core/somaxconn",
        least: 4096,
        why: "connections wait in this queue to be accepted",
    },
    Setting {
        name: "net/ipv4/tcp_max_syn_backlog",
        least: 4096,
        why: "connections wait in this queue to be completed",
    },
    Setting {
        // A closed connection is remembered for up to two minutes.
        name: "net/netfilter/nf_conntrack_max",
        least: 1_048_576,
        why: "where connections are tracked, those over it are dropped",
    },
];

/// How many ports one source address needs; the generator has as many addresses as it likes.
const PORTS: u64 = 20_000;

/// Descriptors that a server keeps for other things than connections.
const RESERVE: u64 = 512;

/// Limits as they are now. What was changed is put back when this is dropped.
#[derive(Debug, Default)]
pub struct Limits {
    /// How many files a process may have open.
    pub files: u64,
    /// What was set, what could not be set, and what that means.
    pub notes: Vec<String>,
    changed: Vec<(PathBuf, String)>,
}

impl Limits {
    /// Raises what is too low: this process's limit of open files, which its children inherit, and
    /// settings of the whole machine.
    pub fn prepare() -> Self {
        let mut limits = Self::default();
        limits.files = open_files();
        limits.raise_settings(Path::new("/proc/sys"));
        limits
    }

    /// How many processes it takes to hold so many client connections.
    pub fn processes_for(&self, connections: usize) -> usize {
        let connections = connections as u64;
        // Burgee leaves one place in twenty to others than a single client key.
        let alone = (self.sockets() * 15 / 16).max(1);
        if connections <= alone {
            return 1;
        }
        // The kernel spreads connections by chance, so that some processes get more than others.
        let each = (alone * 15 / 16).max(1);
        usize::try_from(connections.div_ceil(each)).unwrap_or(usize::MAX)
    }

    /// How many client connections a process can hold that has a port of its own.
    pub fn connections_alone(&self) -> usize {
        let alone = self.sockets() * 15 / 16;
        usize::try_from(alone.max(1)).unwrap_or(usize::MAX)
    }

    /// Lets so many connections be tracked, where the kernel tracks any: it counts one once for
    /// both of its ends.
    pub fn track(&mut self, connections: usize) {
        let setting = Setting {
            name: "net/netfilter/nf_conntrack_max",
            least: connections as u64 * 5 / 4,
            why: "where connections are tracked, those over it are dropped",
        };
        self.raise(Path::new("/proc/sys"), &setting);
    }

    fn sockets(&self) -> u64 {
        self.files.saturating_sub(RESERVE).max(self.files / 2)
    }

    fn raise_settings(&mut self, root: &Path) {
        for setting in &SETTINGS {
            self.raise(root, setting);
        }
        self.check_ports(root);
    }

    fn raise(&mut self, root: &Path, setting: &Setting) {
        let path = root.join(setting.name);
        // A setting that is not there limits nothing.
        let Ok(old) = fs::read_to_string(&path) else {
            return;
        };
        let is = old.trim().parse().unwrap_or(u64::MAX);
        if is >= setting.least {
            return;
        }
        let name = setting.name.replace('/', ".");
        let least = setting.least;
        match fs::write(&path, least.to_string()) {
            Ok(()) => {
                self.notes
                    .push(format!("{name} was {is}, and {least} while measuring"));
                self.changed.push((path, old));
            }
            Err(error) => self.notes.push(format!(
                "{name} is {is} and could not be set to {least} ({error}): {}",
                setting.why
            )),
        }
    }

    fn check_ports(&mut self, root: &Path) {
        let range = fs::read_to_string(root.join("net/ipv4/ip_local_port_range"));
        let range = range.unwrap_or_default();
        let mut bounds = range.split_whitespace().flat_map(str::parse::<u64>);
        if let (Some(low), Some(high)) = (bounds.next(), bounds.next())
            && high.saturating_sub(low) < PORTS
        {
            let note = format!(
                "net.ipv4.ip_local_port_range has only {} ports for each source address",
                high.saturating_sub(low)
            );
            self.notes.push(note);
        }
    }
}

impl Drop for Limits {
    fn drop(&mut self) {
        // The newest first: a setting may have been raised twice.
        for (path, old) in self.changed.drain(..).rev() {
            // There is nobody to tell, and nothing more to be done.
            let _ = fs::write(path, old);
        }
    }
}

/// How many files this process may have open, after raising that as far as it may.
fn open_files() -> u64 {
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // Where it cannot be raised, what it is counts.
    let _ = setrlimit(Resource::Nofile, limit);
    getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
