//! Writing a request down: its first revision, further ones, the same once more.

use std::collections::BTreeMap;

use burgee_domain::access::Rights;
use burgee_domain::change;
use burgee_domain::command::{self, Command};
use burgee_domain::id::Id;
use burgee_domain::model::Organization;
use burgee_domain::outcome::Scope;
use burgee_domain::request::schedule::{BadSchedule, check_moments, check_size};
use burgee_domain::request::{Act, MAX_OPEN, MAX_REVISIONS, Stage};
use burgee_domain::workspace::Workspace;
use burgee_eval::time::Millis;
use serde_json::{Value, json};

use super::series::{Asked, Planned, Series};
use super::{Party, Request, RequestError, Revision, RevisionHead, Seen, StepHead, list, rows};
use crate::apply::ConflictFound;
use crate::apply::waiting::Against;
use crate::dialect::Clock;
use crate::error::StoreError;
use crate::{Store, Tx, digest, workspace};

/// A request to be made.
#[derive(Clone, Debug)]
pub struct NewRequest {
    /// The client's id for it (a UUID), so that one that is sent again is made once.
    pub id: Option<String>,
    /// What it is for, in a line.
    pub title: String,
    /// What it is for.
    pub description: String,
    /// What it would do.
    pub content: NewRevision,
}

/// What a request would do, to be written down.
#[derive(Clone, Debug)]
pub struct NewRevision {
    /// In which organization.
    pub organization: Id<Organization>,
    /// By whom.
    pub author: Party,
    /// What they may do.
    pub rights: Rights,
    /// The comment on the change sets.
    pub comment: String,
    /// The versions that the author saw, as of a change set.
    pub base: BTreeMap<String, i64>,
    /// What to do, in order: one step without a moment, or steps that each have one.
    pub steps: Vec<NewStep>,
    /// When, by the clock that says when its steps are due.
    pub clock: Clock,
}

/// A step of a request, to be written down.
#[derive(Clone, Debug)]
pub struct NewStep {
    /// When it is due; none: when somebody applies it.
    pub due_at: Option<Millis>,
    /// What to do, in order.
    pub commands: Vec<Command>,
}

/// What else is to be changed where a request is tried out anew.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Replan {
    /// Nothing.
    #[default]
    Same,
    /// The moments of the steps that wait.
    At(Vec<Millis>),
    /// This step is left out.
    Without(i64),
}

/// What a rebase found.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebased {
    /// The newest revision.
    pub revision: i64,
    /// What others had changed since the revision before.
    pub differences: Vec<ConflictFound>,
}

impl NewRevision {
    fn check(&self) -> Result<(), RequestError> {
        for (index, step) in self.steps.iter().enumerate() {
            if let Err(error) = change::well_formed(&step.commands) {
                return Err(match step.due_at {
                    Some(_) => RequestError::InStep(index, Box::new(error.into())),
                    None => error.into(),
                });
            }
        }
        let sizes: Vec<usize> = self.steps.iter().map(|it| it.commands.len()).collect();
        Ok(check_size(&sizes)?)
    }

    fn check_moments(&self, now: Millis) -> Result<(), RequestError> {
        let moments: Vec<Millis> = self.steps.iter().filter_map(|it| it.due_at).collect();
        Ok(check_moments(&moments, now)?)
    }

    fn asked(&self, now: Millis) -> Asked<'_> {
        Asked {
            organization: &self.organization,
            actor: &self.author.actor,
            rights: &self.rights,
            comment: &self.comment,
            against: Against::Named(&self.base),
            now,
        }
    }

    /// The steps with their numbers: the first after so many that were applied.
    fn planned(&self, applied: i64) -> Vec<Planned<'_>> {
        let steps = (applied + 1..).zip(&self.steps);
        steps
            .map(|(number, step)| Planned {
                head: StepHead {
                    step: number,
                    due_at: step.due_at,
                    done: None,
                },
                commands: &step.commands,
                seed: new_id(),
                held: None,
            })
            .collect()
    }

    fn head(&self, revision: i64, rebased: bool, at: Millis) -> RevisionHead {
        RevisionHead {
            revision,
            author: self.author.clone(),
            rebased,
            comment: self.comment.clone(),
            at,
        }
    }
}

impl Store {
    /// Makes a request, and gives its id. Its author must be allowed all that it does.
    ///
    /// # Errors
    /// Those of a change set but for approvals, [`RequestError::NoEffect`],
    /// [`RequestError::Full`], [`RequestError::Schedule`] and [`RequestError::InStep`].
    pub async fn create_request(&self, new: &NewRequest) -> Result<String, RequestError> {
        let (tx, id) = self.write_request(new).await?;
        self.end(tx, false).await?;
        Ok(id)
    }

    /// What a request would be, as its author would see it; nothing is written.
    ///
    /// # Errors
    /// As [`Store::create_request`].
    pub async fn try_request(&self, new: &NewRequest) -> Result<Seen, RequestError> {
        let (mut tx, id) = self.write_request(new).await?;
        let content = &new.content;
        let (organization, viewer) = (&content.organization, &content.author);
        let now = content.clock.read(self.shared.dialect, &mut tx).await?;
        let seen = list::seen(&mut tx, organization, &id, viewer, now).await?;
        self.end(tx, true).await?;
        Ok(seen)
    }

    /// Writes a request; the transaction is still to be ended.
    async fn write_request(&self, new: &NewRequest) -> Result<(Tx, String), RequestError> {
        let content = &new.content;
        content.check()?;
        let id = new.id.clone().unwrap_or_else(new_id);
        let digest = digest_of(new)?;
        let organization = &content.organization;
        let mut tx = self.begin_write().await?;
        if is_repeated(&mut tx, organization, &id, digest).await? {
            return Ok((tx, id));
        }
        let workspace = self.workspace_of(&mut tx, content).await?;
        if is_repeated(&mut tx, organization, &id, digest).await? {
            return Ok((tx, id));
        }
        let now = content.clock.read(self.shared.dialect, &mut tx).await?;
        content.check_moments(now)?;
        if rows::count_open(&mut tx, organization).await? >= MAX_OPEN {
            return Err(RequestError::Full(MAX_OPEN, "open requests"));
        }
        let series = self
            .try_series(
                &mut tx,
                &workspace,
                &content.asked(now),
                &content.planned(0),
            )
            .await?;
        let mut request = unwritten(new, &id, now);
        let head = content.head(1, false, now);
        let (revision, moved) = revise(&mut request, series, head)?;
        if !rows::insert(&mut tx, organization, &request, digest).await? {
            // Two of one id at once, which lock nothing in common: the other was faster.
            return match is_repeated(&mut tx, organization, &id, digest).await? {
                true => Ok((tx, id)),
                false => Err(StoreError::Reused.into()),
            };
        }
        rows::insert_revision(&mut tx, organization, &id, &revision, &moved).await?;
        let author = &content.author;
        let said = ("createRequest", "made");
        self.record_request(&mut tx, organization, &request, author, said, now)
            .await?;
        Ok((tx, id))
    }

    /// Writes another revision of a request, which nobody has approved; gives its number. Steps that
    /// were applied stay; it has those that shall come.
    ///
    /// # Errors
    /// As [`Store::create_request`], and [`RequestError::Closed`].
    pub async fn revise_request(
        &self,
        id: &str,
        content: &NewRevision,
    ) -> Result<i64, RequestError> {
        content.check()?;
        let organization = &content.organization;
        let mut tx = self.begin_write().await?;
        let newest = rows::find(&mut tx, organization, id).await?.revision;
        let before = rows::revision(&mut tx, organization, id, newest).await?;
        let workspace = self.workspace_of(&mut tx, content).await?;
        let now = content.clock.read(self.shared.dialect, &mut tx).await?;
        content.check_moments(now)?;
        let planned = content.planned(before.applied());
        let series = self
            .try_series(&mut tx, &workspace, &content.asked(now), &planned)
            .await?;
        let request = rows::lock(&mut tx, self.shared.dialect, organization, id).await?;
        let head = content.head(request.revision + 1, false, now);
        let before = (organization, &before);
        self.next_revision(tx, before, request, series, head).await
    }

    /// Tries the steps of a request that wait out on what is there now, and writes that down as
    /// another revision, which nobody has approved. Other moments, and a step less, are something
    /// else than what was agreed to as other commands are.
    ///
    /// # Errors
    /// As [`Store::revise_request`]; where the commands do not fit any more, the conflicts of that.
    pub async fn rebase_request(
        &self,
        organization: &Id<Organization>,
        id: &str,
        (author, rights): (&Party, &Rights),
        replan: &Replan,
        clock: Clock,
    ) -> Result<Rebased, RequestError> {
        let mut tx = self.begin_write().await?;
        let now = clock.read(self.shared.dialect, &mut tx).await?;
        let newest = rows::find(&mut tx, organization, id).await?.revision;
        let before = rows::revision(&mut tx, organization, id, newest).await?;
        let planned = replanned(&before, replan, now)?;
        let references = command::references(planned.iter().flat_map(|it| it.commands));
        let dialect = self.shared.dialect;
        let workspace = workspace::load(&mut tx, dialect, organization, &references).await?;
        let asked = Asked {
            organization,
            actor: &author.actor,
            rights,
            comment: &before.head.comment,
            against: Against::Known(&before.base),
            now,
        };
        let mut series = self
            .try_series(&mut tx, &workspace, &asked, &planned)
            .await?;
        let differences = std::mem::take(&mut series.differences);
        let request = rows::lock(&mut tx, dialect, organization, id).await?;
        let head = RevisionHead {
            revision: newest + 1,
            author: author.clone(),
            rebased: true,
            comment: before.head.comment.clone(),
            at: now,
        };
        let revision = self
            .next_revision(tx, (organization, &before), request, series, head)
            .await?;
        Ok(Rebased {
            revision,
            differences,
        })
    }

    /// Writes the next revision of a locked request, and commits. Nothing may have been revised,
    /// applied or forgotten since `before` was read.
    async fn next_revision(
        &self,
        mut tx: Tx,
        (organization, before): (&Id<Organization>, &Revision),
        mut request: Request,
        series: Series,
        head: RevisionHead,
    ) -> Result<i64, RequestError> {
        request.stage = request.stage.after(Act::Revise)?;
        let now = rows::revision(&mut tx, organization, &request.id, request.revision).await?;
        if now != *before {
            return Err(RequestError::Revised(request.revision));
        }
        if request.revision >= MAX_REVISIONS {
            return Err(RequestError::Full(MAX_REVISIONS, "revisions"));
        }
        let (author, at) = (head.author.clone(), head.at);
        let said = match head.rebased {
            true => ("rebaseRequest", "rebased"),
            false => ("reviseRequest", "revised"),
        };
        request.changed_at = at;
        request.stopped = None;
        let (revision, moved) = revise(&mut request, series, head)?;
        rows::insert_revision(&mut tx, organization, &request.id, &revision, &moved).await?;
        rows::update(&mut tx, organization, &request).await?;
        self.record_request(&mut tx, organization, &request, &author, said, at)
            .await?;
        self.end(tx, false).await?;
        Ok(request.revision)
    }

    /// What the commands of a revision refer to, locked.
    async fn workspace_of(
        &self,
        tx: &mut Tx,
        content: &NewRevision,
    ) -> Result<Workspace, StoreError> {
        let commands = content.steps.iter().flat_map(|it| &it.commands);
        let references = command::references(commands);
        let dialect = self.shared.dialect;
        workspace::load(tx, dialect, &content.organization, &references).await
    }
}

/// A request of which it is not known yet what it does.
fn unwritten(new: &NewRequest, id: &str, now: Millis) -> Request {
    let content = &new.content;
    Request {
        id: id.to_owned(),
        title: new.title.clone(),
        description: new.description.clone(),
        stage: Stage::Open,
        author: content.author.clone(),
        revision: 0,
        scopes: Vec::new(),
        places: Vec::new(),
        about: Vec::new(),
        change_set: None,
        created_at: now,
        changed_at: now,
        due_at: None,
        stopped: None,
    }
}

/// The revision that steps come to, and the scopes that it moves; the request says what it is about
/// now.
fn revise(
    request: &mut Request,
    series: Series,
    head: RevisionHead,
) -> Result<(Revision, Vec<Scope>), RequestError> {
    series.has_effect()?;
    request.revision = head.revision;
    request.about = series.about();
    request.scopes = series.scopes;
    request.places = series.places;
    request.due_at = series.steps.first().and_then(|it| it.head.due_at);
    let revision = Revision {
        head,
        base: series.versions,
        steps: series.steps,
    };
    Ok((revision, series.moved.into_iter().collect()))
}

/// The steps of a revision that wait, as they shall be.
fn replanned<'b>(
    before: &'b Revision,
    replan: &Replan,
    now: Millis,
) -> Result<Vec<Planned<'b>>, RequestError> {
    let mut planned = before.waiting();
    match replan {
        Replan::Same => {}
        Replan::At(moments) => {
            if moments.len() != planned.len() {
                let message = format!("{} steps wait, so name as many moments", planned.len());
                return Err(bad("/at", "momentCount", message));
            }
            for (step, at) in planned.iter_mut().zip(moments) {
                step.head.due_at = Some(*at);
            }
        }
        Replan::Without(number) => {
            let place = planned.iter().position(|it| it.head.step == *number);
            let place = place.ok_or(StoreError::NotFound("step that waits"))?;
            if planned.len() == 1 {
                let message = "no other step waits: withdraw the request".to_owned();
                return Err(bad("", "lastStep", message));
            }
            planned.remove(place);
            // They held what the one that is gone would have left.
            planned.iter_mut().skip(place).for_each(|it| it.held = None);
        }
    }
    for (number, step) in (before.applied() + 1..).zip(&mut planned) {
        step.head.step = number;
    }
    let moments: Vec<Millis> = planned.iter().filter_map(|it| it.head.due_at).collect();
    check_moments(&moments, now)?;
    Ok(planned)
}

fn bad(pointer: &str, code: &'static str, message: String) -> RequestError {
    let pointer = pointer.to_owned();
    let bad = BadSchedule {
        pointer,
        code,
        message,
    };
    bad.into()
}

fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

/// By which a repeated request is told from another one under the same id.
fn digest_of(new: &NewRequest) -> Result<[u8; 32], StoreError> {
    let content = &new.content;
    let steps = content.steps.iter().map(|step| {
        let commands = serde_json::to_value(&step.commands)?;
        Ok(match step.due_at {
            Some(at) => json!([at, commands]),
            None => commands,
        })
    });
    let steps = steps.collect::<Result<Vec<Value>, StoreError>>()?;
    let steps = match <[Value; 1]>::try_from(steps) {
        Ok([step]) => step,
        Err(steps) => json!(steps),
    };
    let asked = json!([
        new.title,
        new.description,
        content.comment,
        content.base,
        steps
    ]);
    Ok(digest::bytes(asked.to_string().as_bytes()))
}

async fn is_repeated(
    tx: &mut Tx,
    organization: &Id<Organization>,
    id: &str,
    digest: [u8; 32],
) -> Result<bool, StoreError> {
    match rows::digest_of(tx, organization, id).await? {
        None => Ok(false),
        Some(first) if first == digest => Ok(true),
        Some(_) => Err(StoreError::Reused),
    }
}
