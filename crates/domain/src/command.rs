//! The commands: the one vocabulary in which everything about flags and segments is edited.
//!
//! A command is plain data (JSON: `{"kind": "turnOn", "project": …, "environment": …, "flag": …}`)
//! and one small file: its fields, what it acts on, its permission, its checks and its effect, by
//! the trait [`edit::Edit`]. To add one, write the file and add its line to the list below.
//!
//! Which facets a command changed and how the change reads are not said by the command: both
//! follow from comparing the state before and after ([`crate::change`], [`crate::diff`]), so that
//! they cannot differ from what was really done, and a command without effect shows none.
//!
//! Commands are absolute (set, not toggle), so that repeating one changes nothing.

pub(crate) mod edit;
pub mod flag;
pub mod import;
pub mod input;
mod parse;
mod references;
#[cfg(feature = "schema")]
mod schema;
pub mod segment;
pub mod targeting;

pub use edit::Target;
pub use parse::parse;
pub(crate) use parse::within_limit;
pub use references::{References, SegmentRef, references};

use crate::fault::Fault;
use edit::Edit;
use serde::{Deserialize, Serialize};

macro_rules! commands {
    (
        sent { $($(#[$doc:meta])* $name:ident in $($module:ident)::+;)* }
        made { $($(#[$made_doc:meta])* $made:ident in $($made_module:ident)::+;)* }
    ) => {
        /// One edit of one flag or segment.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(tag = "kind", rename_all = "camelCase")]
        pub enum Command {
            $($(#[$doc])* $name($($module)::+::$name),)*
            $($(#[$made_doc])* $made($($made_module)::+::$made),)*
        }

        impl Command {
            pub(crate) fn edit(&self) -> &dyn Edit {
                match self {
                    $(Self::$name(command) => command,)*
                    $(Self::$made(command) => command,)*
                }
            }

            /// Whether a request may hold it. What an import writes is made by the import alone:
            /// it is forgiving where requests are not.
            pub(crate) fn may_be_sent(&self) -> bool {
                match self {
                    $(Self::$name(_) => true,)*
                    $(Self::$made(_) => false,)*
                }
            }

            /// Reads the fields of a command of this kind; none where a request can hold no such
            /// kind.
            fn read(kind: &str, fields: serde_json::Value) -> Option<Result<Self, Fault>> {
                $(if parse::is_kind(kind, stringify!($name)) {
                    return Some(parse::fields(fields).map(Self::$name));
                })*
                None
            }
        }

        /// The kinds that a request may hold, described.
        #[cfg(feature = "schema")]
        fn kinds() -> Vec<schema::Kind> {
            vec![$(schema::Kind::of::<$($module)::+::$name>(stringify!($name)),)*]
        }

        $(impl From<$($module)::+::$name> for Command {
            fn from(command: $($module)::+::$name) -> Self {
                Self::$name(command)
            }
        })*
        $(impl From<$($made_module)::+::$made> for Command {
            fn from(command: $($made_module)::+::$made) -> Self {
                Self::$made(command)
            }
        })*
    };
}

commands! {
    sent {
        /// Makes a flag.
        CreateFlag in flag::create;
        /// Changes a flag's display name.
        RenameFlag in flag::metadata;
        /// Changes a flag's description.
        DescribeFlag in flag::metadata;
        /// Replaces a flag's tags.
        SetFlagTags in flag::metadata;
        /// Replaces a flag's variations.
        SetVariations in flag::variations;
        /// Changes one variation's value or name.
        UpdateVariation in flag::variations;
        /// Stops serving a flag everywhere.
        ArchiveFlag in flag::life;
        /// Serves an archived flag again.
        RestoreFlag in flag::life;
        /// Deletes an archived flag.
        DeleteFlag in flag::life;
        /// Turns a flag on in an environment.
        TurnOn in targeting::switch;
        /// Turns a flag off in an environment.
        TurnOff in targeting::switch;
        /// Replaces the individual targets of one variation.
        SetTargets in targeting::targets;
        /// Adds individual targets to one variation.
        AddTargets in targeting::targets;
        /// Removes individual targets from one variation.
        RemoveTargets in targeting::targets;
        /// Replaces all rules.
        SetRules in targeting::rules;
        /// Adds a rule.
        AddRule in targeting::rules;
        /// Replaces one rule.
        UpdateRule in targeting::rules;
        /// Removes a rule.
        RemoveRule in targeting::rules;
        /// Moves a rule.
        MoveRule in targeting::rules;
        /// Replaces the default rule.
        SetDefaultRule in targeting::defaults;
        /// Chooses what is served while the flag is off.
        SetOffVariation in targeting::defaults;
        /// Replaces what other flags have to serve first.
        SetPrerequisites in targeting::prerequisites;
        /// Changes what is recorded of a flag's users.
        SetTracking in targeting::tracking;
        /// Makes a segment.
        CreateSegment in segment::create;
        /// Changes a segment's display name.
        RenameSegment in segment::metadata;
        /// Changes a segment's description.
        DescribeSegment in segment::metadata;
        /// Replaces a segment's tags.
        SetSegmentTags in segment::metadata;
        /// Replaces the included users.
        SetIncluded in segment::members;
        /// Adds included users.
        AddIncluded in segment::members;
        /// Removes included users.
        RemoveIncluded in segment::members;
        /// Replaces the excluded users.
        SetExcluded in segment::members;
        /// Adds excluded users.
        AddExcluded in segment::members;
        /// Removes excluded users.
        RemoveExcluded in segment::members;
        /// Replaces a segment's rules.
        SetSegmentRules in segment::rules;
        /// Makes a segment match nobody.
        ArchiveSegment in segment::life;
        /// Makes an archived segment match again.
        RestoreSegment in segment::life;
        /// Deletes an archived segment that nothing uses.
        DeleteSegment in segment::life;
    }
    made {
        /// Takes a flag over from FeatBit; made by the import alone.
        ImportFlag in import::flag;
        /// Takes a segment over from FeatBit; made by the import alone.
        ImportSegment in import::segment;
    }
}

impl Command {
    /// What it acts on.
    pub fn target(&self) -> Target<'_> {
        self.edit().target()
    }

    /// The tags of what it makes; none where it makes nothing.
    pub fn new_tags(&self) -> Option<&[String]> {
        self.edit().new_tags()
    }

    /// Other flags of the project whose answers it uses, by key.
    pub fn asks(&self) -> Vec<&str> {
        self.edit().asks()
    }

    /// The name of the permission that it needs, e.g. `flag.turnOn`.
    pub fn permission(&self) -> &'static str {
        self.edit().permission()
    }
}
