//! A port in use is noticed, however many loops there are.

use std::io::ErrorKind;
use std::net::SocketAddr;

use super::bind;
use crate::driver::Config;

fn config(loops: usize, share_port: bool) -> Config {
    Config {
        loops,
        share_port,
        ..Config::default()
    }
}

#[test]
fn the_port_of_another_is_not_shared_by_accident() {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    for loops in [1, 2, 4] {
        let first = bind(any, &config(loops, false)).unwrap();
        assert_eq!(first.len(), loops);
        let address = first[0].local_addr().unwrap();
        for others in [1, 2] {
            let second = bind(address, &config(others, false));
            assert_eq!(second.unwrap_err().kind(), ErrorKind::AddrInUse);
        }
        // Once it is free, it can be taken.
        drop(first);
        assert_eq!(bind(address, &config(loops, false)).unwrap().len(), loops);
    }
}

#[test]
fn a_port_is_shared_on_purpose() {
    let any = SocketAddr::from(([127, 0, 0, 1], 0));
    let first = bind(any, &config(1, true)).unwrap();
    let address = first[0].local_addr().unwrap();
    assert!(bind(address, &config(2, true)).is_ok());
}
