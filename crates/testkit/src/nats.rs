//! Temporary NATS servers for tests: one alone, or three as a cluster, with JetStream on the disk.
//!
//! As with [`crate::postgres`], a shell watches over each: its standard input is a pipe that this
//! process holds and gives it orders by, and when the process ends, in whatever way, the pipe closes
//! and the shell ends the server and removes its folder.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::lan::Machine;
use crate::loopback::own_address;

/// A NATS server, which ends and is removed when this is dropped.
#[derive(Debug)]
pub struct Nats {
    address: SocketAddr,
    monitor: SocketAddr,
    orders: ChildStdin,
    answers: BufReader<ChildStdout>,
}

/// What the watching shell runs, in the server's folder.
const SCRIPT: &str = r#"
PATH=$PATH:/usr/sbin
start() {
    nats-server -c nats.conf >>nats.log 2>&1 &
    server=$!
}
crash() {
    kill -9 $server
    wait $server 2>/dev/null
    true
}
# Of a disk of its own (`Nats::start_on_small_disk`).
fill() {
    dd if=/dev/zero of=store/ballast bs=4k 2>/dev/null
    true
}
drain() {
    rm store/ballast
}
if [ -n "$DISK" ]; then
    mkdir store && mount -t tmpfs -o "size=$DISK" burgee store || exit 1
fi
start && echo done &&
while read -r order; do
    "$order" && echo done || echo failed
done
crash
cd /
[ -z "$DISK" ] || umount "$OLDPWD/store"
rm -rf "$OLDPWD"
"#;

/// Where a server answers clients, at its own address. Not NATS's own ports, which a server that somebody
/// else runs on this machine may have on all addresses; nor such as connections are given.
const CLIENTS: u16 = 14222;
/// Where it says how it is.
const MONITOR: u16 = 18222;
/// Where the others of its cluster reach it.
const CLUSTER: u16 = 16222;

/// How long a server may take until it answers.
const STARTING: Duration = Duration::from_secs(60);

impl Nats {
    /// Starts a server alone. `users` is what its file of settings says of those who may connect
    /// (`authorization { … }`); anybody where it is empty.
    ///
    /// # Errors
    /// Where NATS is not installed or does not start.
    pub fn start(users: &str) -> Result<Self> {
        let server = Self::spawn("alone", own_address(), users, None, None)?;
        server.until_healthy()?;
        Ok(server)
    }

    /// Starts a server alone on a machine.
    ///
    /// # Errors
    /// As [`Self::start`].
    pub fn start_on(machine: &Machine) -> Result<Self> {
        let server = Self::spawn("alone", machine.address(), "", None, Some(machine))?;
        server.until_healthy()?;
        Ok(server)
    }

    /// Starts a server alone, on a disk of so many MiB that only it sees. It does not know how small
    /// that is, as a server does not that shares its disk.
    ///
    /// # Errors
    /// Where NATS is not installed, or nothing can be mounted: that takes root, or namespaces for
    /// users.
    pub fn start_on_small_disk(mebibytes: u32) -> Result<Self> {
        let server = Self::spawn("alone", own_address(), "", Some(mebibytes), None);
        let server = server.context("no disk of its own: mounting takes root")?;
        server.until_healthy()?;
        Ok(server)
    }

    /// Starts three servers as a cluster.
    ///
    /// # Errors
    /// Where NATS is not installed or does not start.
    pub fn cluster() -> Result<Vec<Self>> {
        let addresses = [(); 3].map(|()| own_address());
        let routes = addresses.map(|it| format!("nats://{it}:{CLUSTER}"));
        let routes = routes.join(", ");
        let servers = addresses.into_iter().enumerate().map(|(index, address)| {
            let more = format!(
                "cluster {{ name: test, listen: \"{address}:{CLUSTER}\", routes: [{routes}] }}"
            );
            Self::spawn(&format!("server-{index}"), address, &more, None, None)
        });
        let servers: Vec<Self> = servers.collect::<Result<_>>()?;
        for server in &servers {
            server.until_healthy()?;
        }
        Ok(servers)
    }

    fn spawn(
        name: &str,
        address: Ipv4Addr,
        more: &str,
        disk: Option<u32>,
        machine: Option<&Machine>,
    ) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("burgee-nats-").tempdir()?;
        let folder: PathBuf = folder.keep();
        let clients = SocketAddr::from((address, CLIENTS));
        let monitor = SocketAddr::from((address, MONITOR));
        let settings = format!(
            "server_name: {name}\nlisten: \"{clients}\"\nhttp: \"{monitor}\"\n\
             jetstream {{ store_dir: \"{}/store\", max_file_store: 10GB }}\n{more}\n",
            folder.display()
        );
        fs::write(folder.join("nats.conf"), settings)?;
        let mut watcher = match (disk, machine) {
            (None, None) => Command::new("/bin/sh"),
            (None, Some(machine)) => machine.command("/bin/sh"),
            // What it mounts goes with it.
            (Some(_), _) => {
                let mut unshare = Command::new("unshare");
                unshare.args(["-Urm", "/bin/sh"]);
                unshare
            }
        };
        let mut watcher = watcher
            .args(["-c", SCRIPT])
            .current_dir(&folder)
            .env("DISK", disk.map_or_else(String::new, |it| format!("{it}m")))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Signals to the test's group are not for the shell, which has to clean up.
            .process_group(0)
            .spawn()
            .context("starting a shell")?;
        let mut server = Self {
            address: clients,
            monitor,
            orders: watcher.stdin.take().context("the shell has no input")?,
            answers: BufReader::new(watcher.stdout.take().context("the shell has no output")?),
        };
        server.done()?;
        Ok(server)
    }

    /// Where clients connect.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Where clients connect, as they are told it.
    pub fn url(&self) -> String {
        format!("nats://{}", self.address)
    }

    /// Takes all that is left of a small disk. Blocks.
    ///
    /// # Errors
    /// Where the shell is gone.
    pub fn fill_disk(&mut self) -> Result<()> {
        writeln!(self.orders, "fill")?;
        self.done()
    }

    /// Gives back what [`Self::fill_disk`] took. Blocks.
    ///
    /// # Errors
    /// Where nothing was taken.
    pub fn make_room(&mut self) -> Result<()> {
        writeln!(self.orders, "drain")?;
        self.done()
    }

    /// Brings several back after [`Self::crash`]: of a cluster none is well alone. Blocks.
    ///
    /// # Errors
    /// Where one does not start.
    pub fn come_back_together(servers: &mut [Self]) -> Result<()> {
        for server in servers.iter_mut() {
            writeln!(server.orders, "start")?;
            server.done()?;
        }
        servers.iter().try_for_each(Self::until_healthy)
    }

    /// Ends the server without a word (kill -9); what it has on the disk stays. Blocks.
    ///
    /// # Errors
    /// Where it does not end.
    pub fn crash(&mut self) -> Result<()> {
        writeln!(self.orders, "crash")?;
        self.done()
    }

    /// Brings it back after [`Self::crash`]. Blocks until it answers.
    ///
    /// # Errors
    /// Where it does not start.
    pub fn come_back(&mut self) -> Result<()> {
        Self::come_back_together(std::slice::from_mut(self))
    }

    /// Blocks until the server says that JetStream is up to date on it.
    #[allow(
        clippy::disallowed_methods,
        reason = "it says so when it is asked, and not before"
    )]
    fn until_healthy(&self) -> Result<()> {
        let until = Instant::now() + STARTING;
        while !self.is_healthy() {
            if Instant::now() > until {
                bail!("NATS does not answer (is nats-server installed?)");
            }
            sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn is_healthy(&self) -> bool {
        let asked = || -> std::io::Result<String> {
            let mut stream = TcpStream::connect(self.monitor)?;
            stream.set_read_timeout(Some(Duration::from_secs(5)))?;
            stream.write_all(b"GET /healthz HTTP/1.0\r\n\r\n")?;
            let mut answer = String::new();
            stream.read_to_string(&mut answer)?;
            Ok(answer)
        };
        asked().is_ok_and(|answer| answer.contains("200 OK"))
    }

    fn done(&mut self) -> Result<()> {
        let mut line = String::new();
        self.answers.read_line(&mut line)?;
        match line.trim() {
            "done" => Ok(()),
            other => bail!("the shell answered '{other}'"),
        }
    }
}
