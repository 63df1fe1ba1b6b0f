//! What a prerequisite asked of another flag, and what that one serves.

use serde::Serialize;

use crate::flag::Prerequisite;
use crate::outcome::Outcome;
use crate::snapshot::Snapshot;
use crate::standalone::position;
use crate::user::User;
use crate::warning::Warning;

use super::Why;

/// A prerequisite, and what came of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct PrerequisiteStep {
    /// The key of the flag that is needed.
    pub flag: String,
    /// Its name; empty where there is no such flag.
    pub name: String,
    /// The id of the variation that it has to serve.
    pub variation: String,
    /// The id of the variation that it serves the user; null where it serves nothing, or was not
    /// asked.
    pub served: Option<String>,
    /// Whether that is it; null where it was not asked.
    pub met: Option<bool>,
    /// Why it serves that; null where it was not asked, or is not there.
    pub reason: Option<Why>,
    /// Why it can be met by nobody: a warning's code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broken: Option<String>,
    #[serde(skip)]
    served_value: Option<String>,
    #[serde(skip)]
    wanted_value: Option<String>,
}

/// What is known of a prerequisite.
pub(super) struct Asked<'a> {
    /// What its flag serves and whether that is it, where it was asked.
    pub(super) heard: Option<&'a (Option<Outcome>, bool)>,
    /// Why nobody meets it.
    pub(super) broken: Option<&'a Warning>,
}

impl PrerequisiteStep {
    pub(super) fn new(
        written: &Prerequisite,
        asked: &Asked<'_>,
        snapshot: &Snapshot,
        user: &User<'_>,
    ) -> Self {
        let found = snapshot.flag(&written.flag);
        let variations = found.map_or(&[][..], |it| it.flag().variations.as_slice());
        let Asked { heard, broken } = *asked;
        let served = heard.and_then(|(served, _)| variations.get(served.as_ref()?.variation));
        let wanted = position(variations, &written.variation).and_then(|it| variations.get(it));
        // What is broken may stand in a circle.
        let told = found.filter(|_| heard.is_some() && broken.is_none());
        Self {
            flag: written.flag.clone(),
            name: found.map_or_else(String::new, |it| it.flag().name.clone()),
            variation: written.variation.clone(),
            served: served.map(|it| it.id.clone()),
            met: heard.map(|(_, met)| *met),
            reason: told.map(|needed| snapshot.explain(needed, user).reason),
            broken: broken.map(|it| it.code.as_str().to_owned()),
            served_value: served.map(|it| it.value.clone()),
            wanted_value: wanted.map(|it| it.value.clone()),
        }
    }

    /// That it is not met.
    pub(super) fn say(&self) -> String {
        let Self { flag, .. } = self;
        let wanted = self.wanted_value.as_ref().unwrap_or(&self.variation);
        let serves = match (&self.served_value, &self.broken) {
            (_, Some(_)) => return format!("nobody meets the prerequisite of flag {flag}"),
            (Some(value), None) => format!("serves {value}"),
            (None, None) => "serves nothing".to_owned(),
        };
        format!("flag {flag} {serves}, not {wanted}: a prerequisite is not met")
    }
}
