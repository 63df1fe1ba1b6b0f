//! What taking in the body of a track request costs: `cargo bench -p burgee-edge`.
//!
//! From the bytes of a body of fifty events to the counters and the buffer, as the endpoint does
//! it: nanoseconds (of the thread, so that others on the machine disturb little) and allocations
//! an event, the median of 51 rounds.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::disallowed_macros,
    clippy::print_stdout,
    clippy::panic,
    unsafe_code,
    reason = "a program that measures and prints, and counts allocations"
)]

#[path = "../tests/it/memory.rs"]
#[allow(
    dead_code,
    unreachable_pub,
    reason = "made for tests, of which this uses a part"
)]
mod memory;

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use burgee_edge::hub::{Access, Hub, Lookup};
use burgee_edge::metrics::Metrics;
use burgee_edge::traffic::Traffic;
use burgee_eval::flag::Flag;
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

const ROUNDS: usize = 51;
const EVENTS: usize = 50;
const BODIES: usize = 200;
const NOW: i64 = 1_700_000_000_000;

/// Counts allocations.
struct Counting;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller's promise; it was allocated above.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    // cargo test --all-targets runs this too; then once through is enough.
    let rounds = match std::env::args().any(|arg| arg == "--bench") {
        true => ROUNDS,
        false => 1,
    };
    println!("{:<34} {:>10} {:>14}", "an event", "ns", "allocations");
    for (name, event) in events() {
        let mut figures = Vec::with_capacity(rounds);
        for _ in 0..rounds {
            figures.push(round(&*event).await);
        }
        figures.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (time, allocations) = figures[rounds / 2];
        println!("{name:<34} {time:>10.0} {allocations:>14.1}");
    }
}

/// Makes the event of a number.
type Event = Box<dyn Fn(usize) -> Value>;

/// Nanoseconds and allocations an event took. Users are known from an untimed first pass.
async fn round(event: &dyn Fn(usize) -> Value) -> (f64, f64) {
    let world = memory::World::with(&["env"]);
    let tracked = Flag {
        tracked: true,
        ..memory::flag("tracked-flag", "x")
    };
    world.put("env", vec![memory::flag("some-flag", "x"), tracked], vec![]);
    let (metrics, shutdown) = (Arc::new(Metrics::default()), CancellationToken::new());
    let hub = Hub::new(world, Arc::clone(&metrics));
    let feeding = tokio::spawn(Arc::clone(&hub).run(shutdown.clone()));
    hub.ready().await;
    let Lookup::Known(access) = hub.lookup("env-server") else {
        panic!("the key is not known")
    };
    let bodies: Vec<_> = (0..BODIES).map(|body| body_of(body, event)).collect();
    let traffic = Traffic::new("sender".into(), metrics);
    take(&traffic, &access, &bodies);
    let (start, before) = (cpu_time(), ALLOCATIONS.load(Relaxed));
    take(&traffic, &access, &bodies);
    let (end, after) = (cpu_time(), ALLOCATIONS.load(Relaxed));
    shutdown.cancel();
    feeding.await.unwrap();
    let events = (BODIES * EVENTS) as f64;
    ((end - start) / events, (after - before) as f64 / events)
}

/// What this thread has used of a core, in ns.
fn cpu_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e9 + time.tv_nsec as f64
}

fn take(traffic: &Traffic, access: &Access, bodies: &[Vec<u8>]) {
    for body in bodies {
        traffic.track(access, body, NOW).unwrap();
    }
}

fn body_of(body: usize, event: &dyn Fn(usize) -> Value) -> Vec<u8> {
    let events = (0..EVENTS).map(|number| event(body * EVENTS + number));
    Value::from_iter(events).to_string().into_bytes()
}

/// An event of each kind, in an entry of its own with its user, as SDKs send them.
fn events() -> Vec<(&'static str, Event)> {
    let user = |n: usize| {
        let n = n % 1_000;
        json!({"keyId": format!("5f3c9b1e-user-{n}"), "name": format!("user {n}"),
            "customizedProperties": [{"name": "country", "value": "de"},
                {"name": "plan", "value": "pro"}, {"name": "age", "value": n.to_string()}]})
    };
    let evaluation = move |flag: &'static str| {
        move |n: usize| {
            json!({"user": user(n), "variations": [{"featureFlagKey": flag,
                "sendToExperiment": false, "timestamp": NOW - 500,
                "variation": {"id": "v", "value": "x", "reason": "targeted"}}]})
        }
    };
    let metric = move |n: usize| {
        json!({"user": user(n), "metrics": [{"route": "index/metric", "type": "CustomEvent",
            "eventName": format!("event {}", n % 20), "numericValue": 2.5,
            "appType": "dotnet-server-side", "timestamp": NOW - 500}]})
    };
    vec![
        ("evaluation", Box::new(evaluation("some-flag"))),
        (
            "evaluation, flag tracked",
            Box::new(evaluation("tracked-flag")),
        ),
        ("metric event", Box::new(metric)),
    ]
}
