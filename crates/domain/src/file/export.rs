//! What is there, as a file.

use burgee_eval::flag::{RolloutVariation, Rule, Variation};

use super::labels::{SegmentNames, of_variation, scope_name};
use super::present::Present;
use super::shape::{
    ConditionFile, DefaultFile, Each, EnvironmentFile, FlagFile, PartFile, PrerequisiteFile,
    ProjectFile, RuleFile, SegmentFile, SegmentRuleFile, ServeFile, TargetFile, TargetingFile,
    VariationFile,
};
use super::text::VERSION;
use super::{condition, targeting};
use crate::check::rollout::everyone;
use crate::key::{Key, fold};
use crate::model::{Environment, Flag, Life, Segment, SegmentScope, Targeting};
use crate::workspace::FlagState;

/// All of a project as a file. The organization's segments are named in it, not described.
pub fn export(present: &Present) -> ProjectFile {
    let project = &present.project.project;
    let environments = present.project.environments.values();
    let flags = present.project.flags.values();
    let scope = SegmentScope::Project(project.id.clone());
    ProjectFile {
        burgee: VERSION,
        project: project.key.to_string(),
        environments: environments
            .map(|it| (it.key.to_string(), environment(present, it)))
            .collect(),
        segments: segments(present, &scope),
        flags: flags
            .map(|it| (it.flag.key.to_string(), flag(present, it)))
            .collect(),
    }
}

fn environment(present: &Present, environment: &Environment) -> EnvironmentFile {
    let project = environment.project.clone();
    let scope = SegmentScope::Environment(project, environment.id.clone());
    EnvironmentFile {
        name: Some(environment.name.clone()),
        description: Some(environment.description.clone()),
        segments: segments(present, &scope),
    }
}

/// A display name, where it is not the key.
fn unlike_key(name: &str, key: &Key) -> Option<String> {
    (name != key.as_str()).then(|| name.to_owned())
}

fn segments(present: &Present, scope: &SegmentScope) -> Each<SegmentFile> {
    let found = present.segments_in(scope);
    found.map(|it| (it.key.to_string(), segment(it))).collect()
}

fn segment(segment: &Segment) -> SegmentFile {
    let nothing = SegmentNames::default();
    let rules = segment.rules.iter().enumerate();
    let rule = |(index, rule): (usize, &burgee_eval::segment::SegmentRule)| SegmentRuleFile {
        id: Some(rule.id.clone()),
        name: unlike_place(&rule.name, index),
        conditions: conditions(&rule.conditions, &nothing),
    };
    SegmentFile {
        id: Some(segment.id.to_string()),
        name: unlike_key(&segment.name, &segment.key),
        description: segment.description.clone(),
        tags: segment.tags.clone(),
        archived: segment.life == Life::Archived,
        included: segment.included.clone(),
        excluded: segment.excluded.clone(),
        rules: rules.map(rule).collect(),
    }
}

/// A rule's name, where it is not the one that its place gives it.
fn unlike_place(name: &str, index: usize) -> Option<String> {
    (name != targeting::name_of_place(index)).then(|| name.to_owned())
}

fn conditions(
    conditions: &[burgee_eval::flag::Condition],
    names: &SegmentNames,
) -> Vec<ConditionFile> {
    let conditions = conditions.iter();
    conditions.map(|it| condition::to_file(it, names)).collect()
}

fn flag(present: &Present, state: &FlagState) -> FlagFile {
    let flag = &state.flag;
    let first = flag.variations.first().map(|it| it.id.as_str());
    let last = flag.variations.last().map(|it| it.id.as_str());
    let unlike = |id: &str, usual: Option<&str>| {
        (usual != Some(id)).then(|| of_variation(id, &flag.variations))
    };
    let environments = present.project.environments.values();
    let targetings = environments.filter_map(|environment| {
        let targeting = state.targetings.get(&environment.id)?;
        let names = names(present, environment);
        let file = released(present, flag, targeting, &names);
        Some((environment.key.to_string(), file))
    });
    FlagFile {
        id: Some(flag.id.to_string()),
        name: unlike_key(&flag.name, &flag.key),
        description: flag.description.clone(),
        kind: flag.kind,
        variations: flag.variations.iter().map(variation).collect(),
        on_variation: unlike(&flag.default_on, first),
        off_variation: unlike(&flag.default_off, last),
        tags: flag.tags.clone(),
        archived: flag.life == Life::Archived,
        environments: targetings.collect(),
    }
}

fn variation(variation: &Variation) -> VariationFile {
    VariationFile {
        id: Some(variation.id.clone()),
        value: variation.value.clone(),
        name: variation.name.clone(),
    }
}

/// The segments that rules in an environment can name.
fn names(present: &Present, environment: &Environment) -> SegmentNames {
    let mut names = SegmentNames::default();
    let reach = present
        .segments
        .iter()
        .filter(|it| it.scope.reaches(&environment.project, &environment.id));
    for segment in reach {
        names.add(
            scope_name(&segment.scope),
            segment.key.as_str(),
            segment.id.as_str(),
        );
    }
    names
}

fn released(
    present: &Present,
    flag: &Flag,
    targeting: &Targeting,
    names: &SegmentNames,
) -> TargetingFile {
    let needed = targeting.prerequisites.iter().map(|it| {
        let flag = present.project.flags.get(&fold(&it.flag));
        let variations = flag.map_or(&[][..], |it| it.flag.variations.as_slice());
        PrerequisiteFile {
            flag: it.flag.clone(),
            serves: of_variation(&it.variation, variations),
        }
    });
    let variations = flag.variations.as_slice();
    let targets = targeting.target_users.iter().map(|list| TargetFile {
        serve: of_variation(&list.variation_id, variations),
        keys: list.key_ids.clone(),
    });
    let rules = targeting.rules.iter().enumerate();
    let rules = rules.map(|(index, it)| rule(it, index, variations, names));
    let usual = crate::change::unreleased(flag);
    let fallthrough = &targeting.fallthrough;
    let default = DefaultFile {
        serve: serve(&fallthrough.variations, variations),
        dispatch_key: fallthrough.dispatch_key.clone(),
        included_in_expt: fallthrough.included_in_expt,
    };
    let off = &targeting.off_variation;
    TargetingFile {
        enabled: targeting.is_enabled,
        prerequisites: needed.collect(),
        targets: targets.collect(),
        rules: rules.collect(),
        fallthrough: (*fallthrough != usual.fallthrough).then_some(default),
        off_variation: (*off != usual.off_variation).then(|| of_variation(off, variations)),
        tracked: targeting.tracked,
        expt_include_all_targets: targeting.expt_include_all_targets,
    }
}

fn rule(rule: &Rule, index: usize, variations: &[Variation], names: &SegmentNames) -> RuleFile {
    RuleFile {
        id: Some(rule.id.clone()),
        name: unlike_place(&rule.name, index),
        conditions: conditions(&rule.conditions, names),
        serve: serve(&rule.variations, variations),
        dispatch_key: rule.dispatch_key.clone(),
        included_in_expt: rule.included_in_expt,
    }
}

fn serve(parts: &[RolloutVariation], variations: &[Variation]) -> ServeFile {
    if let [one] = parts
        && parts == everyone(&one.id)
    {
        return ServeFile::One(of_variation(&one.id, variations));
    }
    let parts = parts.iter().map(|part| PartFile {
        variation: of_variation(&part.id, variations),
        rollout: part.rollout,
        expt_rollout: Some(part.expt_rollout).filter(|it| *it != 1.0),
    });
    ServeFile::Parts(parts.collect())
}
