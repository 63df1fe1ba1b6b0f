use super::*;

const HOME: &str = "192.0.2.1";

fn address(text: &str) -> IpAddr {
    text.parse().unwrap()
}

#[test]
fn an_account_waits_longer_after_each_failure_wherever_they_come_from() {
    let (throttle, now) = (Throttle::default(), Millis(1_000_000));
    for number in 0..6 {
        assert_eq!(throttle.wait("ann", address(HOME), now), 0, "{number}");
        throttle.failed("ann", address(&format!("192.0.2.{number}")), now);
    }
    assert_eq!(throttle.wait("ann", address("198.51.100.7"), now), 1_000);
    assert_eq!(
        throttle.wait("ann", address(HOME), Millis(now.0 + 1_000)),
        0
    );
    assert_eq!(throttle.wait("bob", address("198.51.100.7"), now), 0);
    throttle.succeeded("ann", address(HOME));
    assert_eq!(throttle.wait("ann", address("198.51.100.7"), now), 0);
}

#[test]
fn an_address_waits_after_failures_of_many_accounts() {
    let (throttle, now) = (Throttle::default(), Millis(1_000_000));
    for number in 0..26 {
        throttle.failed(&format!("guess-{number}"), address("2001:db8::1"), now);
    }
    assert_eq!(
        throttle.wait("new", address("2001:db8::2"), now),
        1_000,
        "the same /64"
    );
    assert_eq!(throttle.wait("new", address("2001:db8:1::1"), now), 0);
}

#[test]
fn the_first_of_two_steps_is_no_failure_and_forgives_none() {
    let (throttle, now) = (Throttle::default(), Millis(1_000_000));
    for _ in 0..5 {
        throttle.failed("ann", address(HOME), now);
    }
    for _ in 0..100 {
        throttle.failed("ann", address(HOME), now);
        throttle.forgiven("ann", address(HOME));
        assert_eq!(throttle.wait("ann", address(HOME), now), 0);
    }
    throttle.failed("ann", address(HOME), now);
    assert_eq!(throttle.wait("ann", address(HOME), now), 1_000);
}

#[test]
fn failures_are_forgotten_after_an_hour() {
    let (throttle, now) = (Throttle::default(), Millis(10 * FORGOTTEN));
    for _ in 0..20 {
        throttle.failed("ann", address(HOME), now);
    }
    let later = Millis(now.0 + FORGOTTEN + 1);
    throttle.failed("ann", address(HOME), later);
    assert_eq!(throttle.wait("ann", address(HOME), later), 0);
}

#[test]
fn what_is_remembered_is_bounded() {
    let throttle = Throttle::default();
    for number in 0..i64::try_from(REMEMBERED).unwrap() + 10 {
        throttle.failed(&format!("guess-{number}"), address(HOME), Millis(number));
    }
    assert!(throttle.failures.lock().unwrap().len() <= REMEMBERED);
}
