//! Leading flags in one environment to where they are in another.

use std::collections::{BTreeMap, BTreeSet};

use burgee_domain::id::Id;
use burgee_domain::model::{Environment, Life, Organization, Project, Segment, SegmentScope};
use burgee_domain::plan::{
    self, FlagPlan, Left, Promotion, SegmentsOf, TargetingFacet, TargetingPlan,
};
use burgee_domain::workspace::FlagState;

use super::Planned;
use super::state::{Projects, note};
use crate::error::StoreError;
use crate::{Store, Tx, flags, segments};

/// What is promoted, and where.
#[derive(Clone, Debug)]
pub struct PromoteRequest {
    /// In which organization.
    pub organization: Id<Organization>,
    /// Of which project.
    pub project: Id<Project>,
    /// From where.
    pub from: Id<Environment>,
    /// To where.
    pub to: Id<Environment>,
    /// The flags, by key.
    pub flags: Vec<String>,
    /// The parts of their targeting.
    pub facets: BTreeSet<TargetingFacet>,
    /// What becomes of rules about segments of the source environment alone.
    pub segments: SegmentsOf,
}

/// Why something is not promoted.
#[derive(Debug, thiserror::Error)]
pub enum PromoteError {
    /// There is no such flag: its index.
    #[error("flag {0} is not there")]
    Missing(usize),
    /// It is archived: its index.
    #[error("flag {0} is archived")]
    Archived(usize),
    /// It is not released in the source environment: its index.
    #[error("flag {0} is not released there")]
    NotReleased(usize),
    /// Rules name segments that only the source environment has: the flag's index, and for each
    /// rule its name and the segment's key.
    #[error("flag {0} has rules about segments of the environment")]
    Segments(usize, Vec<(String, String)>),
    /// The store could not.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl From<sqlx::Error> for PromoteError {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error.into())
    }
}

impl Store {
    /// The commands that give flags in one environment the targeting that they have in another.
    ///
    /// # Errors
    /// [`PromoteError`].
    pub async fn plan_promote(&self, request: &PromoteRequest) -> Result<Planned, PromoteError> {
        let mut tx = self.begin_read().await?;
        let projects = Projects::load(&mut tx, &request.organization).await?;
        let state = projects.project(&request.project);
        let state = state.ok_or(StoreError::NotFound("project"))?;
        let to = projects.environment(request.to.as_str());
        let (_, to) = to.ok_or(StoreError::NotFound("environment"))?;
        let keys: Vec<String> = request
            .flags
            .iter()
            .map(|it| it.to_ascii_lowercase())
            .collect();
        let asked: Vec<&str> = keys.iter().map(String::as_str).collect();
        let found = flags::load(&mut tx, &request.project, &asked, &[]).await?;
        let local = local(&mut tx, request, found.values()).await?;
        tx.rollback().await?;
        let mut planned = Planned::default();
        note(&mut planned.base, state);
        let mut seen = BTreeSet::new();
        for (index, key) in keys.iter().enumerate().filter(|(_, key)| seen.insert(*key)) {
            let flag = found.get(key).ok_or(PromoteError::Missing(index))?;
            if flag.flag.life == Life::Archived {
                return Err(PromoteError::Archived(index));
            }
            planned.reads(&state.project, &flag.flag);
            one(
                &mut planned,
                state.project.key.as_str(),
                to,
                request,
                (index, flag),
                &local,
            )?;
        }
        Ok(planned)
    }
}

/// The segments of the source environment alone that flags name there, and for each the one of the
/// same key in the other environment.
struct Local {
    others: BTreeMap<Id<Segment>, Option<Id<Segment>>>,
    keys: BTreeMap<Id<Segment>, String>,
}

async fn local<'f>(
    tx: &mut Tx,
    request: &PromoteRequest,
    flags: impl Iterator<Item = &'f FlagState>,
) -> Result<Local, StoreError> {
    let ids: BTreeSet<Id<Segment>> = flags.flat_map(FlagState::segment_ids).collect();
    let ids: Vec<&str> = ids.iter().map(Id::as_str).collect();
    let named = segments::named(tx, &request.organization, &ids).await?;
    let here = SegmentScope::Environment(request.project.clone(), request.from.clone());
    let local: Vec<&Segment> = named.values().filter(|it| it.scope == here).collect();
    let keys: Vec<String> = local.iter().map(|it| it.key.folded()).collect();
    let asked: Vec<&str> = keys.iter().map(String::as_str).collect();
    let found = segments::find_ids(tx, &request.organization, &asked).await?;
    let there = SegmentScope::Environment(request.project.clone(), request.to.clone());
    let other = |it: &Segment| found.get(&(there.clone(), it.key.folded())).cloned();
    Ok(Local {
        others: local.iter().map(|it| (it.id.clone(), other(it))).collect(),
        keys: local
            .iter()
            .map(|it| (it.id.clone(), it.key.to_string()))
            .collect(),
    })
}

fn one(
    planned: &mut Planned,
    project: &str,
    to: &Environment,
    request: &PromoteRequest,
    (index, state): (usize, &FlagState),
    local: &Local,
) -> Result<(), PromoteError> {
    let source = state.targetings.get(&request.from);
    let source = source.ok_or(PromoteError::NotReleased(index))?;
    let now = state.targetings.get(&request.to);
    let promotion = Promotion {
        facets: &request.facets,
        segments: request.segments,
        local: &local.others,
    };
    let key_of = |left: Left| {
        let key = local.keys.get(&left.segment).cloned().unwrap_or_default();
        (left.rule, key)
    };
    let promoted = plan::promote(&state.flag, source, now, &promotion);
    let (then, left) = promoted
        .map_err(|left| PromoteError::Segments(index, left.into_iter().map(key_of).collect()))?;
    for (rule, segment) in left.into_iter().map(key_of) {
        let message = format!(
            "the rule '{rule}' of '{}' is about the segment '{segment}' of its environment alone: \
             it was left out",
            state.flag.key
        );
        let mut steps = plan::Steps::default();
        steps.warn("ruleLeftOut", message);
        planned.extend(steps);
    }
    planned.extend(plan::flag(&FlagPlan {
        project,
        now: Some(&state.flag),
        then: Some(&state.flag),
        targetings: vec![TargetingPlan {
            environment: to.key.as_str(),
            now,
            then: Some(&then),
        }],
    }));
    Ok(())
}
