//! Segments made ready, and all of an environment's by id.

use std::sync::Arc;

use crate::condition::{Condition, IN_SEGMENT, NOT_IN_SEGMENT};
use crate::keys::KeyIndex;
use crate::ledger::Ledger;
use crate::segment::{Segment, SegmentRule};
use crate::user::User;
use crate::warning::{Code, Warning};

/// A segment, ready to be asked for membership. Immutable and shared by the flags that refer to it.
#[derive(Debug)]
pub struct CompiledSegment {
    segment: Arc<Segment>,
    keys: KeyIndex,
    rules: Box<[CompiledRule]>,
    warnings: Box<[Warning]>,
}

/// A rule that can take somebody in.
#[derive(Debug)]
struct CompiledRule {
    /// Its place among the segment's rules.
    index: usize,
    conditions: Box<[Condition]>,
}

impl CompiledRule {
    fn takes(&self, user: &User<'_>) -> bool {
        self.conditions
            .iter()
            .all(|condition| condition.holds(user))
    }
}

/// The lists of keys, in the order in which they are asked.
const EXCLUDED: usize = 0;
const INCLUDED: usize = 1;

fn lists<'s>(segment: &'s Segment) -> impl Fn(usize) -> Option<&'s [String]> {
    |number| match number {
        EXCLUDED => Some(&segment.excluded),
        INCLUDED => Some(&segment.included),
        _ => None,
    }
}

/// Compiles a segment.
pub fn segment(segment: Arc<Segment>) -> CompiledSegment {
    let mut ledger = Ledger::default();
    let rules = segment.rules.iter().enumerate();
    let rules = rules.filter_map(|(index, rule)| {
        let conditions = conditions(rule, &format!("/rules/{index}"), &mut ledger)?;
        Some(CompiledRule { index, conditions })
    });
    let rules = rules.collect();
    CompiledSegment {
        rules,
        keys: KeyIndex::new(lists(&segment)),
        warnings: match segment.is_archived {
            true => Box::default(),
            false => ledger.warnings.into(),
        },
        segment,
    }
}

/// The rule's conditions, or none where one of them is a segment condition, which never holds.
fn conditions(rule: &SegmentRule, pointer: &str, ledger: &mut Ledger) -> Option<Box<[Condition]>> {
    let mut compiled = Vec::with_capacity(rule.conditions.len());
    for (number, condition) in rule.conditions.iter().enumerate() {
        let pointer = format!("{pointer}/conditions/{number}");
        if matches!(condition.property.as_str(), IN_SEGMENT | NOT_IN_SEGMENT) {
            let message = "a segment cannot refer to segments; the condition never matches";
            ledger.warn(
                &pointer,
                Warning::new(Code::NestedSegment, "/property", message),
            );
        } else {
            compiled.push(Condition::new(condition, &pointer, ledger));
        }
    }
    (compiled.len() == rule.conditions.len()).then(|| compiled.into())
}

impl CompiledSegment {
    /// What it was compiled from.
    pub fn segment(&self) -> &Arc<Segment> {
        &self.segment
    }

    /// What does not do what its author may think.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// Whether the user is a member: not excluded, and included or taken by a rule. Nobody is a
    /// member of an archived segment.
    pub fn contains(&self, user: &User<'_>) -> bool {
        if self.segment.is_archived {
            return false;
        }
        match self.keys.find(&user.key, lists(&self.segment)) {
            Some(list) => list == INCLUDED,
            None => self.rules.iter().any(|rule| rule.takes(user)),
        }
    }

    /// The place of the first rule that takes the user, whatever the lists say.
    pub(crate) fn rule_of(&self, user: &User<'_>) -> Option<usize> {
        let rule = self.rules.iter().find(|rule| rule.takes(user))?;
        Some(rule.index)
    }
}

/// An environment's segments, sorted by id, each id once.
#[derive(Clone, Debug, Default)]
pub struct Segments(Vec<Arc<CompiledSegment>>);

impl Segments {
    /// The segment of this id.
    pub fn get(&self, id: &str) -> Option<&Arc<CompiledSegment>> {
        self.0.get(self.index(id)?)
    }

    /// Its position.
    pub(crate) fn index(&self, id: &str) -> Option<usize> {
        let segments = &self.0;
        segments
            .binary_search_by(|segment| segment.segment.id.as_str().cmp(id))
            .ok()
    }

    /// All of them, by id.
    pub fn as_slice(&self) -> &[Arc<CompiledSegment>] {
        &self.0
    }

    /// Puts segments in, over those of the same ids; of two that are given the later counts.
    pub(crate) fn put(&mut self, segments: Vec<Arc<CompiledSegment>>) {
        crate::snapshot::put(&mut self.0, segments, |segment| &segment.segment.id);
    }
}

impl FromIterator<Arc<CompiledSegment>> for Segments {
    fn from_iter<I: IntoIterator<Item = Arc<CompiledSegment>>>(segments: I) -> Self {
        let mut all = Self::default();
        all.put(segments.into_iter().collect());
        all
    }
}
