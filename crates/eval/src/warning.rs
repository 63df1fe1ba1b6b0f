//! What could not be compiled, or will not mean the same everywhere.

use std::fmt;

/// Why a warning was raised. Texts ([`Code::as_str`]) are stable: the API tells them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// No operator has this name; the condition never matches.
    UnknownOperator,
    /// The operator needs a value and there is none; the condition never matches.
    MissingValue,
    /// The value is no number; the condition never matches.
    NotANumber,
    /// The value is no regular expression that we can run in linear time; never matches.
    NotAPattern,
    /// The value is no JSON list of texts; the condition never matches.
    NotAList,
    /// The value is no semantic version; the condition never matches.
    NotAVersion,
    /// The value is no moment; the condition never matches.
    NotADate,
    /// The value names something that is no network; the condition never matches.
    NotANetwork,
    /// A segment condition inside a segment; it never matches.
    NestedSegment,
    /// The segment is not there; it matches nobody.
    UnknownSegment,
    /// The segment is archived; it matches nobody.
    ArchivedSegment,
    /// The variation is not one of the flag's; who gets it gets nothing.
    UnknownVariation,
    /// The rollout leaves users out; they get nothing.
    Uncovered,
    /// An operator of ours: SDKs that evaluate by themselves take it as no match.
    UnknownToSdks,
    /// There is no flag of this key here, or it is archived; nobody meets the prerequisite.
    UnknownPrerequisite,
    /// The flag that is needed needs this one; nobody meets the prerequisite.
    CircularPrerequisite,
    /// Too many flags would have to be asked; nobody meets the prerequisite.
    DeepPrerequisite,
    /// SDKs that evaluate by themselves cannot ask another flag: for whom it cannot be said
    /// beforehand, they serve the off variation.
    PrerequisiteUnknownToSdks,
}

impl Code {
    /// The name in the API, where what is refused for the same reason has the same code.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::UnknownOperator => "unknownOperator",
            Self::MissingValue => "missingValue",
            Self::NotANumber => "notANumber",
            Self::NotAPattern => "notAPattern",
            Self::NotAList => "notAList",
            Self::NotAVersion => "notAVersion",
            Self::NotADate => "notADate",
            Self::NotANetwork => "notANetwork",
            Self::NestedSegment => "segmentInSegment",
            Self::UnknownSegment => "segmentUnknown",
            Self::ArchivedSegment => "segmentArchived",
            Self::UnknownVariation => "variationUnknown",
            Self::Uncovered => "uncovered",
            Self::UnknownToSdks => "operatorUnknownToSdks",
            Self::UnknownPrerequisite => "prerequisiteUnknown",
            Self::CircularPrerequisite => "prerequisiteCircular",
            Self::DeepPrerequisite => "prerequisiteTooDeep",
            Self::PrerequisiteUnknownToSdks => "prerequisiteUnknownToSdks",
        }
    }

    /// Whether it says that a condition is broken: it never matches, whatever else there is.
    pub fn is_broken_condition(self) -> bool {
        match self {
            Self::UnknownOperator
            | Self::MissingValue
            | Self::NotANumber
            | Self::NotAPattern
            | Self::NotAList
            | Self::NotAVersion
            | Self::NotADate
            | Self::NotANetwork
            | Self::NestedSegment => true,
            Self::UnknownSegment
            | Self::ArchivedSegment
            | Self::UnknownVariation
            | Self::Uncovered
            | Self::UnknownToSdks
            | Self::UnknownPrerequisite
            | Self::CircularPrerequisite
            | Self::DeepPrerequisite
            | Self::PrerequisiteUnknownToSdks => false,
        }
    }
}

/// Something in a flag or a segment that does not do what its author may think.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What it is.
    pub code: Code,
    /// Where, as an RFC 6901 pointer into the flag, the segment or the condition that was given,
    /// e.g. `/rules/0/conditions/1/value`.
    pub pointer: String,
    /// What it is, in words for the flag's author.
    pub message: String,
}

impl Warning {
    pub(crate) fn new(code: Code, pointer: impl Into<String>, message: impl Into<String>) -> Self {
        Self {
            code,
            pointer: pointer.into(),
            message: message.into(),
        }
    }

    /// The same, seen from further out.
    pub(crate) fn under(mut self, parent: &str) -> Self {
        self.pointer.insert_str(0, parent);
        self
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.pointer, self.message)
    }
}
