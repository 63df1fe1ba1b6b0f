//! The encoded answers against ones that are serialized plainly, for arbitrary flags.

use burgee_eval::flag::{Flag, VariationType};
use proptest::prelude::*;
use serde_json::Value;

use super::*;

/// What a client's full answer says, by the book.
fn plainly(state: &Encoded, user: &User<'_>) -> Value {
    let flags = state.snapshot().flags().iter().filter_map(|flag| {
        let outcome = flag.outcome(flag.evaluate(user)?)?;
        let variation = &flag.flag().variations[outcome.variation];
        let options = flag.flag().variations.iter();
        let options = options.map(|option| json!({"id": option.id, "value": option.value}));
        Some(json!({
            "id": flag.flag().key,
            "variation": variation.value,
            "variationType": flag.flag().variation_type.as_str(),
            "variationId": variation.id,
            "matchReason": flag.match_reason(outcome.reason),
            "variationOptions": options.collect::<Vec<_>>(),
            "sendToExperiment": outcome.send_to_experiment,
            "timestamp": flag.timestamp().0,
        }))
    });
    let flags: Vec<_> = flags.collect();
    json!({"messageType": "data-sync",
        "data": {"eventType": "full", "userKeyId": user.key, "featureFlags": flags}})
}

/// Any text, with what JSON has to escape.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,8}",
        "\\PC{0,12}",
        "[\"\\\\\u{0}-\u{1f}/é\u{2028}😀]{0,6}"
    ]
}

fn any_flag(key: String) -> impl Strategy<Value = Flag> {
    let kind = prop_oneof![Just(VariationType::String), Just(VariationType::Json)];
    let values = prop::collection::vec(text(), 1..4);
    let split = (0.0..=1.0f64, 0..4usize, 0..4usize);
    let rule = (text(), any::<bool>(), 0..4usize);
    let rules = prop::collection::vec(rule, 0..3);
    let switches = (any::<bool>(), any::<bool>(), any::<bool>());
    (kind, values, split, rules, switches, 0..1000i64).prop_map(
        move |(kind, values, (cut, left, right), rules, (on, experiment, archived), stamp)| {
            let values = values.into_iter().enumerate();
            let variations: Vec<_> =
                values.map(|(id, value)| json!({"id": format!("v{id}"), "value": value})).collect();
            let part = |id: usize, from: f64, to: f64| {
                json!({"id": format!("v{id}"), "rollout": [from, to], "exptRollout": 0.5})
            };
            let rules = rules.into_iter().enumerate().map(|(id, (name, included, gives))| {
                json!({"id": format!("r{id}"), "name": name, "includedInExpt": included,
                    "conditions": [{"property": "keyId", "op": "EndsWith", "value": id.to_string()}],
                    "variations": [part(gives, 0.0, 1.0)]})
            });
            let rules: Vec<_> = rules.collect();
            serde_json::from_value(json!({
                "id": key, "key": key, "updatedAt": T + stamp, "variationType": kind,
                "variations": variations, "rules": rules, "isEnabled": on,
                "targetUsers": [{"keyIds": ["target"], "variationId": "v0"}],
                "disabledVariationId": "v0", "exptIncludeAllTargets": experiment,
                "fallthrough": {"includedInExpt": true,
                    "variations": [part(left, 0.0, cut), part(right, cut, 1.0)]},
                "isArchived": archived,
            }))
            .unwrap()
        },
    )
}

fn any_flags() -> impl Strategy<Value = Vec<Flag>> {
    prop::collection::hash_set(text(), 0..6).prop_flat_map(|keys| {
        keys.into_iter()
            .map(|key| any_flag(key).boxed())
            .collect::<Vec<_>>()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn fragments_say_what_serializing_says(
        flags in any_flags(),
        key in prop_oneof![Just("target".to_owned()), text()],
    ) {
        let state = encoded(flags, vec![]);
        let user = user(&key);
        let mut out = Vec::new();
        state.client_sync(&user, 0, NOW, &mut out);
        let mut answer: Value = serde_json::from_slice(&out).unwrap();
        let expected = plainly(&state, &user);

        // What is not served raises the newest timestamp; that apart all is the same.
        let hidden = state.snapshot().flags().iter().filter(|flag| flag.evaluate(&user).is_none());
        let hidden = hidden.map(|flag| flag.timestamp().0).max();
        let served = expected["data"]["featureFlags"].as_array().unwrap();
        let newest = served.iter().map(|flag| flag["timestamp"].as_i64().unwrap()).max();
        if let (Some(hidden), Some(newest)) = (hidden, newest) && hidden > newest {
            let flags = answer["data"]["featureFlags"].as_array_mut().unwrap();
            let raised: Vec<_> = flags.iter_mut().filter(|flag| flag["timestamp"] == hidden).collect();
            prop_assert_eq!(raised.len(), 1);
            for flag in raised {
                flag["timestamp"] = newest.into();
            }
        }
        prop_assert_eq!(answer, expected);
    }

    #[test]
    fn server_items_come_back_as_they_went_in(flags in any_flags()) {
        let state = encoded(flags.clone(), vec![]);
        let answers = server_sync(&state, 0);
        let sent = answers[0].list("featureFlags");
        for flag in flags.iter().filter(|flag| !flag.is_archived) {
            let item = sent.iter().find(|item| item["key"] == flag.key.as_str()).unwrap();
            let back: Flag = serde_json::from_value(item.clone()).unwrap();
            prop_assert_eq!(&back, flag);
        }
    }
}
