use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use super::{KEPT, Limiter, Rate, Rates};

const HERE: IpAddr = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));

fn rates(caller: f64, address: f64) -> Rates {
    let rate = |per_second: f64| Rate {
        per_second,
        burst: per_second * 10.0,
    };
    Rates {
        caller: rate(caller),
        address: rate(address),
    }
}

fn taken(limiter: &Limiter, credential: &str, now: Instant, most: usize) -> usize {
    let takes = (0..most).map(|_| limiter.take(Some(credential), HERE, now));
    takes.take_while(Result::is_ok).count()
}

#[test]
fn a_bucket_empties_and_fills() {
    let limiter = Limiter::new(rates(2.0, 1_000.0));
    let now = Instant::now();
    assert_eq!(taken(&limiter, "a", now, 100), 20);
    let wait = limiter.take(Some("a"), HERE, now).unwrap_err();
    assert_eq!(wait, Duration::from_millis(500));
    assert_eq!(taken(&limiter, "a", now + wait, 100), 1);
    assert_eq!(taken(&limiter, "a", now + Duration::from_secs(4), 100), 7);
    // Another one is not held up by it, and a long silence saves nothing up.
    assert_eq!(taken(&limiter, "b", now, 100), 20);
    assert_eq!(
        taken(&limiter, "b", now + Duration::from_secs(3_600), 100),
        20
    );
}

#[test]
fn an_address_has_a_bucket_too() {
    let limiter = Limiter::new(rates(2.0, 3.0));
    let now = Instant::now();
    assert_eq!(taken(&limiter, "a", now, 100), 20);
    assert_eq!(
        taken(&limiter, "b", now, 100),
        10,
        "30 of the address in all"
    );
    assert!(limiter.take(None, HERE, now).is_err());
    let neighbour = IpAddr::from([0x2001, 0xdb8, 0, 1, 0, 0, 0, 1]);
    let same = IpAddr::from([0x2001, 0xdb8, 0, 1, 9, 9, 9, 9]);
    assert_eq!(
        (0..31)
            .filter(|_| limiter.take(None, neighbour, now).is_ok())
            .count(),
        30
    );
    assert!(limiter.take(None, same, now).is_err());
}

#[test]
fn what_is_kept_is_bounded() {
    let limiter = Limiter::new(rates(2.0, f64::INFINITY));
    let now = Instant::now();
    for number in 0..KEPT + 10 {
        let later = now + Duration::from_nanos(number as u64);
        limiter
            .take(Some(number.to_string().as_str()), HERE, later)
            .unwrap();
    }
    let kept = limiter.callers.lock().unwrap().len();
    assert!(kept <= KEPT, "{kept}");
    assert!(limiter.addresses.lock().unwrap().is_empty());
}

#[test]
fn no_limit_counts_nothing() {
    let limiter = Limiter::new(Rates::of(None));
    assert_eq!(taken(&limiter, "a", Instant::now(), 10_000), 10_000);
    assert!(limiter.callers.lock().unwrap().is_empty());
}
