//! What a server on this machine says it counted: its metrics, wherever it answers them.
//!
//! The address need not be told: of the ports that the process listens on, it is the one that
//! answers as metrics do.

use std::collections::HashSet;
use std::fs;
use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpStream};
use std::time::Duration;

use anyhow::Context;

/// Metrics take no longer.
const PATIENCE: Duration = Duration::from_secs(1);
/// Every metric of the edge begins so.
const PREFIX: &str = "burgee_edge_traffic_";

/// Where the processes' metrics are.
#[derive(Debug)]
pub struct Counters {
    addresses: Vec<SocketAddr>,
}

/// What was counted so far of a sort of traffic, over all processes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    accepted: u64,
    dropped: u64,
}

impl Counted {
    /// Taken in, and not dropped afterwards.
    pub fn kept(self) -> u64 {
        self.accepted.saturating_sub(self.dropped)
    }
}

impl Counters {
    /// Looks for the metrics of processes; `public` is the address that is none of theirs. None are
    /// found for a server without metrics, or of another machine or user.
    pub fn find(pids: &[u32], public: SocketAddr) -> Self {
        let ports = pids
            .iter()
            .flat_map(|pid| listening(*pid).unwrap_or_default());
        let addresses = ports.map(|(ip, port)| SocketAddr::new(ip, port));
        let mut addresses: Vec<SocketAddr> = addresses
            .filter(|address| address.port() != public.port())
            .filter(|address| fetch(*address).is_ok_and(|text| text.contains(PREFIX)))
            .collect();
        addresses.sort_unstable();
        addresses.dedup();
        Self { addresses }
    }

    /// What was counted so far of `evaluation`s, `metric`s …; `None` where there are no metrics.
    ///
    /// # Errors
    /// They do not answer any more.
    pub fn read(&self, what: &str) -> anyhow::Result<Option<Counted>> {
        let mut sum = Counted::default();
        for address in &self.addresses {
            let text = fetch(*address).context("the server's metrics")?;
            sum.accepted += value(&text, "accepted", what);
            sum.dropped += value(&text, "dropped", what);
        }
        Ok((!self.addresses.is_empty()).then_some(sum))
    }
}

fn value(text: &str, counter: &str, what: &str) -> u64 {
    let name = format!("{PREFIX}{counter}_total{{what=\"{what}\"}} ");
    let line = text.lines().find_map(|line| line.strip_prefix(&name));
    // A counter that never counted is not there.
    line.and_then(|value| value.trim().parse().ok())
        .unwrap_or_default()
}

fn fetch(address: SocketAddr) -> anyhow::Result<String> {
    let mut stream = TcpStream::connect_timeout(&address, PATIENCE)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let request = format!("GET /metrics HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes())?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}

/// Addresses that a process listens on by IPv4, from `/proc`.
fn listening(pid: u32) -> anyhow::Result<Vec<(IpAddr, u16)>> {
    let mut inodes = HashSet::new();
    for entry in fs::read_dir(format!("/proc/{pid}/fd"))? {
        // A descriptor may be closed meanwhile.
        let Ok(target) = fs::read_link(entry?.path()) else {
            continue;
        };
        let target = target.to_string_lossy().into_owned();
        let inode = target
            .strip_prefix("socket:[")
            .and_then(|rest| rest.strip_suffix(']'));
        inodes.extend(inode.map(str::to_owned));
    }
    let table = fs::read_to_string(format!("/proc/{pid}/net/tcp"))?;
    let mine = table.lines().skip(1).filter_map(listener);
    Ok(mine
        .filter(|(_, inode)| inodes.contains(*inode))
        .map(|(address, _)| address)
        .collect())
}

/// (address, inode) of a line of `/proc/…/net/tcp` that is of a listening socket.
fn listener(line: &str) -> Option<((IpAddr, u16), &str)> {
    const LISTEN: &str = "0A";
    let fields: Vec<&str> = line.split_whitespace().collect();
    let (ip, port) = fields.get(1)?.split_once(':')?;
    if *fields.get(3)? != LISTEN {
        return None;
    }
    // The kernel prints the address's bytes as a number of this machine.
    let ip = Ipv4Addr::from(u32::from_str_radix(ip, 16).ok()?.to_ne_bytes());
    let ip = if ip.is_unspecified() {
        Ipv4Addr::LOCALHOST
    } else {
        ip
    };
    let port = u16::from_str_radix(port, 16).ok()?;
    Some(((IpAddr::V4(ip), port), fields.get(9)?))
}

#[cfg(test)]
mod tests {
    use std::net::TcpListener;
    use std::thread;

    use super::*;

    #[test]
    fn metrics_are_found_among_what_a_process_listens_on() {
        let public = TcpListener::bind("127.0.0.1:0").unwrap();
        let metrics = TcpListener::bind("127.0.0.1:0").unwrap();
        let (public, address) = (public.local_addr().unwrap(), metrics.local_addr().unwrap());
        thread::spawn(move || {
            for stream in metrics.incoming() {
                let mut stream = stream.unwrap();
                let mut request = [0; 1024];
                let _ = stream.read(&mut request).unwrap();
                let text = "HTTP/1.1 200 OK\r\n\r\n\
                    burgee_edge_traffic_accepted_total{what=\"user\"} 3\n\
                    burgee_edge_traffic_accepted_total{what=\"metric\"} 50\n\
                    burgee_edge_traffic_dropped_total{what=\"metric\"} 8\n";
                stream.write_all(text.as_bytes()).unwrap();
            }
        });
        let counters = Counters::find(&[std::process::id()], public);
        assert_eq!(counters.addresses, [address]);
        let counted = counters.read("metric").unwrap().unwrap();
        assert_eq!(counted.kept(), 42);
        assert_eq!(
            counters.read("evaluation").unwrap(),
            Some(Counted::default())
        );
    }

    #[test]
    fn no_process_has_no_metrics() {
        let counters = Counters::find(&[], SocketAddr::from(([127, 0, 0, 1], 1)));
        assert_eq!(counters.read("metric").unwrap(), None);
    }
}
