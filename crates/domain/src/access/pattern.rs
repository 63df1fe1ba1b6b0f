//! Patterns over resources, as statements name them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::resource::{Kind, Resource};

/// The longest pattern, in bytes: four keys and some tags.
const MAX_PATTERN: usize = 1_024;

/// A pattern over resources: `*`, or a path such as `project/web:env/*:flag/check*;payment`.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Pattern {
    /// Empty: everything. Keys are folded.
    path: Vec<(Kind, String)>,
    /// Of which the resource must have one; empty: none is asked for.
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
            true => (Path::new(), Vec::new()),
            false => read(&text)?,
        };
        let folded = |(kind, key): (Kind, String)| (kind, key.to_ascii_lowercase());
        let path = path.into_iter().map(folded).collect();
        Ok(Self { path, tags, text })
    }

    /// Whether the resource is meant: each part of the pattern matches the resource's part at its
    /// place, so a short pattern covers all that is inside.
    pub fn matches(&self, resource: &Resource) -> bool {
        let path = self.path.len() <= resource.path.len();
        let mut parts = self.path.iter().zip(&resource.path);
        path && parts.all(|((kind, key), (of_resource, name))| {
            kind == of_resource && glob(key.as_bytes(), name.to_ascii_lowercase().as_bytes())
        }) && self.has_tag_of(resource)
    }

    fn has_tag_of(&self, resource: &Resource) -> bool {
        let wanted = |tag: &String| {
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

type Path = Vec<(Kind, String)>;

/// Reads a path and tags.
fn read(text: &str) -> Result<(Path, Vec<String>), PatternError> {
    let (path, tags) = match text.split_once(';') {
        Some((path, tags)) => (path, tags.split(',').map(str::to_owned).collect()),
        None => (text, Vec::new()),
    };
    let path = read_path(path)?;
    let tagged = path.last().is_some_and(|(kind, _)| kind.has_tags());
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

fn read_path(text: &str) -> Result<Path, PatternError> {
    let mut path = Path::new();
    for part in text.split(':') {
        let (kind, key) = read_part(part).ok_or_else(|| PatternError::Part(part.to_owned()))?;
        if !kind.may_follow(path.last().map(|(kind, _)| *kind)) {
            return Err(PatternError::Place { kind: kind.name() });
        }
        path.push((kind, key));
    }
    Ok(path)
}

fn read_part(part: &str) -> Option<(Kind, String)> {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"._-*".contains(&byte);
    if part == Kind::Organization.name() {
        return Some((Kind::Organization, String::new()));
    }
    let (kind, key) = part.split_once('/')?;
    let kind = Kind::of_name(kind).filter(|kind| *kind != Kind::Organization)?;
    let valid = !key.is_empty() && key.bytes().all(allowed);
    valid.then(|| (kind, key.to_owned()))
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
