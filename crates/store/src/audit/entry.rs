//! An entry as the chain sees it, and what a search of the log looks at.

use std::borrow::Cow;

use burgee_domain::audit::{self, Head, Link};
use serde::Deserialize;
use serde_json::Value;
use sqlx::any::AnyRow;

use crate::change_sets::Actor;
use crate::error::StoreError;
use crate::row;

/// A search looks through so many bytes of an entry: a person reads no more either.
const SEARCHED: usize = 8 * 1024;

/// The columns of [`Entry::read`], of the table `c`.
pub(super) const COLUMNS: &str = "c.number, c.id, c.actor_kind, c.actor_id, c.actor_name, c.at, \
    c.vocabulary, c.project_id, c.comment, c.base, c.commands, c.commands_size, \
    c.request_digest, c.result, c.kinds, c.search";

/// How many they are.
pub(super) const WIDTH: usize = 16;

/// A row of the history.
pub(super) struct Entry {
    pub(super) number: i64,
    pub(super) id: String,
    actor: [String; 3],
    at: i64,
    vocabulary: i64,
    project: Option<String>,
    comment: String,
    base: String,
    /// As it is stored.
    pub(super) commands: Vec<u8>,
    commands_size: i64,
    request: Vec<u8>,
    pub(super) result: String,
    found_by: [String; 2],
}

impl Entry {
    pub(super) fn read(found: &AnyRow) -> Result<Self, StoreError> {
        Ok(Self {
            number: row::number(found, 0)?,
            id: row::text(found, 1)?,
            actor: [
                row::text(found, 2)?,
                row::text(found, 3)?,
                row::text(found, 4)?,
            ],
            at: row::number(found, 5)?,
            vocabulary: row::number(found, 6)?,
            project: row::optional_text(found, 7)?,
            comment: row::text(found, 8)?,
            base: row::text(found, 9)?,
            commands: row::blob(found, 10)?,
            commands_size: row::number(found, 11)?,
            request: row::blob(found, 12)?,
            result: row::text(found, 13)?,
            found_by: [row::text(found, 14)?, row::text(found, 15)?],
        })
    }

    pub(super) fn comment(&self) -> &str {
        &self.comment
    }

    pub(super) fn body_digest(&self, salt: &[u8]) -> Link {
        let size = self.commands_size.to_be_bytes();
        let [kinds, search] = &self.found_by;
        audit::body_digest(
            salt,
            &[
                self.comment.as_bytes(),
                self.base.as_bytes(),
                &self.commands,
                &size,
                &self.request,
                self.result.as_bytes(),
                kinds.as_bytes(),
                search.as_bytes(),
            ],
        )
    }

    pub(super) fn link(&self, previous: Link, body: Link) -> Link {
        let [kind, id, name] = &self.actor;
        let head = Head {
            number: self.number,
            id: &self.id,
            actor_kind: kind,
            actor_id: id,
            actor_name: name,
            at: self.at,
            vocabulary: self.vocabulary,
            project: self.project.as_deref(),
        };
        audit::link(previous, &head, body)
    }
}

/// The kinds of a list of commands, as they are looked for: each once, between two spaces.
pub(crate) fn kinds(commands: &str) -> Result<String, StoreError> {
    #[derive(Deserialize)]
    struct Command<'a> {
        #[serde(borrow)]
        kind: Cow<'a, str>,
    }
    let commands: Vec<Command<'_>> = serde_json::from_str(commands)?;
    let mut kinds: Vec<&str> = commands.iter().map(|it| it.kind.as_ref()).collect();
    kinds.sort_unstable();
    kinds.dedup();
    Ok(match kinds.is_empty() {
        true => String::new(),
        false => format!(" {} ", kinds.join(" ")),
    })
}

/// What a search of an entry looks through: who, why, and what changed in words; in lower case.
pub(crate) fn search(actor: &Actor, comment: &str, result: &Value) -> String {
    let lines = result["diff"].as_array();
    let lines = lines.into_iter().flatten();
    let lines = lines.filter_map(|line| line["text"].as_str());
    let mut text = String::new();
    for part in [actor.name.as_str(), comment].into_iter().chain(lines) {
        if text.len() >= SEARCHED {
            break;
        }
        text.push_str(&part.to_lowercase());
        text.push('\n');
    }
    let mut end = text.len().min(SEARCHED);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text.truncate(end);
    text
}
