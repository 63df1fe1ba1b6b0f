//! Forgetting a person: out of the past as well, with chains that still verify.

mod requests;

use std::path::PathBuf;

use burgee_store::audit::NoNotary;
use burgee_store::page::PageRequest;
use burgee_store::traffic::UserSeen;
use burgee_store::{Actor, HistoryScope, Store};
use serde_json::{Value, json};
use sqlx::Row;

use crate::kit::{
    Database, House, NOW, apply, flag_on, for_each_database, house, later, on_flag, on_whole,
    request, state, variations,
};

const KEY: &str = "mallory@example.com";

fn targets(flag: &str, variation: &str, keys: &[String]) -> Value {
    let mut command = on_flag("setTargets", "prod", flag);
    command["variation"] = json!(variation);
    command["keys"] = json!(keys);
    command
}

/// A history that names the key wherever it can: in a small flag, in one whose images are
/// differences, in an archived one, in segments of each scope, in a comment.
async fn named_everywhere(store: &Store, house: &House) {
    for flag in ["small", "large", "gone", "past"] {
        apply(store, house, flag_on(flag)).await;
    }
    let many: Vec<String> = (0..6_000)
        .map(|number| format!("user-{number:06}"))
        .collect();
    let with = |keys: &[String]| [keys, &[KEY.to_owned()]].concat();
    let (on, _) = variations(store, house, "large").await;
    apply(store, house, json!([targets("large", &on, &many)])).await;
    apply(store, house, json!([targets("large", &on, &with(&many))])).await;
    for kind in ["turnOff", "turnOn", "turnOff"] {
        apply(store, house, json!([on_flag(kind, "prod", "large")])).await;
    }
    for flag in ["small", "gone"] {
        let (on, _) = variations(store, house, flag).await;
        let set = json!([targets(flag, &on, &with(&["bob".to_owned()]))]);
        let mut set = request(house, set);
        set.comment = format!("{KEY} asked to try it");
        store.apply(&set).await.unwrap();
    }
    apply(store, house, json!([on_whole("archiveFlag", "gone")])).await;
    for place in [
        json!({}),
        json!({"project": "default"}),
        json!({"project": "default", "environment": "prod"}),
    ] {
        let mut made = json!({"kind": "createSegment", "segment": "some",
            "included": [KEY, "bob"], "excluded": []});
        let fields = place.as_object().unwrap().clone();
        made.as_object_mut().unwrap().extend(fields);
        apply(store, house, json!([made])).await;
    }
    let conditions = json!([{"property": "keyId", "op": "Equal", "value": KEY}]);
    for (flag, name) in [
        ("small", "all but one"),
        ("past", "for mallory@example.com"),
    ] {
        let mut rule = on_flag("addRule", "prod", flag);
        let (on, _) = variations(store, house, flag).await;
        rule["rule"] = json!({"id": "by-key", "name": name, "conditions": conditions,
            "variation": on});
        apply(store, house, json!([rule])).await;
    }
    // What was so once: a rule, and a description.
    let mut unrule = on_flag("removeRule", "prod", "past");
    unrule["rule"] = json!("by-key");
    apply(store, house, json!([unrule])).await;
    for text in [format!("asked for by {KEY}"), "asked for".to_owned()] {
        let mut describe = on_whole("describeFlag", "past");
        describe["description"] = json!(text);
        apply(store, house, json!([describe])).await;
    }
}

/// All that is kept of the past, in words.
async fn past(store: &Store, house: &House) -> String {
    let mut told = String::new();
    let organization = &house.organization;
    for scope in [
        organization.id.as_str(),
        house.project.id.as_str(),
        house.prod.id.as_str(),
    ] {
        for version in 1..40 {
            let items = store.items_at(scope, version).await.unwrap();
            items.iter().for_each(|item| told.push_str(&item.image));
        }
    }
    let page = PageRequest {
        cursor: None,
        limit: Some(500),
    };
    let scope = HistoryScope::Organization;
    let history = store
        .history(
            &organization.id,
            &scope,
            &burgee_store::HistoryFilter::default(),
            &page,
        )
        .await
        .unwrap();
    told + &format!("{:?}", history.items)
}

/// The targets of what is archived, past the store.
async fn archived(database: &Database) -> String {
    let mut raw = database.raw().await;
    let select = "SELECT t.target_users FROM targetings t JOIN flags f ON f.id = t.flag_id \
                  WHERE f.life = 'archived'";
    let rows = sqlx::query(select).fetch_all(&mut raw).await.unwrap();
    let texts = rows.iter().map(|row| row.get::<String, _>(0));
    texts.collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_forgotten_key_is_nowhere_and_chains_verify() {
    for_each_database(async |database| {
        let store = &database.store;
        let house = house(store).await;
        named_everywhere(store, &house).await;
        let organization = &house.organization.id;
        let seen = UserSeen {
            types: "".into(),
            environment: house.prod.id.as_str().into(),
            key: KEY.into(),
            name: "Mallory".into(),
            properties: Vec::new(),
            at: NOW,
        };
        store.traffic().put_users(&[seen]).await.unwrap();
        assert!(past(store, &house).await.contains(KEY));
        let others = |told: &str| told.matches("user-000001").count();
        let before = others(&past(store, &house).await);

        let archived = archived(database).await;
        let mentions = store.mentions(organization, KEY).await.unwrap();
        assert_eq!(
            self::archived(database).await,
            archived,
            "asking changes nothing"
        );
        assert!(archived.contains(KEY));
        let kinds: Vec<_> = mentions.commands.iter().map(|it| &it["kind"]).collect();
        assert_eq!(
            kinds,
            [
                "removeTargets",
                "removeTargets",
                "removeIncluded",
                "removeIncluded",
                "removeIncluded"
            ]
        );
        let [rule] = &mentions.rules[..] else {
            panic!("{:?}", mentions.rules);
        };
        assert_eq!((rule.key.as_str(), rule.rule.as_str()), ("small", "by-key"));
        apply(store, &house, Value::Array(mentions.commands)).await;
        let mut unrule = on_flag("removeRule", "prod", "small");
        unrule["rule"] = json!("by-key");
        apply(store, &house, json!([unrule])).await;

        let images = store.forget_in_images(organization, KEY).await.unwrap();
        assert!(images >= 9, "{images}");
        assert_eq!(store.forget_in_images(organization, KEY).await.unwrap(), 0);
        let operator = Actor::operator();
        let entries = store.forget_in_history(organization, KEY, &operator, &NoNotary, later(1));
        assert!(entries.await.unwrap() >= 6);
        let rows = store.forget_in_traffic(organization, KEY).await.unwrap();
        assert_eq!(rows, 1);

        let told = past(store, &house).await;
        assert_eq!(told.matches(KEY).count(), 0, "{told}");
        assert_eq!(others(&told), before, "everybody else is where they were");
        assert!(!self::archived(database).await.contains(KEY));
        let served = format!("{:?}", state(store, &house.prod).await.flags);
        assert!(!served.contains(KEY));
        let again = store.mentions(organization, KEY).await.unwrap();
        assert!(again.commands.is_empty() && again.rules.is_empty());
        assert!(store.leave_no_trace().await.unwrap());
        assert_eq!(database.files_with(KEY), Vec::<PathBuf>::new());
        store.seal_audit(&NoNotary).await.unwrap();
        let verdict = store.verify_audit(organization, &NoNotary).await.unwrap();
        assert_eq!(verdict.bad, None);
        assert!(verdict.redacted >= 6);
    })
    .await;
}
