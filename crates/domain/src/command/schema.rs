//! The vocabulary as the API's description shows it: one schema for each kind of command, taken from
//! the struct that it is read into.
//!
//! Two things differ from the structs, and are said here: a command has its `kind`, and need not
//! name the project where the address of the request does.

use std::borrow::Cow;

use utoipa::openapi::schema::{AdditionalProperties, Object, ObjectBuilder, OneOfBuilder, Type};
use utoipa::openapi::{Discriminator, Ref, RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use super::Command;

/// One kind of command.
pub(super) struct Kind {
    /// `turnOn`.
    kind: String,
    /// The schema's name: `TurnOn`.
    name: &'static str,
    schema: RefOr<Schema>,
    /// What the schema refers to, by name.
    referred: Vec<(String, RefOr<Schema>)>,
}

impl Kind {
    pub(super) fn of<T: ToSchema>(name: &'static str) -> Self {
        let mut kind = name.to_owned();
        kind[..1].make_ascii_lowercase();
        let schema = match T::schema() {
            RefOr::T(Schema::Object(fields)) => RefOr::T(Schema::Object(with_kind(fields, &kind))),
            other => other,
        };
        let mut referred = Vec::new();
        T::schemas(&mut referred);
        Self {
            kind,
            name,
            schema,
            referred,
        }
    }
}

fn with_kind(mut fields: Object, kind: &str) -> Object {
    let text = ObjectBuilder::new()
        .schema_type(Type::String)
        .enum_values(Some([kind]))
        .build();
    fields.properties.insert("kind".to_owned(), text.into());
    fields.required.retain(|field| field != "project");
    fields.required.insert(0, "kind".to_owned());
    fields.additional_properties = Some(Box::new(AdditionalProperties::FreeForm(false)));
    fields
}

impl PartialSchema for Command {
    fn schema() -> RefOr<Schema> {
        let kinds = super::kinds();
        let reference = |kind: &Kind| Ref::from_schema_name(kind.name);
        let mapping = kinds
            .iter()
            .map(|kind| (kind.kind.clone(), reference(kind).ref_location));
        let discriminator = Discriminator::with_mapping("kind", mapping);
        let any = kinds.iter().fold(OneOfBuilder::new(), |any, kind| {
            any.item(RefOr::Ref(reference(kind)))
        });
        let any = any
            .description(Some("One edit of one flag or segment."))
            .discriminator(Some(discriminator));
        RefOr::T(Schema::OneOf(any.build()))
    }
}

impl ToSchema for Command {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("Command")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        for kind in super::kinds() {
            schemas.push((kind.name.to_owned(), kind.schema));
            schemas.extend(kind.referred);
        }
    }
}
