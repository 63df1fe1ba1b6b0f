//! Admission: what the environments ask that a change set changes, asked inside its transaction and
//! under their locks, whichever way it comes.

use burgee_domain::access::{Marks, Rights};
use burgee_domain::admission::{self, Ask, EnvironmentNeeds, Place, Voice};
use burgee_domain::diff::DiffLine;
use burgee_domain::outcome::Outcome;
use burgee_domain::workspace::Workspace;
use serde::{Deserialize, Serialize};
use sqlx::AnyConnection;

use super::{ApplyError, Denied, Work};
use crate::Tx;
use crate::environments::rules;
use crate::error::StoreError;

/// Approvals that were gone without.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Overridden {
    /// Why.
    pub reason: String,
    /// Where: `project/environment`.
    pub environments: Vec<String>,
}

impl Overridden {
    /// What the diff says of it: a line for each environment.
    pub(super) fn lines(&self) -> impl Iterator<Item = DiffLine> {
        self.environments.iter().map(|place| {
            let (project, environment) = place.split_once('/').unwrap_or_default();
            let params = [
                ("project", project),
                ("environment", environment),
                ("reason", self.reason.as_str()),
            ];
            let params = params.map(|(name, value)| (name.to_owned(), value.to_owned()));
            DiffLine {
                code: "approvalOverridden".to_owned(),
                params: params.into(),
                of: None,
                text: format!("{place}: applied without approval: {}", self.reason),
            }
        })
    }
}

/// That a change set may be applied, as far as environments are asked.
#[derive(Default)]
pub(super) struct Admitted {
    /// What they ask; of a dry run, also what is missing.
    pub(super) needs: Vec<EnvironmentNeeds>,
    pub(super) overridden: Option<Overridden>,
}

/// What the environments ask that an outcome changes.
pub(super) async fn asks(
    tx: &mut Tx,
    workspace: &Workspace,
    work: &Work<'_>,
    outcome: &Outcome,
) -> Result<Vec<Ask>, StoreError> {
    let places = admission::places(workspace, work.commands, outcome);
    asks_of(tx, &places, &Marks::of(workspace)).await
}

/// What environments ask.
pub(super) async fn asks_of(
    connection: &mut AnyConnection,
    places: &[Place],
    marks: &Marks,
) -> Result<Vec<Ask>, StoreError> {
    let environments = places.iter().map(|place| &place.environment);
    let rules = rules::load(connection, environments).await?;
    Ok(admission::asks(places, &rules, marks))
}

/// Refuses a change set that does not say why where an environment asks for it.
pub(super) fn say_why(work: &Work<'_>, asks: &[Ask]) -> Result<(), ApplyError> {
    let asking = asks.iter().filter(|ask| ask.comment);
    let needs: Vec<EnvironmentNeeds> = asking.map(|ask| ask.count(&[])).collect();
    match work.comment.is_empty() && !needs.is_empty() {
        true => Err(ApplyError::CommentRequired(needs)),
        false => Ok(()),
    }
}

/// Refuses what an environment does not let pass. A dry run is told what it would take.
pub(super) fn admit(
    work: &Work<'_>,
    asks: &[Ask],
    voices: &[Voice],
) -> Result<Admitted, ApplyError> {
    let needs: Vec<EnvironmentNeeds> = asks.iter().map(|ask| ask.count(voices)).collect();
    let mut admitted = Admitted::default();
    if !work.dry_run {
        say_why(work, asks)?;
        let pairs = asks.iter().zip(&needs);
        let (held, missing): (Vec<&Ask>, Vec<&EnvironmentNeeds>) =
            pairs.filter(|(_, needs)| !needs.are_met()).unzip();
        admitted.overridden = match (held.is_empty(), work.override_reason) {
            (true, _) => None,
            (false, Some(reason)) => Some(overridden(work.rights, &held, reason)?),
            (false, None) => {
                let missing = missing.into_iter().cloned().collect();
                return Err(ApplyError::ApprovalRequired(missing));
            }
        };
    }
    admitted.needs = needs;
    Ok(admitted)
}

/// The operator may override as they may do everything, with a reason as everybody.
fn overridden(
    rights: Option<&Rights>,
    held: &[&Ask],
    reason: &str,
) -> Result<Overridden, ApplyError> {
    if let Some(rights) = rights {
        let places = held.iter().map(|ask| ask.resource.clone());
        Denied::unless_all(rights, "change.override", places)?;
    }
    let place = |ask: &&Ask| format!("{}/{}", ask.project, ask.key);
    Ok(Overridden {
        reason: reason.to_owned(),
        environments: held.iter().map(place).collect(),
    })
}
