//! Machines of their own for the programs of a test: network namespaces that are joined by a switch.
//!
//! What [`crate::network`] cannot do, which ends every connection itself, happens here as on a real
//! network: packets are lost and nobody is told, so that connections stand half open for as long as
//! the kernels believe in them. [`Lan::cut`] loses what one machine sends another, [`Lan::slow`]
//! makes a machine's line narrow. The test itself is on the switch, too ([`Lan::here`]).
//!
//! Packets are dropped by a filter of `tc` at the switch's port, by who sent them: `ip` and `tc` are
//! all that is needed, and neither end can see it, other than by a route that leads nowhere or a line
//! without a carrier. ARP passes, as through routers that are well: so nobody is told that a
//! machine cannot be reached, which is the hardest case.
//!
//! A shell watches, as with [`crate::postgres`]: when this process ends, in whatever way, it ends
//! what runs on the machines and takes them away.

use std::ffi::OsStr;
use std::io::Read;
use std::net::Ipv4Addr;
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::Mutex;

use anyhow::{Context, Result, bail};

/// A switch, and the machines on it. All ends when this is dropped.
#[derive(Debug)]
pub struct Lan {
    /// The third part of all its addresses, by which it is told from others on this computer.
    number: u8,
    /// How many ports the switch has.
    ports: Mutex<u8>,
    here: Machine,
    watcher: Child,
    /// What the watching shell waits for the end of.
    _pipe: Option<ChildStdin>,
}

/// A place on the network with an address of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// None of the test itself.
    namespace: Option<String>,
    number: u8,
    address: Ipv4Addr,
}

/// What the watching shell does when its input ends. The switch is the last to go: while it is there
/// its number is taken. The test's own line to it goes before, as the kernel takes its time with what
/// is left in a namespace, and the next to have the number would find the name taken.
const CLEAN_UP: &str = r#"
PATH=$PATH:/usr/sbin:/sbin
echo watching
read -r _
ip link delete "$1-1" 2>/dev/null
for machine in $(ip netns list | cut -d' ' -f1 | grep "^$1-") "$1"; do
    for process in $(ip netns pids "$machine"); do kill -9 "$process"; done
    ip netns delete "$machine"
done
"#;

/// Networks at a time on one computer.
const NETWORKS: u8 = 250;

impl Lan {
    /// A switch with nobody on it but the test.
    ///
    /// # Errors
    /// Where the kernel gives no namespaces: not Linux, not root, or no `ip` (iproute2).
    pub fn new() -> Result<Self> {
        let number = take_number()?;
        let mut watcher = Command::new("/bin/sh")
            .args(["-c", CLEAN_UP, "sh", &switch(number)])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .context("starting a shell")?;
        let mut said = [0; 8];
        let mut output = watcher.stdout.take().context("the shell has no output")?;
        output.read_exact(&mut said)?;
        let here = Machine {
            namespace: None,
            number: 1,
            address: address(number, 1),
        };
        let pipe = watcher.stdin.take();
        let lan = Self {
            number,
            ports: Mutex::new(1),
            here,
            watcher,
            _pipe: pipe,
        };
        lan.run("ip", "link add switch type bridge")?;
        lan.run("ip", "link set switch up")?;
        let name = format!("{}-1", switch(number));
        run(&format!(
            "ip link add {name} type veth peer name port1 netns {}",
            switch(number)
        ))?;
        lan.plug_in(&lan.here, &format!("dev {name}"), "")?;
        Ok(lan)
    }

    /// Puts a machine on the switch.
    ///
    /// # Errors
    /// Where the kernel makes none.
    pub fn machine(&self, name: &str) -> Result<Machine> {
        let number = {
            let mut ports = self.ports.lock().map_err(|_| broken())?;
            *ports += 1;
            *ports
        };
        let namespace = format!("{}-{name}", switch(self.number));
        run(&format!("ip netns add {namespace}"))?;
        self.run(
            "ip",
            &format!("link add port{number} type veth peer name line netns {namespace}"),
        )?;
        let machine = Machine {
            namespace: Some(namespace.clone()),
            number,
            address: address(self.number, number),
        };
        run(&format!("ip -n {namespace} link set lo up"))?;
        self.plug_in(&machine, "dev line", &format!("-n {namespace}"))?;
        Ok(machine)
    }

    fn plug_in(&self, machine: &Machine, line: &str, within: &str) -> Result<()> {
        let (port, address) = (machine.port(), machine.address);
        run(&format!("ip {within} addr add {address}/24 {line}"))?;
        run(&format!("ip {within} link set {line} up"))?;
        self.run("ip", &format!("link set {port} master switch up"))?;
        self.run("tc", &format!("qdisc add dev {port} clsact"))
    }

    /// Where the test is.
    pub fn here(&self) -> &Machine {
        &self.here
    }

    /// Loses what `from` sends `to`, until [`Self::heal`]. What `to` sends arrives.
    ///
    /// # Errors
    /// Where the kernel does not do it.
    pub fn cut(&self, from: &Machine, to: &Machine) -> Result<()> {
        // Classic BPF. Ethernet's type, at byte 12, is IPv4: then where it comes from, at byte 26;
        // 2 is to drop it, and -1 to ask the next filter.
        let sender = u32::from(from.address);
        let program = format!(
            "7,40 0 0 12,21 0 3 2048,32 0 0 26,21 0 1 {sender},6 0 0 2,6 0 0 {next},6 0 0 {next}",
            next = u32::MAX
        );
        let (port, place) = (to.port(), from.number);
        let filter = format!("filter add dev {port} egress prio {place} bpf da bytecode");
        let mut words: Vec<&str> = filter.split(' ').collect();
        words.push(&program);
        self.run_words("tc", &words)
    }

    /// What `from` sends `to` arrives again.
    ///
    /// # Errors
    /// Where it was not lost.
    pub fn join(&self, from: &Machine, to: &Machine) -> Result<()> {
        let (port, place) = (to.port(), from.number);
        self.run("tc", &format!("filter del dev {port} egress prio {place}"))
    }

    /// Loses what two machines send each other, until [`Self::heal`].
    ///
    /// # Errors
    /// As [`Self::cut`].
    pub fn part(&self, one: &Machine, other: &Machine) -> Result<()> {
        self.cut(one, other)?;
        self.cut(other, one)
    }

    /// Nothing is lost any more.
    ///
    /// # Errors
    /// Where the kernel does not do it.
    pub fn heal(&self) -> Result<()> {
        let ports = *self.ports.lock().map_err(|_| broken())?;
        (1..=ports)
            .try_for_each(|port| self.run("tc", &format!("filter del dev port{port} egress")))
    }

    /// Lets no more than `rate` through to a machine, and from it, as `tc` reads it: `1mbit`.
    ///
    /// # Errors
    /// Where the kernel does not do it.
    pub fn slow(&self, machine: &Machine, rate: &str) -> Result<()> {
        let bucket = format!("root tbf rate {rate} burst 16kb latency 400ms");
        self.run(
            "tc",
            &format!("qdisc replace dev {} {bucket}", machine.port()),
        )?;
        let line = machine.line(self.number);
        run(&format!(
            "tc {} qdisc replace {line} {bucket}",
            machine.within()
        ))
    }

    /// The line is as wide as ever.
    ///
    /// # Errors
    /// Where it was not narrow.
    pub fn hurry(&self, machine: &Machine) -> Result<()> {
        self.run("tc", &format!("qdisc del dev {} root", machine.port()))?;
        let line = machine.line(self.number);
        run(&format!("tc {} qdisc del {line} root", machine.within()))
    }

    /// Runs `ip` or `tc` in the switch.
    fn run(&self, tool: &str, words: &str) -> Result<()> {
        self.run_words(tool, &words.split(' ').collect::<Vec<_>>())
    }

    fn run_words(&self, tool: &str, words: &[&str]) -> Result<()> {
        let switch = switch(self.number);
        let mut all = vec![tool, "-n", &switch];
        all.extend(words);
        run_words(&all)
    }
}

impl Drop for Lan {
    fn drop(&mut self) {
        self._pipe = None;
        // So that what a test leaves behind is gone when it is over.
        let _ = self.watcher.wait();
    }
}

impl Machine {
    /// Its address.
    pub fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// A command that runs on it, under the process id that it has here.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        self.command_as(program, None)
    }

    /// The same, of a user and a group by their numbers: who enters a namespace has to be root.
    pub(crate) fn command_as(
        &self,
        program: impl AsRef<OsStr>,
        user: Option<(u32, u32)>,
    ) -> Command {
        let enter = self.enter();
        let [tool, namespace] = enter.as_slice() else {
            return Command::new(program);
        };
        let mut command = Command::new(tool);
        command.arg(namespace);
        if let Some((user, group)) = user {
            command.args([format!("--setuid={user}"), format!("--setgid={group}")]);
        }
        command.arg(program);
        command
    }

    /// What is before a program's name on a command line, so that it runs on this machine.
    pub fn enter(&self) -> Vec<String> {
        let namespace = self.namespace.iter();
        let words =
            namespace.flat_map(|it| ["nsenter".to_owned(), format!("--net=/run/netns/{it}")]);
        words.collect()
    }

    fn port(&self) -> String {
        format!("port{}", self.number)
    }

    fn line(&self, lan: u8) -> String {
        match self.namespace {
            Some(_) => "dev line".to_owned(),
            None => format!("dev {}-1", switch(lan)),
        }
    }

    fn within(&self) -> String {
        let namespace = self.namespace.as_ref();
        namespace.map_or_else(String::new, |it| format!("-n {it}"))
    }
}

/// The namespace of a switch.
fn switch(number: u8) -> String {
    format!("burgee-{number}")
}

/// Of a network that is kept for measuring devices (RFC 2544), so that it is nobody's.
fn address(lan: u8, machine: u8) -> Ipv4Addr {
    Ipv4Addr::new(198, 18, lan, machine)
}

/// A number that no other network on this computer has: whoever makes its namespace has it.
fn take_number() -> Result<u8> {
    for number in 0..NETWORKS {
        match run(&format!("ip netns add {}", switch(number))) {
            Err(fault) if fault.to_string().contains("File exists") => {}
            made => {
                return made.map(|()| number).context(
                    "no network namespaces here: they need Linux, root, and iproute2 (`ip`, `tc`)",
                );
            }
        }
    }
    bail!("{NETWORKS} networks are here already: `ip netns list` has those that were left behind")
}

fn run(words: &str) -> Result<()> {
    run_words(&words.split_whitespace().collect::<Vec<_>>())
}

fn run_words(words: &[&str]) -> Result<()> {
    let [tool, rest @ ..] = words else {
        return Ok(());
    };
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new(tool)
        .args(rest)
        // Debian's users do not have them.
        .env("PATH", format!("{path}:/usr/sbin:/sbin"))
        .stdin(Stdio::null())
        .output();
    let output = output.with_context(|| format!("{tool} does not run"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("{}: {}", words.join(" "), said.trim());
    }
    Ok(())
}

fn broken() -> anyhow::Error {
    anyhow::anyhow!("another thread panicked with the switch")
}
