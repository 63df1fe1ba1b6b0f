//! Flags and segments made ready: parsed once, so that evaluating can neither fail nor allocate.
//!
//! What cannot be compiled never matches and leaves a [`Warning`]; nothing here fails.

mod prerequisite;
mod rule;
mod segment;

use std::sync::Arc;

use crate::flag::Flag;
use crate::keys::KeyIndex;
use crate::outcome::{Outcome, OutcomeIndex, Outcomes, Reason};
use crate::rollout::Rollout;
use crate::time::Millis;

pub use crate::condition::check as check_condition;
pub use crate::warning::{Code, Warning};
pub use prerequisite::{LONGEST_CHAIN, MOST_ASKED};
pub use segment::{CompiledSegment, Segments, segment};

use crate::standalone::Standalone;

pub(crate) use prerequisite::{CompiledPrerequisite, Found, Reach};
pub(crate) use rule::RuleTest;
use rule::{CompiledRule, Compiler};

/// A flag, ready to be evaluated. Immutable, shared, never different for another reader.
#[derive(Debug)]
pub struct CompiledFlag {
    pub(crate) flag: Arc<Flag>,
    pub(crate) plan: Plan,
    outcomes: Box<[Outcome]>,
    segment_ids: Box<[Box<str>]>,
    timestamp: Millis,
    pub(crate) reach: Reach,
    pub(crate) standalone: Option<Standalone>,
    pub(crate) segments: Named,
    warnings: Box<[Warning]>,
}

/// The segments that a flag names, as flags that need it see them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named {
    /// Whether SDKs take each of their conditions as it is meant.
    pub(crate) are_sound: bool,
    /// The latest stamp of one that has conditions.
    pub(crate) stamp: Option<Millis>,
}

impl Named {
    fn of<'a>(segments: impl Iterator<Item = &'a Arc<CompiledSegment>> + Clone) -> Self {
        let mut warnings = segments.clone().flat_map(|it| it.warnings());
        let ruled = segments.filter(|it| !it.segment().rules.is_empty());
        Self {
            are_sound: !warnings.any(|it| it.code == Code::UnknownToSdks),
            stamp: ruled.map(|it| it.segment().updated_at).max(),
        }
    }
}

/// How a flag answers.
#[derive(Debug)]
pub(crate) enum Plan {
    /// The same to everybody: off (its variation may be unknown), or archived.
    Fixed(Option<OutcomeIndex>),
    /// By what the flag is set to do.
    Targeting(Targeting),
}

/// Prerequisites, then targets, then rules, then the default rule.
#[derive(Debug)]
pub(crate) struct Targeting {
    pub(crate) prerequisites: Box<[CompiledPrerequisite]>,
    pub(crate) targets: KeyIndex,
    /// By list of targets.
    pub(crate) targeted: Box<[Option<OutcomeIndex>]>,
    pub(crate) rules: Box<[CompiledRule]>,
    pub(crate) default: Rollout,
}

/// Compiles a flag by itself, with the segments of its environment. Where it needs other flags,
/// nobody meets those prerequisites: [`Snapshot`](crate::snapshot::Snapshot) knows all flags.
pub fn flag(flag: Arc<Flag>, segments: &Segments) -> CompiledFlag {
    flag_among(flag, segments, &|_| Found::Missing)
}

/// Compiles a flag with what it refers to; `needed` finds other flags by key.
pub(crate) fn flag_among(
    flag: Arc<Flag>,
    segments: &Segments,
    needed: &dyn Fn(&str) -> Found,
) -> CompiledFlag {
    let mut compiler = Compiler::new(&flag, segments, needed);
    let plan = plan(&flag, &mut compiler);
    let Compiler {
        outcomes,
        segment_ids,
        stamp,
        reach,
        ledger,
        ..
    } = compiler;
    let mut compiled = CompiledFlag {
        timestamp: stamp.max(flag.updated_at),
        reach,
        standalone: None,
        segments: Named::of(segment_ids.iter().filter_map(|id| segments.get(id))),
        plan,
        outcomes: outcomes.finish(),
        segment_ids: segment_ids.into_iter().collect(),
        // Nobody can be misled by what is not served.
        warnings: match flag.is_archived {
            true => Box::default(),
            false => ledger.warnings.into(),
        },
        flag,
    };
    compiled.standalone = compiled.standing_alone();
    if compiled.standalone.as_ref().is_some_and(|it| !it.exact) {
        let message = "SDKs that evaluate by themselves cannot ask other flags: they serve the \
                       off variation to all for whom that cannot be said by conditions alone";
        let warning = Warning::new(Code::PrerequisiteUnknownToSdks, "/prerequisites", message);
        let more = std::mem::take(&mut compiled.warnings).into_iter();
        compiled.warnings = more.chain([warning]).collect();
    }
    compiled
}

/// Everything is compiled whether or not the flag is on, since warnings and segments count in
/// either state; what a flag that is off or archived cannot answer is not among its outcomes.
fn plan(flag: &Flag, compiler: &mut Compiler<'_>) -> Plan {
    let disabled = compiler.disabled();
    let prerequisites = compiler.prerequisites();
    let targeted = compiler.targets();
    let rules = compiler.rules();
    let default = compiler.default_rule();
    if flag.is_archived {
        compiler.outcomes = Outcomes::default();
        return Plan::Fixed(None);
    }
    if !flag.is_enabled {
        compiler.outcomes = Outcomes::default();
        let outcome = disabled.and_then(|outcome| compiler.outcomes.add(outcome));
        return Plan::Fixed(outcome);
    }
    let lists = |number: usize| Some(flag.target_users.get(number)?.key_ids.as_slice());
    Plan::Targeting(Targeting {
        prerequisites,
        targets: KeyIndex::new(lists),
        targeted,
        rules,
        default,
    })
}

impl CompiledFlag {
    /// What it was compiled from.
    pub fn flag(&self) -> &Arc<Flag> {
        &self.flag
    }

    /// Every answer that [`CompiledFlag::evaluate`] can give, each once.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// The latest of its own stamp and those of the segments and flags it refers to, directly or
    /// not, archived ones too: a client that was away when one of them changed learns of it by
    /// this.
    pub fn timestamp(&self) -> Millis {
        self.timestamp
    }

    /// The ids that its conditions name, each once, whether or not there is such a segment.
    pub fn segment_ids(&self) -> impl ExactSizeIterator<Item = &str> {
        self.segment_ids.iter().map(AsRef::as_ref)
    }

    /// What does not do what its author may think.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The reason as client SDKs report it: `flag disabled`, `prerequisite failed`, `targeted`, the
    /// rule's name, or `default`.
    pub fn match_reason(&self, reason: Reason) -> &str {
        match reason {
            Reason::Disabled => "flag disabled",
            Reason::Prerequisite(_) => "prerequisite failed",
            Reason::Targeted => "targeted",
            Reason::Rule(position) => {
                let rule = self.flag.rules.get(position);
                rule.map_or("", |rule| rule.name.as_str())
            }
            Reason::Default => "default",
        }
    }
}
