//! Which connections of a loop belong to which environment.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use slab::Slab;

use super::agents::Agents;
use super::connection::{Connection, Membership};
use super::progress::Progress;
use crate::delivery::LoopReport;
use crate::environment::Environment;
use crate::hub::Access;

/// The environments that have connections on this loop.
#[derive(Default)]
pub(super) struct Members {
    lists: Slab<List>,
    /// By the environment's address: it cannot be taken again while a list holds it, and an
    /// environment that is made anew under an old id is another one.
    by_environment: HashMap<usize, u32>,
    /// Ids of environments that lost their last member since they were asked for.
    emptied: BTreeSet<Arc<str>>,
}

struct List {
    environment: Arc<Environment>,
    /// Places in the loop's table, in no order.
    members: Vec<u32>,
    progress: Progress,
}

impl Members {
    /// Adds a connection.
    pub(super) fn join(&mut self, key: u32, access: &Access) -> Membership {
        let lists = &mut self.lists;
        let index = *self
            .by_environment
            .entry(address(&access.environment))
            .or_insert_with(|| {
                lists.insert(List {
                    environment: Arc::clone(&access.environment),
                    members: Vec::new(),
                    progress: Progress::new(&access.environment.current()),
                }) as u32
            });
        let members = &mut lists[index as usize].members;
        members.push(key);
        Membership {
            environment: index,
            index: members.len() as u32 - 1,
            key: access.key,
            kind: access.kind,
        }
    }

    /// Takes a connection out. Its place in the list goes to the list's last one, which is told:
    /// who walks a list from its end never misses one.
    pub(super) fn leave(&mut self, left: Membership, connections: &mut Slab<Connection>) {
        let Some(list) = self.lists.get_mut(left.environment as usize) else {
            return;
        };
        list.members.swap_remove(left.index as usize);
        let moved = list.members.get(left.index as usize);
        if let Some(moved) = moved
            && let Some(connection) = connections.get_mut(*moved as usize)
            && let Some(membership) = &mut connection.membership
        {
            membership.index = left.index;
        }
        if list.members.is_empty() {
            let list = self.lists.remove(left.environment as usize);
            self.by_environment.remove(&address(&list.environment));
            self.emptied.insert(Arc::clone(list.environment.id()));
        }
    }

    /// The members of an environment.
    pub(super) fn of(&self, environment: &Arc<Environment>) -> &[u32] {
        self.by_environment
            .get(&address(environment))
            .and_then(|index| self.lists.get(*index as usize))
            .map_or(&[], |list| &list.members)
    }

    /// The environment that a member belongs to.
    pub(super) fn environment(&self, member: Membership) -> Option<&Arc<Environment>> {
        let list = self.lists.get(member.environment as usize)?;
        Some(&list.environment)
    }

    /// How far the members of a member's environment have come.
    pub(super) fn progress_of(&self, member: Membership) -> Option<&Progress> {
        let list = self.lists.get(member.environment as usize)?;
        Some(&list.progress)
    }

    /// The same, to be changed.
    pub(super) fn progress(&mut self, member: Membership) -> Option<&mut Progress> {
        let list = self.lists.get_mut(member.environment as usize)?;
        Some(&mut list.progress)
    }

    /// The same of an environment.
    pub(super) fn progress_in(&mut self, environment: &Arc<Environment>) -> Option<&mut Progress> {
        let index = *self.by_environment.get(&address(environment))?;
        let list = self.lists.get_mut(index as usize)?;
        Some(&mut list.progress)
    }

    /// The lists of an environment by its id, each with its place: more than one where it was made
    /// anew and members of the old one are still there.
    pub(super) fn lists_of(&self, id: &str) -> impl Iterator<Item = (u32, &Progress)> {
        let lists = self.lists.iter();
        let meant = lists.filter(move |(_, list)| **list.environment.id() == *id);
        meant.map(|(place, list)| (place as u32, &list.progress))
    }

    /// What there is of an environment, by its id.
    pub(super) fn reports(&self, id: &str, versions: usize, agents: &Agents) -> Vec<LoopReport> {
        let lists = self.lists.iter().map(|(_, list)| list);
        lists
            .filter(|list| **list.environment.id() == *id)
            .map(|list| list.progress.report(&list.environment, versions, agents))
            .collect()
    }

    /// The environments, by id, of which anything moved since this was asked.
    pub(super) fn take_moved(&mut self) -> BTreeSet<Arc<str>> {
        let mut moved = std::mem::take(&mut self.emptied);
        for (_, list) in &mut self.lists {
            if list.progress.take_moved() {
                moved.insert(Arc::clone(list.environment.id()));
            }
        }
        moved
    }
}

fn address(environment: &Arc<Environment>) -> usize {
    Arc::as_ptr(environment).addr()
}
