//! Stopping a request whose next step cannot be applied as it was agreed to, and saying why.

use burgee_domain::admission::EnvironmentNeeds;
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::request::Act as RequestAct;
use burgee_domain::request::schedule::Stop;
use burgee_eval::time::Millis;

use super::{Request, RequestError, StepHead, rows};
use crate::apply::{ApplyError, ConflictFound};
use crate::change_sets::Actor;
use crate::environments::Act;
use crate::error::StoreError;
use crate::{Store, Tx};

/// A code, its parameters and English words.
pub(super) struct Why {
    code: String,
    params: Vec<(&'static str, String)>,
    text: String,
}

impl Why {
    fn new(code: &str, params: Vec<(&'static str, String)>, text: impl Into<String>) -> Self {
        Self {
            code: code.to_owned(),
            params,
            text: text.into(),
        }
    }

    /// Its moment was too long ago.
    pub(super) fn late(due_at: Millis, now: Millis) -> Self {
        let params = vec![("dueAt", due_at.to_string()), ("at", now.to_string())];
        let text = format!("it was due at {due_at}, and no server ran within an hour");
        Self::new("late", params, text)
    }

    /// Somebody whom it named was forgotten.
    pub(super) fn forgotten() -> Self {
        let text = "an end user whom it named was forgotten";
        Self::new("forgotten", Vec::new(), text)
    }

    /// Why a step was not applied, where trying again later would not help; else none.
    pub(super) fn of(error: &RequestError) -> Option<Self> {
        match error {
            RequestError::Apply(error) => Self::of_apply(error),
            RequestError::Moved(found) => Some(Self::moved(found)),
            RequestError::InStep(_, error) => Self::of(error),
            RequestError::AuthorGone => {
                let text = "its author is no member any more, or their token does not work";
                Some(Self::new("authorGone", Vec::new(), text))
            }
            RequestError::AuthorForbidden(need, _) => {
                let resource = need.resource.to_string();
                let text = format!("its author may not {} on {resource} any more", need.action);
                let params = vec![("action", need.action.to_owned()), ("resource", resource)];
                Some(Self::new("authorForbidden", params, text))
            }
            RequestError::Closed(_)
            | RequestError::NoEffect
            | RequestError::Revised(_)
            | RequestError::Schedule(_)
            | RequestError::NotNext(_)
            | RequestError::StepUnnamed(_)
            | RequestError::Own
            | RequestError::Full(..) => None,
        }
    }

    fn of_apply(error: &ApplyError) -> Option<Self> {
        Some(match error {
            ApplyError::Rejected(rejected) => {
                let params = vec![
                    ("command", rejected.command.to_string()),
                    ("pointer", rejected.pointer.clone()),
                ];
                Self::new(&rejected.code, params, rejected.message.as_str())
            }
            ApplyError::Conflict(found) => Self::moved(found),
            ApplyError::ApprovalRequired(needs) => {
                let declined = needs.iter().any(|it| !it.declined_by.is_empty());
                let (code, what) = match declined {
                    true => ("declined", "a reviewer declined it"),
                    false => ("approvalRequired", "approvals are missing"),
                };
                let places = places(needs);
                let text = format!("{what} for {places}");
                Self::new(code, vec![("environments", places)], text)
            }
            ApplyError::CommentRequired(needs) => {
                let places = places(needs);
                let text = format!("{places} asks for a comment");
                Self::new("commentRequired", vec![("environments", places)], text)
            }
            ApplyError::Store(
                StoreError::Unavailable(_) | StoreError::Unknown(_) | StoreError::Other(_),
            ) => return None,
            ApplyError::Forbidden(..)
            | ApplyError::Denied(_)
            | ApplyError::Base { .. }
            | ApplyError::Store(_) => Self::new("refused", Vec::new(), error.to_string()),
        })
    }

    fn moved(found: &[ConflictFound]) -> Self {
        let count = ("count", found.len().to_string());
        let Some(first) = found.first() else {
            return Self::new(
                "rebaseNeeded",
                vec![count],
                "others changed what it touches",
            );
        };
        let text = format!(
            "others changed what it touches: the {} {} in {}, by {}",
            first.kind, first.key, first.scope, first.by.name
        );
        let params = vec![
            count,
            ("scope", first.scope.clone()),
            ("kind", first.kind.clone()),
            ("key", first.key.clone()),
            ("by", first.by.name.clone()),
        ];
        Self::new("rebaseNeeded", params, text)
    }
}

fn places(needs: &[EnvironmentNeeds]) -> String {
    let places = needs
        .iter()
        .map(|it| format!("{}/{}", it.project, it.environment));
    places.collect::<Vec<String>>().join(", ")
}

impl Store {
    /// Stops a request before a step, where nothing was done with it since that was tried. Says
    /// whether it did.
    pub(super) async fn stop_request(
        &self,
        organization: &Id<Organization>,
        id: &str,
        (revision, step): (i64, &StepHead),
        why: Why,
        now: Millis,
    ) -> Result<bool, StoreError> {
        let mut tx = self.begin_write().await?;
        let mut request = rows::lock(&mut tx, self.shared.dialect, organization, id).await?;
        if request.revision != revision || request.due_at != step.due_at {
            return Ok(false);
        }
        let system = Actor::system();
        let (why, by) = ((step.step, why), (&system, now));
        let stopped = self
            .stop_locked(&mut tx, organization, &mut request, why, by)
            .await?;
        if stopped {
            self.end(tx, false).await?;
        }
        Ok(stopped)
    }

    /// Stops a locked request before a step. Says whether it did: false where it does not wait.
    pub(super) async fn stop_locked(
        &self,
        tx: &mut Tx,
        organization: &Id<Organization>,
        request: &mut Request,
        (step, why): (i64, Why),
        (by, now): (&Actor, Millis),
    ) -> Result<bool, StoreError> {
        let Ok(stage) = request.stage.after(RequestAct::Stop) else {
            return Ok(false);
        };
        let params = why.params.into_iter();
        let stop = Stop {
            step,
            at: now,
            code: why.code,
            params: params.map(|(name, it)| (name.to_owned(), it)).collect(),
            text: why.text,
        };
        request.stage = stage;
        request.changed_at = now;
        request.due_at = None;
        request.stopped = Some(stop.clone());
        rows::update(tx, organization, request).await?;
        self.record_stop(tx, (organization, by), request, &stop)
            .await?;
        Ok(true)
    }

    async fn record_stop(
        &self,
        tx: &mut Tx,
        (organization, actor): (&Id<Organization>, &Actor),
        request: &Request,
        stop: &Stop,
    ) -> Result<(), StoreError> {
        let act = Act {
            organization,
            actor,
            project: None,
            kind: "stopRequest",
            params: vec![
                ("request", request.id.clone()),
                ("title", request.title.clone()),
                ("revision", request.revision.to_string()),
                ("step", stop.step.to_string()),
                ("reason", stop.code.clone()),
            ],
            text: format!(
                "request \"{}\" stopped before step {}: {}",
                request.title, stop.step, stop.text
            ),
        };
        self.administer(tx, &act, &mut [], stop.at).await?;
        Ok(())
    }
}
