//! Flags and segments made ready: parsed once, so that evaluating can neither fail nor allocate.
//!
//! What cannot be compiled never matches and leaves a [`Warning`]; nothing here fails.

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
pub use segment::{CompiledSegment, Segments, segment};

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
    warnings: Box<[Warning]>,
}

/// How a flag answers.
#[derive(Debug)]
pub(crate) enum Plan {
    /// The same to everybody: off (its variation may be unknown), or archived.
    Fixed(Option<OutcomeIndex>),
    /// Targets, then rules, then the default rule.
    Targeting {
        targets: KeyIndex,
        /// By list of targets.
        targeted: Box<[Option<OutcomeIndex>]>,
        rules: Box<[CompiledRule]>,
        default: Rollout,
    },
}

/// Compiles a flag with the segments of its environment.
pub fn flag(flag: Arc<Flag>, segments: &Segments) -> CompiledFlag {
    let mut compiler = Compiler::new(&flag, segments);
    let plan = plan(&flag, &mut compiler);
    let Compiler {
        outcomes,
        segment_ids,
        stamp,
        ledger,
        ..
    } = compiler;
    CompiledFlag {
        timestamp: stamp.max(flag.updated_at),
        plan,
        outcomes: outcomes.finish(),
        segment_ids: segment_ids.into_iter().collect(),
        // Nobody can be misled by what is not served.
        warnings: match flag.is_archived {
            true => Box::default(),
            false => ledger.warnings.into(),
        },
        flag,
    }
}

/// Everything is compiled whether or not the flag is on, since warnings and segments count in
/// either state; what a flag that is off or archived cannot answer is not among its outcomes.
fn plan(flag: &Flag, compiler: &mut Compiler<'_>) -> Plan {
    let disabled = compiler.disabled();
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
    Plan::Targeting {
        targets: KeyIndex::new(lists),
        targeted,
        rules,
        default,
    }
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

    /// The latest of its own stamp and those of the segments it refers to, archived ones too: a
    /// client that was away when a segment changed learns of it by this.
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

    /// The reason as client SDKs report it: `flag disabled`, `targeted`, the rule's name, or
    /// `default`.
    pub fn match_reason(&self, reason: Reason) -> &str {
        match reason {
            Reason::Disabled => "flag disabled",
            Reason::Targeted => "targeted",
            Reason::Rule(position) => {
                let rule = self.flag.rules.get(position);
                rule.map_or("", |rule| rule.name.as_str())
            }
            Reason::Default => "default",
        }
    }
}
