//! Segments of a file: what takes them there, and by which ids rules will name them.

use burgee_eval::segment::SegmentRule;

use super::labels::{SegmentNames, free_id};
use super::plan::{Done, Group};
use super::present::Present;
use super::shape::SegmentFile;
use super::targeting::{condition_input, name_of_place};
use super::{FileFault, condition};
use crate::command::Command;
use crate::command::input::SegmentRuleInput;
use crate::command::segment::create::CreateSegment;
use crate::command::segment::life::{ArchiveSegment, RestoreSegment};
use crate::command::segment::members::{SetExcluded, SetIncluded};
use crate::command::segment::metadata::{DescribeSegment, RenameSegment, SetSegmentTags};
use crate::command::segment::rules::SetSegmentRules;
use crate::id::Id;
use crate::model::{Life, Segment, SegmentScope};

/// Where segments are: by the keys of the project and the environment.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    pub(super) project: &'a str,
    pub(super) environment: Option<&'a str>,
    pub(super) scope: &'a SegmentScope,
}

/// What becomes of a segment.
pub(super) struct Planned {
    pub(super) id: Id<Segment>,
    /// What is done first.
    pub(super) group: Group,
    /// Whether it is archived when the flags are as they shall be.
    pub(super) archive: Option<Command>,
}

/// Plans one segment of a file.
pub(super) fn plan(
    place: Place<'_>,
    key: &str,
    file: &SegmentFile,
    present: &Present,
    new_id: &mut dyn FnMut() -> String,
    at: &str,
) -> Result<Planned, FileFault> {
    let found = present.segment(place.scope, key);
    let is_taken = |id: &str| present.taken_segments.contains(id);
    let id = match found {
        Some(found) => found.id.clone(),
        None => free_id(file.id.as_ref(), is_taken, new_id),
    };
    let rules = rules(file, found, new_id, at)?;
    let addressed = Addressed { place, key };
    let (commands, done) = match found {
        None => (vec![addressed.create(&id, file, &rules)], Done::Created),
        Some(found) => addressed.change(found, file, &rules),
    };
    let is_archived = found.is_some_and(|it| it.life == Life::Archived);
    let archives = file.archived && (!is_archived || !commands.is_empty());
    let group = Group::segment(place.environment, key, done, commands);
    Ok(Planned {
        id,
        group,
        archive: archives.then(|| addressed.archive()),
    })
}

/// The command that archives a segment of which a file says nothing.
pub(super) fn archive(place: Place<'_>, key: &str) -> Command {
    Addressed { place, key }.archive()
}

fn rules(
    file: &SegmentFile,
    found: Option<&Segment>,
    new_id: &mut dyn FnMut() -> String,
    at: &str,
) -> Result<Vec<SegmentRule>, FileFault> {
    let nothing = SegmentNames::default();
    let kept = found.map(|it| it.rules.as_slice()).unwrap_or_default();
    let mut rules = Vec::with_capacity(file.rules.len());
    for (index, rule) in file.rules.iter().enumerate() {
        let name = rule.name.clone().unwrap_or_else(|| name_of_place(index));
        let kept = kept.get(index).filter(|it| it.name == name);
        let id = rule.id.clone().or(kept.map(|it| it.id.clone()));
        let conditions = rule.conditions.iter().enumerate();
        let conditions = conditions
            .map(|(place, it)| {
                let at = format!("{at}/rules/{index}/if/{place}");
                condition::from_file(it, &nothing, &at)
            })
            .collect::<Result<_, _>>()?;
        rules.push(SegmentRule {
            id: id.unwrap_or_else(&mut *new_id),
            name,
            conditions,
        });
    }
    Ok(rules)
}

struct Addressed<'a> {
    place: Place<'a>,
    key: &'a str,
}

impl Addressed<'_> {
    fn project(&self) -> Option<String> {
        Some(self.place.project.to_owned())
    }

    fn environment(&self) -> Option<String> {
        self.place.environment.map(str::to_owned)
    }

    fn create(&self, id: &Id<Segment>, file: &SegmentFile, rules: &[SegmentRule]) -> Command {
        CreateSegment {
            project: self.project(),
            environment: self.environment(),
            segment: self.key.to_owned(),
            id: Some(id.to_string()),
            name: file.name.clone(),
            description: Some(file.description.clone()),
            tags: file.tags.clone(),
            included: file.included.clone(),
            excluded: file.excluded.clone(),
            rules: rules.iter().map(rule_input).collect(),
        }
        .into()
    }

    fn archive(&self) -> Command {
        ArchiveSegment {
            project: self.project(),
            environment: self.environment(),
            segment: self.key.to_owned(),
        }
        .into()
    }

    fn change(
        &self,
        found: &Segment,
        file: &SegmentFile,
        rules: &[SegmentRule],
    ) -> (Vec<Command>, Done) {
        let mut commands: Vec<Command> = Vec::new();
        /// A command with its address.
        macro_rules! add {
            ($name:ident { $($field:ident: $value:expr),* $(,)? }) => {
                commands.push($name {
                    project: self.project(),
                    environment: self.environment(),
                    segment: self.key.to_owned(),
                    $($field: $value,)*
                }.into())
            };
        }
        let wanted = file.name.clone().unwrap_or_else(|| found.key.to_string());
        if found.name != wanted {
            add!(RenameSegment { name: wanted });
        }
        if found.description != file.description {
            add!(DescribeSegment {
                description: file.description.clone()
            });
        }
        if found.tags != file.tags {
            add!(SetSegmentTags {
                tags: file.tags.clone()
            });
        }
        if found.included != file.included {
            add!(SetIncluded {
                keys: file.included.clone()
            });
        }
        if found.excluded != file.excluded {
            add!(SetExcluded {
                keys: file.excluded.clone()
            });
        }
        if normal(&found.rules) != normal(rules) {
            add!(SetSegmentRules {
                rules: rules.iter().map(rule_input).collect()
            });
        }
        let restores = found.life == Life::Archived && (!file.archived || !commands.is_empty());
        if restores {
            let edits = std::mem::take(&mut commands);
            add!(RestoreSegment {});
            commands.extend(edits);
        }
        let done = match (found.life, file.archived, commands.is_empty()) {
            (Life::Archived, false, _) => Done::Restored,
            (Life::Live, true, _) => Done::Archived,
            (_, _, true) => Done::Unchanged,
            _ => Done::Updated,
        };
        (commands, done)
    }
}

/// Rules as they are compared.
fn normal(rules: &[SegmentRule]) -> Vec<SegmentRule> {
    let rules = rules.iter().map(|rule| SegmentRule {
        conditions: condition::normal(&rule.conditions),
        ..rule.clone()
    });
    rules.collect()
}

fn rule_input(rule: &SegmentRule) -> SegmentRuleInput {
    SegmentRuleInput {
        id: Some(rule.id.clone()),
        name: Some(rule.name.clone()),
        conditions: rule.conditions.iter().map(condition_input).collect(),
    }
}
