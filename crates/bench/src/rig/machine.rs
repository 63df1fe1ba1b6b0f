//! Which machine it was: figures mean nothing without it.

use std::fs;

use crate::report::model::Machine;

impl Machine {
    /// This machine. What the kernel does not tell stays empty.
    pub fn here() -> Self {
        let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
        let (cpuinfo, meminfo) = (read("/proc/cpuinfo"), read("/proc/meminfo"));
        Self {
            cpu: value(&cpuinfo, "model name").unwrap_or_default().to_owned(),
            // Not those that this process may run on: it may be pinned by now.
            cores: cpuinfo
                .lines()
                .filter(|line| line.starts_with("processor"))
                .count(),
            memory: kib(value(&meminfo, "MemTotal")) * 1024,
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
        }
    }
}

/// The first `name : value` of a file of `/proc`.
fn value<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    text.lines().find_map(|line| {
        let (found, value) = line.split_once(':')?;
        (found.trim() == name).then(|| value.trim())
    })
}

fn kib(value: Option<&str>) -> u64 {
    let number = value.and_then(|value| value.split_whitespace().next());
    number.and_then(|it| it.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_is_known() {
        let machine = Machine::here();
        assert!(machine.cores >= 1);
        assert!(machine.memory > 64 * 1024 * 1024);
        assert!(machine.kernel.contains('.'));
    }
}
