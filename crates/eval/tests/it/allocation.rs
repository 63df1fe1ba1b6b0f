//! Evaluating allocates nothing: counted, since it would creep in unseen.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

use burgee_eval::compile;
use burgee_eval::operator::OPERATORS;
use serde_json::{Value, json};

use crate::build::{flag, in_segment, rule, segment, user};

thread_local! {
    static COUNT: Cell<usize> = const { Cell::new(0) };
}

/// The system's allocator, counting per thread.
struct Counting;

#[expect(
    unsafe_code,
    reason = "only so can allocations be counted; all is passed on as it came"
)]
// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's promise is the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above; the pointer came from `System`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(work: impl FnOnce()) -> usize {
    let before = COUNT.with(Cell::get);
    work();
    COUNT.with(Cell::get) - before
}

#[test]
fn allocations_are_counted() {
    assert_eq!(
        allocations(|| drop(std::hint::black_box(vec![0_u8; 100]))),
        1
    );
}

#[test]
fn evaluating_allocates_nothing() {
    let members = segment(
        "s",
        json!({"included": ["someone"], "excluded": ["nobody"]}),
    );
    let segments = [Arc::new(compile::segment(Arc::new(members)))]
        .into_iter()
        .collect();
    let mut rules: Vec<Value> = OPERATORS
        .iter()
        .map(|operator| {
            let value = match operator.name {
                "IsOneOf" | "NotOneOf" => r#"["x","y"]"#,
                "InCidr" | "NotInCidr" => "10.0.0.0/8",
                _ => "2026.11.21",
            };
            // Nobody has the second property, so that every rule is gone through.
            let first = json!({"property": "p", "op": operator.name, "value": value});
            let last = json!({"property": "q", "op": "Equal", "value": "x"});
            rule(json!([first, last]), "a")
        })
        .collect();
    rules.push(rule(in_segment("s"), "a"));
    let over = json!({
        "targetUsers": [{"keyIds": ["x", "y"], "variationId": "a"}], "rules": rules,
        "fallthrough": {"includedInExpt": true, "variations": [
            {"id": "a", "rollout": [0, 0.5], "exptRollout": 0.1},
            {"id": "b", "rollout": [0.5, 1], "exptRollout": 0.1},
        ]},
    });
    let flag = compile::flag(Arc::new(flag("flag", over)), &segments);
    for value in [
        "2026.11.20",
        "1.0.0-rc.1",
        "2026-11-21T10:00:00Z",
        "10.1.2.3",
        "Ünder",
        "",
    ] {
        let user = user("u", "p", value);
        // The first use of a pattern in a thread makes the state that it matches with.
        let expected = flag.evaluate(&user);
        let count = allocations(|| assert_eq!(flag.evaluate(&user), expected));
        assert_eq!(count, 0, "{value:?}");
    }
}
