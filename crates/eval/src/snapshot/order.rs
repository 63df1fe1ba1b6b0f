//! What has to be compiled again after a change, and in which order.
//!
//! A compiled flag holds the segments and the flags that it refers to, so whoever refers to what
//! was edited, directly or not, is compiled again: those that are needed before those that need
//! them. What is left when nothing can be compiled before anything else stands in a circle, or
//! behind one; it is compiled without those prerequisites. Whether a flag does depends on all flags
//! alone, not on what was edited in which order, so every node comes to the same.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use crate::compile::{self, CompiledFlag, Found, Segments};
use crate::flag::Flag;

use super::{Cause, Snapshot};

/// The flags that a change touches, by key, and why each.
pub(super) struct Touched(BTreeMap<String, (Arc<Flag>, Cause)>);

impl Snapshot {
    /// The flags that were edited, and those that refer to one of them or to one of the segments,
    /// directly or by others. Of two flags with one key the later counts.
    pub(super) fn touched(&self, edited: Vec<Flag>, segments: &BTreeSet<String>) -> Touched {
        let mut touched = BTreeMap::new();
        // Most changes are of flags alone: then there are no conditions to look through.
        if !segments.is_empty() {
            let names_one =
                |flag: &&Arc<CompiledFlag>| flag.segment_ids().any(|id| segments.contains(id));
            for flag in self.flags.iter().filter(names_one) {
                let source = (Arc::clone(&flag.flag), Cause::Segment);
                touched.insert(flag.flag.key.clone(), source);
            }
        }
        for flag in edited {
            touched.insert(flag.key.clone(), (Arc::new(flag), Cause::Edited));
        }
        let mut needy: Vec<&Arc<CompiledFlag>> = Vec::new();
        needy.extend(self.flags.iter().filter(|flag| flag.needs().len() > 0));
        loop {
            let (found, rest): (Vec<_>, Vec<_>) = needy
                .into_iter()
                .partition(|flag| flag.needs().any(|key| touched.contains_key(key)));
            if found.is_empty() {
                return Touched(touched);
            }
            for flag in found {
                let source = || (Arc::clone(&flag.flag), Cause::Prerequisite);
                let (_, cause) = touched.entry(flag.flag.key.clone()).or_insert_with(source);
                // What SDKs are sent of a flag differs with those that it needs, and not with its
                // segments.
                if *cause == Cause::Segment {
                    *cause = Cause::Prerequisite;
                }
            }
            needy = rest;
        }
    }
}

impl Touched {
    /// Why this flag was compiled again.
    pub(super) fn cause(&self, key: &str) -> Cause {
        self.0.get(key).map_or(Cause::Edited, |(_, cause)| *cause)
    }

    /// Compiles them, each after those that it needs; `known` are all flags as they were, by key.
    pub(super) fn compile(
        &self,
        known: &[Arc<CompiledFlag>],
        segments: &Segments,
    ) -> Vec<Arc<CompiledFlag>> {
        let mut ready = Vec::with_capacity(self.0.len());
        let mut done: BTreeMap<&str, Arc<CompiledFlag>> = BTreeMap::new();
        let order = self.order();
        let ordered: BTreeSet<&str> = order.iter().copied().collect();
        let circular = self.0.keys().map(String::as_str);
        let circular = circular.filter(|key| !ordered.contains(key));
        for key in order.iter().copied().chain(circular) {
            let Some((flag, _)) = self.0.get(key) else {
                continue;
            };
            let needed = |needed: &str| {
                let found = match self.0.contains_key(needed) {
                    true if !ordered.contains(needed) => return Found::Circular,
                    true => done.get(needed),
                    false => find(known, needed),
                };
                match found {
                    None => Found::Missing,
                    Some(flag) if flag.is_circular() => Found::Circular,
                    Some(flag) => Found::Flag(Arc::clone(flag)),
                }
            };
            let flag = compile::flag_among(Arc::clone(flag), segments, &needed);
            let flag = Arc::new(flag);
            done.insert(key, Arc::clone(&flag));
            ready.push(flag);
        }
        ready
    }

    /// Each after those of them that it needs; without those that stand in a circle or behind one.
    fn order(&self) -> Vec<&str> {
        let mut open: BTreeMap<&str, usize> = BTreeMap::new();
        let mut needed_by: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut free = VecDeque::new();
        for (key, (flag, _)) in &self.0 {
            let needs = flag.prerequisites.iter().map(|it| it.flag.as_str());
            let here: BTreeSet<&str> = needs.filter(|key| self.0.contains_key(*key)).collect();
            match here.len() {
                0 => free.push_back(key.as_str()),
                count => {
                    open.insert(key, count);
                }
            }
            for other in here {
                needed_by.entry(other).or_default().push(key);
            }
        }
        let mut order = Vec::with_capacity(self.0.len());
        while let Some(key) = free.pop_front() {
            order.push(key);
            for &other in needed_by.get(key).into_iter().flatten() {
                if let Some(count) = open.get_mut(other) {
                    *count -= 1;
                    if *count == 0 {
                        free.push_back(other);
                    }
                }
            }
        }
        order
    }
}

fn find<'a>(flags: &'a [Arc<CompiledFlag>], key: &str) -> Option<&'a Arc<CompiledFlag>> {
    let place = flags.binary_search_by(|flag| flag.flag.key.as_str().cmp(key));
    flags.get(place.ok()?)
}
