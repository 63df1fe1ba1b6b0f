//! Counting who agreed.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

use super::ask::{Ask, Place};
use super::rules::Reviewers;
use crate::access::Rights;
use crate::id::Id;
use crate::model::Environment;

/// What a reviewer thinks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Verdict {
    /// It shall be applied.
    Approve,
    /// It shall not.
    Decline,
}

/// A reviewer's last word, with what they are at the time of counting: rights that somebody lost
/// since count no more.
#[derive(Clone, Debug)]
pub struct Voice {
    /// Who it is, for people.
    pub name: String,
    /// The person's account; none for a token that stands for nobody.
    pub account: Option<String>,
    /// Keys of the groups that they are in.
    pub groups: Vec<String>,
    /// What they may do; none where they are gone.
    pub rights: Option<Rights>,
    /// What they think.
    pub verdict: Verdict,
    /// Whether they had a part in writing what is reviewed.
    pub is_author: bool,
}

/// What an environment asks of a change set, and what it has got.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EnvironmentNeeds {
    /// The project's key.
    pub project: String,
    /// The environment's key.
    pub environment: String,
    /// Whether a comment is asked for.
    pub comment: bool,
    /// How many approvals are asked for.
    pub approvals: u8,
    /// How many of them are still missing.
    pub missing: u8,
    /// Who may approve.
    pub reviewers: Reviewers,
    /// Who has, by name.
    pub approved_by: Vec<String>,
    /// Who has declined, by name. While somebody does, nothing is applied.
    pub declined_by: Vec<String>,
}

impl EnvironmentNeeds {
    /// Whether the environment lets the change set pass.
    pub fn are_met(&self) -> bool {
        self.missing == 0 && self.declined_by.is_empty()
    }
}

impl Ask {
    /// Whether this voice counts here: not the author's, of the reviewers, and with the permission.
    pub fn hears(&self, voice: &Voice) -> bool {
        let Some(approvals) = &self.approvals else {
            return false;
        };
        let rights = voice.rights.as_ref();
        let groups = &voice.groups;
        !voice.is_author
            && approvals.reviewers.names(voice.account.as_deref(), groups)
            && rights.is_some_and(|it| it.allow("change.review", &self.resource))
    }

    /// What is asked for, and what these voices give. Each is one person's.
    pub fn count(&self, voices: &[Voice]) -> EnvironmentNeeds {
        let heard: Vec<&Voice> = voices.iter().filter(|it| self.hears(it)).collect();
        let of = |verdict: Verdict| {
            let those = heard.iter().filter(|it| it.verdict == verdict);
            those.map(|it| it.name.clone()).collect::<Vec<String>>()
        };
        let approved_by = of(Verdict::Approve);
        let asked = self.approvals.clone().unwrap_or_default();
        let given = u8::try_from(approved_by.len()).unwrap_or(u8::MAX);
        EnvironmentNeeds {
            project: self.project.clone(),
            environment: self.key.clone(),
            comment: self.comment,
            approvals: asked.required,
            missing: asked.required.saturating_sub(given),
            reviewers: asked.reviewers,
            approved_by,
            declined_by: of(Verdict::Decline),
        }
    }
}

/// Where a change set stands: whether somebody declined it, and whether all that was asked for is
/// given.
pub fn standing(needs: &[EnvironmentNeeds]) -> Option<Verdict> {
    if needs.iter().any(|it| !it.declined_by.is_empty()) {
        return Some(Verdict::Decline);
    }
    let all = needs.iter().all(EnvironmentNeeds::are_met);
    all.then_some(Verdict::Approve)
}

/// Whether others vouch for all that changes in these places: each asks for approvals, and has
/// them. Then it matters no more what has become of who wrote it.
pub fn vouched(places: &[Place], asks: &[Ask], voices: &[Voice]) -> bool {
    let by_others = |place: &Place| {
        let ask = asks.iter().find(|ask| ask.environment == place.environment);
        ask.is_some_and(|ask| ask.approvals.is_some() && ask.count(voices).are_met())
    };
    !places.is_empty() && places.iter().all(by_others)
}

/// The places of several change sets, each once, in the order of the environments.
pub fn together(places: impl IntoIterator<Item = Place>) -> Vec<Place> {
    let mut all: BTreeMap<Id<Environment>, Place> = BTreeMap::new();
    for place in places {
        match all.entry(place.environment.clone()) {
            Entry::Occupied(mut known) => known.get_mut().by.extend(place.by),
            Entry::Vacant(free) => {
                free.insert(place);
            }
        }
    }
    all.into_values().collect()
}
