//! The policies that every organization has. They cannot be edited; a copy can.

use std::sync::{Arc, LazyLock};

use super::policy::{Effect, Policy, StatementInput, read};

/// May do everything.
pub const OWNER: &str = "owner";
/// May do everything but what makes or unmakes owners.
pub const ADMINISTRATOR: &str = "administrator";
/// May see everything but people's administration, and edit flags, segments and end users.
pub const DEVELOPER: &str = "developer";
/// May see flags and segments, projects and environments.
pub const READER: &str = "reader";

const SEE: &[&str] = &[
    "organization.read",
    "project.read",
    "environment.read",
    "flag.read",
    "segment.read",
    "member.read",
    "group.read",
    "sdkKey.read",
];

const ADMINISTER: &[&str] = &[
    "organization.read",
    "organization.update",
    "member.*",
    "group.*",
    "policy.*",
    "token.*",
    "relayKey.*",
    "relayAgent.*",
    "audit.*",
    "project.*",
    "environment.*",
    "change.*",
    "sdkKey.*",
    "user.*",
    "flag.*",
    "segment.*",
];

const DEVELOP: &[&str] = &[
    "flag.*",
    "segment.*",
    "sdkKey.reveal",
    "relayKey.read",
    "relayAgent.read",
    "change.review",
    "change.comment",
    "change.apply",
    "user.read",
    "user.write",
];

/// The policy of that key, where it is one of these.
pub fn builtin(key: &str) -> Option<Arc<Policy>> {
    let mut all = builtins().iter();
    all.find(|it| it.key.eq_ignore_ascii_case(key)).cloned()
}

/// All of them, from the most to the least that they allow.
pub fn builtins() -> &'static [Arc<Policy>] {
    static ALL: LazyLock<Vec<Arc<Policy>>> = LazyLock::new(|| {
        let develop = [SEE, DEVELOP].concat();
        vec![
            policy(OWNER, &["*"]),
            policy(ADMINISTRATOR, ADMINISTER),
            policy(DEVELOPER, &develop),
            policy(READER, SEE),
        ]
    });
    &ALL
}

/// Allows the actions everywhere. A text here that is no action would leave the policy empty: it
/// allows nothing then, which a test would see.
fn policy(key: &str, actions: &[&str]) -> Arc<Policy> {
    let input = StatementInput {
        effect: Effect::Allow,
        actions: actions.iter().map(ToString::to_string).collect(),
        resources: vec!["*".to_owned()],
    };
    Arc::new(Policy {
        key: key.to_owned(),
        statements: read(&[input]).unwrap_or_default(),
    })
}
