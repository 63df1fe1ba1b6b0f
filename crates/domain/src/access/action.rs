//! Actions: everything that somebody may be allowed or forbidden, each with the words for it.

use serde::{Deserialize, Serialize};

/// Something that can be allowed: `kind.verb`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// E.g. `flag.turnOn`. Those of commands are the command's kind.
    pub name: &'static str,
    /// What it lets somebody do, as in "may …".
    pub may: &'static str,
}

const fn action(name: &'static str, may: &'static str) -> Action {
    Action { name, may }
}

/// To be an owner: to make and unmake others. No pattern but `*`, `organization.*`, `*.own` and its
/// name means it.
pub const OWN: &str = "organization.own";

/// All of them, in the order in which a policy editor lists them.
pub const ACTIONS: &[Action] = &[
    action("organization.read", "see the organization and its settings"),
    action("organization.update", "change the organization's settings"),
    action(
        "organization.setSignIn",
        "choose how members sign in; takes `organization.own` too",
    ),
    action(OWN, "make and unmake owners"),
    action("member.read", "see who is a member"),
    action("member.invite", "invite people"),
    action("member.update", "give members policies and groups"),
    action("member.remove", "remove members"),
    action(
        "member.reset",
        "let members choose a new password by a link",
    ),
    action("group.read", "see groups"),
    action("group.write", "make, change and delete groups"),
    action("policy.read", "see policies"),
    action("policy.write", "make, change and delete policies"),
    action(
        "policy.give",
        "give policies that allow more than one may do",
    ),
    action("token.read", "see the organization's access tokens"),
    action("token.write", "make and revoke service tokens"),
    action("relayKey.read", "see the keys of relays"),
    action(
        "relayKey.create",
        "make keys for relays; takes `sdkKey.reveal` on all that a relay serves by them too",
    ),
    action(
        "relayKey.update",
        "rename and describe the keys of relays, and change which environments they serve",
    ),
    action("relayKey.rotate", "give the keys of relays new secrets"),
    action("relayKey.revoke", "revoke the keys of relays"),
    action("relayAgent.read", "see which relays there are"),
    action("relayAgent.remove", "remove relays that are gone"),
    action("audit.read", "read the audit log"),
    action("audit.retain", "choose how long the audit log is kept"),
    action("project.read", "see a project"),
    action("project.create", "make projects"),
    action("project.update", "change a project's settings"),
    action("project.delete", "delete a project"),
    action(
        "environment.read",
        "see an environment, its flags' targeting and its history",
    ),
    action("environment.create", "make environments"),
    action("environment.update", "change an environment's settings"),
    action(
        "environment.unprotect",
        "take an environment's protection away",
    ),
    action("environment.delete", "delete an environment"),
    action(
        "environment.setRules",
        "change what an environment asks of change sets",
    ),
    action(
        "environment.loosenRules",
        "make an environment ask less of change sets than it did, or let others review there",
    ),
    action(
        "change.override",
        "apply, in an emergency, what needs approvals without them",
    ),
    action("change.review", "approve and decline what others ask for"),
    action("change.comment", "take part in the discussion of requests"),
    action("change.apply", "apply requests"),
    action("change.withdraw", "withdraw the requests of others"),
    action("sdkKey.read", "see an environment's SDK keys"),
    action("sdkKey.reveal", "see the secrets of server keys"),
    action("sdkKey.write", "make, rename and revoke SDK keys"),
    action(
        "user.read",
        "see end users, their properties, and how many of them a change would concern",
    ),
    action(
        "user.write",
        "upload and delete end users, and say which properties there are",
    ),
    action(
        "user.forget",
        "take an end user out of everything that is kept",
    ),
    action("flag.read", "see flags"),
    action("flag.create", "make flags"),
    action("flag.rename", "rename flags"),
    action("flag.describe", "describe flags"),
    action("flag.setTags", "tag flags"),
    action("flag.setVariations", "change which variations a flag has"),
    action(
        "flag.updateVariation",
        "change a variation's value and name",
    ),
    action("flag.archive", "archive flags"),
    action("flag.restore", "restore archived flags"),
    action("flag.delete", "delete archived flags"),
    action("flag.turnOn", "turn flags on"),
    action("flag.turnOff", "turn flags off"),
    action("flag.setTargets", "replace individual targets"),
    action("flag.addTargets", "add individual targets"),
    action("flag.removeTargets", "remove individual targets"),
    action("flag.setRules", "replace all rules"),
    action("flag.addRule", "add rules"),
    action("flag.updateRule", "change rules"),
    action("flag.removeRule", "remove rules"),
    action("flag.moveRule", "change the order of rules"),
    action("flag.setDefaultRule", "change the default rule"),
    action(
        "flag.setOffVariation",
        "choose what is served while a flag is off",
    ),
    action(
        "flag.setPrerequisites",
        "choose what other flags have to serve first",
    ),
    action(
        "flag.setTracking",
        "choose what is recorded of a flag's users",
    ),
    action("flag.import", "import flags"),
    action("segment.read", "see segments"),
    action("segment.create", "make segments"),
    action("segment.rename", "rename segments"),
    action("segment.describe", "describe segments"),
    action("segment.setTags", "tag segments"),
    action("segment.setIncluded", "replace the included users"),
    action("segment.addIncluded", "include users"),
    action("segment.removeIncluded", "take users off the included ones"),
    action("segment.setExcluded", "replace the excluded users"),
    action("segment.addExcluded", "exclude users"),
    action("segment.removeExcluded", "take users off the excluded ones"),
    action("segment.setRules", "replace a segment's rules"),
    action("segment.archive", "archive segments"),
    action("segment.restore", "restore archived segments"),
    action("segment.delete", "delete archived segments"),
    action("segment.import", "import segments"),
];

/// Actions by name, with `*` on either side of the dot: `flag.turnOn`, `flag.*`, `*.read`, `*`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ActionPattern(String);

impl ActionPattern {
    /// Reads one. `None`: it names no action that there is.
    pub fn new(text: impl Into<String>) -> Option<Self> {
        let pattern = Self(text.into());
        let names_one = ACTIONS.iter().any(|action| pattern.matches(action.name));
        names_one.then_some(pattern)
    }

    /// Whether the action of this name is meant.
    pub fn matches(&self, action: &str) -> bool {
        if self.0 == "*" || self.0 == action {
            return true;
        }
        match (self.0.split_once('.'), action.split_once('.')) {
            (Some(("*", verb)), Some((_, of_action))) => verb == of_action,
            (Some((kind, "*")), Some((of_action, _))) => kind == of_action,
            _ => false,
        }
    }

    /// The text as it was given.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for ActionPattern {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::new(text.as_str()).ok_or_else(|| format!("there is no action `{text}`"))
    }
}

impl From<ActionPattern> for String {
    fn from(pattern: ActionPattern) -> Self {
        pattern.0
    }
}
