//! Who runs on which core. Server and generator get one each, so that neither waits for the other
//! and the server's figures are those of one core.

use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The cores of a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cores {
    /// The server's.
    pub server: usize,
    /// The generator's.
    pub generator: usize,
}

/// The first two cores that this thread may run on; `None` where there are not two.
pub fn cores() -> Option<Cores> {
    let allowed = sched_getaffinity(None).ok()?;
    let mut cores = (0..CpuSet::MAX_CPU).filter(|core| allowed.is_set(*core));
    Some(Cores {
        server: cores.next()?,
        generator: cores.next()?,
    })
}

/// Runs something with this thread on one core. Processes and threads that it starts stay there;
/// this thread goes back to where it may run now.
///
/// # Errors
/// This thread may not run on that core.
pub fn on<T>(core: usize, something: impl FnOnce() -> T) -> io::Result<T> {
    let before = sched_getaffinity(None)?;
    let mut one = CpuSet::new();
    one.set(core);
    sched_setaffinity(None, &one)?;
    let result = something();
    sched_setaffinity(None, &before)?;
    Ok(result)
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn what_is_started_on_a_core_stays_there() {
        let before = sched_getaffinity(None).unwrap();
        let core = (0..CpuSet::MAX_CPU).find(|it| before.is_set(*it)).unwrap();
        let child = on(core, || {
            Command::new("grep")
                .args(["Cpus_allowed_list:", "/proc/self/status"])
                .output()
        });
        let said = String::from_utf8(child.unwrap().unwrap().stdout).unwrap();
        assert_eq!(said.split_whitespace().nth(1), Some(&*core.to_string()));
        assert_eq!(sched_getaffinity(None).unwrap(), before);
    }
}
