//! Patterns over resources, as statements name them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::resource::{Kind, PROTECTED, Part, Resource, UNPROTECTED};

/// The longest pattern, in bytes: four keys and some tags.
const MAX_PATTERN: usize = 1_024;

/// A pattern over resources: `*`, or a path such as `project/web:env/*:flag/check*;payment`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern {
    /// Empty: everything. Keys are folded.
    path: Vec<Part>,
    /// Of which the resource must have one, in lower case, since nobody means another tag by `Pay`
    /// than by `pay`; empty: none is asked for.
    tags: Vec<String>,
    text: String,
}

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// Longer than can be meant.
    #[error("a resource has at most {MAX_PATTERN} bytes")]
    TooLong,
    /// A part that names nothing that there is.
    #[error(
        "`{0}` names no resource: it is `*`, or a path of parts `kind/key` joined by `:`, \
         as `project/web:env/prod:flag/*`"
    )]
    Part(String),
    /// A part in a place where it cannot be.
    #[error(
        "`{kind}` cannot stand there; flags are `project/…:flag/…` or `project/…:env/…:flag/…`"
    )]
    Place {
        /// The part's kind.
        kind: &'static str,
    },
    /// Tags where there can be none.
    #[error("only the last part, and only a flag or a segment, has tags (`flag/*;one,other`)")]
    Tags,
}

impl Pattern {
    /// Reads one.
    pub fn new(text: impl Into<String>) -> Result<Self, PatternError> {
        let text = text.into();
        if text.len() > MAX_PATTERN {
            return Err(PatternError::TooLong);
        }
        let (path, tags) = match text == "*" {
            true => (Vec::new(), Vec::new()),
            false => read(&text)?,
        };
        let folded = |part: Part| Part {
            key: part.key.to_ascii_lowercase(),
            ..part
        };
        let path = path.into_iter().map(folded).collect();
        let tags = tags.iter().map(|it| it.to_lowercase()).collect();
        Ok(Self { path, tags, text })
    }

    /// Whether the resource is meant: each part of the pattern matches the resource's part at its
    /// place, so a short pattern covers all that is inside.
    pub fn matches(&self, resource: &Resource) -> bool {
        self.matches_where(resource, |wanted, is| is == Some(wanted))
    }

    /// As [`Self::matches`], or it would if more were known of the resource.
    pub fn may_match(&self, resource: &Resource) -> bool {
        self.matches_where(resource, |wanted, is| is.is_none_or(|is| is == wanted))
    }

    fn matches_where(
        &self,
        resource: &Resource,
        protected: impl Fn(bool, Option<bool>) -> bool,
    ) -> bool {
        let path = self.path.len() <= resource.path.len();
        let mut parts = self.path.iter().zip(&resource.path);
        path && parts.all(|(part, of)| {
            part.kind == of.kind
                && glob(part.key.as_bytes(), of.key.to_ascii_lowercase().as_bytes())
                && part
                    .protected
                    .is_none_or(|wanted| protected(wanted, of.protected))
        }) && self.has_tag_of(resource)
    }

    /// Whether every resource that the other pattern means is meant. In doubt it is not.
    pub(super) fn covers(&self, other: &Self) -> bool {
        // A star of the other's is a character that none but a star of ours matches.
        let within = |wide: &str, narrow: &str| glob(wide.as_bytes(), narrow.as_bytes());
        let tag = |tag: &String| self.tags.iter().any(|it| within(it, tag));
        self.path.len() <= other.path.len()
            && self.path.iter().zip(&other.path).all(|(part, of)| {
                part.kind == of.kind
                    && within(&part.key, &of.key)
                    && (part.protected.is_none() || part.protected == of.protected)
            })
            && (self.tags.is_empty() || !other.tags.is_empty() && other.tags.iter().all(tag))
    }

    /// Whether it means but what has a tag.
    pub(super) fn has_tags(&self) -> bool {
        !self.tags.is_empty()
    }

    /// Whether there may be a resource that both mean. In doubt there is.
    pub(super) fn meets(&self, other: &Self) -> bool {
        self.path.iter().zip(&other.path).all(|(part, of)| {
            part.kind == of.kind
                && ends_meet(&part.key, &of.key)
                && (part.protected.is_none()
                    || of.protected.is_none()
                    || part.protected == of.protected)
        })
    }

    fn has_tag_of(&self, resource: &Resource) -> bool {
        let wanted = |tag: &String| {
            let tag = tag.to_lowercase();
            let mut patterns = self.tags.iter();
            patterns.any(|pattern| glob(pattern.as_bytes(), tag.as_bytes()))
        };
        self.tags.is_empty() || resource.tags.iter().any(wanted)
    }

    /// The text as it was given.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

/// Reads a path and tags.
fn read(text: &str) -> Result<(Vec<Part>, Vec<String>), PatternError> {
    let (path, tags) = match text.split_once(';') {
        Some((path, tags)) => (path, tags.split(',').map(str::to_owned).collect()),
        None => (text, Vec::new()),
    };
    let path = read_path(path)?;
    let tagged = path.last().is_some_and(|part| part.kind.has_tags());
    if !tags.is_empty() && (!tagged || tags.iter().any(String::is_empty)) {
        return Err(PatternError::Tags);
    }
    Ok((path, tags))
}

impl FromStr for Resource {
    type Err = PatternError;

    /// Reads what [`Resource`] is shown as. Where a key has `*`, it stands for itself.
    fn from_str(text: &str) -> Result<Self, PatternError> {
        if text.len() > MAX_PATTERN {
            return Err(PatternError::TooLong);
        }
        let (path, tags) = read(text)?;
        Ok(Self { path, tags })
    }
}

fn read_path(text: &str) -> Result<Vec<Part>, PatternError> {
    let mut path: Vec<Part> = Vec::new();
    for part in text.split(':') {
        let read = read_part(part).ok_or_else(|| PatternError::Part(part.to_owned()))?;
        if !read.kind.may_follow(path.last().map(|part| part.kind)) {
            return Err(PatternError::Place {
                kind: read.kind.name(),
            });
        }
        path.push(read);
    }
    Ok(path)
}

fn read_part(part: &str) -> Option<Part> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-*".contains(&byte);
    if part == Kind::Organization.name() {
        return Some(Part::new(Kind::Organization, ""));
    }
    let (kind, key) = part.split_once('/')?;
    let kind = Kind::of_name(kind).filter(|kind| *kind != Kind::Organization)?;
    let (key, protected) = match kind {
        Kind::Environment => read_protected(key),
        _ => (key, None),
    };
    let valid = !key.is_empty() && key.bytes().all(allowed);
    valid.then(|| Part {
        protected,
        ..Part::new(kind, key)
    })
}

/// An environment's key, and what is said of its protection.
fn read_protected(key: &str) -> (&str, Option<bool>) {
    for (ending, protected) in [(PROTECTED, true), (UNPROTECTED, false)] {
        if let Some(key) = key.strip_suffix(ending) {
            return (key, Some(protected));
        }
    }
    (key, None)
}

/// Whether `text` matches a pattern in which `*` stands for any number of bytes. Linear in the text
/// for each star: it goes back to the last star only.
fn glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut at, mut here) = (0, 0);
    let mut star: Option<(usize, usize)> = None;
    while let Some(byte) = text.get(here) {
        match pattern.get(at) {
            Some(b'*') => {
                star = Some((at, here));
                at += 1;
            }
            Some(wanted) if wanted == byte => {
                at += 1;
                here += 1;
            }
            _ => match &mut star {
                Some((after, from)) => {
                    *from += 1;
                    (at, here) = (*after + 1, *from);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|byte| *byte == b'*')
}

/// Whether two patterns agree up to their first stars, and after their last ones: else no text is
/// meant by both.
fn ends_meet(one: &str, other: &str) -> bool {
    let agree = |one: &mut dyn Iterator<Item = u8>, other: &mut dyn Iterator<Item = u8>| loop {
        match (one.next(), other.next()) {
            (Some(b'*'), _) | (_, Some(b'*')) | (None, None) => return true,
            (Some(one), Some(other)) if one == other => {}
            _ => return false,
        }
    };
    agree(&mut one.bytes(), &mut other.bytes())
        && agree(&mut one.bytes().rev(), &mut other.bytes().rev())
}

impl TryFrom<String> for Pattern {
    type Error = PatternError;

    fn try_from(text: String) -> Result<Self, PatternError> {
        Self::new(text)
    }
}

impl From<Pattern> for String {
    fn from(pattern: Pattern) -> Self {
        pattern.text
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}
