//! What every command is: the trait, what it can act on, and the fields that say so.

use super::References;
use crate::change::Draft;
use crate::fault::Fault;

/// What a command acts on, by the keys as they were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target<'a> {
    /// A flag in all environments.
    Flag {
        /// The project's key.
        project: &'a str,
        /// The flag's key.
        flag: &'a str,
    },
    /// A flag's targeting in one environment.
    Targeting {
        /// The project's key.
        project: &'a str,
        /// The environment's key.
        environment: &'a str,
        /// The flag's key.
        flag: &'a str,
    },
    /// A segment: of an environment, of a project (no environment) or of the organization (neither).
    Segment {
        /// The project's key.
        project: Option<&'a str>,
        /// The environment's key.
        environment: Option<&'a str>,
        /// The segment's key.
        segment: &'a str,
    },
}

/// One command. `Err` leaves the draft in any state: the change set is refused as a whole.
pub(crate) trait Edit {
    /// What it acts on.
    fn target(&self) -> Target<'_>;

    /// The permission that it needs.
    fn permission(&self) -> &'static str;

    /// The tags of what it makes; none where it makes nothing.
    fn new_tags(&self) -> Option<&[String]> {
        None
    }

    /// Other flags of the project whose answers it uses, by key.
    fn asks(&self) -> Vec<&str> {
        Vec::new()
    }

    /// Adds what must be loaded besides the target.
    fn refer(&self, _references: &mut References) {}

    /// Checks what needs no workspace: texts, counts, lists, conditions. It is done before anything
    /// is loaded or locked, and [`Self::apply`] relies on it.
    fn check_shape(&self) -> Result<(), Fault> {
        Ok(())
    }

    /// Checks it against the draft and does it. Says whether it changed anything.
    fn apply(&self, draft: &mut Draft<'_>) -> Result<bool, Fault>;
}

/// Defines a command on a flag in all environments: its address, and the fields given.
macro_rules! flag_command {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            /// The project's key.
            pub project: String,
            /// The flag's key.
            pub flag: String,
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $name {
            fn address(&self) -> $crate::command::Target<'_> {
                $crate::command::Target::Flag { project: &self.project, flag: &self.flag }
            }
        }
    };
}

/// Defines a command on a flag's targeting in one environment.
macro_rules! targeting_command {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            /// The project's key.
            pub project: String,
            /// The environment's key.
            pub environment: String,
            /// The flag's key.
            pub flag: String,
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $name {
            fn address(&self) -> $crate::command::Target<'_> {
                $crate::command::Target::Targeting {
                    project: &self.project,
                    environment: &self.environment,
                    flag: &self.flag,
                }
            }
        }
    };
}

/// Defines a command on a segment, whose scope is told by which of the keys are present.
macro_rules! segment_command {
    ($(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
        #[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
        #[serde(rename_all = "camelCase", deny_unknown_fields)]
        pub struct $name {
            /// The project's key; absent for a segment of the organization.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub project: Option<String>,
            /// The environment's key; absent for a segment of a project or the organization.
            #[serde(default, skip_serializing_if = "Option::is_none")]
            pub environment: Option<String>,
            /// The segment's key.
            pub segment: String,
            $($(#[$field_doc])* pub $field: $type,)*
        }

        impl $name {
            fn address(&self) -> $crate::command::Target<'_> {
                $crate::command::Target::Segment {
                    project: self.project.as_deref(),
                    environment: self.environment.as_deref(),
                    segment: &self.segment,
                }
            }
        }
    };
}

pub(crate) use {flag_command, segment_command, targeting_command};

/// Sets a field, and says whether that changed it.
pub(crate) fn replace<T: PartialEq>(field: &mut T, value: T) -> bool {
    let changed = *field != value;
    *field = value;
    changed
}
