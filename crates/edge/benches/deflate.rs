//! What deflating a message costs and saves: `cargo bench -p burgee-edge --bench deflate`.
//!
//! Microseconds of the thread, the median of 51 rounds, for messages as SDKs get and send them.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_macros,
    clippy::print_stdout,
    reason = "a program that measures and prints"
)]

use burgee_edge::frame::deflate::{self, Coding};
use burgee_edge::frame::read::Reader;
use burgee_edge::frame::write;
use bytes::Bytes;
use flate2::{Compress, Compression, FlushCompress};
use rustix::time::{ClockId, clock_gettime};
use serde_json::{Value, json};

const ROUNDS: usize = 51;

fn main() {
    // cargo test --all-targets runs this too; then once through is enough.
    let rounds = match std::env::args().any(|arg| arg == "--bench") {
        true => ROUNDS,
        false => 1,
    };
    println!(
        "{:<34} {:>10} {:>10} {:>10}",
        "sent", "bytes", "deflated", "µs"
    );
    for flags in [3, 5, 10, 20, 50, 200, 1_000, 3_000] {
        sent(
            &format!("client SDK, {flags} flags"),
            &client(flags),
            rounds,
        );
    }
    for flags in [1, 5, 50, 3_000] {
        sent(
            &format!("server SDK, {flags} flags"),
            &server(flags),
            rounds,
        );
    }
    println!(
        "\n{:<34} {:>10} {:>10} {:>10}",
        "read", "bytes", "µs", "µs deflated"
    );
    read("a ping", r#"{"messageType":"ping","data":null}"#, rounds);
    let properties = |n: usize| json!({"name": format!("property-{n}"), "value": words(n)});
    for count in [3, 100] {
        let sync = json!({"messageType": "data-sync", "data": {"timestamp": 0, "user": {
            "keyId": word(1), "name": "Ada", "customizedProperties":
            (0..count).map(properties).collect::<Vec<_>>()}}});
        read(
            &format!("a user, {count} properties"),
            &sync.to_string(),
            rounds,
        );
    }
}

/// Deflates a message as it is before it is sent.
fn sent(name: &str, message: &Value, rounds: usize) {
    let mut frame = Vec::new();
    write::text(message.to_string().as_bytes(), &mut frame);
    let frame = Bytes::from(frame);
    let mut packed = Bytes::new();
    let time = median(rounds, || packed = deflate::pack(&frame));
    println!(
        "{name:<34} {:>10} {:>10} {time:>10.1}",
        frame.len(),
        packed.len()
    );
}

/// Reads a message as it was sent, and deflated.
fn read(name: &str, message: &str, rounds: usize) {
    let mut deflated = Vec::with_capacity(message.len() + 64);
    let mut deflater = Compress::new(Compression::default(), false);
    let flushed = deflater.compress_vec(message.as_bytes(), &mut deflated, FlushCompress::Sync);
    flushed.unwrap();
    deflated.truncate(deflated.len() - 4);
    let times = [(0x81, message.as_bytes()), (0xC1, &deflated)].map(|(first, payload)| {
        let frame = masked(first, payload);
        median(rounds, || {
            let mut input = frame.clone();
            let event = Reader::default().next(&mut input, Coding::Deflate);
            assert!(event.unwrap().1.is_some());
        })
    });
    println!(
        "{name:<34} {:>10} {:>10.2} {:>10.2}",
        message.len(),
        times[0],
        times[1]
    );
}

fn masked(first: u8, payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![first, 0x80 | 127];
    frame.extend((payload.len() as u64).to_be_bytes());
    // A mask of zeros changes nothing.
    frame.extend([0; 4]);
    frame.extend(payload);
    frame
}

/// Microseconds that it takes, in the middle of so many rounds of about a millisecond.
fn median(rounds: usize, mut work: impl FnMut()) -> f64 {
    let once = timed(1, &mut work);
    let times = (1_000.0 / once.max(0.1)).clamp(1.0, 1_000.0) as usize;
    let mut figures: Vec<_> = (0..rounds).map(|_| timed(times, &mut work)).collect();
    figures.sort_by(f64::total_cmp);
    figures[rounds / 2]
}

fn timed(times: usize, work: &mut impl FnMut()) -> f64 {
    let start = cpu_time();
    for _ in 0..times {
        work();
    }
    (cpu_time() - start) / times as f64
}

/// What this thread has used of a core, in µs.
fn cpu_time() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 * 1e6 + time.tv_nsec as f64 / 1e3
}

/// Something like an id, the same for the same number.
fn word(n: usize) -> String {
    let mut state = (n as u128 + 1) * 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835;
    state ^= state >> 61;
    let id = format!("{:032x}", state.wrapping_mul(0xD6E8_FEB8_6659_FD93));
    let parts = [&id[..8], &id[8..12], &id[12..16], &id[16..20], &id[20..]];
    parts.join("-")
}

/// Something like a description.
fn words(n: usize) -> String {
    const WORDS: [&str; 8] = [
        "checkout",
        "the",
        "new",
        "page",
        "of",
        "customers",
        "in",
        "beta",
    ];
    let picked = (0..8).map(|at| WORDS[(n * 31 + at * at * 7 + n * at) % WORDS.len()]);
    picked.collect::<Vec<_>>().join(" ")
}

/// What a client SDK is answered.
fn client(flags: usize) -> Value {
    let flag = |n: usize| {
        let options = json!([{"id": word(2 * n), "value": "true"}, {"id": word(2 * n + 1), "value": "false"}]);
        json!({"id": format!("{}-{n}", words(n).replace(' ', "-")), "variationType": "boolean",
            "variationOptions": options, "timestamp": 1_795_289_347_131_i64 + n as i64,
            "variation": "true", "variationId": word(2 * n), "matchReason": "fall through targets",
            "sendToExperiment": false})
    };
    let flags: Vec<_> = (0..flags).map(flag).collect();
    json!({"messageType": "data-sync",
        "data": {"eventType": "full", "userKeyId": word(7), "featureFlags": flags}})
}

/// What a server SDK is answered.
fn server(flags: usize) -> Value {
    let flag = |n: usize| {
        let (on, off) = (word(2 * n), word(2 * n + 1));
        let targets: Vec<_> = (0..10)
            .map(|user| format!("user-{}", (n * 7919 + user * 104_729) % 1_000_003))
            .collect();
        json!({"id": word(n + 1_000_000), "createdAt": "2026-11-21T10:11:12.131Z",
            "updatedAt": format!("2026-11-21T10:{:02}:{:02}.{:03}Z", n / 60 % 60, n % 60, n % 1000),
            "envId": word(5), "name": words(n), "description": format!("{}. {}", words(n + 1), words(n + 2)),
            "key": format!("{}-{n}", words(n).replace(' ', "-")), "variationType": "boolean",
            "variations": [{"id": on, "value": "true"}, {"id": off, "value": "false"}],
            "targetUsers": [{"keyIds": targets, "variationId": on}],
            "rules": [{"id": word(n + 2_000_000), "name": "some", "dispatchKey": null,
                "includedInExpt": false, "conditions": [
                    {"property": "country", "op": "IsOneOf", "value": "[\"fr\",\"de\"]"}],
                "variations": [{"id": on, "rollout": [0, 1], "exptRollout": 1}]}],
            "isEnabled": true, "disabledVariationId": off,
            "fallthrough": {"dispatchKey": null, "includedInExpt": false, "variations": [
                {"id": on, "rollout": [0, 0.3], "exptRollout": 1},
                {"id": off, "rollout": [0.3, 1], "exptRollout": 1}]},
            "exptIncludeAllTargets": false, "tags": ["web", "checkout"], "isArchived": false})
    };
    let flags: Vec<_> = (0..flags).map(flag).collect();
    json!({"messageType": "data-sync",
        "data": {"eventType": "full", "featureFlags": flags, "segments": []}})
}
