//! How often keys are looked at.

use std::sync::atomic::Ordering;

use super::super::tests::{Caller, World, serve};

const RELAYS: usize = 20;
const CHANGES: usize = 10;

#[tokio::test]
async fn a_change_costs_one_look_for_all_that_came_with_a_key() {
    let (world, address) = serve(World::default()).await;
    world.put(1, 0);
    let mut relays = Vec::new();
    for _ in 0..RELAYS {
        let mut relay = Caller::hello(address, 0).await;
        relay.until(1).await;
        relays.push(relay);
    }
    let before = world.asked.load(Ordering::SeqCst);
    for version in 2..2 + CHANGES as i64 {
        world.put(version, 0);
        for relay in &mut relays {
            relay.until(version).await;
        }
    }
    let looks = world.asked.load(Ordering::SeqCst) - before;
    // The look for the one that came last may be among them.
    assert!((1..=CHANGES + 1).contains(&looks), "{looks} looks");
}
