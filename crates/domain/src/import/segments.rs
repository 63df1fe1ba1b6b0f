//! Where an import goes, and what FeatBit's segments lack there: a key; and an id where the file's
//! is taken.

use burgee_eval::flag::Flag;
use burgee_eval::segment::Segment;
use sha2::{Digest, Sha256};

use crate::command::SegmentRef;
use crate::command::import::flag::ImportFlag;
use crate::key::MAX_KEY;

/// The environment that is imported into, by folded keys.
#[derive(Clone, Debug)]
pub(super) struct Destination {
    pub(super) project: String,
    pub(super) environment: String,
}

impl Destination {
    pub(super) fn new(project: &str, environment: &str) -> Self {
        Self {
            project: project.to_ascii_lowercase(),
            environment: environment.to_ascii_lowercase(),
        }
    }

    /// The id that a segment gets here where another environment has the file's: the same in every
    /// import, so that repeating one finds it.
    pub(super) fn own_id(&self, id: &str) -> String {
        let hash = hash(&[&self.project, &self.environment, id]);
        uuid::Builder::from_custom_bytes(first_16(&hash))
            .into_uuid()
            .to_string()
    }

    /// The command that takes a flag over.
    pub(super) fn flag(&self, source: &Flag) -> ImportFlag {
        ImportFlag {
            project: self.project.clone(),
            environment: self.environment.clone(),
            flag: source.key.clone(),
            source: Box::new(source.clone()),
        }
    }

    /// A segment's key here.
    pub(super) fn segment(&self, key: &str) -> SegmentRef {
        SegmentRef {
            project: Some(self.project.clone()),
            environment: Some(self.environment.clone()),
            segment: key.to_ascii_lowercase(),
        }
    }
}

/// The keys that a segment may get, best first: its name's slug; with a piece of its id where that
/// is taken; and one of its id alone.
pub(super) fn keys(segment: &Segment) -> [String; 3] {
    let hash = hex(&hash(&[&segment.id]));
    let slug = slug(&segment.name);
    let own = format!("segment-{hash}");
    match slug.is_empty() {
        true => [format!("segment-{}", cut(&hash, 8)), own.clone(), own],
        false => {
            let with_id = format!("{}-{}", cut(&slug, MAX_KEY - 9), cut(&hash, 8));
            [slug, with_id, own]
        }
    }
}

/// A name as a key: letters and digits in lower case, everything else a single dash.
fn slug(name: &str) -> String {
    let mut slug = String::new();
    for letter in name.chars() {
        match letter {
            _ if slug.len() == MAX_KEY => break,
            letter if letter.is_ascii_alphanumeric() => slug.push(letter.to_ascii_lowercase()),
            '_' | '.' if !slug.is_empty() => slug.push(letter),
            _ if slug.is_empty() || slug.ends_with('-') => {}
            _ => slug.push('-'),
        }
    }
    slug.trim_end_matches(['-', '.', '_']).to_owned()
}

fn hash(texts: &[&str]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for text in texts {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize().into()
}

fn first_16(hash: &[u8; 32]) -> [u8; 16] {
    let mut first = [0; 16];
    first
        .iter_mut()
        .zip(hash)
        .for_each(|(to, from)| *to = *from);
    first
}

fn hex(hash: &[u8; 32]) -> String {
    first_16(hash)
        .iter()
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

fn cut(text: &str, length: usize) -> &str {
    text.get(..length).unwrap_or(text)
}
