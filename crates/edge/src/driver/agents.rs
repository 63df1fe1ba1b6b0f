//! What SDKs say that they are, each text once, however many connections say it.

use std::collections::HashMap;
use std::sync::Arc;

use slab::Slab;

/// Texts that are told apart at once. Strangers can send any: further ones are `(others)`.
const MOST: usize = 1_000;

/// Longer texts are cut.
const LENGTH: usize = 64;

/// What browsers say has a thousand forms, and nothing of the SDK.
const BROWSER: &str = "browser";

/// Names a text of this loop, in two bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct AgentId(u16);

impl AgentId {
    /// It says nothing.
    pub(super) const NONE: Self = Self(0);
    const OTHERS: Self = Self(1);
    const FIRST: usize = 2;

    fn place(self) -> Option<usize> {
        usize::from(self.0).checked_sub(Self::FIRST)
    }
}

/// The texts of a loop's connections.
#[derive(Default)]
pub(super) struct Agents {
    entries: Slab<Entry>,
    by_text: HashMap<Arc<str>, AgentId>,
}

struct Entry {
    text: Arc<str>,
    /// How many connections have it.
    users: u32,
}

impl Agents {
    /// Takes what a connection says; to be given back by [`Self::leave`].
    pub(super) fn join(&mut self, said: &str) -> AgentId {
        let name = name(said);
        if name.is_empty() {
            return AgentId::NONE;
        }
        if let Some(&id) = self.by_text.get(name) {
            if let Some(entry) = id.place().and_then(|at| self.entries.get_mut(at)) {
                entry.users += 1;
            }
            return id;
        }
        if self.entries.len() >= MOST {
            return AgentId::OTHERS;
        }
        let text: Arc<str> = name.into();
        let entry = Entry {
            text: Arc::clone(&text),
            users: 1,
        };
        let id = AgentId((self.entries.insert(entry) + AgentId::FIRST) as u16);
        self.by_text.insert(text, id);
        id
    }

    /// A connection goes.
    pub(super) fn leave(&mut self, id: AgentId) {
        let Some(place) = id.place() else { return };
        let Some(entry) = self.entries.get_mut(place) else {
            return;
        };
        entry.users -= 1;
        if entry.users == 0 {
            let entry = self.entries.remove(place);
            self.by_text.remove(&entry.text);
        }
    }

    /// What it says.
    pub(super) fn text(&self, id: AgentId) -> Arc<str> {
        match id.place().map(|place| self.entries.get(place)) {
            Some(Some(entry)) => Arc::clone(&entry.text),
            _ if id == AgentId::OTHERS => "(others)".into(),
            _ => "".into(),
        }
    }
}

/// The first of the products that a `User-Agent` names: the others are what it is made with.
fn name(said: &str) -> &str {
    let first = said.split_ascii_whitespace().next().unwrap_or_default();
    if first.starts_with("Mozilla/") {
        return BROWSER;
    }
    match first.bytes().all(|byte| byte.is_ascii_graphic()) {
        true => first.get(..LENGTH).unwrap_or(first),
        false => "",
    }
}

#[cfg(test)]
mod tests {
    use super::{AgentId, Agents, MOST};

    #[test]
    fn each_text_is_there_once_for_as_long_as_somebody_has_it() {
        let mut agents = Agents::default();
        let node = agents.join("NodeJS-Server-SDK/1.3.0");
        assert_eq!(agents.join("NodeJS-Server-SDK/1.3.0 node/22"), node);
        assert_eq!(&*agents.text(node), "NodeJS-Server-SDK/1.3.0");
        agents.leave(node);
        assert_eq!(&*agents.text(node), "NodeJS-Server-SDK/1.3.0");
        agents.leave(node);
        assert_eq!(&*agents.text(node), "");
        assert!(agents.by_text.is_empty() && agents.entries.is_empty());
    }

    #[test]
    fn what_strangers_say_has_bounds() {
        let mut agents = Agents::default();
        assert_eq!(agents.join(""), AgentId::NONE);
        assert_eq!(agents.join("schön/1"), AgentId::NONE);
        let browser = agents.join("Mozilla/5.0 (X11; Linux x86_64)");
        assert_eq!(&*agents.text(browser), "browser");
        let long = agents.join(&"x".repeat(1_000));
        assert_eq!(agents.text(long).len(), 64);
        for number in 0..MOST {
            agents.join(&format!("made-up/{number}"));
        }
        let one_more = agents.join("one/more");
        assert_eq!(&*agents.text(one_more), "(others)");
        agents.leave(one_more);
        assert_eq!(agents.entries.len(), MOST);
    }
}
