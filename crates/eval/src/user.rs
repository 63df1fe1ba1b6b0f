//! Who a flag is evaluated for.

use std::borrow::Cow;

/// An end user, borrowing its texts from wherever they lie (a message, a compact record).
///
/// `keyId` and `name` are built in; any other property is looked up here by its exact name, the
/// first of that name counts. A missing property is the empty text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct User<'a> {
    /// Identifies the user; never blank in a valid user.
    pub key: Cow<'a, str>,
    /// A display name, perhaps empty.
    pub name: Cow<'a, str>,
    /// (name, value), in the order given.
    pub properties: Vec<(Cow<'a, str>, Cow<'a, str>)>,
}

impl User<'_> {
    /// The value of a property, if the user has it.
    pub fn property(&self, name: &str) -> Option<&str> {
        match name {
            "keyId" => Some(&self.key),
            "name" => Some(&self.name),
            _ => self.custom(name),
        }
    }

    /// The value of a property that is not built in.
    pub(crate) fn custom(&self, name: &str) -> Option<&str> {
        let mut properties = self.properties.iter();
        let (_, value) = properties.find(|(other, _)| other == name)?;
        Some(value)
    }
}
