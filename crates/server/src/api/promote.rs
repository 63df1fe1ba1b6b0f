//! Promoting: flags in one environment as they are in another.

use std::collections::BTreeSet;

use axum::Json;
use axum::extract::State;
use burgee_domain::plan::{SegmentsOf, TargetingFacet};
use burgee_store::{PromoteError, PromoteRequest};
use serde::Deserialize;
use serde_json::json;
use utoipa::ToSchema;

use crate::api;
use crate::api::planned::{PlannedResult, asking, carry_out};
use crate::api::revert::few_flags;
use crate::app::AppState;
use crate::auth::Caller;
use crate::body::Body;
use crate::params::Path;
use crate::problem::Problem;

asking! {
    /// What is promoted, and where.
    pub struct Promote {
        /// The key of the environment that gets it.
        pub to: String,
        /// The keys of the flags, 1 to 500.
        pub flags: Vec<String>,
        /// The parts of their targeting; on/off, the rules, the default rule and the off variation where
        /// absent. Individual targets are for `targets` to say.
        pub facets: Option<BTreeSet<TargetingFacet>>,
        /// Whether individual targets are promoted: who is meant in one environment may be nobody in
        /// another, so this must be said.
        pub targets: TargetsOf,
        /// What becomes of rules about segments that only the source environment has; `fail` where
        /// absent.
        #[serde(default)]
        pub environment_segments: SegmentsOf,
    }
}

/// What becomes of individual targets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub enum TargetsOf {
    /// They are as in the source.
    Copy,
    /// They stay as they are.
    Skip,
}

/// Promote flags: give them in another environment the targeting that they have in this one.
#[utoipa::path(post, path = "/api/v1/projects/{project}/environments/{environment}/promote",
    tag = "flags",
    params(("project", description = "The project's key"),
        ("environment", description = "The key of the environment that it is taken from")),
    request_body = Promote,
    responses((status = 200, body = PlannedResult), (status = 400, body = Problem),
        (status = 404, body = Problem), (status = 409, body = Problem),
        (status = 412, body = Problem), (status = 503, body = Problem)))]
pub async fn promote(
    State(state): State<AppState>,
    caller: Caller,
    Path((project, environment)): Path<(String, String)>,
    Body(mut new): Body<Promote>,
) -> Result<Json<PlannedResult>, Problem> {
    let (project, from) = api::environment(&state, &caller, &project, &environment).await?;
    let (_, to) = api::environment(&state, &caller, project.key.as_str(), &new.to).await?;
    few_flags(&new.flags)?;
    let facets = facets(&new)?;
    let what = json!({"promote": from.id, "to": to.id, "flags": new.flags, "facets": facets,
        "segments": new.environment_segments});
    let common = new.common();
    let request = PromoteRequest {
        organization: caller.organization.clone(),
        project: project.id,
        from: from.id,
        to: to.id,
        flags: new.flags,
        facets,
        segments: new.environment_segments,
    };
    let plan = async { Ok(state.store.plan_promote(&request).await?) };
    carry_out(&state, &caller, common, &what, plan).await
}

fn facets(new: &Promote) -> Result<BTreeSet<TargetingFacet>, Problem> {
    use TargetingFacet::{DefaultRule, OffVariation, OnOff, Prerequisites, Rules, Targets};
    if new.flags.is_empty() {
        let rule = "name the flags that are promoted";
        return Err(Problem::invalid("/flags", "listEmpty", rule));
    }
    let usual = || BTreeSet::from([OnOff, Prerequisites, Rules, DefaultRule, OffVariation]);
    let mut facets = new.facets.clone().unwrap_or_else(usual);
    match new.targets {
        TargetsOf::Copy => facets.insert(Targets),
        TargetsOf::Skip if facets.contains(&Targets) => {
            let rule = "`targets` says that they are skipped";
            return Err(Problem::invalid("/facets", "targetsSkipped", rule));
        }
        TargetsOf::Skip => false,
    };
    if facets.is_empty() {
        let rule = "name a part that is promoted";
        return Err(Problem::invalid("/facets", "listEmpty", rule));
    }
    Ok(facets)
}

impl From<PromoteError> for Problem {
    fn from(error: PromoteError) -> Self {
        let at = |index: usize| format!("/flags/{index}");
        match error {
            PromoteError::Missing(index) => {
                let rule = "there is no flag with this key";
                Self::invalid(at(index), "flagNotFound", rule)
            }
            PromoteError::Archived(index) => Self::invalid(
                at(index),
                "flagArchived",
                "the flag is archived; restore it first",
            ),
            PromoteError::NotReleased(index) => {
                let rule = "the flag is not released in the environment that it is taken from";
                Self::invalid(at(index), "flagNotReleased", rule)
            }
            PromoteError::Segments(index, rules) => {
                let named = rules
                    .iter()
                    .map(|(rule, segment)| format!("'{rule}' ('{segment}')"));
                let named: Vec<String> = named.collect();
                let rule = format!(
                    "rules are about segments of the one environment alone: {}; say with \
                     `environmentSegments` what becomes of them",
                    named.join(", ")
                );
                Self::invalid(at(index), "environmentSegments", rule)
            }
            PromoteError::Store(error) => error.into(),
        }
    }
}
