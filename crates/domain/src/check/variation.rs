//! Variations and their values.

use std::collections::HashSet;

use burgee_eval::flag::{Variation, VariationType, parses_as};

use super::{Checked, text};
use crate::change::Draft;
use crate::command::input::VariationInput;
use crate::fault::Fault;
use crate::limits::{MAX_VALUE, MAX_VARIATIONS};

/// Checks the variations of a flag; whether the values are of its type, where that is known.
pub(crate) fn check(
    inputs: &[VariationInput],
    kind: Option<VariationType>,
    at: &str,
) -> Checked<()> {
    if inputs.is_empty() {
        let message = "a flag has at least one variation";
        return Err(Fault::new(at, "variationsEmpty", message));
    }
    if inputs.len() > MAX_VARIATIONS {
        let message = format!("a flag has at most {MAX_VARIATIONS} variations");
        return Err(Fault::new(at, "tooManyVariations", message));
    }
    let mut seen = HashSet::new();
    for (index, input) in inputs.iter().enumerate() {
        let at = format!("{at}/{index}");
        if let Some(id) = &input.id {
            text::id(id, &format!("{at}/id"))?;
            if !seen.insert(id) {
                let message = format!("two variations have the id '{id}'");
                return Err(Fault::new(format!("{at}/id"), "duplicateId", message));
            }
        }
        let value_at = format!("{at}/value");
        match kind {
            Some(kind) => value(&input.value, kind, &value_at).map(drop)?,
            None => check_value(&input.value, &value_at)?,
        }
        text::optional_name(input.name.as_deref(), &format!("{at}/name"))?;
    }
    Ok(())
}

/// The variations of a flag after [`check`], with ids made where there are none.
pub(crate) fn list(
    inputs: &[VariationInput],
    kind: VariationType,
    at: &str,
    new_id: &mut dyn FnMut() -> String,
) -> Checked<Vec<Variation>> {
    let mut variations = Vec::with_capacity(inputs.len());
    for (index, input) in inputs.iter().enumerate() {
        let at = format!("{at}/{index}");
        variations.push(Variation {
            id: input.id.clone().unwrap_or_else(&mut *new_id),
            value: value(&input.value, kind, &format!("{at}/value"))?,
            name: text::optional_name(input.name.as_deref(), &format!("{at}/name"))?,
        });
    }
    Ok(variations)
}

/// Checks a value of whatever type.
pub(crate) fn check_value(value: &str, at: &str) -> Checked<()> {
    text::no_nul(value, at)?;
    if value.len() > MAX_VALUE {
        let message = format!(
            "a value has at most {MAX_VALUE} bytes; this one has {}",
            value.len()
        );
        return Err(Fault::new(at, "valueTooLong", message));
    }
    Ok(())
}

/// A value as it is kept: of the flag's type. Booleans are kept in lower case, because one SDK
/// reads them as JSON.
pub(crate) fn value(value: &str, kind: VariationType, at: &str) -> Checked<String> {
    check_value(value, at)?;
    let value = match kind {
        VariationType::Boolean => value.to_ascii_lowercase(),
        _ => value.to_owned(),
    };
    parses_as(kind, &value).map_err(|why| Fault::new(at, "valueType", why))?;
    Ok(value)
}

/// A new variation with nothing but a value.
pub(crate) fn unnamed(value: &str) -> VariationInput {
    VariationInput {
        id: None,
        value: value.to_owned(),
        name: None,
    }
}

/// Two variations of one value work, but client SDKs report the first one's id for both.
pub(crate) fn warn_of_equal_values(variations: &[Variation], draft: &mut Draft<'_>) {
    let mut seen = HashSet::new();
    for variation in variations
        .iter()
        .filter(|it| !seen.insert(it.value.as_str()))
    {
        let value: String = variation.value.chars().take(40).collect();
        draft.warn(
            "variationsEqual",
            format!("two variations have the value '{value}': client SDKs cannot tell them apart"),
        );
    }
}
