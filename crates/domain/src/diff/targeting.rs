//! Differences of a flag's targeting in one environment.

use burgee_eval::flag::{Prerequisite, Rule, Variation};

use super::words::{conditions, gained, quoted, rollout, some, variation};
use super::{Parts, Subject, Writer};
use crate::change::unreleased;
use crate::id::Id;
use crate::key::fold;
use crate::model::{Flag, Targeting};
use crate::outcome::{Facet, TargetingEdit};

pub(super) fn write(writer: &mut Writer<'_>, edit: &TargetingEdit) {
    let Some(flag) = flag(writer, &edit.flag) else {
        return;
    };
    let (project, environment) = writer.environment_keys(&edit.environment);
    let key = flag.key.to_string();
    let subject = Subject {
        prefix: format!("{project}/{environment}: {key}"),
        params: vec![
            ("project", project),
            ("environment", environment),
            ("flag", key),
        ],
    };
    let before = edit.before.clone().unwrap_or_else(|| {
        writer.line(&subject, "flagReleased", &[], "released");
        unreleased(&flag)
    });
    let change = Change {
        subject,
        variations: &flag.variations,
        before: &before,
        after: &edit.after,
    };
    for facet in crate::change::of_targeting(&before, &edit.after) {
        change.write(writer, &facet);
    }
}

/// The flag afterwards: edited by the outcome, or as it was.
pub(super) fn flag(writer: &Writer<'_>, id: &Id<Flag>) -> Option<Flag> {
    let mut edits = writer.outcome.flags.iter();
    let edited = edits
        .find(|edit| edit.after.id == *id)
        .map(|edit| edit.after.clone());
    let flags = &mut writer
        .before
        .projects
        .values()
        .flat_map(|it| it.flags.values());
    edited.or_else(|| flags.find(|it| it.flag.id == *id).map(|it| it.flag.clone()))
}

/// A prerequisite in words; its variation by name where its flag is known here.
fn serving(writer: &Writer<'_>, needed: &Prerequisite) -> String {
    let folded = fold(&needed.flag);
    let mut projects = writer.before.projects.values();
    let known = projects.find_map(|it| it.flags.get(&folded));
    let edited = writer.outcome.flags.iter().map(|edit| &edit.after);
    let found = edited
        .chain(known.map(|it| &it.flag))
        .find(|flag| flag.key.folded() == folded);
    let variations = found.map_or(&[][..], |flag| flag.variations.as_slice());
    let name = variation(&needed.variation, variations);
    format!("{} serves {name}", needed.flag)
}

struct Change<'a> {
    subject: Subject,
    variations: &'a [Variation],
    before: &'a Targeting,
    after: &'a Targeting,
}

impl Change<'_> {
    fn write(&self, writer: &mut Writer<'_>, facet: &Facet) {
        match facet {
            Facet::OnOff if self.after.is_enabled => self.say(writer, "turnedOn", "turned on"),
            Facet::OnOff => self.say(writer, "turnedOff", "turned off"),
            Facet::Targets(id) => self.targets(writer, id),
            Facet::Rule(id) => self.rule(writer, id),
            Facet::RuleOrder => {
                let names: Vec<String> = self
                    .after
                    .rules
                    .iter()
                    .map(|rule| quoted(&rule.name))
                    .collect();
                let order = some(&names);
                let text = format!("rules now tried in the order {order}");
                let plain: Vec<&str> = self.after.rules.iter().map(|it| it.name.as_str()).collect();
                let (params, parts) = ([("order", order.as_str())], Parts::list(&plain));
                writer.line_of(&self.subject, "rulesReordered", &params, &parts, &text);
            }
            Facet::DefaultRule => self.default_rule(writer),
            Facet::OffVariation => {
                let name = variation(&self.after.off_variation, self.variations);
                let text = format!("serves {name} while off");
                let parts =
                    Parts::default().of_variation(&self.after.off_variation, self.variations);
                let params = [("variation", name.as_str())];
                writer.line_of(&self.subject, "offVariationSet", &params, &parts, &text);
            }
            Facet::Prerequisites => self.prerequisites(writer),
            Facet::Tracking => self.tracking(writer),
            // Facets of flags and segments as a whole, which have lines of their own.
            Facet::Variations
            | Facet::Metadata
            | Facet::Life
            | Facet::Included
            | Facet::Excluded
            | Facet::SegmentRules => {}
        }
    }

    fn say(&self, writer: &mut Writer<'_>, code: &str, text: &str) {
        writer.line(&self.subject, code, &[], text);
    }

    fn targets(&self, writer: &mut Writer<'_>, id: &str) {
        let keys = |targeting: &Targeting| -> Vec<String> {
            let lists = targeting
                .target_users
                .iter()
                .filter(|list| list.variation_id == id);
            lists.flat_map(|list| list.key_ids.clone()).collect()
        };
        let (old, new) = (keys(self.before), keys(self.after));
        let name = variation(id, self.variations);
        let mut say = |code: &str, users: Vec<&String>, verb: &str| {
            if !users.is_empty() {
                let parts = Parts::list(&users).of_variation(id, self.variations);
                let (count, users) = (users.len().to_string(), some(&users));
                let params = [
                    ("variation", name.as_str()),
                    ("users", users.as_str()),
                    ("count", count.as_str()),
                ];
                let text = format!("{verb} {name}: {users}");
                writer.line_of(&self.subject, code, &params, &parts, &text);
            }
        };
        say(
            "targetsAdded",
            gained(&old, &new),
            "individual targets added to",
        );
        say(
            "targetsRemoved",
            gained(&new, &old),
            "individual targets removed from",
        );
    }

    fn rule(&self, writer: &mut Writer<'_>, id: &str) {
        let find = |rules: &'_ [Rule]| rules.iter().find(|rule| rule.id == id).cloned();
        match (find(&self.before.rules), find(&self.after.rules)) {
            (None, Some(rule)) => self.say_rule(writer, "ruleAdded", &rule, "added"),
            (Some(rule), None) => {
                let name = quoted(&rule.name);
                let text = format!("rule {name} removed");
                writer.line(&self.subject, "ruleRemoved", &[("rule", &name)], &text);
            }
            (Some(_), Some(rule)) => self.say_rule(writer, "ruleChanged", &rule, "changed"),
            (None, None) => {}
        }
    }

    fn say_rule(&self, writer: &mut Writer<'_>, code: &str, rule: &Rule, verb: &str) {
        let name = quoted(&rule.name);
        let users = conditions(&rule.conditions);
        let serves = rollout(
            &rule.variations,
            rule.dispatch_key.as_deref(),
            self.variations,
        );
        let params = [
            ("rule", name.as_str()),
            ("users", users.as_str()),
            ("serves", serves.as_str()),
        ];
        let text = format!("rule {name} {verb}: serves {serves} where {users}");
        let parts = Parts::rule(rule, self.variations);
        writer.line_of(&self.subject, code, &params, &parts, &text);
    }

    fn default_rule(&self, writer: &mut Writer<'_>) {
        let rule = &self.after.fallthrough;
        let serves = rollout(
            &rule.variations,
            rule.dispatch_key.as_deref(),
            self.variations,
        );
        let text = format!("default rule now serves {serves}");
        let key = rule.dispatch_key.as_deref();
        let parts = Parts::serving(&rule.variations, key, self.variations);
        let params = [("serves", serves.as_str())];
        writer.line_of(&self.subject, "defaultRuleSet", &params, &parts, &text);
    }

    fn prerequisites(&self, writer: &mut Writer<'_>) {
        let needed = self.after.prerequisites.iter();
        let needed: Vec<String> = needed.map(|it| serving(writer, it)).collect();
        if needed.is_empty() {
            return self.say(writer, "prerequisitesRemoved", "needs no other flag");
        }
        let list = needed.join(", ");
        let text = format!("serves its targeting only where {list}");
        let parts = Parts::list(&needed);
        let params = [("prerequisites", list.as_str())];
        writer.line_of(&self.subject, "prerequisitesSet", &params, &parts, &text);
    }

    fn tracking(&self, writer: &mut Writer<'_>) {
        let (before, after) = (self.before, self.after);
        match (before.tracked, after.tracked) {
            (false, true) => self.say(writer, "trackingStarted", "exposures kept"),
            (true, false) => self.say(writer, "trackingStopped", "exposures no longer kept"),
            _ => {}
        }
        match (
            before.expt_include_all_targets,
            after.expt_include_all_targets,
        ) {
            (false, true) => {
                self.say(
                    writer,
                    "experimentWidened",
                    "all users are part of experiments",
                );
            }
            (true, false) => {
                self.say(
                    writer,
                    "experimentNarrowed",
                    "only chosen rules are part of experiments",
                );
            }
            _ => {}
        }
    }
}
